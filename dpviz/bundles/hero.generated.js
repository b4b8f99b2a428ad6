// words/say.js
var fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
var thousands = new Intl.NumberFormat("en");
var fillForm = (forms, n, values = {}) => fill(forms[formOf(n)], { n: thousands.format(n), ...values });
function say(key, values) {
  return values ? fill(dpvizWords[key], values) : dpvizWords[key];
}
function sayCount(key, n, values) {
  return fillForm(dpvizWords[key], n, values);
}

// player/assets/decode.js
var ARRAY_TYPES = {
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array
};
async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
function undoDifferences(array, rowLength) {
  for (let i = rowLength; i < array.length; i += 1) array[i] ^= array[i - rowLength];
}
async function decodeBlock(bytes, start, block) {
  const stored = bytes.slice(start + block.offset, start + block.offset + block.bytes);
  if (stored.length < block.bytes) throw new Error(say("player.part_missing"));
  const { buffer } = block.deflated ? await inflate(stored) : stored;
  const array = new ARRAY_TYPES[block.kind](buffer);
  const rowLength = block.shape.slice(1).reduce((product, size) => product * size, 1);
  if (block.differences) undoDifferences(array, rowLength);
  return { array, shape: block.shape };
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
async function decodePayload(bytes) {
  const { header, rest } = splitHeader(bytes);
  const blocks = await Promise.all(header.blocks.map((block) => decodeBlock(rest, 0, block)));
  const panels = header.panels.map((panel) => {
    const arrays = {};
    const shapes = {};
    for (const [name, number] of Object.entries(panel.arrays)) {
      arrays[name] = blocks[number].array;
      shapes[name] = blocks[number].shape;
    }
    const ghosts = panel.ghosts.map((ghost) => ({
      name: ghost.name,
      nll: blocks[ghost.nll].array,
      n_clusters: blocks[ghost.k].array
    }));
    return { ...panel, ...arrays, shapes, ghosts };
  });
  return { sync: header.sync, partial: header.partial, progress: header.progress, colors: header.colors, panels };
}

// player/assets/layout.js
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
function packColor([red, green, blue]) {
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
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
function niceTicks(low, high, count, whole = false) {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const distance = (factor) => Math.abs(Math.log(factor * power / rough));
  let step = power * [1, 2, 5, 10].reduce((best, factor) => distance(factor) < distance(best) ? factor : best);
  if (whole) step = Math.max(1, Math.round(step));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) ticks.push(k * step);
  return ticks;
}
function tickLabels(ticks) {
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : Math.abs(ticks[0]) || 1;
  const largest = Math.max(...ticks.map(Math.abs));
  const [unit, suffix] = largest >= 1e7 ? [1e6, "M"] : largest >= 1e5 ? [1e3, "k"] : [1, ""];
  const decimals = Math.max(0, Math.min(8, Math.ceil(-Math.log10(step / unit) - 1e-9)));
  if (step < 1e-8 || largest >= 1e13) return ticks.map(powerOfTen);
  return ticks.map((tick) => formatFixed(tick / unit, decimals) + (tick === 0 ? "" : suffix));
}
function shortened(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let kept = text.length;
  while (kept > 1 && context.measureText(`${text.slice(0, kept)}…`).width > width) kept -= 1;
  return `${text.slice(0, kept)}…`;
}

// player/assets/sizes.js
var MOST_BANDS = 400;
var OTHERS = MOST_BANDS;
function sizeHistory(panel) {
  const { labels, n_points: count } = panel;
  let top = 0;
  for (let i = 0; i < labels.length; i += 1) if (labels[i] > top) top = labels[i];
  const counts = new Int32Array(top + 1);
  let largest = 0;
  const rows = Array.from({ length: labels.length / count }, (_, row) => {
    counts.fill(0);
    for (let i = row * count; i < (row + 1) * count; i += 1) counts[labels[i]] += 1;
    const entry = { tracks: [], sizes: [], starts: [] };
    let below = 0;
    for (let track = 0; track <= top; track += 1) {
      const size = counts[track];
      if (size === 0) continue;
      if (size > largest) largest = size;
      if (track <= OTHERS || entry.tracks.at(-1) !== OTHERS) {
        entry.tracks.push(Math.min(track, OTHERS));
        entry.sizes.push(size);
        entry.starts.push(below);
      } else entry.sizes[entry.sizes.length - 1] += size;
      below += size;
    }
    return entry;
  });
  return { rows, largest, count };
}
function startOf(history, row, track) {
  const { tracks, starts } = history.rows[row];
  const next = tracks.findIndex((other) => other >= track);
  return next < 0 ? history.count : starts[next];
}
function sizeBands(history) {
  const open = /* @__PURE__ */ new Map();
  const bands = [];
  const last = history.rows.length - 1;
  const close = (band, row) => {
    open.delete(band.track);
    if (row > last) return;
    const at = startOf(history, row, band.track);
    band.rows.push(row);
    band.low.push(at);
    band.high.push(at);
  };
  history.rows.forEach(({ tracks, sizes, starts }, row) => {
    const alive = new Set(tracks);
    for (const band of [...open.values()]) if (!alive.has(band.track)) close(band, row);
    tracks.forEach((track, k) => {
      let band = open.get(track);
      if (!band) {
        const before = row === 0 ? [] : [startOf(history, row - 1, track)];
        band = { track, rows: row === 0 ? [] : [row - 1], low: [...before], high: [...before] };
        open.set(track, band);
        bands.push(band);
      }
      band.rows.push(row);
      band.low.push(starts[k]);
      band.high.push(starts[k] + sizes[k]);
    });
  });
  return bands;
}

// player/assets/slow.js
function visitedLabels(panel, start, step) {
  const labels = Int32Array.from(start);
  const moved = [];
  for (let e = 0; e < step; e += 1) {
    const point = panel.event_points[e];
    labels[point] = panel.event_to[e];
    if (panel.event_to[e] !== panel.event_from[e]) moved.push(point);
  }
  return { labels, moved };
}
function visitOf(panel, event) {
  const candidates = [];
  if (panel.event_costs) {
    const width = panel.shapes.event_costs[1];
    for (let c = 0; c < width; c += 1) {
      const cost = panel.event_costs[event * width + c];
      if (Number.isFinite(cost)) candidates.push({ track: panel.event_candidates[event * width + c], cost });
    }
  }
  return { point: panel.event_points[event], from: panel.event_from[event], to: panel.event_to[event], candidates };
}
function visitCurves(panel, start, nllBefore) {
  const sizes = /* @__PURE__ */ new Map();
  for (const track of start) sizes.set(track, (sizes.get(track) ?? 0) + 1);
  const clusters = [sizes.size];
  const moved = [0];
  panel.event_points.forEach((_, e) => {
    const [from, to] = [panel.event_from[e], panel.event_to[e]];
    if (from !== to) {
      if (sizes.get(from) === 1) sizes.delete(from);
      else sizes.set(from, sizes.get(from) - 1);
      sizes.set(to, (sizes.get(to) ?? 0) + 1);
    }
    clusters.push(sizes.size);
    moved.push(moved[e] + (from === to ? 0 : 1));
  });
  const nll = panel.event_nll && [nllBefore, ...panel.event_nll];
  return { n_clusters: clusters, n_moved: moved, nll };
}
function shapesOf(panel, row, prefix = "ellipse") {
  const offsets = panel[`${prefix}_offsets`];
  const shapes = [];
  for (let e = offsets[row]; e < offsets[row + 1]; e += 1) {
    const [x, y] = panel[`${prefix}_centers`].subarray(2 * e, 2 * e + 2);
    const [xx, xy, yy] = panel[`${prefix}_scales`].subarray(3 * e, 3 * e + 3);
    const [inner, outer] = panel[`${prefix}_factors`].subarray(2 * e, 2 * e + 2);
    shapes.push({ track: panel[`${prefix}_tracks`][e], x, y, xx, xy, yy, inner, outer });
  }
  return shapes;
}
function visitedShapes(panel, row, labels, step) {
  const shapes = new Map(shapesOf(panel, row).map((shape) => [shape.track, shape]));
  if (panel.event_ellipse_offsets) {
    for (let e = 0; e < step; e += 1) {
      for (const shape of shapesOf(panel, e, "event_ellipse")) shapes.set(shape.track, shape);
    }
  }
  const alive = new Set(labels);
  return [...shapes.values()].filter((shape) => alive.has(shape.track));
}

// player/assets/run.js
var Run = class {
  constructor(decoded) {
    Object.assign(this, decoded);
    this.histories = [];
    this.lifetimes = [];
    this.last = Math.max(...this.panels.map((panel) => panel.n_sweeps));
    this.setSync(decoded.sync);
  }
  setSync(sync) {
    this.sync = sync;
    this.elapsed = this.panels.map((panel) => {
      let sum = 0;
      return Float64Array.from(panel.seconds, (seconds) => sum += seconds);
    });
    this.duration = Math.max(...this.elapsed.map((elapsed) => elapsed[elapsed.length - 1]));
  }
  sweepAt(number, frame) {
    const sweeps = this.panels[number].n_sweeps;
    if (this.sync === "fraction") return Math.round(frame / Math.max(1, this.last) * sweeps);
    if (this.sync === "seconds" && this.duration > 0) {
      const time = this.frameTime(frame) * (1 + 1e-9);
      return lastNotAfter(this.elapsed[number], time);
    }
    return Math.min(frame, sweeps);
  }
  frameTime(frame) {
    return frame / Math.max(1, this.last) * this.duration;
  }
  // Horizontal position of a panel's sweep on the charts, in frames.
  frameOfSweep(number, sweep) {
    if (this.sync === "fraction") return sweep / Math.max(1, this.panels[number].n_sweeps) * this.last;
    if (this.sync === "seconds" && this.duration > 0) {
      return this.elapsed[number][sweep] / this.duration * this.last;
    }
    return sweep;
  }
  rowAt(number, sweep) {
    return lastNotAfter(this.panels[number].label_sweeps, sweep);
  }
  labelsOfRow(number, row) {
    const panel = this.panels[number];
    return panel.labels.subarray(row * panel.n_points, (row + 1) * panel.n_points);
  }
  // What a panel shows at a frame: { sweep, row, labels, moved, shapes, visit }.
  snapshot(number, frame) {
    const sweep = this.sweepAt(number, frame);
    const row = this.rowAt(number, sweep);
    const labels = this.labelsOfRow(number, row);
    const recorded = this.panels[number].label_sweeps[row] === sweep;
    const moved = row > 0 && recorded ? changedPoints(labels, this.labelsOfRow(number, row - 1)) : [];
    const shapes = this.panels[number].ellipse_offsets && shapesOf(this.panels[number], row);
    return { sweep, row, labels, moved, shapes, visit: null };
  }
  // Slow motion: what the panel shows after `step` visits of the recorded sweep.
  slowSnapshot(number, step) {
    const panel = this.panels[number];
    const row = this.rowAt(number, panel.events_sweep - 1);
    const { labels, moved } = visitedLabels(panel, this.labelsOfRow(number, row), step);
    const shapes = panel.ellipse_offsets && visitedShapes(panel, row, labels, step);
    return { sweep: panel.events_sweep, row, labels, moved, shapes, visit: step > 0 ? visitOf(panel, step - 1) : null };
  }
  // The curves of slow motion, one value per visit and one before the first.
  visits() {
    const number = this.slowPanel();
    const panel = this.panels[number];
    const row = this.rowAt(number, panel.events_sweep - 1);
    this.visited ??= visitCurves(panel, this.labelsOfRow(number, row), panel.nll[panel.events_sweep - 1]);
    return this.visited;
  }
  // Sizes at every recorded sweep, and the lifetimes they make; counted when they are first asked for.
  sizes(number) {
    return this.histories[number] ??= sizeHistory(this.panels[number]);
  }
  bands(number) {
    return this.lifetimes[number] ??= sizeBands(this.sizes(number));
  }
  // Largest cluster of any sweep, so that size bars keep one scale throughout.
  largestCluster() {
    this.largest ??= Math.max(...this.panels.map((_, number) => this.sizes(number).largest));
    return this.largest;
  }
  slowPanel() {
    return this.panels.findIndex((panel) => panel.event_points !== void 0);
  }
};
function lastNotAfter(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
function changedPoints(labels, before) {
  const moved = [];
  for (let i = 0; i < labels.length; i += 1) if (labels[i] !== before[i]) moved.push(i);
  return moved;
}

// player/assets/view.js
var ROOM = 1.12;
var LARGEST_EQUAL_RATIO = 4;
var View = class {
  constructor(panel) {
    this.oneColumn = panel.one_column;
    this.extent = dataExtent(panel);
    this.bounds = this.home(1, 1, 0);
    this.homeWidth = this.bounds[1] - this.bounds[0];
    this.atHome = true;
    this.version = 0;
  }
  // Bounds [x low, x high, y low, y high] for a rectangle of this size; equal scales where the units allow. The data
  // keep out of `reserved` pixels on the right, where something lies over the plot.
  home(width, height, reserved) {
    const [xLow, xHigh, yLow, yHigh] = this.extent;
    const free = Math.max(width / 2, width - reserved);
    const widened = (low, range) => [low, low + range * width / free];
    if (this.oneColumn) {
      return [...widened(xLow - 0.04 * (xHigh - xLow), 1.08 * (xHigh - xLow)), 0, yHigh * 1.3];
    }
    let xRange = (xHigh - xLow) * ROOM;
    let yRange = (yHigh - yLow) * ROOM;
    const ratio = xRange / yRange;
    if (ratio <= LARGEST_EQUAL_RATIO && ratio >= 1 / LARGEST_EQUAL_RATIO) {
      const unit = Math.max(xRange / free, yRange / height);
      xRange = unit * free;
      yRange = unit * height;
    }
    const xMiddle = (xLow + xHigh) / 2;
    const yMiddle = (yLow + yHigh) / 2;
    return [...widened(xMiddle - xRange / 2, xRange), yMiddle - yRange / 2, yMiddle + yRange / 2];
  }
  fit(width, height, reserved) {
    if (!this.atHome) return;
    const home = this.home(width, height, reserved);
    this.homeWidth = home[1] - home[0];
    this.set(home, true);
  }
  set(bounds, atHome = false) {
    const changed = bounds.some((edge, i) => edge !== this.bounds[i]);
    this.bounds = bounds;
    this.atHome = atHome;
    if (changed) this.version += 1;
  }
  // Move by a share of the visible range.
  pan(dx, dy) {
    const [xLow, xHigh, yLow, yHigh] = this.bounds;
    const x = dx * (xHigh - xLow);
    const y = this.oneColumn ? 0 : dy * (yHigh - yLow);
    this.set([xLow + x, xHigh + x, yLow + y, yHigh + y]);
  }
  // Zoom by a factor (> 1 is closer) around a data point.
  zoom(factor, x, y) {
    const [xLow, xHigh, yLow, yHigh] = this.bounds;
    const [left, right] = this.extent;
    const closest = (right - left) / 2e3;
    const farthest = (right - left) * 20;
    const limited = Math.min(Math.max((xHigh - xLow) / factor, closest), farthest) / (xHigh - xLow);
    const vertical = this.oneColumn ? [yLow, yHigh] : [y + (yLow - y) * limited, y + (yHigh - y) * limited];
    this.set([x + (xLow - x) * limited, x + (xHigh - x) * limited, ...vertical]);
  }
  // How much closer than home the view is.
  closeness() {
    return this.homeWidth / (this.bounds[1] - this.bounds[0]);
  }
};
function dataExtent(panel) {
  const extent = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < panel.n_points; i += 1) {
    extent[0] = Math.min(extent[0], panel.x[i]);
    extent[1] = Math.max(extent[1], panel.x[i]);
    extent[2] = Math.min(extent[2], panel.y[i]);
    extent[3] = Math.max(extent[3], panel.y[i]);
  }
  for (const low of [0, 2]) {
    if (extent[low] === extent[low + 1]) {
      const room = Math.abs(extent[low]) * 0.1 || 1;
      extent[low] -= room;
      extent[low + 1] += room;
    }
  }
  return extent;
}
var Projection = class {
  constructor(bounds, rect) {
    const [xLow, xHigh, yLow, yHigh] = bounds;
    this.scaleX = rect.width / (xHigh - xLow);
    this.scaleY = rect.height / (yHigh - yLow);
    this.offsetX = rect.x - xLow * this.scaleX;
    this.offsetY = rect.y + rect.height + yLow * this.scaleY;
  }
  x(value) {
    return this.offsetX + value * this.scaleX;
  }
  y(value) {
    return this.offsetY - value * this.scaleY;
  }
  dataX(pixel) {
    return (pixel - this.offsetX) / this.scaleX;
  }
  dataY(pixel) {
    return (this.offsetY - pixel) / this.scaleY;
  }
};

// player/assets/regions.js
var FACTOR = 6;
var CHECK = 2;
var WEIGHTS = Array.from({ length: FACTOR }, (_, k) => {
  const t = (k + 0.5) / FACTOR - 0.5;
  return [0.5 * (0.5 - t) ** 2, 0.75 - t ** 2, 0.5 * (0.5 + t) ** 2];
});
function strongest(labels, margins, across, up) {
  const sums = /* @__PURE__ */ new Map();
  labels.forEach((label, k) => {
    const weight = margins[k] * across[k % 3] * up[Math.floor(k / 3)];
    sums.set(label, (sums.get(label) ?? 0) + weight);
  });
  let best = labels[4];
  for (const [label, sum] of sums) if (sum > sums.get(best)) best = label;
  return best;
}
function smoothLabels(values, margins, nx, ny) {
  const width = nx * FACTOR;
  const pixels = new Int32Array(width * ny * FACTOR);
  const at = (row, column) => Math.min(ny - 1, Math.max(0, row)) * nx + Math.min(nx - 1, Math.max(0, column));
  for (let row = 0; row < ny; row += 1) {
    for (let column = 0; column < nx; column += 1) {
      const cells = Array.from({ length: 9 }, (_, k) => at(row + Math.floor(k / 3) - 1, column + k % 3 - 1));
      const around = cells.map((cell) => values[cell]);
      const leads = cells.map((cell) => margins?.[cell] ?? 1);
      const uniform = around.every((label) => label === around[4]);
      for (let y = 0; y < FACTOR; y += 1) {
        const start = ((ny - row) * FACTOR - 1 - y) * width + column * FACTOR;
        for (let x = 0; x < FACTOR; x += 1) {
          pixels[start + x] = uniform ? around[4] : strongest(around, leads, WEIGHTS[x], WEIGHTS[y]);
        }
      }
    }
  }
  return { pixels, width, height: ny * FACTOR };
}
function regionCanvas(values, margins, nx, ny, theme) {
  const { pixels, width, height } = smoothLabels(values, margins, nx, ny);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const image = new ImageData(width, height);
  pixels.forEach((label, k) => {
    const isNew = label < 0;
    const check = Math.floor(k / width / FACTOR / CHECK) + Math.floor(k % width / FACTOR / CHECK);
    const plain = isNew || theme.clusterVariant(label) === 0 || check % 2 === 0;
    image.data.set(isNew ? theme.muted : theme.clusterColor(label), 4 * k);
    image.data[4 * k + 3] = isNew ? 20 : plain ? 46 : 12;
  });
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

// player/assets/backdrop.js
var Backdrop = class {
  constructor(scatter) {
    this.scatter = scatter;
    this.panel = scatter.panel;
    this.images = {};
  }
  draw(context, projection) {
    this.ticks = this.axisTicks();
    this.drawGround(context, projection);
    this.drawGrid(context, projection);
    this.drawAxes(context, projection);
  }
  // Changes when another frame of an image is due, or other words about it.
  imageKey() {
    return [...this.shownImages().map((kind) => this.imageFrame(kind)), this.imageText()].join();
  }
  shownImages() {
    return ["region", "density"].filter((kind) => this.scatter.options[kind] && this.panel[`${kind}_image`]);
  }
  // Which sweep an image belongs to: that of the playhead, or the nearest that has one.
  imageText() {
    const { sweep } = this.scatter.snapshot;
    const names = /* @__PURE__ */ new Map();
    for (const kind of this.shownImages()) {
      const drawn = this.panel[`${kind}_sweeps`][this.imageFrame(kind)];
      names.set(drawn, [...names.get(drawn) ?? [], kind]);
    }
    return Array.from(names, ([drawn, kinds]) => {
      const relation = drawn === sweep ? "this" : drawn < sweep ? "before" : "first";
      return say(`player.image_of_${relation}`, { images: say(`player.images_${kinds.join("_")}`), sweep: drawn });
    }).join("; ");
  }
  imageFrame(kind) {
    const sweeps = this.panel[`${kind}_sweeps`];
    return sweeps ? lastNotAfter(sweeps, this.scatter.snapshot.sweep) : -1;
  }
  drawGround(context, projection) {
    const { plot, theme } = this.scatter;
    context.save();
    this.scatter.clip(context);
    context.fillStyle = cssColor(theme.background);
    context.fillRect(plot.x, plot.y, plot.width, plot.height);
    for (const kind of this.shownImages()) this.drawImageLayer(context, projection, kind);
    context.restore();
  }
  drawGrid(context, projection) {
    const { plot, theme } = this.scatter;
    context.strokeStyle = cssColor(theme.text, 0.1);
    context.lineWidth = 1;
    context.beginPath();
    for (const tick of this.ticks.x.at) {
      const x = Math.round(projection.x(tick)) + 0.5;
      context.moveTo(x, plot.y);
      context.lineTo(x, plot.y + plot.height);
    }
    for (const tick of this.ticks.y.at) {
      const y = Math.round(projection.y(tick)) + 0.5;
      context.moveTo(plot.x, y);
      context.lineTo(plot.x + plot.width, y);
    }
    context.stroke();
  }
  axisTicks() {
    const { plot } = this.scatter;
    const [xLow, xHigh, yLow, yHigh] = this.scatter.view.bounds;
    const axis = (low, high, origin, count) => {
      const named = niceTicks(low + origin, high + origin, count);
      return { at: named.map((tick) => tick - origin), text: tickLabels(named) };
    };
    const [xOrigin, yOrigin] = this.panel.origin;
    return {
      x: axis(xLow, xHigh, xOrigin, Math.max(2, plot.width / (90 * this.scatter.theme.scale))),
      y: axis(yLow, yHigh, yOrigin, Math.max(2, plot.height / (64 * this.scatter.theme.scale)))
    };
  }
  drawAxes(context, projection) {
    const { panel } = this;
    const { plot, theme, height } = this.scatter;
    context.font = theme.type(12);
    context.fillStyle = cssColor(theme.muted);
    context.textBaseline = "top";
    context.textAlign = "center";
    this.ticks.x.at.forEach((tick, k) => {
      context.fillText(this.ticks.x.text[k], projection.x(tick), plot.y + plot.height + 5 * theme.scale);
    });
    context.textBaseline = "middle";
    context.textAlign = "right";
    this.ticks.y.at.forEach((tick, k) => context.fillText(this.ticks.y.text[k], plot.x - 6, projection.y(tick)));
    context.fillStyle = cssColor(theme.text);
    context.textBaseline = "alphabetic";
    const yName = panel.one_column ? say("player.images_density") : panel.axis_names[1] ?? "";
    context.fillText(shortened(context, panel.axis_names[0], plot.width), plot.x + plot.width, height - 3);
    context.textAlign = "left";
    const words = this.imageText();
    context.fillText(shortened(context, yName, plot.width * (words ? 0.4 : 1)), 4, plot.y - 9);
    context.fillStyle = cssColor(theme.muted);
    context.textAlign = "right";
    if (words) context.fillText(shortened(context, words, plot.width * 0.6), plot.x + plot.width, plot.y - 9);
  }
  drawImageLayer(context, projection, kind) {
    const frame = this.imageFrame(kind);
    const { theme } = this.scatter;
    const key = `${frame},${theme.stamp}`;
    if (this.images[kind]?.key !== key) {
      this.images[kind] = { key, canvas: imageCanvas(this.panel, kind, frame, theme) };
    }
    const [xLow, xHigh, yLow, yHigh] = this.panel[`${kind}_extent`];
    const x = projection.x(xLow);
    const y = projection.y(yHigh);
    context.imageSmoothingEnabled = true;
    const [width, height] = [projection.x(xHigh) - x, projection.y(yLow) - y];
    const { canvas } = this.images[kind];
    context.drawImage(canvas, x, y, width, height);
    this.continueImage(context, canvas, { x, y, width, height });
  }
  // Beyond its extent a map goes on with the values of its edge, to the edges of the plot.
  continueImage(context, canvas, box) {
    const { plot } = this.scatter;
    const columns = spans(plot.x, plot.x + plot.width, box.x, box.x + box.width, canvas.width);
    const rows = spans(plot.y, plot.y + plot.height, box.y, box.y + box.height, canvas.height);
    for (const column of columns) {
      for (const row of rows) {
        const inside = column.size === canvas.width && row.size === canvas.height;
        if (inside || column.length <= 0 || row.length <= 0) continue;
        const part = cutOut(canvas, column.first, row.first, column.size, row.size);
        context.drawImage(part, column.at, row.at, column.length, row.length);
      }
    }
  }
};
function spans(start, end, low, high, cells) {
  return [
    { at: start, length: low - start, first: 0, size: 1 },
    { at: low, length: high - low, first: 0, size: cells },
    { at: high, length: end - high, first: cells - 1, size: 1 }
  ];
}
function cutOut(canvas, x, y, width, height) {
  const part = document.createElement("canvas");
  part.width = width;
  part.height = height;
  part.getContext("2d").drawImage(canvas, x, y, width, height, 0, 0, width, height);
  return part;
}
function imageCanvas(panel, kind, frame, theme) {
  const [, ny, nx] = panel.shapes[`${kind}_image`];
  const values = panel[`${kind}_image`].subarray(frame * ny * nx, (frame + 1) * ny * nx);
  if (kind === "density") return densityCanvas(values, nx, ny, theme);
  const margins = panel.region_margins?.subarray(frame * ny * nx, (frame + 1) * ny * nx);
  return regionCanvas(values, margins, nx, ny, theme);
}
function densityCanvas(values, nx, ny, theme) {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, value);
  const canvas = document.createElement("canvas");
  canvas.width = nx;
  canvas.height = ny;
  const image = new ImageData(nx, ny);
  for (let row = 0; row < ny; row += 1) {
    for (let column = 0; column < nx; column += 1) {
      const at = 4 * ((ny - 1 - row) * nx + column);
      image.data.set(theme.text, at);
      image.data[at + 3] = 110 * Math.sqrt(Math.max(0, values[row * nx + column]) / (largest || 1));
    }
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

// player/assets/crowding.js
var CELL = 12;
var [FAINTEST, STRONGEST] = [0.07, 0.78];
var OPACITIES = Array.from({ length: 12 }, (_, k) => FAINTEST * (STRONGEST / FAINTEST) ** (k / 11));
var [SHADE_ALONE, SHADE_DENSEST] = [0.7, 0.97];
function blurred(counts, columns, rows) {
  const result = new Float32Array(counts.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      let sum = 0;
      for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r += 1) {
        for (let c = Math.max(0, column - 1); c <= Math.min(columns - 1, column + 1); c += 1) {
          sum += counts[r * columns + c];
        }
      }
      result[row * columns + column] = sum / 9;
    }
  }
  return result;
}
function opacityLevels(xs, ys, width, height, radius, ratio) {
  const cell = CELL * ratio;
  const columns = Math.ceil(width / cell) + 1;
  const rows = Math.ceil(height / cell) + 1;
  const counts = new Float32Array(columns * rows);
  const place = (i) => {
    const column = Math.floor(xs[i] / cell);
    const row = Math.floor(ys[i] / cell);
    return column < 0 || row < 0 || column >= columns || row >= rows ? -1 : row * columns + column;
  };
  for (let i = 0; i < xs.length; i += 1) {
    const at = place(i);
    if (at >= 0) counts[at] += 1;
  }
  const layers = blurred(counts, columns, rows).map((count) => count * Math.PI * radius ** 2 / cell ** 2);
  const densest = Math.log1p(layers.reduce((most, count) => Math.max(most, count), 4));
  const levels = layers.map((count) => {
    const shade = SHADE_ALONE + (SHADE_DENSEST - SHADE_ALONE) * Math.log1p(count) / densest;
    return levelOf(1 - (1 - shade) ** (1 / Math.max(1, count)));
  });
  return Uint8Array.from(xs, (_, i) => levels[Math.max(0, place(i))]);
}
function levelOf(opacity) {
  const share = Math.log(opacity / FAINTEST) / Math.log(STRONGEST / FAINTEST);
  return Math.round((OPACITIES.length - 1) * Math.min(1, Math.max(0, share)));
}

// player/assets/markers.js
var MARKER_SHAPES = ["circle", "square", "triangle", "diamond", "plus", "cross", "wedge", "star", "ring"];
var CHOSEN_SHAPES = 8;
var VARIANT_SHAPES = ["circle", "ring", "cross", "triangle"];
function shapeOf(track, byCluster, theme) {
  if (!byCluster) return VARIANT_SHAPES[theme.clusterVariant(track)];
  const count = theme.clusters.length;
  return MARKER_SHAPES[(track % count + 3 * Math.floor(track / count)) % CHOSEN_SHAPES];
}
function shapeTable(byCluster, theme) {
  const length = theme.clusters.length * CHOSEN_SHAPES;
  return Array.from({ length }, (_, track) => MARKER_SHAPES.indexOf(shapeOf(track, byCluster, theme)));
}
function polygon(context, x, y, radius, corners, turn, inner = 1) {
  const steps = inner === 1 ? corners : 2 * corners;
  for (let k = 0; k < steps; k += 1) {
    const angle = turn + 2 * Math.PI * k / steps;
    const r = radius * (k % 2 === 1 ? inner : 1);
    if (k === 0) context.moveTo(x + r * Math.cos(angle), y + r * Math.sin(angle));
    else context.lineTo(x + r * Math.cos(angle), y + r * Math.sin(angle));
  }
  context.closePath();
}
function traceMarker(context, shape, x, y, radius) {
  const up = -Math.PI / 2;
  if (shape === "square") context.rect(x - 0.86 * radius, y - 0.86 * radius, 1.72 * radius, 1.72 * radius);
  else if (shape === "triangle") polygon(context, x, y, 1.3 * radius, 3, up);
  else if (shape === "wedge") polygon(context, x, y, 1.3 * radius, 3, -up);
  else if (shape === "diamond") polygon(context, x, y, 1.25 * radius, 4, up);
  else if (shape === "plus") polygon(context, x, y, 1.3 * radius, 4, up, 0.32);
  else if (shape === "cross") polygon(context, x, y, 1.35 * radius, 4, up / 2, 0.34);
  else if (shape === "star") polygon(context, x, y, 1.35 * radius, 5, up, 0.45);
  else {
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
  if (shape === "ring") {
    context.moveTo(x + 0.5 * radius, y);
    context.arc(x, y, 0.5 * radius, 0, 2 * Math.PI);
  }
}
function makeMask(draw, radius) {
  const half = Math.ceil(radius * 1.4) + 2;
  const size = 2 * half + 1;
  const canvas = document.createElement("canvas");
  canvas.width = size;
  canvas.height = size;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.beginPath();
  draw(context, half + 0.5, half + 0.5);
  const data = context.getImageData(0, 0, size, size).data;
  const dx = [];
  const dy = [];
  const alpha = [];
  for (let k = 0; k < size * size; k += 1) {
    if (data[4 * k + 3] > 8) {
      dx.push(k % size - half);
      dy.push(Math.floor(k / size) - half);
      alpha.push(data[4 * k + 3]);
    }
  }
  const pixels = { dx: Int32Array.from(dx), dy: Int32Array.from(dy), alpha: Int32Array.from(alpha) };
  return { half, ...pixels, stride: 0, fainter: OPACITIES.map((share) => pixels.alpha.map((value) => value * share)) };
}
function markerMask(shape, radius) {
  return makeMask((context, x, y) => {
    traceMarker(context, shape, x, y, radius);
    context.fill("evenodd");
  }, radius);
}
function ringMask(radius, width) {
  return makeMask((context, x, y) => {
    context.lineWidth = width;
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
  }, radius + width);
}
function offsetsFor(mask, stride) {
  if (mask.stride !== stride) {
    mask.stride = stride;
    mask.offsets = Int32Array.from(mask.dx, (dx, k) => mask.dy[k] * stride + dx);
  }
  return mask.offsets;
}
function stamp(pixels, width, height, mask, x, y, color, level) {
  const { half } = mask;
  const alpha = level < 0 ? mask.alpha : mask.fainter[level];
  const redBlue = color & 16711935;
  const green = color & 65280;
  if (x < half || y < half || x >= width - half || y >= height - half) {
    stampAtEdge(pixels, width, height, mask, alpha, x, y, redBlue, green);
    return;
  }
  const offsets = offsetsFor(mask, width);
  const center = y * width + x;
  for (let k = 0; k < offsets.length; k += 1) blend(pixels, center + offsets[k], alpha[k], redBlue, green);
}
function stampAtEdge(pixels, width, height, mask, alpha, x, y, redBlue, green) {
  if (x < -mask.half || y < -mask.half || x >= width + mask.half || y >= height + mask.half) return;
  for (let k = 0; k < mask.dx.length; k += 1) {
    const column = x + mask.dx[k];
    const row = y + mask.dy[k];
    if (column >= 0 && column < width && row >= 0 && row < height) {
      blend(pixels, row * width + column, alpha[k], redBlue, green);
    }
  }
}
function blend(pixels, at, alpha, redBlue, green) {
  const share = alpha + (alpha >> 7);
  const rest = 256 - share;
  const under = pixels[at];
  const newRedBlue = redBlue * share + (under & 16711935) * rest + 8388736 >>> 8 & 16711935;
  const newGreen = green * share + (under & 65280) * rest + 32768 >>> 8 & 65280;
  pixels[at] = (4278190080 | newRedBlue | newGreen) >>> 0;
}

// player/assets/overlay.js
function strokeOver(context, theme, color, width) {
  context.strokeStyle = cssColor(theme.background, 0.75);
  context.lineWidth = width + 2;
  context.stroke();
  context.strokeStyle = cssColor(color);
  context.lineWidth = width;
  context.stroke();
}
function inkOf(theme, track) {
  return mixColors(theme.clusterColor(track), theme.text, 0.25);
}
function ellipseAxes(projection, xx, xy, yy) {
  const a = xx * projection.scaleX ** 2;
  const b = -xy * projection.scaleX * projection.scaleY;
  const c = yy * projection.scaleY ** 2;
  const middle = (a + c) / 2;
  const spread = Math.hypot((a - c) / 2, b);
  return [Math.sqrt(middle + spread), Math.sqrt(Math.max(0, middle - spread)), 0.5 * Math.atan2(2 * b, a - c)];
}
function drawEllipses(context, panel, { shapes, labels }, projection, theme, withRings = true) {
  const lonely = new Map(clusterMeans(panel, labels).filter(({ count }) => count === 1).map((mean) => [mean.track, mean]));
  for (const shape of shapes) {
    const alone = lonely.get(shape.track);
    const x = projection.x((alone ?? shape).x);
    const y = projection.y((alone ?? shape).y);
    const [long, short, angle] = ellipseAxes(projection, shape.xx, shape.xy, shape.yy);
    const ink = inkOf(theme, shape.track);
    const rings = alone || !withRings ? [] : [[shape.inner, [], 1.75], [shape.outer, [5, 4], 1.25]];
    for (const [factor, dash, width] of rings) {
      context.beginPath();
      context.ellipse(x, y, long * factor, short * factor, angle, 0, 2 * Math.PI);
      context.setLineDash(dash);
      strokeOver(context, theme, ink, width);
    }
    context.setLineDash([]);
    drawCentre(context, x, y, shape.track, theme);
    const name = panel.cluster_names[shape.track + 1];
    if (name) drawName(context, name, x, y, theme);
  }
}
function drawName(context, name, x, y, theme) {
  context.font = theme.type(12, "600");
  context.textAlign = "left";
  context.textBaseline = "bottom";
  const text = shortened(context, name, 160);
  context.fillStyle = cssColor(theme.background, 0.75);
  context.fillRect(x + 6, y - 4 - 15 * theme.scale, context.measureText(text).width + 4, 16 * theme.scale);
  context.fillStyle = cssColor(theme.text);
  context.fillText(text, x + 8, y - 4);
}
function drawCentre(context, x, y, track, theme) {
  const ink = inkOf(theme, track);
  context.beginPath();
  if (theme.clusterVariant(track) > 0) {
    traceMarker(context, shapeOf(track, false, theme), x, y, 6);
    context.fillStyle = cssColor(ink);
    context.fill("evenodd");
    strokeOver(context, theme, theme.text, 1);
    return;
  }
  for (const [dx, dy] of [[6, 0], [0, 6]]) {
    context.moveTo(x - dx, y - dy);
    context.lineTo(x + dx, y + dy);
  }
  strokeOver(context, theme, ink, 2);
}
function clusterMeans(panel, labels) {
  const sums = /* @__PURE__ */ new Map();
  for (let i = 0; i < labels.length; i += 1) {
    let sum = sums.get(labels[i]);
    if (sum === void 0) sums.set(labels[i], sum = { count: 0, x: 0, y: 0 });
    sum.count += 1;
    sum.x += panel.x[i];
    sum.y += panel.y[i];
  }
  return Array.from(sums, ([track, { count, x, y }]) => ({ track, count, x: x / count, y: y / count }));
}
function drawMeans(context, panel, labels, projection, theme) {
  for (const mean of clusterMeans(panel, labels)) {
    drawCentre(context, projection.x(mean.x), projection.y(mean.y), mean.track, theme);
  }
}
function drawDensityCurves(context, panel, row, projection, theme) {
  const size = panel.curve_grid.length;
  const total = new Float64Array(size);
  for (let e = panel.curve_offsets[row]; e < panel.curve_offsets[row + 1]; e += 1) {
    const values = panel.curve_values.subarray(e * size, (e + 1) * size);
    values.forEach((value, g) => total[g] += value);
    traceCurve(context, panel.curve_grid, values, projection);
    context.lineTo(projection.x(panel.curve_grid[size - 1]), projection.y(0));
    context.lineTo(projection.x(panel.curve_grid[0]), projection.y(0));
    context.fillStyle = cssColor(theme.clusterColor(panel.curve_tracks[e]), 0.16);
    context.fill();
    traceCurve(context, panel.curve_grid, values, projection);
    strokeOver(context, theme, inkOf(theme, panel.curve_tracks[e]), 1.75);
  }
  traceCurve(context, panel.curve_grid, total, projection);
  context.setLineDash([5, 4]);
  strokeOver(context, theme, theme.muted, 1.25);
  context.setLineDash([]);
}
function traceCurve(context, grid, values, projection) {
  context.beginPath();
  values.forEach((value, g) => {
    if (g === 0) context.moveTo(projection.x(grid[g]), projection.y(value));
    else context.lineTo(projection.x(grid[g]), projection.y(value));
  });
}
function drawVisit(context, panel, snapshot, projection, theme) {
  const { point, from, to } = snapshot.visit;
  const x = projection.x(panel.x[point]);
  const y = projection.y(panel.y[point]);
  if (to !== from) {
    const mean = clusterMeans(panel, snapshot.labels).find((entry) => entry.track === to);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(projection.x(mean.x), projection.y(mean.y));
    strokeOver(context, theme, theme.clusterColor(to), 2);
  }
  drawHalo(context, x, y, 9, theme.clusterColor(to), theme);
}
function drawHalo(context, x, y, radius, fill2, theme) {
  context.beginPath();
  context.arc(x, y, radius * 0.55, 0, 2 * Math.PI);
  context.fillStyle = cssColor(fill2);
  context.fill();
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  strokeOver(context, theme, theme.text, 1.75);
}

// player/assets/scatter.js
var DIMMED = 0.82;
var MOVED = OPACITIES.length - 1;
var FEW_MOVED = 250;
var Scatter = class {
  constructor(canvas, overlay) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.context = canvas.getContext("2d", { willReadFrequently: true });
    this.backdropKey = null;
    this.maskKey = null;
    this.snapshot = null;
    this.selected = null;
    this.blank = null;
    this.box = null;
    this.drawGuests = null;
    this.marked = false;
    this.hovered = -1;
    this.chosen = -1;
  }
  setData(panel, view) {
    if (this.panel?.points_id !== panel.points_id) {
      this.chosen = -1;
      this.hovered = -1;
    }
    if (this.view !== view || !this.standsBehind(panel)) this.backdropKey = null;
    this.panel = panel;
    this.view = view;
    this.backdropLayer = new Backdrop(this);
  }
  // Whether the axes and the places of the points, which are computed with them, are those of another run as well.
  standsBehind(panel) {
    const before = this.panel;
    if (!before || this.options?.region || this.options?.density) return false;
    const equal = (one, other) => one === other || one.length === other.length && one.every((value, i) => value === other[i]);
    const named = ({ points_id: id, axis_names: names, origin, one_column: single }) => JSON.stringify([id, names, origin, single]);
    return named(before) === named(panel) && equal(before.x, panel.x) && equal(before.y, panel.y);
  }
  // `reserved`: pixels on the right that something lies over.
  resize(width, height, ratio, scale, reserved = 0) {
    const size = [width, height, ratio, scale, reserved].join();
    if (size === this.size) return;
    this.size = size;
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.width = width;
    this.height = height;
    this.reserved = reserved;
    this.ratio = ratio;
    const snap = (value) => Math.round(value * ratio) / ratio;
    this.plot = { x: snap((width < 420 ? 38 : 46) * scale), y: snap(8 + 14 * scale) };
    this.plot.width = snap(width - this.plot.x - 10);
    this.plot.height = snap(height - this.plot.y - 36 * scale);
    this.backdropKey = null;
  }
  projection() {
    this.view.fit(this.plot.width, this.plot.height, this.reserved);
    return new Projection(this.view.bounds, this.plot);
  }
  draw(snapshot, options, theme) {
    this.snapshot = snapshot;
    this.options = options;
    this.theme = theme;
    const projection = this.projection();
    this.prepareBackdrop(projection);
    this.prepareMasks();
    this.pixels.set(this.backdrop);
    this.stampPoints(projection);
    const { ratio, plot, context } = this;
    context.putImageData(this.image, Math.round(plot.x * ratio), Math.round(plot.y * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawMarks(context, projection);
    this.drawOverlay();
  }
  // Background, images and grid as pixels; the axes go straight to the canvas, outside the plot rectangle.
  prepareBackdrop(projection) {
    const { plot, ratio, theme, view } = this;
    const key = [view.version, theme.stamp, plot.width, plot.height, ratio, this.backdropLayer.imageKey()].join();
    if (key === this.backdropKey) return;
    this.backdropKey = key;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    this.backdropLayer.draw(this.context, projection);
    const [x, y, width, height] = [plot.x, plot.y, plot.width, plot.height].map((v) => Math.round(v * ratio));
    this.backdrop = new Uint32Array(this.context.getImageData(x, y, width, height).data.buffer);
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.computePositions(projection);
    const [xOrigin, yOrigin] = this.panel.origin;
    const [xLow, xHigh, yLow, yHigh] = view.bounds;
    const bounds = [xLow + xOrigin, xHigh + xOrigin, yLow + yOrigin, yHigh + yOrigin];
    this.overlay.dataset.view = JSON.stringify({ bounds, plot });
  }
  computePositions(projection) {
    const { panel, plot, ratio } = this;
    this.columns = new Int32Array(panel.n_points);
    this.rows = new Int32Array(panel.n_points);
    for (let i = 0; i < panel.n_points; i += 1) {
      this.columns[i] = Math.floor((projection.x(panel.x[i]) - plot.x) * ratio);
      this.rows[i] = Math.floor((projection.y(panel.y[i]) - plot.y) * ratio);
    }
    const { width, height } = this.image;
    this.levels = opacityLevels(this.columns, this.rows, width, height, this.markerRadius() * ratio, ratio);
  }
  markerRadius() {
    const base = Math.min(5, Math.max(1.3, 14 * this.panel.n_points ** -0.2));
    return base * Math.min(2, Math.max(1, this.view.closeness() ** 0.35));
  }
  prepareMasks() {
    const radius = Math.round(this.markerRadius() * this.ratio * 4) / 4;
    const key = `${radius},${this.ratio}`;
    if (key === this.maskKey) return;
    this.maskKey = key;
    this.masks = MARKER_SHAPES.map((shape) => markerMask(shape, radius));
    this.ring = ringMask(radius + 1.25 * this.ratio, 1.25 * this.ratio);
  }
  visibleTracks() {
    return this.options.truth && this.panel.true_tracks ? this.panel.true_tracks : this.snapshot.labels;
  }
  stampPoints() {
    const { panel, theme, columns, rows, levels, masks, selected, pixels } = this;
    const { width, height } = this.image;
    const tracks = this.visibleTracks();
    const colors = theme.clusters.map(packColor);
    const dimmed = theme.clusters.map((color) => packColor(mixColors(color, theme.background, DIMMED)));
    const shapes = shapeTable(this.options.shapes, theme);
    const grey = packColor(mixColors(theme.muted, theme.background, 0.35));
    const maskOf = (track) => masks[shapes[track % shapes.length]];
    for (let i = 0; i < panel.n_points; i += 1) {
      const track = tracks[i] < 0 ? 0 : tracks[i];
      const palette = selected && !selected[i] ? dimmed : colors;
      const color = this.blank?.[i] ? grey : palette[track % palette.length];
      stamp(pixels, width, height, maskOf(track), columns[i], rows[i], color, levels[i]);
    }
    if (!this.options.moved) return;
    const ink = packColor(theme.text);
    const { moved } = this.snapshot;
    const many = moved.length > FEW_MOVED;
    const ringLevel = many ? levelOf(Math.max(0.2, FEW_MOVED / moved.length)) : -1;
    for (const i of moved) {
      const level = many ? levels[i] : MOVED;
      stamp(pixels, width, height, maskOf(tracks[i]), columns[i], rows[i], colors[tracks[i] % colors.length], level);
      stamp(pixels, width, height, this.ring, columns[i], rows[i], ink, ringLevel);
    }
  }
  // Marks over the points, inside the plot rectangle.
  drawMarks(context, projection) {
    const { panel, snapshot, theme, options } = this;
    context.save();
    this.clip(context);
    if (panel.one_column) {
      if (panel.curve_offsets && options.clusters) {
        drawDensityCurves(context, panel, snapshot.row, projection, theme);
      }
    } else if (options.clusters && !options.truth) {
      if (snapshot.shapes) drawEllipses(context, panel, snapshot, projection, theme, !options.bare);
      else drawMeans(context, panel, snapshot.labels, projection, theme);
    }
    if (snapshot.visit) drawVisit(context, panel, snapshot, projection, theme);
    context.restore();
  }
  clip(context) {
    context.beginPath();
    context.rect(this.plot.x, this.plot.y, this.plot.width, this.plot.height);
    context.clip();
  }
  // The pointer's marks live on their own canvas, so that hovering redraws nothing else.
  drawOverlay() {
    const context = this.overlay.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (this.marked) context.clearRect(0, 0, this.width, this.height);
    this.marked = false;
    if (!this.snapshot) return;
    const projection = this.projection();
    if (this.box) {
      const [x0, x1, y0, y1] = this.box;
      const corner = [projection.x(x0), projection.y(y1)];
      const size = [projection.x(x1) - corner[0], projection.y(y0) - corner[1]];
      context.save();
      this.clip(context);
      context.fillStyle = cssColor(this.theme.accent, 0.08);
      context.strokeStyle = cssColor(this.theme.accent);
      context.fillRect(...corner, ...size);
      context.strokeRect(...corner, ...size);
      context.restore();
    }
    const guests = Boolean(this.drawGuests?.(context, projection));
    this.marked = guests || Boolean(this.box) || this.chosen >= 0 || this.hovered >= 0;
    for (const [point, room] of [[this.chosen, 7], [this.hovered, 4]]) {
      if (point < 0) continue;
      const x = projection.x(this.panel.x[point]);
      const y = projection.y(this.panel.y[point]);
      const color = this.theme.clusterColor(Math.max(0, this.visibleTracks()[point]));
      drawHalo(context, x, y, this.markerRadius() + room, color, this.theme);
    }
  }
  // The same picture as vectors, for SVG: points are paths here.
  drawVector(context) {
    const projection = this.projection();
    const { panel, theme, snapshot } = this;
    this.backdropLayer.draw(context, projection);
    context.save();
    this.clip(context);
    const tracks = this.visibleTracks();
    const radius = this.markerRadius();
    for (let i = 0; i < panel.n_points; i += 1) {
      const track = Math.max(0, tracks[i]);
      const color = theme.clusterColor(track);
      const dim = this.selected && !this.selected[i];
      context.fillStyle = cssColor(dim ? mixColors(color, theme.background, DIMMED) : color);
      context.globalAlpha = OPACITIES[this.levels[i]];
      context.beginPath();
      const shape = shapeOf(track, this.options.shapes, theme);
      traceMarker(context, shape, projection.x(panel.x[i]), projection.y(panel.y[i]), radius);
      context.fill("evenodd");
    }
    context.globalAlpha = 1;
    context.strokeStyle = cssColor(theme.text);
    context.lineWidth = 1.25;
    for (const i of this.options.moved ? snapshot.moved : []) {
      context.beginPath();
      context.arc(projection.x(panel.x[i]), projection.y(panel.y[i]), radius + 1.25, 0, 2 * Math.PI);
      context.stroke();
    }
    context.restore();
    this.drawMarks(context, projection);
  }
};

// film/assets/hero.css
var hero_default = '/* As high as leaves room for the sentence above and the doors below: the page says how high that is. */\n\n.dpviz-hero .panels {\n  grid-template-columns: repeat(2, minmax(0, 1fr));\n  gap: 0 clamp(6px, 1.5vw, 24px);\n}\n\n.dpviz-hero .stage {\n  height: var(--picture-height, 400px);\n  overflow: hidden;\n  border: 1px solid var(--grid);\n  border-radius: 8px;\n}\n\n.dpviz-hero .stage .overlay { cursor: default; }\n\n.dpviz-hero .panel header { min-height: calc(47px * var(--scale)); }\n\n.dpviz-hero .panel-title {\n  flex-basis: 100%;\n  overflow: hidden;\n  font-size: calc(16px * var(--scale));\n  white-space: nowrap;\n  text-overflow: ellipsis;\n}\n\n.dpviz-hero:not(.single) .panel-status {\n  flex-basis: 100%;\n  color: var(--text);\n  font-size: calc(14px * var(--scale));\n  white-space: nowrap;\n  text-overflow: ellipsis;\n}\n\n.dpviz-hero .transport {\n  position: static;\n  flex-wrap: nowrap;\n  margin-top: 8px;\n}\n\n.dpviz-hero .go {\n  display: inline-flex;\n  flex: none;\n  align-items: center;\n  justify-content: center;\n  gap: 6px;\n  min-width: calc(108px * var(--scale));\n  height: calc(44px * var(--scale));\n  padding: 0 18px 0 12px;\n  border: 0;\n  border-radius: calc(22px * var(--scale));\n  background: var(--accent);\n  color: #ffffff;\n  font-size: calc(16px * var(--scale));\n  font-weight: 600;\n}\n\n.dpviz-hero .go svg {\n  display: block;\n  width: calc(24px * var(--scale));\n  height: calc(24px * var(--scale));\n  fill: currentColor;\n}\n\n.dpviz-hero .key {\n  display: flex;\n  gap: calc(16px * var(--scale));\n  margin: calc(4px * var(--scale)) 0 0;\n  color: var(--muted);\n  font-size: calc(13px * var(--scale));\n  line-height: calc(18px * var(--scale));\n  white-space: nowrap;\n}\n\n.dpviz-hero .key i {\n  display: inline-block;\n  box-sizing: border-box;\n  width: calc(12px * var(--scale));\n  height: calc(12px * var(--scale));\n  margin-right: calc(6px * var(--scale));\n  border-radius: 50%;\n  vertical-align: -0.1em;\n}\n\n.dpviz-hero .key .ring-half { border: 1.5px solid currentColor; }\n\n.dpviz-hero .key .ring-most { border: 1.5px dashed currentColor; }\n\n.dpviz-hero .key .dot { width: calc(8px * var(--scale)); height: calc(8px * var(--scale)); background: color-mix(in srgb, var(--muted) 65%, var(--background)); }\n\n.dpviz-hero .transport input[type="range"] { order: 0; flex: 1 1 auto; }\n\n@media (max-width: 40rem) {\n  .dpviz-hero .panels { grid-template-columns: minmax(0, 1fr); }\n  .dpviz-hero .panel header { flex-wrap: nowrap; min-height: calc(26px * var(--scale)); }\n  .dpviz-hero .panel-title,\n  .dpviz-hero:not(.single) .panel-status { flex-basis: auto; }\n}\n\n@container (max-width: 620px) {\n  .dpviz-hero .panel-title,\n  .dpviz-hero:not(.single) .panel-status { font-size: calc(12px * var(--scale)); }\n}\n\n@media print {\n  .dpviz-hero .transport { display: none; }\n}\n';

// film/assets/hero.js
var OPTIONS = { clusters: true, region: true, moved: false };
var CALM_MILLISECONDS = 700;
var MOST_WRITTEN = 4;
var clustersOf = (n) => sayCount("film.clusters", n);
var faultOf = ({ pieces }) => pieces === 0 ? say("film.merged") : pieces === 2 ? say("film.cut_in_two") : sayCount("film.cut", pieces);
var Hero = class {
  // `scored`: whether the end says how far the clusters are the true groups.
  constructor(root, scored = true) {
    Object.assign(this, { root, scored });
    this.frame = 0;
    this.playing = this.played = false;
    this.fitted = false;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.schemeChanged = () => this.refresh();
    this.scheme.addEventListener("change", this.schemeChanged);
    this.build();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(root);
  }
  build() {
    this.parts = [0, 1].map((number) => {
      const canvas = element("canvas", { "aria-hidden": "true" });
      const overlay = element("canvas", { class: "overlay", role: "img", "data-panel": number });
      const stage = element("div", { class: "stage" }, canvas, overlay);
      const title = element("span", { class: "panel-title" });
      const status = element("span", { class: "panel-status" });
      const scatter = new Scatter(canvas, overlay);
      return {
        stage,
        title,
        status,
        scatter,
        overlay,
        node: element("section", { class: "panel" }, element("header", {}, title, status), stage)
      };
    });
    this.word = element("span", { text: say("film.play") });
    this.symbol = element("span", { class: "symbol" }, icon("play"));
    this.play = element("button", { type: "button", class: "go" }, this.symbol, this.word);
    this.play.addEventListener("click", () => this.toggle());
    this.range = element("input", { type: "range", min: "0", step: "1", value: "0", "aria-label": say("film.position") });
    this.range.addEventListener("input", () => this.moveTo(Number(this.range.value)));
    this.live = element("div", { class: "live", "aria-live": "polite", role: "status" });
    const panels = element("div", { class: "panels" }, ...this.parts.map(({ node }) => node));
    const transport = element("div", { class: "transport" }, this.play, this.range);
    this.grey = element("span", {}, element("i", { class: "dot" }), say("film.to_come"));
    const rings = ["half", "most"].map((share) => element("span", {}, element("i", { class: `ring-${share}` }), say(`film.ring_${share}`)));
    const key = element("p", { class: "key", role: "img", "aria-label": say("film.key"), title: say("film.key") }, ...rings, this.grey);
    this.root.append(element("style", { text: hero_default }), panels, transport, key, this.live);
  }
  async open(script, payload) {
    const run = new Run(await decodePayload(payload));
    if (this.closed) return;
    this.script = script;
    this.run = run;
    const view = new View(run.panels[0]);
    this.parts.forEach((part, number) => {
      part.scatter.setData(run.panels[number], view);
      part.scatter.backdropLayer.drawAxes = () => {
      };
      part.scatter.backdropLayer.drawGrid = () => {
      };
      part.scatter.drawGuests = (context, projection) => {
        this.drawVisit(context, number, projection);
        return true;
      };
      part.title.textContent = say(`film.${script.panels[number].name}`);
    });
    this.range.max = String(run.last);
    this.frame = run.last;
    this.refresh();
    this.resize();
  }
  refresh() {
    if (!this.run) return;
    this.theme = takeTheme(this.root, this.run.colors);
    this.paint();
  }
  resize() {
    if (!this.run || this.root.clientWidth === 0) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    for (const { scatter, stage } of this.parts) {
      scatter.resize(stage.clientWidth, stage.clientHeight, ratio, this.theme.scale);
      scatter.plot = { x: 0, y: 0, width: stage.clientWidth, height: stage.clientHeight };
    }
    this.fitted = true;
    this.paint();
  }
  toggle() {
    if (!this.run) return;
    if (!this.playing && this.frame === this.run.last) this.frame = 0;
    this.playing = !this.playing;
    this.played = true;
    this.due = null;
    if (this.playing) requestAnimationFrame((now) => this.tick(now));
    this.paint();
  }
  moveTo(frame) {
    this.playing = false;
    this.frame = Math.min(this.run.last, Math.max(0, frame));
    this.paint();
    this.tell();
  }
  // How long the present frame is seen.
  pause() {
    return this.calm.matches ? CALM_MILLISECONDS : this.script.pace[this.frame] ?? 0;
  }
  following() {
    return this.calm.matches ? Math.max(this.frame + 1, this.script.first_sweep) : this.frame + 1;
  }
  tick(now) {
    if (!this.playing || this.closed) return;
    this.due ??= now + this.pause();
    const before = this.frame;
    while (this.frame < this.run.last && now >= this.due) {
      this.frame = this.following();
      this.due += this.pause();
    }
    if (this.frame === this.run.last) this.playing = false;
    if (this.frame !== before) this.paint();
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
    else this.tell();
  }
  // The visit that a panel shows: that whose result the frame has; null once there are several in a frame.
  visit(number) {
    const visits = this.script.panels[number].visits;
    return this.costed(number) ? visits[this.frame - 1] : null;
  }
  // By point, whether its first visit is still to come, where only centres count before; null once all had theirs.
  waiting(number) {
    const { unseen, made } = this.script.panels[number];
    if (unseen.length === 0 || this.frame >= this.script.first_sweep) return null;
    return Uint8Array.from(unseen, (visit) => visit >= made[this.frame]);
  }
  ended(number) {
    return this.frame >= this.run.panels[number].n_sweeps;
  }
  // What the result has wrong, at the end of the whole film.
  faults(number) {
    return this.frame === this.run.last ? this.script.panels[number].verdict.faults : [];
  }
  paint() {
    if (!this.fitted) return;
    this.parts.forEach((part, number) => {
      const waiting = this.waiting(number);
      part.scatter.blank = waiting;
      const options = { ...OPTIONS, bare: waiting !== null, region: waiting === null || this.frame > 0 };
      part.scatter.draw(this.run.snapshot(number, this.frame), options, this.theme);
      part.overlay.style.opacity = this.visit(number) || this.faults(number).length > 0 ? 1 : 0;
      part.status.textContent = this.statusOf(number);
      part.status.title = this.meaningOf(number);
      const said = this.faults(number).map((fault) => `, ${faultOf(fault)}`).join("");
      part.overlay.setAttribute("aria-label", `${part.title.textContent}: ${part.status.textContent}${said}`);
    });
    this.grey.hidden = !this.parts.some((_, number) => this.waiting(number));
    this.range.value = String(this.frame);
    this.range.style.setProperty("--done", `${100 * this.frame / this.run.last}%`);
    this.range.setAttribute("aria-valuetext", this.parts.map((part) => part.status.textContent).join("; "));
    const act = this.playing ? "pause" : this.played && this.frame === this.run.last ? "again" : "play", word = say(`film.${act}`);
    if (this.word.textContent === word) return;
    this.word.textContent = word;
    this.symbol.replaceChildren(icon(this.playing ? "pause" : "play"));
  }
  costed(number) {
    return this.frame >= 1 && this.frame <= this.script.panels[number].visits.length;
  }
  // What the numbers of a panel mean.
  meaningOf(number) {
    if (this.ended(number)) return this.scored ? say("film.about_agreement") : "";
    return this.costed(number) ? say(`film.about_${this.script.panels[number].name}`) : "";
  }
  statusOf(number) {
    const { panels } = this.run;
    const { name, visits, verdict } = this.script.panels[number];
    const sweep = Math.min(this.frame, panels[number].n_sweeps);
    const clusters = clustersOf(panels[number].n_clusters[sweep]);
    if (this.ended(number)) {
      if (!this.scored) return clustersOf(verdict.clusters);
      const scores = Object.entries(verdict.agreement).map(([name2, value]) => `${name2} ${formatFixed(value, 2)}`);
      return `${clustersOf(verdict.clusters)}, ${scores.join(", ")}`;
    }
    if (this.costed(number)) return say(`film.cost_${name}`);
    return this.frame === 0 && visits.length > 0 && this.waiting(number) ? sayCount("film.centres", panels[number].n_clusters[sweep]) : clusters;
  }
  // The visited point, a line to every cluster, and what each costs; the cheapest has its point.
  drawVisit(context, number, projection) {
    const { theme } = this;
    const panel = this.run.panels[number];
    const size = theme.scale * (this.root.clientWidth < 620 ? 11 : 14);
    for (const fault of this.faults(number)) {
      const { x, y } = fault, at2 = { x: projection.x(x - panel.origin[0]), y: projection.y(y - panel.origin[1]) };
      this.drawBox(context, { x: at2.x, y: at2.y + 3.6 * size, text: faultOf(fault), color: theme.text, best: true }, 1.15 * size);
    }
    const visit = this.visit(number);
    if (visit === null) return;
    const before = this.run.snapshot(number, this.frame - 1);
    const means = new Map((before.shapes ?? clusterMeans(panel, before.labels)).map((mean) => [mean.track, mean]));
    const at = { x: projection.x(panel.x[visit.point]), y: projection.y(panel.y[visit.point]) };
    const costs = [...visit.costs].sort((one, other) => one[1] - other[1]);
    const taken = this.run.snapshot(number, this.frame).labels[visit.point];
    const labels = [];
    costs.slice(0, MOST_WRITTEN).forEach(([track, cost], place) => {
      const best = place === 0;
      const mean = means.get(track);
      const color = theme.clusterColor(track < 0 ? taken : track);
      const price = formatNumber(cost, 3), text = track < 0 ? say("film.new", { price }) : price;
      if (!mean) {
        labels.push({ x: at.x, y: at.y - 2.2 * size, text, color, best });
        return;
      }
      const to = { x: projection.x(mean.x), y: projection.y(mean.y) };
      context.beginPath();
      context.moveTo(at.x, at.y);
      context.lineTo(to.x, to.y);
      context.strokeStyle = cssColor(best ? color : theme.muted);
      context.lineWidth = best ? 3 : 1;
      context.setLineDash(best ? [] : [4, 4]);
      context.stroke();
      context.setLineDash([]);
      labels.push({ ...to, text, color, best, beside: true });
    });
    drawHalo(context, at.x, at.y, 10, theme.clusterColor(taken), theme);
    for (const label of labels.reverse()) this.drawBox(context, label, size);
  }
  // Words in a box that stays inside the picture: on a place, or beside it, with its colour at that edge.
  drawBox(context, { x, y, text, color, best, beside = false }, size) {
    const { theme } = this;
    const { width, height } = this.parts[0].scatter;
    context.font = `${best ? "700" : "500"} ${size}px ${theme.font}`;
    const half = context.measureText(text).width / 2 + 0.5 * size;
    const place = beside ? x + half + 0.9 * size : x;
    const [left, top] = [Math.min(width - half, Math.max(half, place)), Math.min(height - size, Math.max(size, y))];
    const edge = best ? { color, width: 2.5 } : { color: theme.grid, width: 1 };
    drawBoxed(context, theme, text, { x: left, y: top }, { half, height: 1.7 * size, edge, ink: best ? theme.text : theme.muted });
    if (!beside) return;
    context.fillStyle = cssColor(color);
    context.fillRect(left - half, top - 0.55 * size, 4, 1.1 * size);
  }
  tell() {
    this.live.textContent = this.parts.map((part) => `${part.title.textContent}: ${part.status.textContent}`).join("; ");
  }
  close() {
    this.closed = true;
    this.playing = false;
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.schemeChanged);
  }
};

// ui/start/assets/mount.js
var heroes = /* @__PURE__ */ new Map();
function mountHero({ data, key, parentElement }) {
  if (!heroes.has(key)) {
    const root = element("div", { class: "dpviz-player dpviz-hero" });
    parentElement.append(root);
    const hero = new Hero(root);
    heroes.set(key, hero);
    const { opening, payload } = openEnvelope(data);
    hero.open(opening, payload);
  } else heroes.get(key).refresh();
  return () => {
    heroes.get(key)?.close();
    heroes.get(key)?.root.remove();
    heroes.delete(key);
  };
}
export {
  mountHero as default
};
