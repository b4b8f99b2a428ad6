// words/say.js
var fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
var thousands = new Intl.NumberFormat("en");
function say(key, values) {
  return values ? fill(dpvizWords[key], values) : dpvizWords[key];
}

// player/assets/decode.js
async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
function splitHeader(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { header, rest: bytes.subarray(4 + length) };
}
function openEnvelope(bytes) {
  const { header, rest } = splitHeader(bytes);
  return { opening: header, payload: rest };
}

// player/assets/nodes.js
var SVG = "http://www.w3.org/2000/svg";
var element = (tag, ...content) => filled(document.createElement(tag), ...content);
var svg = (tag, ...content) => filled(document.createElementNS(SVG, tag), ...content);
function filled(node, attributes = {}, ...children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// player/assets/layout.js
var ICONS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  first: "M5 5h2.5v14H5zM19 5v14L9 12z",
  last: "M16.5 5H19v14h-2.5zM5 5v14l10-7z",
  back: "M16.5 5v14L6.5 12z",
  forward: "M7.5 5v14l10-7z",
  back10: "M12 5v14L3 12zM21 5v14l-9-7z",
  forward10: "M12 5v14l9-7zM3 5v14l9-7z",
  loop: "M7 7h9V4l5 4.5L16 13v-3H9v3H7zM17 17H8v3l-5-4.5L8 11v3h7v-3h2z",
  slow: "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18zm0 2.2a6.8 6.8 0 1 1 0 13.6a6.8 6.8 0 0 1 0-13.6zM11 7.5h2v4.6l3 2.3-1.2 1.6-3.8-2.9z",
  box: "M4 4h5v2H6v3H4zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z",
  legend: "M4 5h4v4H4zM10 6h10v2H10zM4 10.5h4v4H4zM10 11.5h10v2H10zM4 16h4v4H4zM10 17h10v2H10z",
  home: "M12 4l8 7h-2.5v8h-4v-5h-3v5h-4v-8H4z",
  save: "M11 4h2v8l3-3 1.4 1.4L12 15.8l-5.4-5.4L8 9l3 3zM5 18h14v2H5z",
  charts: "M4 4h2v14h14v2H4zM8.5 14.6l3.6-5 3 2.6L19 6l1.6 1.2-5.2 7.9-3-2.6-2.4 3.3z",
  view: "M12 5c5 0 8.6 4.4 10 7-1.4 2.6-5 7-10 7s-8.6-4.4-10-7c1.4-2.6 5-7 10-7zm0 3a4 4 0 1 0 0 8a4 4 0 0 0 0-8z",
  full: "M4 4h6v2H7.4l3.1 3.1-1.4 1.4L6 7.4V10H4zM14 4h6v6h-2V7.4l-3.1 3.1-1.4-1.4L16.6 6H14zM4 14h2v2.6l3.1-3.1 1.4 1.4L7.4 18H10v2H4zM18 14h2v6h-6v-2h2.6l-3.1-3.1 1.4-1.4 3.1 3.1z",
  speak: "M4 9h4l5-4.5v15L8 15H4zM15.5 8.2a5 5 0 0 1 0 7.6l-1.2-1.4a3.2 3.2 0 0 0 0-4.8zM18 5.4a8.6 8.6 0 0 1 0 13.2l-1.2-1.4a6.8 6.8 0 0 0 0-10.4z",
  more: "M4 10h4v4H4zM10 10h4v4h-4zM16 10h4v4h-4z",
  keys: "M4 6h16v12H4zm2 2v2h2V8zm4 0v2h2V8zm4 0v2h2V8zM7 14h10v2H7z"
};
function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name], "fill-rule": "evenodd" }));
}
function setIcon(button, name) {
  button.replaceChildren(icon(name));
}
function iconButton(name, label, keys = "") {
  const title = keys ? `${label} (${keys})` : label;
  return element("button", { type: "button", class: "icon", "aria-label": label, title }, icon(name));
}
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
function lineSample() {
  return svg("svg", { class: "swatch", "aria-hidden": "true" }, svg("path", { d: "M0 3H27" }));
}
var KEYS = [
  [say("player.key_space"), say("player.keys_play")],
  ["← →", say("player.keys_step")],
  ["[ ]", say("player.keys_ten")],
  [say("player.key_home_end"), say("player.keys_ends")],
  ["f, v", say("player.keys_full")],
  [say("player.keys_focused"), ""],
  ["+ − 0", say("player.keys_zoom")],
  [say("player.key_shift_arrows"), say("player.keys_pan")],
  [say("player.key_walk"), say("player.keys_walk")],
  ["g", say("player.keys_ghost")],
  [say("player.key_alt_arrows"), say("player.keys_nudge")],
  [say("player.key_box"), say("player.keys_box")]
];
function hide({ host }) {
  const box = host?.closest('[data-testid="stElementContainer"]');
  if (box) box.style.display = "none";
}

// player/assets/theme.js
var colorProbe = null;
var parsedColors = /* @__PURE__ */ new Map();
function parseColor(css, fallback) {
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
function mixColors(from, to, share) {
  return from.map((channel, i) => Math.round(channel + (to[i] - channel) * share));
}
function cssColor([red, green, blue], alpha = 1) {
  return alpha === 1 ? `rgb(${red}, ${green}, ${blue})` : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}
function brightness([red, green, blue]) {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
var VARIANTS = 4;
var READABLE = 4.8;
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
function quietText(text, background) {
  let share = 0.38;
  while (share > 0 && contrast(mixColors(text, background, share), background) < READABLE) share -= 0.02;
  return mixColors(text, background, Math.max(0, share));
}
function readTheme(element2, colors, scale) {
  const style = getComputedStyle(element2);
  const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const variable = (name, light, dark2) => {
    const value = style.getPropertyValue(`--st-${name}`).trim();
    return value && value !== "unset" ? value : prefersDark ? dark2 : light;
  };
  const background = parseColor(variable("background-color", "#ffffff", "#0e1117"), "#ffffff");
  const text = parseColor(variable("text-color", "#31333f", "#fafafa"), "#31333f");
  const dark = brightness(background) < 128;
  const enlarged = scale * parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
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
    clusterVariant: (track) => Math.floor(track / clusters.length) % VARIANTS
  };
}
var PANEL_DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3], [12, 4], [4, 2, 1, 2]];
var PANEL_SHARES = [0, 0.35, 0, 0.35, 0, 0.35];
function panelColor(theme, number, count) {
  return count === 1 ? theme.accent : mixColors(theme.text, theme.background, PANEL_SHARES[number]);
}
function paintSwatch(swatch, theme, number, count) {
  swatch.style.setProperty("--line", cssColor(panelColor(theme, number, count)));
  swatch.style.setProperty("--dashes", PANEL_DASHES[number].join(" ") || "none");
}

// player/assets/surface.js
function takeTheme(root, colors, scale = 1) {
  const theme = readTheme(root, colors, scale);
  theme.stamp = JSON.stringify([theme.background, theme.text, theme.font, theme.scale, theme.clusters[0]]);
  for (const name of ["text", "muted", "grid", "background", "accent"]) root.style.setProperty(`--${name}`, cssColor(theme[name]));
  root.style.setProperty("--face", theme.font);
  root.style.setProperty("--scale", theme.scale);
  root.classList.toggle("dark", theme.dark);
  return theme;
}
function fitted(canvas, draw) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width < 1 || height < 1) return;
  const sharpness = window.devicePixelRatio || 1;
  const [across, down] = [Math.round(width * sharpness), Math.round(height * sharpness)];
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
  const context = canvas.getContext("2d");
  context.setTransform(sharpness, 0, 0, sharpness, 0, 0);
  context.clearRect(0, 0, width, height);
  draw(context, width, height);
}
function drawBoxed(context, theme, text, { x, y }, { half, height, ink = theme.text, edge = null, opacity = 0.9 }) {
  context.beginPath();
  context.roundRect(x - half, y - height / 2, 2 * half, height, 0.3 * height);
  context.fillStyle = cssColor(theme.background, opacity);
  context.fill();
  if (edge) {
    context.strokeStyle = cssColor(edge.color);
    context.lineWidth = edge.width;
    context.stroke();
  }
  Object.assign(context, { fillStyle: cssColor(ink), textAlign: "center", textBaseline: "middle" });
  context.fillText(text, x, y);
}

// player/assets/format.js
function group(digits) {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}
function formatFixed(value, decimals) {
  if (!Number.isFinite(value)) return "–";
  const [whole, fraction] = Math.abs(value).toFixed(decimals).split(".");
  const sign = value < 0 && Number(Math.abs(value).toFixed(decimals)) !== 0 ? "−" : "";
  return sign + group(whole) + (fraction ? `.${fraction}` : "");
}
function formatNumber(value, digits = 5) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return powerOfTen(value);
  const decimals = size === 0 ? 0 : Math.max(0, Math.min(8, digits - 1 - Math.floor(Math.log10(size))));
  const text = formatFixed(value, decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
var SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
function powerOfTen(value) {
  const [digits, power] = value.toExponential(2).replace("-", "−").split("e");
  const raised = power.replace(/^\+/, "").replace(/^[-−]/, "⁻").replace(/\d/g, (digit) => SUPERSCRIPTS[digit]);
  return `${digits} × 10${raised}`;
}
function nearestStep(steps, rough) {
  const distance = (step) => Math.abs(Math.log(step / rough));
  return steps.reduce((best, step) => distance(step) < distance(best) ? step : best);
}
function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return nearestStep([1, 2, 5, 10].map((factor) => factor * power), rough);
}
function niceTicks(low, high, count, whole = false) {
  if (!(high > low)) return [low];
  let step = niceStep((high - low) / Math.max(1, count));
  if (whole) step = Math.max(1, Math.round(step));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) ticks.push(k * step);
  return ticks;
}
function tickLabels(ticks, step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : Math.abs(ticks[0]) || 1) {
  const largest = Math.max(...ticks.map(Math.abs));
  const [unit, suffix] = largest >= 1e7 ? [1e6, "M"] : largest >= 1e5 ? [1e3, "k"] : [1, ""];
  const decimals = Math.max(0, Math.min(8, Math.ceil(-Math.log10(step / unit) - 1e-9)));
  if (step < 1e-8 || largest >= 1e13) return ticks.map(powerOfTen);
  return ticks.map((tick) => formatFixed(tick / unit, decimals) + (tick === 0 ? "" : suffix));
}

// ui/priors/assets/curves.js
var EDGE = { left: 46, right: 12, top: 22, bottom: 34 };
var MARK = 3;
var Curves = class {
  constructor(root) {
    this.root = root;
    this.legend = element("div", { class: "curve-names" });
    this.chart = element("canvas", { class: "law-chart", role: "img" });
    this.said = element("div", { class: "curve-said", role: "status" });
    this.root.append(this.legend, this.chart, this.said);
    this.at = null;
    this.chart.addEventListener("pointermove", (event) => this.point(event.offsetX));
    this.chart.addEventListener("pointerleave", () => this.point(null));
    this.observer = new ResizeObserver(() => this.paint());
    this.observer.observe(root);
  }
  // `axes`: { x, y, log }; panels: [{ title, said, values, marks, open }], values from x = 1 on, marks [x, y], also open ones.
  open({ axes, panels, palette }) {
    Object.assign(this, { axes, panels, palette });
    this.rows = panels.map(({ title, said }) => ({ swatch: lineSample(), text: element("span", { text: `${title}: ${said}` }) }));
    this.legend.replaceChildren(...this.rows.map(({ swatch, text }) => element("div", {}, swatch, text)));
    this.chart.setAttribute("aria-label", `${axes.y} by ${axes.x}. ${panels.map(({ title, said }) => `${title}: ${said}`).join("; ")}`);
    this.paint();
  }
  invalidate() {
    this.paint();
  }
  close() {
    this.observer.disconnect();
  }
  // Read the chart under the pointer.
  point(offset) {
    const { left, right, most } = this.frame ?? {};
    const share = offset === null || !this.frame ? -1 : (offset - left) / (right - left);
    const x = this.axes?.log ? most ** share : 1 + share * (most - 1);
    this.at = share < 0 || share > 1 ? null : Math.round(x);
    this.paint();
  }
  paint() {
    if (!this.panels || this.root.clientWidth === 0) return;
    const theme = takeTheme(this.root, this.palette);
    this.rows.forEach(({ swatch }, number) => {
      swatch.style.setProperty("--line", cssColor(theme.clusterColor(number)));
      swatch.style.setProperty("--dashes", dashesOf(number).join(" ") || "none");
    });
    fitted(this.chart, (context, width, height) => this.draw(context, theme, width, height));
    this.said.textContent = this.read();
  }
  read() {
    const { at, axes, panels } = this;
    if (at === null) return "";
    const told = panels.map(({ title, values }) => `${title.split(",")[0]} ${formatNumber(values[at - 1] ?? 0, 3)}`);
    return `${axes.x} ${at}: ${told.join("; ")}`;
  }
  draw(context, theme, width, height) {
    const { axes, panels, at } = this;
    const points = panels.flatMap(({ marks, open }) => [...marks ?? [], ...open ?? []]);
    const most = Math.max(2, ...panels.map(({ values }) => values.length), ...points.map(([x]) => x));
    const shown = [...panels.flatMap(({ values }) => values), ...points.map(([, y]) => y)].filter((y) => y > 0);
    const [highest, lowest] = [Math.max(...shown), Math.min(...shown)];
    const [left, right, bottom] = [EDGE.left * theme.scale, width - EDGE.right, height - EDGE.bottom * theme.scale];
    const top = EDGE.top * theme.scale;
    const across = (x) => left + (right - left) * (axes.log ? Math.log(x) / Math.log(most) : (x - 1) / (most - 1));
    const floor = axes.log ? Math.log(lowest) - 0.1 : 0, ceiling = axes.log ? Math.log(highest) + 0.1 : 1.05 * highest;
    const down = (y) => bottom - (bottom - top) * ((axes.log ? Math.log(y) : y) - floor) / (ceiling - floor);
    this.frame = { left, right, most };
    this.drawFrame(context, theme, { left, right, top, bottom, across, down, most, lowest, highest });
    context.lineWidth = 2;
    panels.forEach(({ values, marks, open }, number) => {
      const color = theme.clusterColor(number);
      context.setLineDash(dashesOf(number));
      context.beginPath();
      values.forEach((y, k) => y > 0 || !axes.log ? context.lineTo(across(k + 1), down(y)) : null);
      context.strokeStyle = cssColor(color);
      context.stroke();
      context.setLineDash([]);
      for (const [list, filled2] of [[marks, true], [open, false]]) for (const [x, y] of list ?? []) drawMark(context, color, across(x), down(y), filled2);
    });
    if (at === null) return;
    context.fillStyle = cssColor(theme.faint);
    context.fillRect(across(at) - 0.5, top, 1, bottom - top);
  }
  drawFrame(context, theme, { left, right, top, bottom, across, down, most, lowest, highest }) {
    const { axes } = this;
    context.font = theme.type(12);
    context.textBaseline = "middle";
    context.textAlign = "right";
    const ticks = axes.log ? powersBetween(lowest, highest) : niceTicks(0, highest, 4);
    const labels = axes.log ? ticks.map((tick) => `${formatNumber(100 * tick, 2)} %`) : tickLabels(ticks);
    ticks.forEach((tick, k) => {
      context.fillStyle = cssColor(theme.grid);
      context.fillRect(left, down(tick), right - left, 1);
      context.fillStyle = cssColor(theme.muted);
      context.fillText(labels[k], left - 5, down(tick));
    });
    context.textBaseline = "top";
    context.textAlign = "center";
    const columns = axes.log ? [1, 2, 5, 10, 20, 50, 100, 200].filter((x) => x <= most) : niceTicks(1, most, 8, true);
    for (const x of columns) context.fillText(String(x), across(x), bottom + 4);
    context.textAlign = "right";
    context.fillText(axes.x, right, bottom + 4 + 15 * theme.scale);
    context.textAlign = "left";
    context.fillText(axes.y, 2, 2);
  }
};
var dashesOf = (number) => PANEL_DASHES[number % PANEL_DASHES.length];
function drawMark(context, color, x, y, filled2) {
  context.beginPath();
  context.arc(x, y, MARK, 0, 2 * Math.PI);
  context.fillStyle = cssColor(color);
  context.strokeStyle = cssColor(color);
  context.lineWidth = 1.25;
  if (filled2) context.fill();
  else context.stroke();
  context.lineWidth = 2;
}
function powersBetween(low, high) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power += 1) found.push(...[1, 2, 5].map((factor) => factor * 10 ** power));
  const inside = found.filter((value) => value >= low && value <= high);
  return inside.length > 7 ? inside.filter((value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9) : inside;
}

// ui/priors/assets/dials.js
var AT_REST = 350;
var Dials = class {
  // `shown(panels)`: a position's, null where a panel stays; `rested({ name, place })`.
  constructor(shown, rested) {
    Object.assign(this, { shown, rested, films: {}, names: "", sliders: /* @__PURE__ */ new Map(), moving: false, touched: null });
    this.node = element("section", { class: "dials", "aria-label": "Knobs" });
    this.node.addEventListener("keydown", (event) => event.stopPropagation());
  }
  show(dials) {
    const names = JSON.stringify(dials.map(({ name }) => name));
    if (names !== this.names) {
      this.names = names;
      this.sliders = new Map(dials.map((dial) => [dial.name, this.slider(dial)]));
      this.node.replaceChildren(...[...this.sliders.values()].map(({ node }) => node));
    }
    for (const dial of dials) this.sliders.get(dial.name).set(dial);
  }
  slider({ name, words, explanation }) {
    const id = `dial-${name}`;
    const range = element("input", { type: "range", id, min: 0, step: 1, title: explanation });
    const output = element("output", { for: id });
    const node = element("div", { class: "dial" }, element("label", { for: id, text: words, title: explanation }), output, range);
    let values = [];
    const say2 = () => {
      output.textContent = String(values[range.value]);
      range.setAttribute("aria-valuetext", `${words} ${values[range.value]}`);
    };
    range.addEventListener("input", () => {
      say2();
      this.moving = true;
      clearTimeout(this.resting);
      const panels = this.films[name]?.[range.value];
      if (panels) this.shown(panels);
    });
    range.addEventListener("change", () => {
      clearTimeout(this.resting);
      this.resting = setTimeout(() => {
        this.moving = false;
        this.rested({ name, place: Number(range.value) });
      }, AT_REST);
    });
    const set = (dial) => {
      values = dial.values;
      range.max = values.length - 1;
      range.value = dial.place;
      say2();
    };
    return { node, set };
  }
};

// player/assets/scrub.js
function listenToScrubs(overlay, frameAt, { scrub, hover }) {
  let dragging = false;
  let last = null;
  const place = (event) => {
    const box = overlay.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const frameOf = (event) => frameAt(place(event).x);
  const drag = (event) => {
    last = frameOf(event);
    scrub(last, false);
  };
  overlay.addEventListener("pointerdown", (event) => {
    dragging = true;
    overlay.setPointerCapture(event.pointerId);
    drag(event);
  });
  overlay.addEventListener("pointermove", (event) => {
    if (dragging) drag(event);
    const { x, y } = place(event);
    if (event.pointerType !== "touch") hover(frameAt(x), x, y);
  });
  const finish = (frame2) => {
    if (dragging) scrub(frame2, true);
    dragging = false;
  };
  overlay.addEventListener("pointerup", (event) => finish(frameOf(event)));
  overlay.addEventListener("pointercancel", () => finish(last));
  overlay.addEventListener("pointerleave", () => hover(null, 0, 0));
}

// player/assets/controls.js
var SPEEDS = [0.25, 0.5, 1, 2, 4, 8];
var Transport = class {
  // `deck`: toggle(), moveBy(steps), moveTo(position, settled), setSpeed(x), setLoop(on), setSlow(on), length,
  // position. `speak(on)`, if there is one, says every sweep, or no longer.
  constructor(deck, speak = null) {
    this.deck = deck;
    this.fullScreen = void 0;
    const button = (name, label, keys, action) => {
      const node = iconButton(name, label, keys);
      node.addEventListener("click", action);
      return node;
    };
    const extra = (...described) => {
      const node = button(...described);
      node.classList.add("extra");
      return node;
    };
    this.play = button("play", say("player.play"), say("player.key_space"), () => deck.toggle());
    this.play.classList.add("play");
    this.range = element("input", { type: "range", min: "0", max: "1", step: "1", value: "0", "aria-label": say("player.sweep") });
    this.range.addEventListener("input", () => deck.moveTo(Number(this.range.value), false));
    this.range.addEventListener("change", () => deck.moveTo(Number(this.range.value), true));
    this.position = element("span", { class: "position" });
    this.speed = element("select", { "aria-label": say("player.speed"), title: say("player.speed") });
    for (const speed of SPEEDS) this.speed.append(element("option", { value: speed, text: `${speed}×` }));
    this.speed.value = "1";
    this.speed.addEventListener("change", () => deck.setSpeed(Number(this.speed.value)));
    this.loop = extra("loop", say("player.loop"), "", () => deck.setLoop(this.flip(this.loop)));
    this.loop.setAttribute("aria-pressed", "false");
    this.speak = extra("speak", say("player.speak"), "v", () => speak(this.flip(this.speak)));
    this.speak.setAttribute("aria-pressed", "false");
    this.speak.hidden = speak === null;
    this.slow = element("button", { type: "button", class: "chip slow", "aria-pressed": "false" }, icon("slow"));
    this.slowText = element("span");
    this.slow.append(this.slowText);
    this.slow.addEventListener("click", () => deck.setSlow(this.slow.getAttribute("aria-pressed") !== "true"));
    this.node = element(
      "div",
      { class: "transport", role: "group", "aria-label": say("player.playback") },
      element(
        "div",
        { class: "buttons" },
        extra("first", say("player.first"), say("player.key_home"), () => deck.moveTo(0, true)),
        extra("back10", say("player.back_10"), "[", () => deck.moveBy(-10)),
        button("back", say("player.step_back"), "←", () => deck.moveBy(-1)),
        this.play,
        button("forward", say("player.step"), "→", () => deck.moveBy(1)),
        extra("forward10", say("player.on_10"), "]", () => deck.moveBy(10)),
        extra("last", say("player.last"), say("player.key_end"), () => deck.moveTo(deck.length, true))
      ),
      this.range,
      this.position,
      element("div", { class: "settings" }, this.speed, this.loop, this.speak, this.slow)
    );
  }
  flip(button) {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    return on;
  }
  // The label of the slow-motion chip, or null when the run has no recorded visits.
  offerSlow(text) {
    this.slow.hidden = text === null;
    this.slowText.textContent = text ?? "";
  }
  show({ playing, slow, spoken, written }) {
    const { length, position } = this.deck;
    if (this.playing !== playing) {
      this.playing = playing;
      setIcon(this.play, playing ? "pause" : "play");
      const word = playing ? say("player.pause") : say("player.play");
      this.play.setAttribute("aria-label", word);
      this.play.title = `${word} (${say("player.key_space")})`;
    }
    this.slow.setAttribute("aria-pressed", String(slow));
    this.range.max = String(length);
    this.range.value = String(position);
    this.range.style.setProperty("--done", `${100 * position / Math.max(1, length)}%`);
    this.range.setAttribute("aria-valuetext", spoken);
    write(this.position, written);
  }
  // Keys that work anywhere inside the player, except where a control needs them itself.
  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === "SELECT") return;
    const pressesButton = event.target.tagName === "BUTTON" || event.target.tagName === "SUMMARY";
    const { deck } = this;
    const action = {
      " ": pressesButton ? void 0 : () => deck.toggle(),
      ArrowLeft: () => deck.moveBy(-1),
      ArrowRight: () => deck.moveBy(1),
      "[": () => deck.moveBy(-10),
      "]": () => deck.moveBy(10),
      Home: () => deck.moveTo(0, true),
      End: () => deck.moveTo(deck.length, true),
      v: this.speak.hidden ? void 0 : () => this.speak.click(),
      f: this.fullScreen
    }[event.key];
    if (!action || event.shiftKey && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }
};

// player/assets/deck.js
var WHOLE_RUN_SECONDS = 8;
var Deck = class {
  // `changed(settled)` is called after every movement; `settled` means that it came to rest.
  constructor(changed) {
    this.changed = changed;
    Object.assign(this, { run: null, frame: 0, step: 0, slow: false, playing: false, speed: 1, loop: false });
    this.following = false;
    this.slowest = Infinity;
  }
  // A new run under the same playhead: the end stays the end, everything else keeps its sweep.
  load(run, frame2) {
    const wasAtEnd = this.run !== null && this.frame === this.run.last && this.run.last > 0;
    const follows = run.partial && (this.run === null || wasAtEnd || this.following);
    const place = this.run === null ? frame2 : this.frame;
    this.run = run;
    this.slow = this.slow && run.slowPanel() >= 0;
    this.step = Math.min(this.step, this.visits());
    this.following = follows;
    this.frame = follows || wasAtEnd ? run.last : Math.min(place, run.last);
    this.exact = this.position;
  }
  visits() {
    const number = this.run.slowPanel();
    return number < 0 ? 0 : this.run.panels[number].event_points.length;
  }
  get length() {
    return this.slow ? this.visits() : this.run.last;
  }
  get position() {
    return this.slow ? this.step : this.frame;
  }
  // Frames (or visits) per second.
  rate() {
    const [slowest, fastest] = this.slow ? [3, 30] : [1.25, 60];
    const rate = Math.min(fastest, Math.max(slowest, this.length / WHOLE_RUN_SECONDS));
    return this.speed * Math.min(this.slowest, rate);
  }
  place(position) {
    const limited = Math.min(this.length, Math.max(0, Math.round(position)));
    if (this.slow) this.step = limited;
    else this.frame = limited;
  }
  moveTo(position, settled) {
    if (this.run === null) return;
    this.playing = false;
    this.place(position);
    this.exact = this.position;
    this.following = this.run.partial && this.frame === this.run.last;
    this.changed(settled);
  }
  moveBy(steps) {
    this.moveTo(this.position + steps, true);
  }
  toggle() {
    if (this.run === null) return;
    if (!this.playing && this.position === this.length) this.place(0);
    this.playing = !this.playing;
    this.following = false;
    this.exact = this.position;
    this.time = null;
    this.changed(!this.playing);
  }
  setSpeed(speed) {
    this.speed = speed;
  }
  setLoop(loop) {
    this.loop = loop;
  }
  // Slow motion starts at once, from the first visit of its sweep.
  setSlow(slow) {
    const number = this.run.slowPanel();
    const sweep = this.run.panels[number].events_sweep;
    this.following = false;
    this.frame = Math.min(this.run.last, slow || this.step < this.length ? sweep - 1 : sweep);
    this.slow = slow;
    this.step = 0;
    this.playing = slow;
    this.exact = 0;
    this.time = null;
    this.changed(!slow);
  }
  // Advance to the time of an animation frame; true if the position changed.
  advance(now) {
    if (!this.playing) return false;
    const before = this.position;
    if (this.time !== null) this.exact += (now - this.time) / 1e3 * this.rate();
    this.time = now;
    if (this.exact >= this.length && !this.loop) {
      this.place(this.length);
      this.playing = false;
      this.changed(true);
      return true;
    }
    if (this.exact > this.length + this.rate()) this.exact = 0;
    this.place(Math.floor(this.exact));
    return this.position !== before;
  }
};

// player/assets/hatch.js
var SPACING = 5;
function fillCluster(context, theme, track, x, y, width, height) {
  context.fillStyle = cssColor(theme.clusterColor(track));
  context.fillRect(x, y, width, height);
  const variant = theme.clusterVariant(track);
  if (variant === 0 || width < 2 || height < 2) return;
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  hatch(context, theme, variant, x, y, width, height);
  context.restore();
}
function hatch(context, theme, variant, x, y, width, height) {
  context.beginPath();
  if (variant === 3) {
    for (let row = y + SPACING / 2; row < y + height; row += SPACING) {
      for (let column = x + SPACING / 2; column < x + width; column += SPACING) {
        context.rect(column - 1, row - 1, 2, 2);
      }
    }
    context.fillStyle = cssColor(theme.background);
    context.fill();
    return;
  }
  for (let shift = -height; shift < width; shift += SPACING) {
    context.moveTo(x + shift, y + height);
    context.lineTo(x + shift + height, y);
    if (variant === 2) {
      context.moveTo(x + shift, y);
      context.lineTo(x + shift + height, y + height);
    }
  }
  context.strokeStyle = cssColor(theme.background);
  context.lineWidth = 1.25;
  context.stroke();
}

// ui/priors/assets/tables.js
var GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
var GAP = 5;
var Restaurant = class {
  // `labels`: table of each customer; `join[n − 1]`, `open[K]`: log weights, null where there is none; `seats[m]`
  // instead: probabilities of the next seat after m customers.
  constructor({ labels, join, open, seats, shares }) {
    Object.assign(this, { labels, join, open, seats, shares });
    this.sizes = new Array(labels.length === 0 ? 0 : Math.max(...labels) + 1).fill(0);
    for (const label of labels) this.sizes[label] += 1;
    let tables = 0;
    this.counts = [0, ...labels.map((label) => tables = Math.max(tables, label + 1))];
  }
  sizesAt(seated) {
    const sizes = new Array(this.counts[seated]).fill(0);
    for (let i = 0; i < seated; i += 1) sizes[this.labels[i]] += 1;
    return sizes;
  }
  // Probabilities of each table and, last, of a new one; null where the next seat has no such law.
  nextSeat(sizes) {
    if (this.seats) return this.seats[sizes.reduce((sum, size) => sum + size, 0)];
    if (this.join === null) return null;
    if (sizes.length === 0) return [1];
    const logs = [...sizes.map((size) => this.join[size - 1]), this.open[sizes.length] ?? -Infinity];
    const peak = Math.max(...logs);
    const weights = logs.map((value) => Math.exp(value - peak));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  }
  // Centres and radii of all tables at their final sizes, in rows by the order of opening; one more for a new table.
  layout(width, height) {
    const sizes = [...this.sizes, 1];
    const place = (unit) => {
      const places = [];
      let [x, y, row] = [GAP, GAP, 0];
      for (const size of sizes) {
        const radius = unit * Math.sqrt(size) + 2;
        if (x + 2 * radius + GAP > width && x > GAP) [x, y, row] = [GAP, y + row + GAP, 0];
        places.push({ x: x + radius, y: y + radius, radius, fits: x + 2 * radius + GAP <= width });
        x += 2 * radius + GAP;
        row = Math.max(row, 2 * radius);
      }
      return { places, height: y + row + GAP, fits: places.every(({ fits }) => fits) };
    };
    let [low, high] = [0, width];
    for (let step = 0; step < 24; step += 1) {
      const middle = (low + high) / 2;
      const found2 = place(middle);
      if (found2.fits && found2.height <= height) low = middle;
      else high = middle;
    }
    const found = place(low);
    const spare = Math.max(0, (height - found.height) / 2);
    return { unit: low, places: found.places.map(({ x, y, radius }) => ({ x, y: y + spare, radius })) };
  }
};
function drawFloor(context, theme, restaurant, seated, width, height) {
  const { unit, places } = restaurant.layout(width, height);
  const sizes = restaurant.sizesAt(seated);
  const dot = Math.max(0.8, Math.min(6, 0.72 * unit));
  const last = seated > 0 ? restaurant.labels[seated - 1] : -1;
  const filled2 = new Array(sizes.length).fill(0);
  const circle = (x, y, radius) => {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
  };
  context.lineWidth = 1;
  sizes.forEach((size, table) => {
    const { x, y } = places[table];
    circle(x, y, unit * Math.sqrt(size) + 2);
    context.fillStyle = cssColor(theme.clusterColor(table), 0.16);
    context.fill();
    context.strokeStyle = cssColor(theme.clusterColor(table), 0.75);
    context.stroke();
  });
  for (let i = 0; i < seated; i += 1) {
    const table = restaurant.labels[i];
    const { x, y } = places[table];
    const distance = unit * Math.sqrt(filled2[table] + (sizes[table] > 1 ? 0.4 : 0)) * 0.94;
    const angle = filled2[table] * GOLDEN_ANGLE;
    filled2[table] += 1;
    const [across, down] = [x + distance * Math.cos(angle), y + distance * Math.sin(angle)];
    circle(across, down, dot);
    context.fillStyle = cssColor(theme.clusterColor(table));
    context.fill();
    if (i === seated - 1) {
      circle(across, down, dot + 2.5);
      context.strokeStyle = cssColor(theme.text);
      context.lineWidth = 1.75;
      context.stroke();
    }
  }
  sizes.forEach((size, table) => writeSize(context, theme, places[table], size, unit, table === last));
  const next = places[sizes.length];
  if (seated < restaurant.labels.length && next) {
    circle(next.x, next.y, Math.max(unit + 2, 3));
    context.setLineDash([3, 3]);
    context.lineWidth = 1.25;
    context.strokeStyle = cssColor(theme.muted);
    context.stroke();
    context.setLineDash([]);
  }
}
function writeSize(context, theme, { x, y }, size, unit, isLast) {
  const radius = unit * Math.sqrt(size);
  if (radius < 16 * theme.scale) return;
  context.font = theme.type(12, isLast ? "700" : "600");
  const text = String(size), half = context.measureText(text).width / 2 + 4;
  drawBoxed(context, theme, text, { x, y }, { half, height: 18 * theme.scale });
}
function drawShares(context, theme, shares, width, height) {
  let left = 0;
  shares.forEach((share, table) => {
    const isNew = table === shares.length - 1;
    const right = isNew ? width : left + share * width;
    if (isNew) {
      context.fillStyle = cssColor(theme.faint);
      context.fillRect(left, 0, right - left, height);
    } else if (right - left > 0.15) fillCluster(context, theme, table, left, 0, right - left, height);
    if (right - left > 2.5 && !isNew) {
      context.fillStyle = cssColor(theme.background);
      context.fillRect(right - 0.75, 0, 0.75, height);
    }
    left = right;
  });
}

// ui/priors/assets/evening.js
var REST = 250;
var CALM_FPS = 3;
var MARGIN = { left: 30, right: 10, top: 8, bottom: 18 };
var Evening = class {
  constructor(root, customer) {
    this.root = root;
    this.opening = customer;
    this.deck = new Deck((settled) => this.moved(settled));
    this.transport = new Transport(this.deck);
    this.transport.offerSlow(null);
    this.transport.range.setAttribute("aria-label", "Customers");
    this.grid = element("div", { class: "panels" });
    this.curve = element("canvas", { class: "counts", role: "img", tabindex: "-1" });
    this.title = element("div", { class: "counts-title" });
    this.root.append(this.grid, element("div", { class: "tables-open" }, this.title, this.curve), this.transport.node);
    root.addEventListener("keydown", (event) => this.transport.onKey(event));
    listenToScrubs(this.curve, (x) => this.customerAt(x), {
      scrub: (customer2, done) => this.deck.moveTo(customer2, done),
      hover: () => {
      }
    });
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.observer = new ResizeObserver(() => this.invalidate());
    this.observer.observe(root);
  }
  openAt(customer) {
    this.deck.moveTo(Math.min(customer, this.n), true);
  }
  open({ panels, palette, n }) {
    this.palette = palette;
    this.n = n;
    this.panels = panels.map((panel) => this.panelOf(panel));
    this.grid.replaceChildren(...this.panels.map(({ node }) => node));
    this.root.classList.toggle("alone", panels.length === 1);
    const dotted = panels.some(({ expected }) => expected) ? "; dotted: expected on average" : "";
    this.title.textContent = `Tables open after so many customers${dotted}`;
    this.curve.setAttribute("aria-label", this.title.textContent);
    this.deck.load({ last: n, partial: false, slowPanel: () => -1 }, this.opening);
    this.invalidate();
  }
  panelOf(panel) {
    const row = (name, text) => {
      const canvas = element("canvas", { class: `bar ${name}`, role: "img", "aria-label": `${text}, ${panel.title}` });
      return { canvas, node: element("div", { class: "bar-row" }, element("span", { text }), canvas) };
    };
    const swatch = lineSample();
    const status = element("span", { class: "panel-status" });
    const floor = element("canvas", { class: "floor", role: "img", "aria-label": panel.title });
    const next = panel.join || panel.seats ? row("next", "Next seat") : null;
    const shares = panel.shares ? row("stick", "In the long run") : null;
    const header = element("header", {}, swatch, element("span", { class: "panel-title", text: panel.title }), status);
    const note = element("div", { class: "panel-note", text: panel.note });
    const node = element("section", { class: "panel" }, header, floor);
    for (const bar of [next, shares]) if (bar) node.append(bar.node);
    node.append(note);
    return { node, swatch, status, floor, next, shares, given: panel, restaurant: new Restaurant(panel) };
  }
  moved(settled) {
    this.invalidate();
    clearTimeout(this.timer);
    if (settled) this.timer = setTimeout(() => this.channel?.setStateValue("customer", this.deck.position), REST);
  }
  invalidate() {
    this.dirty = true;
    this.wake();
  }
  wake() {
    this.request ??= requestAnimationFrame((now) => this.tick(now));
  }
  tick(now) {
    this.request = null;
    if (!this.panels || this.root.clientWidth === 0) return;
    const advanced = this.deck.advance(now);
    const waits = this.calm.matches && this.deck.playing && now - this.painted < 1e3 / CALM_FPS;
    if (this.dirty || advanced && !waits) this.paint(now);
    if (this.deck.playing) this.wake();
  }
  paint(now) {
    this.dirty = false;
    this.painted = now;
    const theme = takeTheme(this.root, this.palette);
    const seated = this.deck.position;
    this.panels.forEach((panel, number) => this.paintPanel(theme, panel, number, seated));
    this.paintCurve(theme, seated);
    const written = `${seated} of ${this.n}`;
    this.transport.show({ playing: this.deck.playing, slow: false, spoken: `${written} customers`, written });
  }
  paintPanel(theme, panel, number, seated) {
    const { restaurant } = panel;
    paintSwatch(panel.swatch, theme, number, this.panels.length);
    const sizes = restaurant.sizesAt(seated);
    const next = restaurant.nextSeat(sizes);
    const words = [`${sizes.length} table${sizes.length === 1 ? "" : "s"}`];
    if (next) {
      const share = next[next.length - 1];
      panel.node.dataset.new = share.toFixed(6);
      words.push(`a new one next: ${formatNumber(100 * share, 2)} %`);
    }
    panel.node.dataset.sizes = sizes.join(" ");
    panel.status.textContent = words.join(" · ");
    fitted(panel.floor, (context, width, height) => drawFloor(context, theme, restaurant, seated, width, height));
    const bar = (part, shares) => fitted(part.canvas, (context, width, height) => {
      drawShares(context, theme, shares, width, height);
    });
    if (panel.next) bar(panel.next, next);
    if (panel.shares) bar(panel.shares, restaurant.shares);
  }
  span() {
    const width = this.curve.clientWidth;
    return [MARGIN.left * this.scale(), width - MARGIN.right];
  }
  scale() {
    return Number(this.root.style.getPropertyValue("--scale")) || 1;
  }
  customerAt(x) {
    const [left, right] = this.span();
    return Math.round((x - left) / (right - left) * this.n);
  }
  paintCurve(theme, seated) {
    const most = Math.max(...this.panels.map(({ restaurant, given }) => {
      return Math.max(restaurant.counts[this.n], ...given.expected ?? [0]);
    }), 1);
    this.curve.setAttribute("aria-label", this.panels.map(({ given, restaurant }) => {
      return `${given.title}: ${restaurant.counts[seated]} tables`;
    }).join(", "));
    fitted(this.curve, (context, width, height) => {
      const [left, right] = this.span();
      const bottom = height - MARGIN.bottom * theme.scale;
      const across = (m) => left + (right - left) * m / this.n;
      const down = (k) => bottom - (bottom - MARGIN.top) * k / most;
      frame(context, theme, { left, right, bottom, across, down, most, n: this.n });
      const line = (values, last, dash, color, alpha, steps = false) => {
        context.beginPath();
        for (let m = 0; m <= last; m += 1) {
          if (steps && m > 0) context.lineTo(across(m), down(values[m - 1]));
          context.lineTo(across(m), down(values[m]));
        }
        context.setLineDash(dash);
        context.strokeStyle = cssColor(color, alpha);
        context.stroke();
        context.setLineDash([]);
      };
      this.panels.forEach(({ restaurant, given }, number) => {
        const color = panelColor(theme, number, this.panels.length);
        context.lineWidth = 1;
        if (given.expected) line(given.expected, this.n, [1, 3], color, 0.9);
        line(restaurant.counts, this.n, [], color, 0.45, true);
        context.lineWidth = 2;
        line(restaurant.counts, seated, PANEL_DASHES[number % PANEL_DASHES.length], color, 1, true);
      });
      context.fillStyle = cssColor(theme.text);
      context.fillRect(across(seated) - 0.5, MARGIN.top, 1, bottom - MARGIN.top);
    });
  }
  close() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.request);
    this.observer.disconnect();
  }
};
function frame(context, theme, { left, right, bottom, across, down, most, n }) {
  context.font = theme.type(12);
  context.fillStyle = cssColor(theme.muted);
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const k of niceTicks(0, most, 3, true)) context.fillText(String(k), left - 5, down(k));
  context.textBaseline = "top";
  for (const m of niceTicks(0, n, 3, true)) {
    context.textAlign = m === 0 ? "left" : m === n ? "right" : "center";
    context.fillText(String(m), across(m), bottom + 4);
  }
  context.fillStyle = cssColor(theme.grid);
  context.fillRect(left, bottom, right - left, 1);
}

// ui/priors/assets/mount.js
var pictures = /* @__PURE__ */ new Map();
var sentLater = /* @__PURE__ */ new Map();
var readFilms = (payload) => inflate(payload).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
function mountedLater({ name, id }, payload, parent) {
  hide(parent);
  readFilms(payload).then((films) => {
    sentLater.set(name, { id, films });
    for (const held of pictures.values()) if (held.data.name === name && held.sent === id) held.dials.films = films;
  });
  return () => {
  };
}
function begun(parent, data) {
  const root = element("div", { class: `dpviz-player ${data.axes ? "dpviz-curves" : "dpviz-restaurant"}` });
  parent.append(root);
  const held = { picture: data.axes ? new Curves(root) : new Evening(root, data.customer), sent: null };
  const shown = (panels) => held.picture.open({ ...held.data, panels: panels.map((panel, k) => panel ?? held.data.panels[k]) });
  held.dials = new Dials(shown, (value) => held.picture.channel.setTriggerValue("turned", { ...value, of: held.sent }));
  root.prepend(held.dials.node);
  return held;
}
function mountPriors({ data: sent, key, parentElement, setStateValue, setTriggerValue }) {
  const { opening: data, payload } = openEnvelope(sent);
  if (data.later) return mountedLater(data, payload, parentElement);
  if (!pictures.has(key)) pictures.set(key, begun(parentElement, data));
  const held = pictures.get(key);
  held.picture.channel = { setStateValue, setTriggerValue };
  if (held.sent === data.id || held.dials.moving) {
    if (held.sent === data.id && data.customer !== held.data.customer) held.picture.openAt(data.customer);
    Object.assign(held.data, { customer: data.customer });
    held.picture.invalidate();
  } else {
    Object.assign(held, { data, sent: data.id });
    held.picture.open(data);
    held.dials.show(data.dials);
    const later = sentLater.get(data.name);
    held.dials.films = later?.id === data.id ? later.films : {};
    if (payload.length > 0) readFilms(payload).then((films) => held.sent === data.id && (held.dials.films = films));
  }
  return () => {
    held.picture.close();
    held.picture.root.remove();
    pictures.delete(key);
  };
}
export {
  mountPriors as default
};
