// Colours and fonts from the page's CSS variables, as CSS strings and as packed pixels.

// Any CSS colour → [red, green, blue]; the canvas does the parsing, once for every colour.
let colorProbe = null;
const parsedColors = new Map();

export function parseColor(css, fallback) {
  const key = `${css} ${fallback}`;
  if (!parsedColors.has(key)) parsedColors.set(key, probedColor(css, fallback));
  return parsedColors.get(key);
}

function probedColor(css, fallback) {
  colorProbe ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  colorProbe.canvas.width = 1;
  colorProbe.canvas.height = 1;
  colorProbe.fillStyle = fallback;
  colorProbe.fillStyle = css;
  colorProbe.fillRect(0, 0, 1, 1);
  return Array.from(colorProbe.getImageData(0, 0, 1, 1).data.subarray(0, 3));
}

export function mixColors(from, to, share) {
  return from.map((channel, i) => Math.round(channel + (to[i] - channel) * share));
}

export function cssColor([red, green, blue], alpha = 1) {
  return alpha === 1 ? `rgb(${red}, ${green}, ${blue})` : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

// Canvas pixels are little-endian RGBA.
export function packColor([red, green, blue]) {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function brightness([red, green, blue]) {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

const VARIANTS = 4;
const READABLE = 4.8; // WCAG asks for 4.5; the rest is for the tint of pressed buttons

// Contrast ratio of two colours as WCAG 2 defines it, 1 to 21.
function contrast(one, other) {
  const luminance = (color) => {
    const [red, green, blue] = color.map((channel) => {
      const value = channel / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

// The faintest text colour that is still readable.
function quietText(text, background) {
  let share = 0.38;
  while (share > 0 && contrast(mixColors(text, background, share), background) < READABLE) share -= 0.02;
  return mixColors(text, background, Math.max(0, share));
}

// `colors`: those of the clusters, which come with a run. `scale`: enlargement of all text, beside the page's own size.
export function readTheme(element, colors, scale) {
  const style = getComputedStyle(element);
  const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const variable = (name, light, dark) => {
    const value = style.getPropertyValue(`--st-${name}`).trim();
    return value && value !== "unset" ? value : prefersDark ? dark : light;
  };
  const background = parseColor(variable("background-color", "#ffffff", "#0e1117"), "#ffffff");
  const text = parseColor(variable("text-color", "#31333f", "#fafafa"), "#31333f");
  const dark = brightness(background) < 128;
  const enlarged = (scale * parseFloat(getComputedStyle(document.documentElement).fontSize)) / 16 || 1;
  const font = variable("font", "system-ui, sans-serif", "system-ui, sans-serif");
  const clusters = (colors?.[dark ? "dark" : "light"] ?? []).map((color) => parseColor(color, "#888888"));
  return {
    dark,
    background,
    text,
    muted: quietText(text, background),
    faint: mixColors(text, background, 0.7),
    grid: mixColors(text, background, dark ? 0.88 : 0.91),
    accent: parseColor(variable("primary-color", "#0072b2", "#4aa3e0"), "#0072b2"),
    font,
    scale: enlarged,
    type: (size, weight = "") => `${weight && `${weight} `}${size * enlarged}px ${font}`,
    clusters,
    clusterColor: (track) => clusters[track % clusters.length],
    // Clusters beyond the colours repeat them; the variant tells those of one colour apart.
    clusterVariant: (track) => Math.floor(track / clusters.length) % VARIANTS,
  };
}

// Lines of several panels: distinguished by dash and by grey, as colours are those of clusters.
export const PANEL_DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3], [12, 4], [4, 2, 1, 2]];
const PANEL_SHARES = [0, 0.35, 0, 0.35, 0, 0.35]; // of the background in each grey; palette.py has the same

export function panelColor(theme, number, count) {
  return count === 1 ? theme.accent : mixColors(theme.text, theme.background, PANEL_SHARES[number]);
}

// The sample of a panel's line beside its name.
export function paintSwatch(swatch, theme, number, count) {
  swatch.style.setProperty("--line", cssColor(panelColor(theme, number, count)));
  swatch.style.setProperty("--dashes", PANEL_DASHES[number].join(" ") || "none");
}
