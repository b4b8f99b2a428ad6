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
var shortNumber = (value) => String(Number(value.toPrecision(3))).replace("-", "−");
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
  const raised2 = power.replace(/^\+/, "").replace(/^[-−]/, "⁻").replace(/\d/g, (digit) => SUPERSCRIPTS[digit]);
  return `${digits} × 10${raised2}`;
}
function formatBeside(value, largest, digits) {
  if (value > 0 && value < 1e-4 * largest) return "≈ 0";
  return formatNumber(value, digits);
}
function distinctParts(titles) {
  const parts = titles.map((title) => title.split(" · "));
  const short = parts.map((own2) => own2.filter((part) => !parts.every((other) => other.includes(part))).join(" · "));
  return short.every((text, k) => text !== "" && short.indexOf(text) === k) ? short : titles;
}
function formatSeconds(seconds) {
  if (seconds < 1e-3) return `${formatNumber(seconds * 1e6, 2)} µs`;
  return seconds < 1 ? `${formatNumber(seconds * 1e3, 2)} ms` : `${formatNumber(seconds, 3)} s`;
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
function shortened(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let kept = text.length;
  while (kept > 1 && context.measureText(`${text.slice(0, kept)}…`).width > width) kept -= 1;
  return `${text.slice(0, kept)}…`;
}

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
function contentOf(id) {
  return Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (letter) => letter.charCodeAt(0));
}
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

// player/assets/sizes.js
var MOST_BANDS = 400;
var OTHERS = MOST_BANDS;
function clusterSizes(labels) {
  const counts = [];
  for (let i = 0; i < labels.length; i += 1) counts[labels[i]] = (counts[labels[i]] ?? 0) + 1;
  const clusters = [];
  counts.forEach((size, track) => clusters.push({ track, size }));
  return clusters.sort((a, b) => b.size - a.size || a.track - b.track);
}
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
function bandAt(history, row, points) {
  const { tracks, sizes, starts } = history.rows[row];
  const k = starts.findLastIndex((start) => start <= points);
  return { track: tracks[Math.max(0, k)], size: sizes[Math.max(0, k)] };
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
  const candidates2 = [];
  if (panel.event_costs) {
    const width = panel.shapes.event_costs[1];
    for (let c = 0; c < width; c += 1) {
      const cost = panel.event_costs[event * width + c];
      if (Number.isFinite(cost)) candidates2.push({ track: panel.event_candidates[event * width + c], cost });
    }
  }
  return { point: panel.event_points[event], from: panel.event_from[event], to: panel.event_to[event], candidates: candidates2 };
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
      let sum2 = 0;
      return Float64Array.from(panel.seconds, (seconds) => sum2 += seconds);
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

// player/assets/turns.js
var NAMES = ["x", "y"];
var PARTS = [1, 2, 3, 4, 6, 7, 8, 12, 24];
var EVERYWHERE = [-Infinity, Infinity];
var FAR = [-1e4, 1e4];
var OWN = /* @__PURE__ */ new WeakMap();
var periodOf = (panel, axis) => panel.periods?.[axis] ?? 0;
function own(panel, axis) {
  if (!OWN.has(panel)) OWN.set(panel, [panel.x, panel.y].map((places2, k) => ({ places: places2, isBelow: places2.some((value) => value + panel.origin[k] < 0) })));
  return OWN.get(panel)[axis];
}
function wholeTurn(panel, axis) {
  const period = periodOf(panel, axis);
  const first = (own(panel, axis).isBelow ? -period / 2 : 0) - panel.origin[axis];
  return [first, first + period];
}
var within = (value, low, period) => value - period * Math.floor((value - low) / period);
function ownPlace(panel, axis, value) {
  const period = periodOf(panel, axis);
  return period > 0 ? within(value, wholeTurn(panel, axis)[0], period) : value;
}
function ticksOfTurn(panel, axis, low, high, count) {
  const period = periodOf(panel, axis);
  if (period === 0) return null;
  const first = wholeTurn(panel, axis)[0] + panel.origin[axis];
  const rough = (high - low) / count;
  const steps = PARTS.map((parts) => period / parts).filter(Number.isInteger);
  const whole = rough >= period ? period : rough >= Math.min(...steps) / 2 ? nearestStep(steps, rough) : 0;
  const step = whole || niceStep(rough);
  const end = first + period - (whole ? 1e-9 * period : step / 2);
  const apart = Math.max(1, Math.round(rough / period));
  const at = [];
  for (let turn = apart * Math.floor((low - first) / period / apart); first + turn * period <= high; turn += apart) {
    const start = turn * period;
    for (let k = Math.ceil(Math.max(first, low - start) / step - 1e-9); k * step < end && start + k * step <= high + 1e-9 * step; k += 1) at.push(start + k * step);
  }
  return { at, step };
}
var shownTurn = (panel, view, axis) => wholeTurn(panel, axis).map((end) => end + view.moved[axis]);
function turnTo(panel, view) {
  for (const axis of [0, 1]) {
    const period = periodOf(panel, axis);
    if (period === 0) continue;
    const [low] = shownTurn(panel, view, axis);
    panel[NAMES[axis]] = own(panel, axis).places.map((value) => within(value, low, period));
  }
}
function meanPlaces(panel, labels, axis) {
  const period = periodOf(panel, axis);
  const unit = 2 * Math.PI / period;
  const sums = /* @__PURE__ */ new Map();
  const places2 = panel[NAMES[axis]];
  let low = Infinity;
  places2.forEach((place, i) => {
    if (!sums.has(labels[i])) sums.set(labels[i], [0, 0]);
    const sum2 = sums.get(labels[i]);
    sum2[0] += Math.sin(unit * place);
    sum2[1] += Math.cos(unit * place);
    low = Math.min(low, place);
  });
  return new Map(Array.from(sums, ([track, [sine, cosine]]) => [track, within(Math.atan2(sine, cosine) / unit, low, period)]));
}
function shownPlace(panel, view, place) {
  return place.map((value, axis) => periodOf(panel, axis) ? within(value, shownTurn(panel, view, axis)[0], periodOf(panel, axis)) : value);
}
function drawInTurns(context, panel, view, projection, draw) {
  const period = periodOf(panel, 0);
  if (period === 0) return draw(projection);
  const [first] = wholeTurn(panel, 0);
  const [low, high] = shownTurn(panel, view, 0);
  const begun = period * Math.floor((low - first) / period);
  drawWithin(context, projection, [[low, high], EVERYWHERE], () => {
    for (const shift of [begun, begun + period]) draw({ x: (value) => projection.x(value + shift), y: (value) => projection.y(value) });
  });
}
function drawAround(context, panel, view, projection, { place, reach, bent }, draw) {
  const [across, up] = place.map((at, axis) => partsInTurn(panel, view, axis, at, reach[axis], bent));
  for (const x of across) {
    for (const y of up) drawWithin(context, projection, [x.ends, y.ends], () => draw([x.at, y.at]));
  }
}
function partsInTurn(panel, view, axis, at, reach, bent) {
  const period = periodOf(panel, axis);
  if (period === 0) return [{ at, ends: EVERYWHERE }];
  const [low, high] = shownTurn(panel, view, axis);
  return [-period, 0, period].map((shift) => within(at, low, period) + shift).flatMap((middle) => {
    const [first, last] = bent ? [middle - period / 2, middle + period / 2] : wholeTurn(panel, axis).map((end) => end + middle - at);
    const ends = [Math.max(low, first), Math.min(high, last)];
    const [from, to] = [middle - reach, middle + reach];
    if (Math.max(from, ends[0]) >= Math.min(to, ends[1])) return [];
    return [{ at: middle, ends: ends[0] <= from && to <= ends[1] ? EVERYWHERE : ends }];
  });
}
function drawWithin(context, projection, [across, up], draw) {
  if (across === EVERYWHERE && up === EVERYWHERE) return draw();
  const [left, right] = across === EVERYWHERE ? FAR : across.map((value) => projection.x(value));
  const [bottom, top] = up === EVERYWHERE ? FAR : up.map((value) => projection.y(value));
  context.save();
  context.beginPath();
  context.rect(left, Math.min(bottom, top), right - left, Math.abs(top - bottom));
  context.clip();
  draw();
  context.restore();
}

// player/assets/view.js
var KEY_STEP = 0.02;
var ROOM = 1.12;
var LARGEST_EQUAL_RATIO = 4;
var View = class {
  constructor(panel) {
    this.oneColumn = panel.one_column;
    this.extent = dataExtent(panel);
    this.bounds = this.home(1, 1, 0);
    this.homeWidth = this.bounds[1] - this.bounds[0];
    this.atHome = true;
    this.moved = [0, 0];
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
    if (atHome) this.moved = [0, 0];
    if (changed) this.version += 1;
  }
  // Move by a share of the visible range.
  pan(dx, dy) {
    const [xLow, xHigh, yLow, yHigh] = this.bounds;
    const x = dx * (xHigh - xLow);
    const y = this.oneColumn ? 0 : dy * (yHigh - yLow);
    this.moved = [this.moved[0] + x, this.moved[1] + y];
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
  for (const axis of [0, 1]) if (periodOf(panel, axis)) extent.splice(2 * axis, 2, ...wholeTurn(panel, axis));
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

// player/assets/canvas.js
var Canvas = class {
  constructor(canvas, overlay = null) {
    Object.assign(this, { canvas, overlay });
  }
  // `more`: what else the picture is laid out by. Returns whether anything is other than before.
  resize(width, height, ratio, ...more) {
    const size = [width, height, ratio, ...more].join();
    if (size === this.size) return false;
    this.size = size;
    for (const canvas of [this.canvas, this.overlay]) {
      if (!canvas) continue;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    Object.assign(this, { width, height, ratio });
    return true;
  }
  // What draws on one of them, empty, in pixels of the page.
  emptied(canvas) {
    const context = canvas.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    return context;
  }
};
function drawLevels(context, theme, area, heights, labels) {
  context.strokeStyle = cssColor(theme.grid);
  context.lineWidth = 1;
  context.fillStyle = cssColor(theme.muted);
  context.textAlign = "right";
  context.textBaseline = "middle";
  heights.forEach((height, k) => {
    const y = Math.round(height) + 0.5;
    context.beginPath();
    context.moveTo(area.x, y);
    context.lineTo(area.x + area.width, y);
    context.stroke();
    context.fillText(labels[k], area.x - 5, y);
  });
}

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
  for (const [label, sum2] of sums) if (sum2 > sums.get(best)) best = label;
  return best;
}
function smoothLabels(values, margins, nx, ny) {
  const width = nx * FACTOR;
  const pixels = new Int32Array(width * ny * FACTOR);
  const at = (row, column2) => Math.min(ny - 1, Math.max(0, row)) * nx + Math.min(nx - 1, Math.max(0, column2));
  for (let row = 0; row < ny; row += 1) {
    for (let column2 = 0; column2 < nx; column2 += 1) {
      const cells = Array.from({ length: 9 }, (_, k) => at(row + Math.floor(k / 3) - 1, column2 + k % 3 - 1));
      const around = cells.map((cell) => values[cell]);
      const leads = cells.map((cell) => margins?.[cell] ?? 1);
      const uniform = around.every((label) => label === around[4]);
      for (let y = 0; y < FACTOR; y += 1) {
        const start = ((ny - row) * FACTOR - 1 - y) * width + column2 * FACTOR;
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
    const ticks = (low, high, axis, count) => {
      const origin = this.panel.origin[axis] ?? 0;
      const ends = [low + origin, high + origin];
      const { at: named, step } = ticksOfTurn(this.panel, axis, ...ends, count) ?? { at: niceTicks(...ends, count) };
      const at = named.map((tick) => tick - origin);
      return { at, text: tickLabels(at.map((tick) => ownPlace(this.panel, axis, tick) + origin), step) };
    };
    return {
      x: ticks(xLow, xHigh, 0, Math.max(2, plot.width / (90 * this.scatter.theme.scale))),
      y: ticks(yLow, yHigh, 1, Math.max(2, plot.height / (64 * this.scatter.theme.scale)))
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
    const columns2 = spans(plot.x, plot.x + plot.width, box.x, box.x + box.width, canvas.width);
    const rows = spans(plot.y, plot.y + plot.height, box.y, box.y + box.height, canvas.height);
    for (const column2 of columns2) {
      for (const row of rows) {
        const inside = column2.size === canvas.width && row.size === canvas.height;
        if (inside || column2.length <= 0 || row.length <= 0) continue;
        const part = cutOut(canvas, column2.first, row.first, column2.size, row.size);
        context.drawImage(part, column2.at, row.at, column2.length, row.length);
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
    for (let column2 = 0; column2 < nx; column2 += 1) {
      const at = 4 * ((ny - 1 - row) * nx + column2);
      image.data.set(theme.text, at);
      image.data[at + 3] = 110 * Math.sqrt(Math.max(0, values[row * nx + column2]) / (largest || 1));
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
function blurred(counts, columns2, rows) {
  const result = new Float32Array(counts.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column2 = 0; column2 < columns2; column2 += 1) {
      let sum2 = 0;
      for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r += 1) {
        for (let c = Math.max(0, column2 - 1); c <= Math.min(columns2 - 1, column2 + 1); c += 1) {
          sum2 += counts[r * columns2 + c];
        }
      }
      result[row * columns2 + column2] = sum2 / 9;
    }
  }
  return result;
}
function opacityLevels(xs, ys, width, height, radius, ratio) {
  const cell = CELL * ratio;
  const columns2 = Math.ceil(width / cell) + 1;
  const rows = Math.ceil(height / cell) + 1;
  const counts = new Float32Array(columns2 * rows);
  const place = (i) => {
    const column2 = Math.floor(xs[i] / cell);
    const row = Math.floor(ys[i] / cell);
    return column2 < 0 || row < 0 || column2 >= columns2 || row >= rows ? -1 : row * columns2 + column2;
  };
  for (let i = 0; i < xs.length; i += 1) {
    const at = place(i);
    if (at >= 0) counts[at] += 1;
  }
  const layers = blurred(counts, columns2, rows).map((count) => count * Math.PI * radius ** 2 / cell ** 2);
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
    const column2 = x + mask.dx[k];
    const row = y + mask.dy[k];
    if (column2 >= 0 && column2 < width && row >= 0 && row < height) {
      blend(pixels, row * width + column2, alpha[k], redBlue, green);
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
  const spread2 = Math.hypot((a - c) / 2, b);
  return [Math.sqrt(middle + spread2), Math.sqrt(Math.max(0, middle - spread2)), 0.5 * Math.atan2(2 * b, a - c)];
}
function drawEllipses(context, panel, view, { shapes, labels }, projection, theme, withRings = true) {
  const lonely = new Map(clusterMeans(panel, labels).filter(({ count }) => count === 1).map((mean2) => [mean2.track, mean2]));
  for (const shape of shapes) {
    const alone = lonely.get(shape.track);
    if (withRings && !alone) drawRings(context, panel, view, shape, projection, theme);
    const [atX, atY] = shownPlace(panel, view, [(alone ?? shape).x, (alone ?? shape).y]);
    const x = projection.x(atX);
    const y = projection.y(atY);
    drawCentre(context, x, y, shape.track, theme);
    const name = panel.cluster_names[shape.track + 1];
    if (name) drawName(context, name, x, y, theme);
  }
}
function drawRings(context, panel, view, { track, x, y, xx, xy, yy, inner, outer }, projection, theme) {
  const [long, short, angle] = ellipseAxes(projection, xx, xy, yy);
  for (const [factor, dash, width] of [[inner, [], 1.75], [outer, [5, 4], 1.25]]) {
    const ring = { place: [x, y], reach: [factor * Math.sqrt(xx), factor * Math.sqrt(yy)], bent: panel.ellipses_bent };
    context.setLineDash(dash);
    drawAround(context, panel, view, projection, ring, ([atX, atY]) => {
      context.beginPath();
      context.ellipse(projection.x(atX), projection.y(atY), long * factor, short * factor, angle, 0, 2 * Math.PI);
      strokeOver(context, theme, inkOf(theme, track), width);
    });
  }
  context.setLineDash([]);
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
    let sum2 = sums.get(labels[i]);
    if (sum2 === void 0) sums.set(labels[i], sum2 = { count: 0, x: 0, y: 0 });
    sum2.count += 1;
    sum2.x += panel.x[i];
    sum2.y += panel.y[i];
  }
  const means = Array.from(sums, ([track, { count, x, y }]) => ({ track, count, x: x / count, y: y / count }));
  for (const [axis, name] of [[0, "x"], [1, "y"]]) {
    const places2 = periodOf(panel, axis) ? meanPlaces(panel, labels, axis) : null;
    if (places2) for (const mean2 of means) mean2[name] = places2.get(mean2.track);
  }
  return means;
}
function drawMeans(context, panel, labels, projection, theme) {
  for (const mean2 of clusterMeans(panel, labels)) {
    drawCentre(context, projection.x(mean2.x), projection.y(mean2.y), mean2.track, theme);
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
    const mean2 = clusterMeans(panel, snapshot.labels).find((entry) => entry.track === to);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(projection.x(mean2.x), projection.y(mean2.y));
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
var Scatter = class extends Canvas {
  constructor(canvas, overlay) {
    super(canvas, overlay);
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
    const named = ({ points_id: id, axis_names: names, origin, periods, one_column: single }) => JSON.stringify([id, names, origin, periods, single]);
    return named(before) === named(panel) && equal(before.x, panel.x) && equal(before.y, panel.y);
  }
  // `reserved`: pixels on the right that something lies over.
  resize(width, height, ratio, scale, reserved = 0) {
    if (!super.resize(width, height, ratio, scale, reserved)) return;
    this.reserved = reserved;
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
    turnTo(this.panel, view);
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
    const { panel, theme, columns: columns2, rows, levels, masks, selected, pixels } = this;
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
      stamp(pixels, width, height, maskOf(track), columns2[i], rows[i], color, levels[i]);
    }
    if (!this.options.moved) return;
    const ink = packColor(theme.text);
    const { moved } = this.snapshot;
    const many = moved.length > FEW_MOVED;
    const ringLevel = many ? levelOf(Math.max(0.2, FEW_MOVED / moved.length)) : -1;
    for (const i of moved) {
      const level = many ? levels[i] : MOVED;
      stamp(pixels, width, height, maskOf(tracks[i]), columns2[i], rows[i], colors[tracks[i] % colors.length], level);
      stamp(pixels, width, height, this.ring, columns2[i], rows[i], ink, ringLevel);
    }
  }
  // Marks over the points, inside the plot rectangle.
  drawMarks(context, projection) {
    const { panel, snapshot, theme, options } = this;
    context.save();
    this.clip(context);
    if (panel.one_column) {
      if (panel.curve_offsets && options.clusters) {
        const drawn = (map) => drawDensityCurves(context, panel, snapshot.row, map, theme);
        drawInTurns(context, panel, this.view, projection, drawn);
      }
    } else if (options.clusters && !options.truth) {
      if (snapshot.shapes) drawEllipses(context, panel, this.view, snapshot, projection, theme, !options.bare);
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

// player/assets/pointer.js
var CLICK_SLACK = 4;
var STEP = 60;
var APPLE = /Mac|iP(hone|ad)/.test(navigator.platform);
var Pointer = class {
  // `actions`: viewChanged(), wheelIsFree(), hover(point, x, y), choose(point), select(box), hint(text), selecting(),
  // editing(), drag(point, x, y), drop(), paint(x, y, projection, first), lift(), unpaint(), place(x, y, projection),
  // nudge(point, dx, dy).
  constructor(scatter, element2, actions) {
    this.scatter = scatter;
    this.actions = actions;
    this.pressed = /* @__PURE__ */ new Map();
    const listen = (name, handler, options) => element2.addEventListener(name, handler.bind(this), options);
    listen("pointerdown", this.onDown);
    listen("pointermove", this.onMove);
    listen("pointerup", this.onUp);
    listen("pointercancel", this.onCancel);
    listen("pointerleave", () => actions.hover(-1, 0, 0));
    listen("wheel", this.onWheel, { passive: false });
    listen("dblclick", this.onReset);
    listen("keydown", this.onKey);
    this.element = element2;
  }
  place(event) {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
  onDown(event) {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    this.element.focus({ preventScroll: true });
    const at = this.place(event);
    if (this.gesture === "paint" && !this.wandered) this.gesture = this.actions.unpaint() ?? null;
    this.letGo();
    this.pressed.set(event.pointerId, at);
    this.start = at;
    this.wandered = this.pressed.size > 1;
    const selects = this.actions.selecting() || event.shiftKey;
    this.gesture = this.pressed.size > 1 ? "pinch" : selects ? "box" : this.editGesture(at, event) ?? "pan";
  }
  // Dragging a point, or painting, where the page allows it.
  editGesture(at, event) {
    const editing = this.actions.editing();
    if (editing === "paint") {
      this.paint(at, true);
      return "paint";
    }
    this.dragged = editing === "move" ? this.nearest(at, event.pointerType === "touch" ? 20 : 10) : -1;
    return this.dragged >= 0 ? "move" : null;
  }
  paint(at, first) {
    const projection = this.scatter.projection();
    this.actions.paint(projection.dataX(at.x), projection.dataY(at.y), projection, first);
    this.actions.viewChanged();
  }
  onMove(event) {
    const at = this.place(event);
    const before = this.pressed.get(event.pointerId);
    if (before === void 0) {
      if (event.pointerType !== "touch") this.actions.hover(this.nearest(at, 10), at.x, at.y);
      return;
    }
    if (Math.hypot(at.x - this.start.x, at.y - this.start.y) > CLICK_SLACK) this.wandered = true;
    if (this.wandered) this.drag(event.pointerId, before, at);
    this.pressed.set(event.pointerId, at);
  }
  drag(pointerId, before, at) {
    const { view, plot } = this.scatter;
    if (this.gesture === "box") this.scatter.box = this.boxTo(at);
    else if (this.gesture === "paint") this.paint(at, false);
    else if (this.gesture === "move") {
      const projection = this.scatter.projection();
      this.actions.drag(this.dragged, projection.dataX(at.x), projection.dataY(at.y));
    } else if (this.gesture === "pan") view.pan((before.x - at.x) / plot.width, (at.y - before.y) / plot.height);
    else this.pinch(pointerId, before, at);
    this.actions.viewChanged();
  }
  // The other finger is the fixed point of the zoom.
  pinch(pointerId, before, at) {
    const other = [...this.pressed].find(([id]) => id !== pointerId)?.[1];
    if (!other) return;
    const stretch = Math.hypot(at.x - other.x, at.y - other.y) / Math.hypot(before.x - other.x, before.y - other.y);
    const projection = this.scatter.projection();
    this.scatter.view.zoom(stretch || 1, projection.dataX(other.x), projection.dataY(other.y));
  }
  boxTo(at) {
    const projection = this.scatter.projection();
    const xs = [projection.dataX(this.start.x), projection.dataX(at.x)].sort((a, b) => a - b);
    const ys = [projection.dataY(this.start.y), projection.dataY(at.y)].sort((a, b) => a - b);
    return [...xs, ...ys];
  }
  onUp(event) {
    if (!this.pressed.delete(event.pointerId)) return;
    const at = this.place(event);
    if (this.gesture === "box" && this.wandered) this.actions.select(this.scatter.box);
    else if (this.letGo()) this.actions.viewChanged();
    else if (!this.wandered) this.click(at, event.pointerType === "touch" ? 20 : 10);
    this.gesture = this.pressed.size > 0 ? "pan" : null;
    this.wandered = true;
  }
  onCancel(event) {
    this.pressed.delete(event.pointerId);
    this.letGo();
    this.gesture = null;
  }
  // Points that were painted or moved stay where they are seen, however the gesture ended. Returns whether there are any.
  letGo() {
    const { gesture } = this, moved = gesture === "move" && this.wandered;
    if (gesture === "paint") this.actions.lift();
    else if (moved) this.actions.drop();
    if (gesture === "paint" || moved) this.gesture = null;
    return gesture === "paint" || moved;
  }
  click(at, reach) {
    const point = this.nearest(at, reach);
    this.actions.hover(point, at.x, at.y);
    if (point >= 0) this.actions.choose(point);
    else if (this.actions.selecting()) this.actions.select(null);
    else {
      const projection = this.scatter.projection();
      this.actions.place(projection.dataX(at.x), projection.dataY(at.y), projection);
    }
  }
  onWheel(event) {
    if (!event.ctrlKey && !event.metaKey && !this.actions.wheelIsFree()) {
      this.actions.hint(say("player.hold_to_zoom", { key: APPLE ? "⌘" : say("player.key_control") }));
      return;
    }
    event.preventDefault();
    const at = this.place(event);
    const projection = this.scatter.projection();
    const lines2 = event.deltaMode === 1 ? 16 : 1;
    const turned = Math.min(STEP, Math.max(-STEP, event.deltaY * lines2));
    const factor = Math.exp(-turned * (event.ctrlKey ? 8e-3 : 15e-4));
    this.scatter.view.zoom(factor, projection.dataX(at.x), projection.dataY(at.y));
    this.actions.viewChanged();
  }
  onReset() {
    this.scatter.view.atHome = true;
    this.actions.viewChanged();
  }
  // With the plot focused: + − 0, shift + arrows, n p to walk the points, Enter for "why", b for what is in view.
  onKey(event) {
    const { view } = this.scatter;
    const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    const [xLow, xHigh, yLow, yHigh] = view.bounds;
    const middle = [(xLow + xHigh) / 2, (yLow + yHigh) / 2];
    if (event.shiftKey && step) view.pan(...step);
    else if (event.altKey && step) this.actions.nudge(this.scatter.hovered, ...step.map((share) => 10 * share));
    else if (event.key === "g") this.actions.nudge(-1, 0, 0);
    else if (event.key === "+" || event.key === "=") view.zoom(1.25, ...middle);
    else if (event.key === "-") view.zoom(0.8, ...middle);
    else if (event.key === "0") view.atHome = true;
    else if (event.key === "n" || event.key === "p") this.walk(event.key === "n" ? 1 : -1);
    else if (event.key === "Enter" && this.scatter.hovered >= 0) this.actions.choose(this.scatter.hovered);
    else if (event.key === "b") this.actions.select([...view.bounds]);
    else if (event.key === "Escape") this.actions.select(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.actions.viewChanged();
  }
  // Next visible point from left to right.
  walk(direction) {
    const { panel, hovered, view } = this.scatter;
    const [xLow, xHigh, yLow, yHigh] = view.bounds;
    const rank = (i) => panel.x[i] * direction;
    let best = -1;
    for (let i = 0; i < panel.n_points; i += 1) {
      if (panel.x[i] < xLow || panel.x[i] > xHigh || panel.y[i] < yLow || panel.y[i] > yHigh) continue;
      const after = hovered < 0 || rank(i) > rank(hovered) || rank(i) === rank(hovered) && i > hovered;
      if (after && i !== hovered && (best < 0 || rank(i) < rank(best))) best = i;
    }
    if (best < 0) return;
    const projection = this.scatter.projection();
    this.actions.hover(best, projection.x(panel.x[best]), projection.y(panel.y[best]), true);
  }
  nearest(at, reach) {
    const { panel } = this.scatter;
    const projection = this.scatter.projection();
    const x = projection.dataX(at.x);
    const y = projection.dataY(at.y);
    let best = -1;
    let distance = reach * reach;
    for (let i = 0; i < panel.n_points; i += 1) {
      const dx = (panel.x[i] - x) * projection.scaleX;
      const dy = (panel.y[i] - y) * projection.scaleY;
      const d = dx * dx + dy * dy;
      if (d < distance) {
        distance = d;
        best = i;
      }
    }
    return best;
  }
};

// player/assets/ranges.js
var START_SHARE = 0.05;
var STEEP = 2;
function chartRanges(lines2, fromZero) {
  const all = rangeOf(lines2, () => 0);
  const later = rangeOf(lines2, (line) => Math.max(1, Math.ceil(START_SHARE * line.y.length)));
  const height = later[1] - (fromZero ? 0 : later[0]);
  const cut = height > 0 && all[1] - later[1] > STEEP * height;
  return { all, later: [Math.min(all[0], later[0]), later[1]], cut };
}
function rangeOf(lines2, startOf2) {
  let low = Infinity;
  let high = -Infinity;
  for (const line of lines2) {
    for (let k = startOf2(line); k < line.y.length; k += 1) {
      if (!Number.isFinite(line.y[k])) continue;
      low = Math.min(low, line.y[k]);
      high = Math.max(high, line.y[k]);
    }
  }
  return high >= low ? [low, high] : [0, 1];
}

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
  const finish = (frame) => {
    if (dragging) scrub(frame, true);
    dragging = false;
  };
  overlay.addEventListener("pointerup", (event) => finish(frameOf(event)));
  overlay.addEventListener("pointercancel", () => finish(last));
  overlay.addEventListener("pointerleave", () => hover(null, 0, 0));
}

// player/assets/charts.js
var Chart = class extends Canvas {
  // `actions`: scrub(frame, done), hover(frame or null, x, y).
  constructor(canvas, overlay, actions) {
    super(canvas, overlay);
    this.lines = [];
    this.last = 1;
    listenToScrubs(overlay, (x) => this.frameAt(x), actions);
  }
  frameAt(x) {
    const share = (x - this.plot.x) / this.plot.width;
    return Math.round(Math.min(1, Math.max(0, share)) * this.last);
  }
  // lines: [{ panel, label, unit, x, y, color, dash, steps, connect, faint, echo }]. `connect` bridges gaps, `whole`
  // asks for integer ticks, `full` for all values, also those of a steep start; `limits` fix the range, and `least` is how
  // much it has to show, so that what is next to nothing looks so. `byVisit`: frames are visits.
  setData(lines2, { last, whole = false, fromZero = false, axis, full = false, limits = null, least = 0, byVisit = false }) {
    Object.assign(this, { lines: lines2, last: Math.max(1, last), whole, axis, byVisit });
    const ranges = chartRanges(lines2, fromZero);
    this.steep = ranges.cut && limits === null;
    this.cut = this.steep && !full;
    const [lowest, highest2] = limits ?? (this.cut ? ranges.later : ranges.all);
    const lack = highest2 > lowest ? Math.max(0, least - (highest2 - lowest)) / 2 : 0;
    const [low, high] = [lowest - lack, highest2 + lack];
    const room = high > low ? (high - low) * 0.06 : Math.max(1, Math.abs(high)) * 0.1;
    this.range = [fromZero ? 0 : low - room, high + room];
  }
  x(frame) {
    return this.plot.x + frame / this.last * this.plot.width;
  }
  y(value) {
    const [low, high] = this.range;
    return this.plot.y + this.plot.height * (1 - (value - low) / (high - low));
  }
  // Room that the tick labels need; stacked charts share the widest, so that their playheads line up.
  prepare(theme) {
    this.theme = theme;
    const context = this.canvas.getContext("2d");
    context.font = theme.type(12);
    const count = Math.max(2, this.height / (36 * theme.scale));
    this.ticks = niceTicks(...this.range, count, this.whole);
    if (this.ticks.length < 2) this.ticks = niceTicks(...this.range, 2.5 * count, this.whole);
    const room = (this.height - 20 * theme.scale) / (14 * theme.scale);
    if (this.ticks.length > Math.max(2, room)) this.ticks = [this.ticks[0], this.ticks.at(-1)];
    this.labels = tickLabels(this.ticks);
    return Math.ceil(Math.max(...this.labels.map((label) => context.measureText(label).width))) + 10;
  }
  drawStatic(left) {
    this.plot = { x: left, y: 8, width: this.width - left - 10, height: this.height - 8 - 20 * this.theme.scale };
    const context = this.emptied(this.canvas);
    this.drawCurves(context);
  }
  drawCurves(context) {
    context.font = this.theme.type(12);
    this.drawGrid(context);
    context.save();
    context.beginPath();
    context.rect(this.plot.x - 1, this.plot.y - 3, this.plot.width + 2, this.plot.height + 6);
    context.clip();
    for (const line of this.lines) this.drawLine(context, line);
    context.restore();
    for (const line of this.lines) this.drawRunningOff(context, line);
  }
  // Marks where a line leaves the chart: through the top at a steep start, or to the right as a longer ghost.
  drawRunningOff(context, line) {
    const { plot, theme } = this;
    const finite = line.y.findIndex(Number.isFinite);
    context.fillStyle = cssColor(line.color);
    if (this.cut && line.y[finite] > this.range[1]) {
      const x = Math.max(plot.x + 5, this.x(line.x[finite]));
      drawArrow(context, x, plot.y - 7, 0);
      if (this.lines.filter((other) => !other.faint && !other.echo).length === 1 && !line.faint && !line.echo) {
        const text = say("player.starts_at", { value: formatNumber(line.y[finite], 5) });
        const right = plot.x + plot.width;
        context.fillStyle = cssColor(theme.background, 0.85);
        const { width } = context.measureText(text);
        context.fillRect(right - width - 17, plot.y - 8, width + 17, 13 * theme.scale);
        context.fillStyle = cssColor(theme.muted);
        context.textAlign = "right";
        context.textBaseline = "top";
        context.fillText(text, right - 12, plot.y - 7);
        drawArrow(context, right - 5, plot.y - 6, 0);
      }
    }
    if (line.faint && line.x.at(-1) > this.last) {
      const y = Math.max(plot.y, this.y(line.y[Math.floor(this.last)]));
      drawArrow(context, plot.x + plot.width + 8, y, 1);
    }
  }
  drawGrid(context) {
    const { theme, plot, ticks, labels } = this;
    drawLevels(context, theme, plot, ticks.map((tick) => this.y(tick)), labels);
    context.textBaseline = "top";
    const [low, high, whole] = [this.axis.from, this.axis.to, this.axis.whole];
    const marks = niceTicks(low, high, Math.max(2, plot.width / (70 * theme.scale)), whole);
    const [step] = marks.slice(1).map((mark, k) => mark - marks[k]);
    if (whole && high - marks.at(-1) > 0.45 * step) marks.push(high);
    else if (whole && marks.length > 1) marks[marks.length - 1] = high;
    tickLabels(marks).forEach((label, k) => {
      const x = plot.x + (marks[k] - low) / (high - low || 1) * plot.width;
      context.textAlign = x > this.width - 18 * theme.scale ? "right" : "center";
      context.fillText(label, Math.min(x, this.width - 2), plot.y + plot.height + 6);
    });
  }
  drawLine(context, line) {
    context.strokeStyle = cssColor(line.color, line.faint ? 0.45 : 1);
    context.lineWidth = line.faint ? 1 : 1.75;
    context.lineJoin = "round";
    context.setLineDash(line.dash);
    context.beginPath();
    let started = false;
    for (let k = 0; k < line.y.length; k += 1) {
      if (!Number.isFinite(line.y[k])) {
        started = started && line.connect;
        continue;
      }
      const x = this.x(line.x[k]);
      const y = this.y(line.y[k]);
      if (!started) context.moveTo(x, y);
      else {
        if (line.steps) context.lineTo(x, this.y(line.y[k - 1]));
        context.lineTo(x, y);
      }
      started = true;
    }
    context.stroke();
    context.setLineDash([]);
  }
  // For each line, the index of its value at a frame; past its end for a panel that the frame is not about.
  indicesAt(run, frame) {
    return this.lines.map((line) => {
      if (this.byVisit) return frame;
      if (line.faint) return frame < line.y.length ? frame : -1;
      return frame > run.last ? -1 : Math.min(run.sweepAt(line.panel, frame), line.y.length - 1);
    });
  }
  // `at`: for each line that is not faint, the index of the value under the playhead.
  drawPlayhead(frame, at) {
    this.playhead = { frame, at };
    this.drawOverlay();
  }
  drawOverlay() {
    const context = this.emptied(this.overlay);
    this.drawPlayheadOn(context, this.playhead.frame, this.playhead.at);
    if (this.hovered === null || this.hovered === void 0) return;
    context.setLineDash([2, 3]);
    this.drawHairline(context, this.hovered, 0.4);
    context.setLineDash([]);
  }
  drawHairline(context, frame, opacity) {
    const x = Math.round(this.x(frame)) + 0.5;
    context.strokeStyle = cssColor(this.theme.text, opacity);
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, this.plot.y - 4);
    context.lineTo(x, this.plot.y + this.plot.height);
    context.stroke();
  }
  drawPlayheadOn(context, frame, at) {
    const { theme, plot } = this;
    this.drawHairline(context, frame, 0.55);
    this.lines.forEach((line, k) => {
      const value = line.faint ? NaN : line.y[at[k]];
      if (!Number.isFinite(value)) return;
      context.beginPath();
      context.arc(this.x(line.x[at[k]]), Math.max(plot.y - 3, this.y(value)), 4, 0, 2 * Math.PI);
      context.fillStyle = cssColor(line.color);
      context.fill();
      context.strokeStyle = cssColor(theme.background);
      context.lineWidth = 1.5;
      context.stroke();
    });
  }
  readout(at, digits) {
    const shown = this.lines.map((line, k) => ({ line, value: line.faint || line.echo ? NaN : line.y[at[k]] }));
    return shown.filter(({ value }) => Number.isFinite(value)).map(({ line, value }) => {
      const written2 = line.decimals === void 0 ? formatNumber(value, digits) : formatFixed(value, 2);
      return line.named ? `${line.label} ${written2}` : written2;
    }).join(" · ");
  }
};
function drawArrow(context, x, y, direction) {
  context.beginPath();
  if (direction === 0) [[x - 4, y + 7], [x + 4, y + 7], [x, y]].forEach(([a, b], k) => trace(context, k, a, b));
  else [[x - 7, y - 4], [x - 7, y + 4], [x, y]].forEach(([a, b], k) => trace(context, k, a, b));
  context.closePath();
  context.fill();
}
function trace(context, k, x, y) {
  if (k === 0) context.moveTo(x, y);
  else context.lineTo(x, y);
}

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
      for (let column2 = x + SPACING / 2; column2 < x + width; column2 += SPACING) {
        context.rect(column2 - 1, row - 1, 2, 2);
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

// player/assets/ribbon.js
var Ribbon = class extends Canvas {
  constructor(canvas, overlay, actions) {
    super(canvas, overlay);
    listenToScrubs(overlay, (x) => this.frameAt(x), actions);
  }
  frameAt(x) {
    const share = (x - this.area.x) / this.area.width;
    return Math.round(Math.min(1, Math.max(0, share)) * this.run.last);
  }
  x(frame) {
    return this.area.x + frame / Math.max(1, this.run.last) * this.area.width;
  }
  y(points) {
    return this.area.y + this.area.height * (1 - points / this.run.panels[this.number].n_points);
  }
  // `plot`: the rectangle of the points above, so that both start and end at the same place.
  drawStatic(run, number, plot, theme) {
    Object.assign(this, { run, number, theme });
    this.area = { x: plot.x, y: 5, width: plot.width, height: this.height - 9 };
    const context = this.emptied(this.canvas);
    this.drawOn(context);
  }
  drawOn(context) {
    const { run, number, theme, area } = this;
    const panel = run.panels[number];
    const places2 = Array.from(panel.label_sweeps, (sweep) => this.x(run.frameOfSweep(number, sweep)));
    const end = Math.max(this.x(run.frameOfSweep(number, panel.n_sweeps)), places2[0] + 3);
    context.font = theme.type(12);
    context.fillStyle = cssColor(theme.muted);
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(say("player.sizes"), area.x - 6, area.y + area.height / 2);
    for (const band of run.bands(number)) this.drawBand(context, band, places2, end);
    if (end < area.x + area.width - 1) this.drawRest(context, end);
  }
  // What a run that is over ended with goes on, faintly, while others are under way.
  drawRest(context, end) {
    const { run, number, theme, area } = this;
    const last = run.panels[number].label_sweeps.length - 1;
    context.globalAlpha = 0.25;
    for (const band of run.bands(number)) {
      if (band.rows.at(-1) !== last) continue;
      const [high, low] = [this.y(band.high.at(-1)), this.y(band.low.at(-1))];
      context.fillStyle = band.track === OTHERS ? cssColor(theme.faint) : cssColor(theme.clusterColor(band.track));
      context.fillRect(end, high, area.x + area.width - end, low - high);
    }
    context.globalAlpha = 1;
  }
  drawBand(context, band, places2, end) {
    const { theme, area } = this;
    const points = band.rows.map((row, k) => [places2[row], this.y(band.high[k]), this.y(band.low[k])]);
    if (band.rows.at(-1) === places2.length - 1) points.push([end, ...points.at(-1).slice(1)]);
    context.beginPath();
    points.forEach(([x, high], k) => k === 0 ? context.moveTo(x, high) : context.lineTo(x, high));
    for (const [x, , low] of points.reverse()) context.lineTo(x, low);
    context.closePath();
    context.fillStyle = band.track === OTHERS ? cssColor(theme.faint) : cssColor(theme.clusterColor(band.track));
    context.fill();
    if (places2.length < area.width / 3) {
      context.strokeStyle = cssColor(theme.background);
      context.lineWidth = 0.75;
      context.stroke();
    }
    const variant = theme.clusterVariant(band.track);
    if (variant === 0 || band.track === OTHERS) return;
    context.save();
    context.clip();
    hatch(context, theme, variant, area.x, area.y, area.width, area.height);
    context.restore();
  }
  drawPlayhead(frame) {
    const shown = [this.size, this.x(frame), this.theme.stamp].join();
    if (shown === this.shown) return;
    this.shown = shown;
    const context = this.emptied(this.overlay);
    this.drawPlayheadOn(context, frame);
  }
  drawPlayheadOn(context, frame) {
    const x = Math.round(this.x(frame)) + 0.5;
    for (const [color, width] of [[this.theme.background, 4], [this.theme.text, 1.5]]) {
      context.strokeStyle = cssColor(color);
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, this.height);
      context.stroke();
    }
  }
  // Which cluster lies under the pointer: { sweep, track, size }.
  read(frame, y) {
    const { run, number, area } = this;
    const sweep = run.sweepAt(number, frame);
    const count = run.panels[number].n_points;
    const points = Math.min(count - 1, Math.max(0, (area.y + area.height - y) / area.height * count));
    return { sweep, ...bandAt(run.sizes(number), run.rowAt(number, sweep), points) };
  }
};

// player/assets/curves.js
var LEAST_NATS = 2;
var LONGEST_GHOST = 2;
function axisOf(run, last) {
  if (run.sync === "seconds" && run.duration > 0) return { from: 0, to: run.duration, whole: false };
  if (run.sync === "fraction") return { from: 0, to: 1, whole: false };
  return { from: 0, to: Math.max(1, last), whole: true };
}
function lastShown(run) {
  if (run.sync !== "sweep") return run.last;
  const ghosts = run.panels.flatMap((panel) => panel.ghosts.map((ghost) => ghost.nll.length - 1));
  return Math.max(run.last, Math.min(Math.max(0, ...ghosts), LONGEST_GHOST * run.last));
}
function lines(run, theme, name, { steps, connect, skipFirst, ghosts, label, unit = "", decimals, named }) {
  const count = run.panels.length;
  const result = [];
  run.panels.forEach((panel, number) => {
    if (panel[name] === void 0) return;
    const positions = Array.from(panel[name], (_, sweep) => run.frameOfSweep(number, sweep));
    const color = panelColor(theme, number, count);
    const style = { panel: number, steps, connect, unit, decimals, named, color, dash: PANEL_DASHES[number] };
    for (const ghost of ghosts ? panel.ghosts : []) {
      const x = Array.from(ghost[name], (_, sweep) => sweep);
      const own2 = { label: ghost.name, color: theme.muted, dash: [], faint: true };
      result.push({ ...style, ...own2, x, y: Array.from(ghost[name]) });
    }
    const values = Array.from(panel[name]);
    if (skipFirst) values[0] = NaN;
    result.push({ ...style, label: count === 1 ? label : panel.title, x: positions, y: values });
  });
  return result;
}
function hasNll(run) {
  return run.panels.some((panel) => panel.nll.some(Number.isFinite));
}
function visitData(run, theme) {
  const number = run.slowPanel();
  const curves = run.visits();
  const last = run.panels[number].event_points.length;
  const style = { panel: number, color: panelColor(theme, number, run.panels.length), dash: [], byVisit: true };
  const chart = (y, settings, line) => ({
    lines: [{ ...style, ...line, x: Array.from(y, (_, visit) => visit), y }],
    settings: { last, axis: { from: 0, to: last, whole: true }, byVisit: true, ...settings }
  });
  const counts = { whole: true, fromZero: true };
  return {
    ...curves.nll && { nll: chart(curves.nll, { least: LEAST_NATS }, { label: "NLL", unit: "nats" }) },
    k: chart(curves.n_clusters, counts, { steps: true, label: say("player.curve_clusters") }),
    moved: chart(curves.n_moved, counts, { steps: true, label: say("player.curve_moved_so_far"), unit: say("player.unit_points") })
  };
}
function chartData(run, theme, options, slow) {
  return { ...sweepData(run, theme, options), ...slow && visitData(run, theme) };
}
function agreementData(run, theme, shared) {
  const style = { connect: true, decimals: 3, named: run.panels.length === 1 };
  const ari2 = lines(run, theme, "adjusted_rand", { ...style, label: "ARI" });
  const nmi2 = run.panels.length > 1 && ari2.length > 0 ? [] : lines(run, theme, "agreement", { ...style, label: "NMI" });
  const dashed = ari2.length > 0 ? nmi2.map((line) => ({ ...line, dash: [5, 3], color: theme.muted })) : nmi2;
  const lowest = Math.min(0, ...ari2.flatMap((line) => line.y.filter(Number.isFinite)));
  return { lines: [...ari2, ...dashed], settings: { ...shared, limits: [lowest, 1] } };
}
function sweepData(run, theme, options) {
  const last = lastShown(run);
  const shared = { last, axis: axisOf(run, last) };
  const objectiveName = run.panels[0].objective_name;
  const objective = lines(run, theme, "objective", { label: objectiveName });
  const nll = hasNll(run) ? lines(run, theme, "nll", { ghosts: true, label: "NLL", unit: "nats" }) : objective;
  const shown = hasNll(run) && options.objective ? objective : [];
  const echoes = shown.map((line) => ({
    ...line,
    dash: [2, 3],
    echo: true,
    label: run.panels.length === 1 ? line.label : `${line.label}, ${objectiveName}`
  }));
  return {
    nll: { lines: [...nll, ...echoes], settings: { ...shared, full: options.full_nll, least: hasNll(run) ? LEAST_NATS : 0 } },
    k: {
      lines: lines(run, theme, "n_clusters", { steps: true, ghosts: true, label: say("player.curve_clusters") }),
      settings: { ...shared, whole: true, fromZero: true, full: options.full_k }
    },
    agreement: agreementData(run, theme, shared),
    moved: {
      lines: lines(run, theme, "n_moved", { skipFirst: true, label: say("player.curve_moved"), unit: say("player.unit_points") }),
      settings: { ...shared, whole: true, fromZero: true, full: options.full_moved }
    }
  };
}

// player/assets/texts.js
function trackName(panel, track) {
  if (track < 0) return say("player.none");
  return panel.cluster_names[track + 1] ?? say("player.cluster", { cluster: track + 1 });
}
function costWords(hasNll2, objective) {
  if (hasNll2) return say("player.about_nll") + (objective === "E" ? ` ${say("player.about_e")}` : "");
  const squares = objective.includes("λ") ? "player.about_squares_and_penalty" : "player.about_squares";
  return say(objective.includes("‖x − μ‖²") ? squares : "player.about_other", { objective });
}
function withoutCost(run) {
  const has = run.panels.map((panel) => panel.nll.some(Number.isFinite));
  const names = run.panels.filter((_, number) => !has[number]).map((panel) => panel.title.split(" · ")[0]);
  return has.includes(true) && names.length > 0 ? say("player.no_nll", { names: [...new Set(names)].join(", ") }) : "";
}
function agreementParts(panel, sweep) {
  return [["ARI", panel.adjusted_rand], ["NMI", panel.agreement]].filter(([, curve]) => Number.isFinite(curve?.[sweep])).map(([name, curve]) => `${name} ${formatFixed(curve[sweep], 2)}`);
}
function statusText(run, number, snapshot, judges = true) {
  const panel = run.panels[number];
  const { sweep, visit } = snapshot;
  if (visit) {
    const [from, to] = [trackName(panel, visit.from), trackName(panel, visit.to)];
    return say(visit.to === visit.from ? "player.point_stays" : "player.point_moves", { point: visit.point, from, to });
  }
  const parts = [say("player.sweep_of", { sweep, all: panel.n_sweeps }), sayCount("player.clusters", panel.n_clusters[sweep])];
  if (run.panels.length === 1 && judges) parts.push(...agreementParts(panel, sweep));
  const nll = panel.nll[sweep];
  if (run.panels.length > 1 && Number.isFinite(nll)) parts.push(say("player.nll", { nll: formatNumber(nll, 6) }));
  if (sweep > 0) parts.push(sayCount("player.moved", panel.n_moved[sweep]));
  if (panel.n_born[sweep] > 0) parts.push(sayCount("player.born", panel.n_born[sweep]));
  if (panel.n_died[sweep] > 0) parts.push(sayCount("player.died", panel.n_died[sweep]));
  return parts.join(" · ");
}
function spokenText(run, snapshots) {
  const texts = snapshots.map((snapshot, number) => {
    const text = statusText(run, number, snapshot).replaceAll(" · ", ", ");
    return snapshots.length > 1 ? `${run.panels[number].title}: ${text}` : text;
  });
  return texts.join("; ");
}
function sentences(run, snapshots) {
  return snapshots.map((snapshot, number) => {
    const title = snapshots.length > 1 ? `${run.panels[number].title}: ` : "";
    const text = snapshot.visit ? statusText(run, number, snapshot) : sentence(run.panels[number], snapshot.sweep);
    return `${title}${text}.`;
  }).join(" ");
}
function sentence(panel, sweep) {
  const moved = panel.n_moved[sweep];
  const parts = [sayCount("player.clusters", panel.n_clusters[sweep])];
  if (sweep > 0) parts.push(moved > 0 ? sayCount("player.points_moved", moved) : say("player.no_point_moved"));
  if (panel.n_born[sweep] > 0) parts.push(sayCount("player.clusters_opened", panel.n_born[sweep]));
  if (panel.n_died[sweep] > 0) parts.push(sayCount("player.clusters_closed", panel.n_died[sweep]));
  const cost = Number.isFinite(panel.nll[sweep]) ? panel.nll[sweep] : panel.objective[sweep];
  if (Number.isFinite(cost)) parts.push(say("player.cost", { cost: formatNumber(cost, 6) }));
  parts.push(...agreementParts(panel, sweep));
  const where = sweep === 0 ? say("player.start") : say("player.sweep_of_all", { sweep, all: panel.n_sweeps });
  return `${where}: ${parts.join(", ")}`;
}
function positionText(run, deck) {
  if (deck.slow) return say("player.visit", { visit: deck.position, all: deck.length });
  if (run.sync === "seconds" && run.duration > 0) {
    return `${formatSeconds(run.frameTime(deck.frame))} / ${formatSeconds(run.duration)}`;
  }
  if (run.sync === "fraction") return `${Math.round(100 * deck.frame / Math.max(1, run.last))} %`;
  return `${deck.frame} / ${run.last}`;
}
function chartLines(run, chart, frame) {
  const texts = chart.lines.map((line, k) => {
    const value = line.y[chart.hoveredAt[k]];
    if (!Number.isFinite(value)) return null;
    const sweep = line.faint || chart.byVisit || run.panels.length === 1 ? "" : ` (${say("player.at_sweep", { sweep: chart.hoveredAt[k] })})`;
    const written2 = line.decimals === void 0 ? formatNumber(value, 7) : formatFixed(value, line.decimals);
    return `${line.label}  ${written2}${line.unit && ` ${line.unit}`}${sweep}`;
  });
  return [chart.byVisit ? sayCount("player.after_visits", frame) : frameText(run, frame), ...texts.filter((text) => text !== null)];
}
function frameText(run, frame) {
  if (run.sync === "seconds" && run.duration > 0) return formatSeconds(run.frameTime(frame));
  if (run.sync === "fraction") return say("player.share_of_runs", { percent: Math.round(100 * frame / Math.max(1, run.last)) });
  return say("player.at_sweep", { sweep: frame });
}
function bandLines(run, number, { sweep, track, size }) {
  const panel = run.panels[number];
  const name = track === OTHERS ? say("player.smaller_clusters") : trackName(panel, track);
  return [`${say("player.at_sweep", { sweep })} · ${name}`, `${sayCount("player.points", size)} (${formatNumber(100 * size / panel.n_points, 3)} %)`];
}
function pointLines(panel, snapshot, point) {
  const label = snapshot.labels[point];
  const name = panel.point_names?.[point];
  const lines2 = [`${say("player.point", { point })}${name ? `, ${name}` : ""} · ${trackName(panel, label)}`];
  if (panel.true_labels) {
    const truth = panel.true_labels[point];
    lines2.push(say("player.known_group", { group: panel.class_names[truth] ?? truth }));
  }
  if (panel.values) {
    const width = panel.shapes.values[1];
    for (let f = 0; f < width; f += 1) {
      const name2 = panel.value_names[f] ?? say("player.feature", { number: f + 1 });
      const value = panel.values[point * width + f];
      lines2.push(`${name2}  ${Number.isNaN(value) ? say("player.missing") : formatNumber(value)}`);
    }
  } else {
    panel.axis_names.forEach((name2, axis) => {
      lines2.push(`${name2}  ${formatNumber(ownPlace(panel, axis, (axis === 0 ? panel.x : panel.y)[point]) + panel.origin[axis])}`);
    });
  }
  return lines2;
}

// player/assets/bars.js
var Bars = class extends Canvas {
  draw(run, snapshots, logarithmic, theme) {
    Object.assign(this, { run, snapshots, logarithmic, theme });
    const context = this.emptied(this.canvas);
    this.drawOn(context);
  }
  drawOn(context) {
    context.font = this.theme.type(12);
    const visited2 = this.snapshots.findIndex((snapshot) => snapshot.visit?.candidates.length > 0);
    if (visited2 >= 0) this.drawCosts(context, this.snapshots[visited2].visit, visited2);
    else this.drawSizes(context);
  }
  drawSizes(context) {
    const { theme, run } = this;
    const groups = this.snapshots.map((snapshot) => clusterSizes(snapshot.labels).sort((a, b) => a.track - b.track));
    const top = groups.length > 1 ? run.largestCluster() : Math.max(this.largestLater(), ...groups[0].map(({ size }) => size));
    const scale = this.logarithmic ? (size) => Math.log(size + 1) / Math.log(top + 1) : (size) => size / top;
    const ticks = this.logarithmic ? powersOfTen(top) : niceTicks(0, top, Math.max(2, this.height / (40 * theme.scale)), true);
    const labels = tickLabels(ticks);
    const numbered = groups.length === 1 && this.placesFor(groups[0], this.width - 8).length * 20 * theme.scale <= this.width - 8;
    const left = numbered ? 4 : Math.ceil(Math.max(...labels.map((label) => context.measureText(label).width))) + 10;
    const area = { x: left, y: 14 * theme.scale, width: this.width - left - 8, height: this.height - 34 * theme.scale };
    const y = (size) => area.y + area.height * (1 - scale(size));
    if (numbered) drawLevels(context, theme, area, [y(0)], [""]);
    else drawLevels(context, theme, area, ticks.map(y), labels);
    const groupWidth = area.width / groups.length;
    groups.forEach((clusters, number) => {
      const x = area.x + number * groupWidth;
      this.drawGroup(context, clusters, x, groupWidth - (groups.length > 1 ? 10 : 0), area, y);
      if (groups.length > 1) this.drawGroupName(context, number, groups.length, x, groupWidth - 12);
    });
  }
  drawGroup(context, clusters, left, width, area, y) {
    const { theme } = this;
    const tracks = this.placesFor(clusters, width);
    const step = Math.min(34 * theme.scale, width / tracks.length);
    const bar2 = Math.max(0.5, step - Math.min(3, step * 0.2));
    context.textAlign = "center";
    clusters.forEach(({ track, size }) => {
      const x = left + tracks.indexOf(track) * step;
      fillCluster(context, theme, track, x, y(size), bar2, area.y + area.height - y(size));
      if (step < 20 * theme.scale) return;
      context.fillStyle = cssColor(theme.text);
      context.textBaseline = "bottom";
      const label = formatFixed(size, 0);
      if (context.measureText(label).width < step + 4) context.fillText(label, x + bar2 / 2, y(size) - 1);
      context.fillStyle = cssColor(theme.muted);
      context.textBaseline = "top";
      if (this.snapshots.length > 1) return;
      const name = this.run.panels[0].cluster_names[track + 1] ?? String(track + 1);
      context.fillText(shortened(context, name, step + 2), x + bar2 / 2, area.y + area.height + 6);
    });
  }
  // Size of the largest cluster after the start, which often is one of all points.
  largestLater() {
    const { rows } = this.run.sizes(0);
    return Math.max(...rows.slice(rows.length > 1 ? 1 : 0).flatMap(({ sizes }) => sizes));
  }
  // Clusters with a bar, or room for one: of a single run all it ever has, so that bars stay where they are.
  placesFor(clusters, width) {
    const { run, theme } = this;
    const alive = clusters.map(({ track }) => track);
    if (run.panels.length > 1) return alive;
    this.ever ??= /* @__PURE__ */ new WeakMap();
    if (!this.ever.has(run)) {
      const seen = new Set(run.sizes(0).rows.flatMap(({ tracks }) => tracks));
      this.ever.set(run, [...seen].sort((a, b) => a - b));
    }
    const ever = this.ever.get(run);
    const fit = width / ever.length >= 20 * theme.scale && alive.every((track) => ever.includes(track));
    return fit ? ever : alive;
  }
  drawGroupName(context, number, count, x, width) {
    const { theme } = this;
    const y = this.height - 14 * theme.scale;
    context.strokeStyle = cssColor(panelColor(theme, number, count));
    context.lineWidth = 2;
    context.setLineDash(PANEL_DASHES[number]);
    context.beginPath();
    context.moveTo(x, y + 6 * theme.scale);
    context.lineTo(x + 21, y + 6 * theme.scale);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = cssColor(theme.text);
    context.textAlign = "left";
    context.textBaseline = "top";
    const name = distinctParts(this.run.panels.map((panel) => panel.title))[number];
    context.fillText(shortened(context, name, width - 26), x + 26, y);
  }
  // One row per candidate, cheapest first; bars and numbers say how much more than the cheapest each costs.
  drawCosts(context, visit, number) {
    const { theme } = this;
    const candidates2 = [...visit.candidates].sort((a, b) => a.cost - b.cost);
    const rows = Math.min(candidates2.length, Math.max(3, Math.floor(this.height / (18 * theme.scale))));
    const height = Math.min(22 * theme.scale, this.height / rows);
    const largest = Math.max(...candidates2.map((candidate) => candidate.cost - candidates2[0].cost)) || 1;
    const left = 64 * theme.scale;
    const room = this.width - left - 70 * theme.scale;
    candidates2.slice(0, rows).forEach((candidate, k) => {
      const y = k * height;
      const extra = candidate.cost - candidates2[0].cost;
      const chosen = candidate.track === visit.to || candidate.track === -1 && k === 0 && visit.to !== visit.from;
      const color = candidate.track < 0 ? theme.muted : theme.clusterColor(candidate.track);
      context.fillStyle = cssColor(color, chosen ? 1 : 0.5);
      context.fillRect(left, y + 3, Math.max(2, extra / largest * room), height - 6);
      context.textBaseline = "middle";
      context.textAlign = "right";
      context.fillStyle = cssColor(theme.text);
      const name = candidate.track < 0 ? say("player.new") : shortened(context, trackName(this.run.panels[number], candidate.track), left - 8);
      context.fillText(name, left - 6, y + height / 2);
      context.textAlign = "left";
      const x = left + Math.max(2, extra / largest * room) + 5;
      context.fillText(k === 0 ? say("player.lowest") : `+${formatNumber(extra, 4)}`, x, y + height / 2);
    });
  }
};
function powersOfTen(top) {
  const ticks = [];
  for (let power = 1; power <= top; power *= 10) ticks.push(power);
  return ticks;
}

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
  load(run, frame) {
    const wasAtEnd = this.run !== null && this.frame === this.run.last && this.run.last > 0;
    const follows = run.partial && (this.run === null || wasAtEnd || this.following);
    const place = this.run === null ? frame : this.frame;
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
function chip(text, title, action) {
  const node = element("button", { type: "button", class: "chip", text, title });
  node.addEventListener("click", action);
  return node;
}
function toggle(name, label, title) {
  const state = { "aria-pressed": "false", "data-option": name };
  return element("button", { type: "button", class: "chip", title, text: label, ...state });
}
function chartBlock(name, title) {
  const readout = element("span", { class: "readout" });
  const [heading, note] = [element("span", { class: "chart-title", text: title }), element("span", { class: "chart-note" })];
  const head = element("div", { class: "chart-head" }, heading, note, readout);
  const canvas = element("canvas", { "aria-hidden": "true" });
  const overlay = element("canvas", { class: "overlay", role: "img", "data-chart": name, "aria-label": title });
  const tip = element("div", { class: "hint", hidden: true });
  const stage = element("div", { class: "chart-stage" }, canvas, overlay, tip);
  const block = element("div", { class: `chart chart-${name}` }, head, stage);
  return { block, head, readout, stage, canvas, overlay, tip };
}
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
function showStatus(status, text) {
  if (status.textContent === text) return;
  const parts = text.split(" · ").map((part, k) => element("span", { text: k === 0 ? part : ` · ${part}` }));
  status.replaceChildren(...parts);
}
function lineSample() {
  return svg("svg", { class: "swatch", "aria-hidden": "true" }, svg("path", { d: "M0 3H27" }));
}
function panelBlock(number) {
  const swatch = lineSample();
  const title = element("span", { class: "panel-title" });
  const status = element("span", { class: "panel-status" });
  const canvas = element("canvas", { "aria-hidden": "true" });
  const overlay = element("canvas", { class: "overlay", tabindex: "0", role: "application", "data-panel": number });
  const tip = element("div", { class: "tip", hidden: true });
  const home = element("button", { type: "button", class: "chip home", text: say("player.tool_reset"), hidden: true });
  const stage = element("div", { class: "stage" }, canvas, overlay, home, tip);
  const ribbonBlock = ribbonOf(number);
  const header = element("header", {}, swatch, title, status);
  const block = element("section", { class: "panel" }, header, stage, ribbonBlock.stage);
  return { block, header, swatch, title, status, canvas, overlay, home, tip, stage, ribbonBlock };
}
function ribbonOf(number) {
  const canvas = element("canvas", { "aria-hidden": "true" });
  const label = say("player.sizes_over_sweeps");
  const overlay = element("canvas", { class: "overlay", role: "img", "data-ribbon": number, "aria-label": label });
  const tip = element("div", { class: "hint", hidden: true });
  return { canvas, overlay, tip, stage: element("div", { class: "ribbon" }, canvas, overlay, tip) };
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
function keysPanel() {
  const list = element("dl", { class: "keys" });
  for (const [keys, meaning] of KEYS) list.append(element("dt", { text: keys }), element("dd", { text: meaning }));
  return list;
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
  show({ playing, slow, spoken, written: written2 }) {
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
    write(this.position, written2);
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

// player/assets/vector.js
var SvgContext = class {
  constructor(width, height) {
    this.root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
    this.root.setAttribute("xmlns", this.root.namespaceURI);
    this.group = this.root;
    this.saved = [];
    this.clips = 0;
    this.path = "";
    Object.assign(this, {
      fillStyle: "#000",
      strokeStyle: "#000",
      lineWidth: 1,
      globalAlpha: 1,
      font: "12px sans-serif",
      textAlign: "left",
      textBaseline: "alphabetic",
      lineJoin: "miter",
      dash: []
    });
    this.ruler = document.createElement("canvas").getContext("2d");
  }
  add(tag, attributes) {
    const node = svg(tag, attributes);
    if (this.globalAlpha !== 1) node.setAttribute("opacity", this.globalAlpha);
    this.group.append(node);
    return node;
  }
  nest(attributes) {
    const group2 = svg("g", attributes);
    this.group.append(group2);
    this.group = group2;
  }
  save() {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, dash, group: group2 } = this;
    this.saved.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, dash, group: group2 });
  }
  restore() {
    Object.assign(this, this.saved.pop());
  }
  translate(x, y) {
    this.nest({ transform: `translate(${round(x)} ${round(y)})` });
  }
  setLineDash(dash) {
    this.dash = dash;
  }
  measureText(text) {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }
  beginPath() {
    this.path = "";
  }
  moveTo(x, y) {
    this.path += `M${round(x)} ${round(y)}`;
  }
  lineTo(x, y) {
    this.path += `L${round(x)} ${round(y)}`;
  }
  closePath() {
    this.path += "Z";
  }
  rect(x, y, width, height) {
    this.path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`;
  }
  arc(x, y, radius) {
    this.ellipse(x, y, radius, radius, 0);
  }
  // Whole ellipses only.
  ellipse(x, y, rx, ry, angle) {
    const dx = rx * Math.cos(angle);
    const dy = rx * Math.sin(angle);
    const arc = `A${round(rx)} ${round(ry)} ${round(angle * 180 / Math.PI)} 1 1 `;
    const [start, far] = [`${round(x + dx)} ${round(y + dy)}`, `${round(x - dx)} ${round(y - dy)}`];
    this.path += `M${start}${arc}${far}${arc}${start}Z`;
  }
  fill(rule = "nonzero") {
    const node = this.add("path", { d: this.path, fill: this.fillStyle });
    if (rule !== "nonzero") node.setAttribute("fill-rule", rule);
  }
  stroke() {
    const pen = { stroke: this.strokeStyle, "stroke-width": this.lineWidth };
    const node = this.add("path", { d: this.path, fill: "none", ...pen });
    if (this.dash.length > 0) node.setAttribute("stroke-dasharray", this.dash.join(" "));
  }
  clip() {
    this.clips += 1;
    const clip = svg("clipPath", { id: `clip${this.clips}` }, svg("path", { d: this.path }));
    this.group.append(clip);
    this.nest({ "clip-path": `url(#clip${this.clips})` });
  }
  fillRect(x, y, width, height) {
    this.add("rect", { x: round(x), y: round(y), width: round(width), height: round(height), fill: this.fillStyle });
  }
  strokeRect(x, y, width, height) {
    const box = { x: round(x), y: round(y), width: round(width), height: round(height) };
    this.add("rect", { ...box, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth });
  }
  drawImage(canvas, x, y, width, height) {
    const node = this.add("image", { x: round(x), y: round(y), width: round(width), height: round(height) });
    node.setAttribute("preserveAspectRatio", "none");
    node.setAttribute("href", canvas.toDataURL("image/png"));
  }
  fillText(text, x, y) {
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    const shift = { top: "0.8em", middle: "0.35em", bottom: "-0.2em", alphabetic: "0" }[this.textBaseline];
    const [, weight, size, family] = /^(?:(\d+) )?([\d.]+)px (.*)$/.exec(this.font);
    const node = this.add("text", {
      x: round(x),
      y: round(y),
      dy: shift,
      "text-anchor": anchor,
      fill: this.fillStyle,
      "font-size": size,
      "font-family": family,
      "font-weight": weight ?? "400"
    });
    node.textContent = text;
  }
  toString() {
    return new XMLSerializer().serializeToString(this.root);
  }
};
function round(value) {
  return Math.round(value * 100) / 100;
}

// player/assets/export.js
var HOLD_LAST = 1500;
function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 6e4);
}
function compose(context, scene) {
  const { theme, width, height, parts } = scene;
  context.fillStyle = cssColor(theme.background);
  context.fillRect(0, 0, width, height);
  for (const part of parts) {
    context.save();
    context.translate(part.x, part.y);
    part.draw(context);
    context.restore();
    context.fillStyle = cssColor(theme.text);
    context.font = theme.type(13, "600");
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    context.fillText(part.title, part.x + 4, part.y - 8);
    const after = context.measureText(part.title).width + 14;
    context.font = theme.type(12);
    context.fillStyle = cssColor(theme.muted);
    context.fillText(part.note, part.x + after, part.y - 8);
  }
}
function sceneSvg(scene) {
  const context = new SvgContext(scene.width, scene.height);
  compose(context, { ...scene, parts: scene.parts.map((part) => ({ ...part, draw: part.drawVector })) });
  return new Blob([context.toString()], { type: "image/svg+xml" });
}
function paintScene(canvas, scene, ratio) {
  canvas.width = 2 * Math.ceil(scene.width * ratio / 2);
  canvas.height = 2 * Math.ceil(scene.height * ratio / 2);
  repaintScene(canvas, scene, ratio);
}
function repaintScene(canvas, scene, ratio) {
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  compose(context, scene);
}
async function scenePng(scene, ratio) {
  const canvas = document.createElement("canvas");
  paintScene(canvas, scene, ratio);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
function copyOf(...canvases) {
  return (context) => {
    for (const canvas of canvases) context.drawImage(canvas, 0, 0, canvas.clientWidth, canvas.clientHeight);
  };
}
function filmType() {
  const types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
  const records = typeof MediaRecorder !== "undefined" && typeof HTMLCanvasElement.prototype.captureStream === "function";
  return records ? types.find((type) => MediaRecorder.isTypeSupported(type)) : void 0;
}
var Film = class {
  constructor(scene) {
    this.scene = scene;
    this.canvas = document.createElement("canvas");
    paintScene(this.canvas, scene, 1);
    this.chunks = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(30), {
      mimeType: filmType(),
      videoBitsPerSecond: 6e6
    });
    this.recorder.addEventListener("dataavailable", (event) => this.chunks.push(event.data));
    this.stopped = new Promise((resolve) => {
      this.recorder.addEventListener("stop", resolve);
    });
    this.recorder.start();
  }
  add(scene) {
    this.scene = scene;
    repaintScene(this.canvas, scene, 1);
  }
  // As a file of this name, when it has rested on its last picture; where nobody waits for it any more it is not saved.
  async save(name, isAwaited) {
    for (const end = performance.now() + HOLD_LAST; performance.now() < end; ) {
      repaintScene(this.canvas, this.scene, 1);
      await new Promise(requestAnimationFrame);
    }
    if (this.recorder.state !== "inactive") this.recorder.stop();
    await this.stopped;
    const [type, kind] = /^video\/(\w+)/.exec(this.recorder.mimeType);
    if (isAwaited()) download(new Blob(this.chunks, { type }), `${name}.${kind}`);
  }
};

// player/assets/toolbar.js
var CHIPS = ["truth", "clusters", "moved", "shapes", "ribbon", "density", "region", "moving", "painting"];
var TOOLS = ["show", "legend", "select", "reset", "charts", "save", "keys"];
var DRAGS = ["selecting", "moving", "painting"];
var offersAll = false;
var SYNCHRONISATIONS = ["sweep", "fraction", "seconds"];
var Toolbar = class {
  // `actions`: optionsChanged(), setSync(name), reset(), save(kind),
  // showLegend(shown), showChart(name, shown), fullScreen() or null. `charts`: [name, title] of each.
  constructor(options, actions, charts) {
    this.options = options;
    this.chips = CHIPS.map((name) => {
      const chip2 = toggle(name, say(`player.chip_${name}`), say(`player.tip_${name}`));
      chip2.addEventListener("click", () => this.flip(name));
      return chip2;
    });
    this.select = iconButton("box", say("player.select_box"), say("player.or_shift"));
    this.select.dataset.option = "selecting";
    this.select.addEventListener("click", () => this.flip("selecting"));
    this.legend = iconButton("legend", say("player.tool_legend"));
    for (const [name, value] of [["aria-expanded", "false"], ["aria-controls", "legend"]]) {
      this.legend.setAttribute(name, value);
    }
    this.legend.addEventListener("click", () => {
      const shown = this.legend.getAttribute("aria-expanded") !== "true";
      this.legend.setAttribute("aria-expanded", String(shown));
      actions.showLegend(shown);
    });
    const reset = iconButton("home", say("player.reset_view"), say("player.key_reset"));
    reset.addEventListener("click", actions.reset);
    this.sync = element("select", { "aria-label": say("player.synchronise"), title: say("player.synchronise") });
    for (const name of SYNCHRONISATIONS) this.sync.append(element("option", { value: name, text: say(`player.same_${name}`) }));
    this.sync.addEventListener("change", () => actions.setSync(this.sync.value));
    this.progress = element("span", { class: "progress" });
    this.fold = this.foldButton();
    this.more = iconButton("more", say("player.more"));
    this.more.classList.add("more");
    this.more.addEventListener("click", () => this.showAll(this.more.getAttribute("aria-expanded") !== "true"));
    this.choices = element("div", { class: "choices" }, ...this.chips);
    this.chartItems = charts.map(([name, title]) => this.chartItem(name, title, actions));
    const icons = [
      this.fold,
      this.legend,
      this.select,
      reset,
      this.menu("charts", say("player.tool_charts"), this.chartItems),
      this.menu("save", say("player.tool_save"), this.saveButtons(actions)),
      this.menu("keys", say("player.tool_keys"), [keysPanel()])
    ];
    for (const node of icons) if (node !== this.fold) node.classList.add("extra");
    icons.forEach((node, k) => (node.querySelector("summary") ?? node).dataset.word = say(`player.tool_${TOOLS[k]}`));
    const always = [this.more];
    if (actions.fullScreen) {
      always.push(iconButton("full", say("player.full_screen"), "f"));
      always.at(-1).addEventListener("click", actions.fullScreen);
    }
    this.node = element(
      "div",
      { class: "tools", role: "toolbar", "aria-label": say("player.view") },
      this.progress,
      this.choices,
      this.sync,
      element("div", { class: "tool-icons" }, element("div", { class: "more-tools" }, ...icons), ...always)
    );
    this.actions = actions;
    this.showOptions();
  }
  // A player begins with what is needed to watch a run; all else comes with this button.
  showAll(all) {
    offersAll = all;
    this.more.setAttribute("aria-expanded", String(all));
    this.actions.showAll(all);
  }
  begin() {
    this.showAll(offersAll);
  }
  // Where there is little room, the options are behind this button.
  foldButton() {
    const fold = iconButton("view", say("player.tool_show"));
    fold.classList.add("fold");
    fold.setAttribute("aria-expanded", "false");
    fold.addEventListener("click", () => {
      const open = fold.getAttribute("aria-expanded") !== "true";
      fold.setAttribute("aria-expanded", String(open));
      this.node.classList.toggle("unfolded", open);
    });
    return fold;
  }
  chartItem(name, title, actions) {
    const state = { "aria-pressed": "false", "data-shows": name };
    const item = element("button", { type: "button", class: "item check", text: title, ...state });
    item.addEventListener("click", () => actions.showChart(name, item.getAttribute("aria-pressed") !== "true"));
    return item;
  }
  // `shown`: names of the charts that are; `judged`: whether there are known classes to agree with.
  showCharts(shown, judged) {
    for (const item of this.chartItems) {
      item.setAttribute("aria-pressed", String(shown.includes(item.dataset.shows)));
      item.hidden = item.dataset.shows === "agreement" && !judged;
    }
  }
  saveButtons(actions) {
    return ["png", "svg", "webm"].filter((kind) => kind !== "webm" || filmType()).map((kind) => {
      const button = element("button", { type: "button", class: "item", "data-save": kind, text: say(`player.save_${kind}`) });
      button.addEventListener("click", () => {
        button.closest("details").open = false;
        actions.save(kind);
      });
      return button;
    });
  }
  menu(name, label, content) {
    const summary = element("summary", { class: "icon", "aria-label": label, title: label });
    summary.append(...iconButton(name, label).childNodes);
    const sheet = element("div", { class: "sheet" }, ...content);
    const details = element("details", { class: `menu menu-${name}` }, summary, sheet);
    details.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !details.contains(event.relatedTarget)) details.open = false;
    });
    details.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !details.open) return;
      details.open = false;
      summary.focus();
      event.stopPropagation();
    });
    return details;
  }
  flip(name) {
    this.options[name] = !this.options[name];
    if (DRAGS.includes(name)) {
      for (const other of DRAGS) if (other !== name) this.options[other] = false;
    }
    this.showOptions();
    this.actions.optionsChanged();
  }
  showOptions() {
    for (const chip2 of [...this.chips, this.select]) {
      chip2.setAttribute("aria-pressed", String(Boolean(this.options[chip2.dataset.option])));
    }
  }
  // Offer only what this run has and what the page asked for.
  offer(run, { editable = false }) {
    if (!editable) Object.assign(this.options, { moving: false, painting: false });
    const some = (name) => run.panels.some((panel) => panel[name] !== void 0);
    const available = {
      truth: some("true_tracks"),
      moved: true,
      shapes: true,
      ribbon: run.last > 0,
      moving: editable,
      painting: editable,
      density: some("density_image"),
      region: some("region_image"),
      clusters: run.panels.some((panel) => !panel.one_column) || some("curve_offsets")
    };
    for (const chip2 of this.chips) chip2.hidden = !available[chip2.dataset.option];
    this.sync.hidden = run.panels.length === 1;
    this.sync.value = run.sync;
    this.progress.textContent = run.progress;
    this.progress.hidden = run.progress === "";
    this.progress.classList.toggle("growing", run.partial);
  }
};

// player/assets/reader.js
var Reader = class {
  constructor(player) {
    this.player = player;
    this.selection = null;
    this.pointed = null;
  }
  // The point under the pointer (−1: none), marked in every panel with the same points.
  hover(number, point, x, y, aloud = false) {
    const part = this.player.panels[number];
    const same3 = this.player.panels.filter((other) => other.pointsId === part.pointsId);
    for (const other of same3) {
      if (other.scatter.hovered === point) continue;
      other.scatter.hovered = point;
      other.scatter.drawOverlay();
    }
    this.pointed = point < 0 ? null : { number, point, x, y };
    if (point < 0) part.tip.hidden = true;
    const lines2 = this.showCard();
    if (aloud) this.player.live.textContent = lines2.join(", ");
  }
  // The card beside the pointer, which tells of the sweep that is shown: it is written anew with every one.
  showCard() {
    if (this.pointed === null || !this.player.current) return [];
    const { number, point, x, y } = this.pointed;
    const part = this.player.panels[number];
    const lines2 = pointLines(this.player.run.panels[number], this.player.current[number], point);
    part.tip.hidden = false;
    part.tip.replaceChildren(...lines2.map((text) => element("div", { text })));
    const left = Math.min(x + 14, part.stage.clientWidth - part.tip.offsetWidth - 4);
    const above = y - part.tip.offsetHeight - 14;
    part.tip.style.transform = `translate(${Math.max(0, left)}px, ${above < 0 ? y + 18 : above}px)`;
    return lines2;
  }
  // Say something on a plot for a moment.
  hint(part, text) {
    part.tip.replaceChildren(element("div", { text }));
    part.tip.hidden = false;
    part.tip.style.transform = `translate(${part.scatter.plot.x + 8}px, ${part.scatter.plot.y + 8}px)`;
    clearTimeout(this.hinting);
    this.hinting = setTimeout(() => part.tip.hidden = true, 1800);
  }
  // "Why here?": the state goes first, so that Python sees the playhead and the point together.
  choose(number, point) {
    const { deck, panels } = this.player;
    if (deck.playing) deck.toggle();
    for (const part of panels) part.scatter.chosen = part.pointsId === panels[number].pointsId ? point : -1;
    this.player.report();
    this.player.why.ask();
    const { sweep } = this.player.snapshots()[number];
    this.player.channel?.setTriggerValue("point", { id: this.player.opening.id, panel: number, index: point, sweep });
    this.player.redraw();
  }
  // `box`: [x low, x high, y low, y high] in data units, or null for nothing.
  select(number, box) {
    this.selection = box ? { number, box, pointsId: this.player.panels[number].pointsId } : null;
    if (!box) this.player.ghost.clear();
    if (!box) for (const part of this.player.panels) part.scatter.chosen = -1;
    if (!box) this.player.why.dismiss();
    if (!box) this.player.knobs?.hush();
    this.applySelection();
    this.player.redraw();
  }
  // Panels have other points, or have gone: what was said of a point that is not there goes, too.
  matchPanels() {
    const { pointed } = this, { panels, run } = this.player;
    if (pointed && !(pointed.point < (run.panels[pointed.number]?.n_points ?? 0))) {
      if (panels[pointed.number]) panels[pointed.number].tip.hidden = true;
      this.pointed = null;
    }
    this.applySelection();
  }
  applySelection() {
    const { selection } = this;
    this.player.panels.forEach((part, number) => {
      part.scatter.selected = null;
      if (selection?.pointsId !== part.pointsId) {
        part.scatter.box = null;
        return;
      }
      const { x, y } = this.player.run.panels[number];
      const [xLow, xHigh, yLow, yHigh] = selection.box;
      part.scatter.box = selection.box;
      part.scatter.selected = Uint8Array.from(x, (value, i) => {
        return value >= xLow && value <= xHigh && y[i] >= yLow && y[i] <= yHigh;
      });
    });
  }
};

// player/assets/hints.js
var Hints = class {
  constructor(player) {
    this.player = player;
  }
  chart(block, frame, x, y) {
    const { chart } = block;
    chart.hovered = frame;
    const { run } = this.player;
    if (!run || !chart.playhead) return;
    if (frame !== null) chart.hoveredAt = chart.indicesAt(run, frame);
    chart.drawOverlay();
    show(block, frame === null ? [] : chartLines(run, chart, frame), x, y, false);
  }
  ribbon(number, part, frame, x, y) {
    const { run } = this.player;
    if (!run || !part.ribbon.area) return;
    show(part.ribbonBlock, frame === null ? [] : bandLines(run, number, part.ribbon.read(frame, y)), x, y, true);
  }
};
function show({ tip, stage }, lines2, x, y, above) {
  tip.hidden = lines2.length === 0;
  if (tip.hidden) return;
  tip.replaceChildren(...lines2.map((text) => element("div", { text })));
  const left = x + 14 + tip.offsetWidth > stage.clientWidth ? x - 14 - tip.offsetWidth : x + 14;
  const limited = Math.min(Math.max(0, left), Math.max(0, stage.clientWidth - tip.offsetWidth));
  tip.style.transform = `translate(${limited}px, ${above ? y - tip.offsetHeight - 10 : y + 12}px)`;
}

// player/assets/legend.js
var LINE = { fill: "none", stroke: "currentColor", "stroke-width": 1.5 };
var DRAWINGS = {
  moved: [["circle", { cx: 15, cy: 8, r: 4, class: "mark" }], ["circle", { cx: 15, cy: 8, r: 6, ...LINE }]],
  inner: [["ellipse", { cx: 15, cy: 8, rx: 13, ry: 6, ...LINE, class: "outline" }]],
  outer: [["ellipse", { cx: 15, cy: 8, rx: 13, ry: 6, ...LINE, class: "outline", "stroke-dasharray": "4 3" }]],
  centre: [["path", { d: "M9 8H21M15 2V14", ...LINE, class: "outline", "stroke-width": 2 }]],
  curve: [["path", { d: "M1 15C10 15 10 2 15 2S20 15 29 15", ...LINE, class: "outline" }]],
  total: [["path", { d: "M1 15C10 15 10 2 15 2S20 15 29 15", ...LINE, "stroke-dasharray": "4 3" }]],
  variants: [
    ["circle", { cx: 5, cy: 8, r: 3.2, fill: "none", stroke: "currentColor", "stroke-width": 2.2 }],
    ["path", { d: "M12 5L18 11M18 5L12 11", ...LINE, "stroke-width": 2.2 }],
    ["path", { d: "M25 4L29 12H21Z", fill: "currentColor" }]
  ],
  truth: [["circle", { cx: 9, cy: 8, r: 4, class: "mark" }], ["circle", { cx: 21, cy: 8, r: 4, class: "other" }]],
  fresh: [["rect", { x: 3, y: 2, width: 24, height: 12, class: "fresh" }]],
  region: [["rect", { x: 3, y: 2, width: 24, height: 12, class: "region" }]],
  density: [["rect", { x: 3, y: 2, width: 24, height: 12, class: "density" }]],
  ghost: [["path", { d: "M1 12L10 6L29 4", ...LINE, class: "ghost", "stroke-width": 1 }]],
  echo: [["path", { d: "M1 12L10 6L29 4", ...LINE, class: "outline", "stroke-dasharray": "2 3" }]],
  steep: [["path", { d: "M11 12H19L15 4Z", class: "mark" }]],
  chosen: [["circle", { cx: 15, cy: 8, r: 3, class: "mark" }], ["circle", { cx: 15, cy: 8, r: 6.5, ...LINE }]],
  visit: [
    ["path", { d: "M6 8H26", ...LINE, class: "outline" }],
    ["circle", { cx: 6, cy: 8, r: 3, class: "mark" }],
    ["circle", { cx: 6, cy: 8, r: 5, ...LINE }]
  ],
  place: [["path", { d: "M15 1L22 8L15 15L8 8Z", ...LINE, "stroke-dasharray": "3 2" }]]
};
function drawing(name) {
  return svg("svg", { viewBox: "0 0 30 16", "aria-hidden": "true" }, ...DRAWINGS[name].map((mark) => svg(...mark)));
}
function legendItems(run, clusters, placing) {
  const some = (name) => run.panels.some((panel) => panel[name] !== void 0);
  const shapes = run.panels.find((panel) => panel.ellipse_meanings)?.ellipse_meanings;
  const crowded = run.panels.some((_, number) => run.sizes(number).rows.some((row) => row.tracks.at(-1) >= clusters));
  const flat = run.panels.some((panel) => !panel.one_column);
  const items = [
    ["moved", say("player.legend_moved")],
    shapes && ["inner", shapes[0]],
    shapes && ["outer", shapes[1]],
    flat && ["centre", shapes ? say("player.legend_centre_alone") : say("player.legend_centre")],
    some("curve_offsets") && ["curve", say("player.legend_curve")],
    some("curve_offsets") && ["total", say("player.legend_total")],
    crowded && ["variants", say("player.legend_variants")],
    some("true_tracks") && ["truth", say("player.legend_truth")],
    some("region_image") && ["region", say("player.legend_region")],
    some("region_image") && ["fresh", say("player.legend_fresh")],
    some("density_image") && ["density", say("player.legend_density")],
    run.panels.some((panel) => panel.ghosts.length > 0) && ["ghost", say("player.legend_ghost")],
    ["steep", say("player.legend_steep")],
    ["chosen", say("player.legend_chosen")],
    placing && ["place", say("player.legend_place")],
    run.slowPanel() >= 0 && ["visit", say("player.legend_visit")]
  ];
  return items.filter(Boolean);
}
var Legend = class {
  constructor() {
    this.list = element("ul", {});
    this.node = element(
      "div",
      { class: "legend", id: "legend", role: "region", "aria-label": say("player.tool_legend"), hidden: true },
      this.list
    );
  }
  show(items) {
    const words = JSON.stringify(items);
    if (words === this.words) return;
    this.words = words;
    this.list.replaceChildren(...items.map(([name, meaning]) => {
      return element("li", {}, drawing(name), element("span", { text: meaning }));
    }));
  }
};

// player/assets/ghost.js
var MOST_ROWS = 6;
var UNANSWERED = say("player.no_pulls");
var REACH = 12;
var Ghost = class {
  constructor(player) {
    this.player = player;
    this.at = null;
    this.answer = null;
    this.listener = (event) => this.receive(event.detail);
    document.addEventListener("dpviz-pulls", this.listener);
  }
  close() {
    document.removeEventListener("dpviz-pulls", this.listener);
  }
  offered() {
    return Boolean(this.player.opening?.placing);
  }
  // Put it somewhere, in the coordinates of the view; a click on it takes it away.
  click(number, x, y, projection) {
    const near = this.at?.number === number && Math.hypot((x - this.at.x) * projection.scaleX, (y - this.at.y) * projection.scaleY) < REACH;
    if (near) this.clear();
    else this.put(number, x, y);
  }
  put(number, x, y) {
    this.at = { number, x, y, pointsId: this.player.panels[number].pointsId };
    this.answer = null;
    this.send();
    this.player.redraw();
  }
  // By keyboard: into the middle of the view, then by small steps.
  step(number, dx, dy) {
    const { bounds: [xLow, xHigh, yLow, yHigh] } = this.player.panels[number].view;
    const from = this.at?.number === number ? this.at : { x: (xLow + xHigh) / 2, y: (yLow + yHigh) / 2 };
    this.put(number, from.x + KEY_STEP * dx * (xHigh - xLow), from.y + KEY_STEP * dy * (yHigh - yLow));
  }
  clear() {
    if (this.at === null) return;
    this.at = null;
    this.player.channel?.setStateValue("place", null);
    this.player.redraw();
  }
  send() {
    const { number, pointsId, x, y } = this.at;
    this.sent = this.player.snapshots()[number].sweep;
    this.player.channel?.setStateValue("place", { panel: number, points: pointsId, x, y, sweep: this.sent });
  }
  // The playhead came to rest at another sweep, or there is another run; `anew`: also of the same sweep.
  follow(anew = false) {
    if (this.at === null) return;
    if (this.player.panels[this.at.number]?.pointsId !== this.at.pointsId) this.clear();
    else if (anew || this.player.snapshots()[this.at.number].sweep !== this.sent) this.send();
    else this.announce();
  }
  receive(key) {
    if (key === void 0 || key !== this.player.opening?.key) return;
    const answer = globalThis.dpvizSent.get(`pulls ${key}`);
    if (this.at !== null && answer.sweep === null) return;
    this.tell(answer);
  }
  // `answer`: { sweep, pulls } at the place that was sent.
  tell(answer) {
    this.answer = answer;
    this.announce();
    this.player.redraw();
  }
  announce() {
    const shares = this.shares();
    if (this.unanswered()) this.player.live.textContent = say("player.ghost_point", { words: UNANSWERED });
    else if (this.at && shares.length > 0 && this.player.run) {
      const panel = this.player.run.panels[this.at.number];
      const words = shares.map(({ track, share }) => `${nameOf(panel, track)} ${percent(share)}`);
      this.player.live.textContent = say("player.ghost_point", { words: words.slice(0, MOST_ROWS).join(", ") });
    }
  }
  // Python was asked and has no pulls at this place.
  unanswered() {
    return this.at !== null && this.answer !== null && this.answer.sweep !== null && this.answer.pulls.length === 0;
  }
  // [{ track, size, fit, share }], strongest first.
  shares() {
    const pulls = this.answer?.pulls ?? [];
    const weights = pulls.map(([, size, logFit]) => Math.log(size) + (logFit ?? -Infinity));
    const best = Math.max(...weights);
    const powers = weights.map((weight) => best === -Infinity ? 0 : Math.exp(weight - best));
    const total = powers.reduce((sum2, power) => sum2 + power, 0) || 1;
    const shares = pulls.map(([track, size, logFit], k) => {
      return { track, size, fit: Math.exp(logFit ?? -Infinity), share: powers[k] / total };
    });
    return shares.sort((a, b) => b.share - a.share);
  }
  draw(context, number, scatter, projection) {
    if (this.at?.number !== number) return false;
    const { theme, panel, snapshot } = scatter;
    const plot = { ...scatter.plot, width: Math.max(scatter.plot.width / 2, scatter.plot.width - scatter.reserved) };
    const x = projection.x(this.at.x);
    const y = projection.y(this.at.y);
    const shares = this.shares();
    context.save();
    scatter.clip(context);
    this.drawLines(context, shares, { x, y }, scatter, projection);
    for (const [color, width] of [[theme.background, 4], [theme.text, 1.75]]) {
      context.beginPath();
      [[0, -8], [8, 0], [0, 8], [-8, 0]].forEach(([dx, dy], k) => {
        if (k === 0) context.moveTo(x + dx, y + dy);
        else context.lineTo(x + dx, y + dy);
      });
      context.closePath();
      context.strokeStyle = cssColor(color);
      context.lineWidth = width;
      context.setLineDash(width < 2 ? [4, 2] : []);
      context.stroke();
    }
    context.setLineDash([]);
    context.restore();
    if (this.unanswered()) drawWord(context, { x, y }, { theme, plot });
    else if (shares.length > 0) drawTable(context, shares, { x, y }, { theme, plot, panel, sweep: this.answer.sweep, snapshot });
    return true;
  }
  // A line to the centre of each cluster, the wider the stronger it pulls.
  drawLines(context, shares, from, scatter, projection) {
    const { panel, snapshot, theme } = scatter;
    if (panel.one_column) return;
    const centres = new Map((snapshot.shapes ?? clusterMeans(panel, snapshot.labels)).map((c) => [c.track, c]));
    for (const { track, share } of shares) {
      const centre = centres.get(track);
      if (!centre || share < 5e-3) continue;
      context.beginPath();
      context.moveTo(from.x, from.y);
      context.lineTo(projection.x(centre.x), projection.y(centre.y));
      context.strokeStyle = cssColor(theme.clusterColor(track), 0.8);
      context.lineWidth = 1 + 6 * share;
      context.stroke();
    }
  }
};
var percent = (share) => `${formatBeside(100 * share, 100, share < 0.1 ? 2 : 3)} %`;
function nameOf(panel, track) {
  return track < 0 ? say("player.new_cluster") : trackName(panel, track);
}
function drawTable(context, shares, at, { theme, plot, panel, sweep, snapshot }) {
  const { scale } = theme;
  const row = 17 * scale;
  const rows = shares.slice(0, MOST_ROWS);
  const strongest2 = Math.max(...shares.map(({ fit }) => fit));
  const old = sweep !== snapshot.sweep;
  const width = Math.min(250 * scale, plot.width - 8);
  const height = row * (rows.length + (old ? 2 : 1)) + 8;
  const [left, top] = freePlace(at, plot, width, height);
  context.fillStyle = cssColor(theme.background, 0.92);
  context.fillRect(left, top, width, height);
  context.strokeStyle = cssColor(theme.faint);
  context.lineWidth = 1;
  context.strokeRect(left, top, width, height);
  context.textBaseline = "middle";
  const write2 = (text, x, line, align, color) => {
    context.textAlign = align;
    context.fillStyle = cssColor(color);
    context.fillText(text, x, top + 4 + row * (line + 0.5));
  };
  context.font = theme.type(12);
  write2(say("player.size_times_fit"), left + 0.68 * width, 0, "right", theme.muted);
  write2(say("player.share"), left + width - 6, 0, "right", theme.muted);
  rows.forEach(({ track, size, fit, share }, k) => {
    const color = track < 0 ? theme.muted : theme.clusterColor(track);
    context.fillStyle = cssColor(color, 0.25);
    context.fillRect(left + 1, top + 5 + row * (k + 1), (width - 2) * share, row - 2);
    context.fillStyle = cssColor(color);
    context.fillRect(left + 6, top + 4 + row * (k + 1.5) - 4, 8, 8);
    write2(shortened(context, nameOf(panel, track), 0.34 * width), left + 19, k + 1, "left", theme.text);
    write2(`${formatNumber(size, Math.max(4, String(Math.trunc(size)).length))} × ${formatBeside(fit, strongest2, 2)}`, left + 0.68 * width, k + 1, "right", theme.text);
    write2(percent(share), left + width - 6, k + 1, "right", theme.text);
  });
  if (old) write2(say("player.of_sweep", { sweep }), left + 6, rows.length + 1, "left", theme.muted);
}
function drawWord(context, at, { theme, plot }) {
  context.font = theme.type(12);
  const [width, height] = [context.measureText(UNANSWERED).width + 12, 20 * theme.scale];
  const [left, top] = freePlace(at, plot, width, height);
  context.fillStyle = cssColor(theme.background, 0.92);
  context.fillRect(left, top, width, height);
  context.fillStyle = cssColor(theme.text);
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(UNANSWERED, left + 6, top + height / 2);
}
function freePlace(at, plot, width, height) {
  const room = 16;
  const right = plot.x + plot.width - 4;
  const bottom = plot.y + plot.height - 4;
  const within3 = (value, low, high) => Math.max(low, Math.min(value, high));
  const top = within3(at.y - height / 2, plot.y + 4, bottom - height);
  if (at.x + room + width <= right) return [at.x + room, top];
  if (at.x - room - width >= plot.x + 4) return [at.x - room - width, top];
  const left = within3(at.x - width / 2, plot.x + 4, right - width);
  return [left, at.y + room + height <= bottom ? at.y + room : at.y - room - height];
}

// player/assets/why.js
var Why = class {
  constructor(player) {
    this.player = player;
    this.answer = null;
    this.received = null;
    this.asked = false;
    this.dismissed = null;
    this.title = element("div", { class: "why-title" });
    this.body = element("div", {});
    this.node = element("section", { class: "why", "aria-label": say("player.why_here"), tabindex: "0", hidden: true }, this.title, this.body);
    this.listener = (event) => this.receive(event.detail);
    document.addEventListener("dpviz-why", this.listener);
  }
  close() {
    document.removeEventListener("dpviz-why", this.listener);
  }
  ask() {
    this.asked = true;
    this.dismissed = null;
  }
  dismiss() {
    this.dismissed = this.answer?.point ?? null;
    this.show();
  }
  // The answer may be there before the player that shows it.
  receive(key) {
    if (key === void 0 || key !== this.player.opening?.key) return;
    const answer = globalThis.dpvizSent?.get(`why ${key}`);
    if (!answer || answer === this.received) return;
    this.received = this.answer = answer;
    this.title.textContent = answer.title;
    this.body.replaceChildren(...new DOMParser().parseFromString(answer.bars, "text/html").body.childNodes);
    if (answer.point === null && !this.asked) for (const { scatter } of this.player.panels) scatter.chosen = -1;
    this.showAsked();
  }
  // An answer that was found in this page: a node, of the sweep that is shown.
  tell(node, point) {
    this.answer = { point, bars: "here", local: true };
    this.title.textContent = "";
    this.body.replaceChildren(node);
    this.showAsked();
  }
  untell() {
    if (!this.answer?.local) return;
    this.answer = null;
    this.show();
  }
  showAsked() {
    this.show();
    if (this.asked && !this.node.hidden) this.node.scrollIntoView({ block: "nearest" });
    this.asked = false;
  }
  show() {
    const hidden = !this.answer?.bars || this.answer.point === this.dismissed;
    if (!hidden && this.player.run) for (const { scatter } of this.player.panels) scatter.chosen = this.answer.point;
    if (hidden !== this.node.hidden) {
      this.node.hidden = hidden;
      this.player.resize();
    } else this.player.redraw();
  }
  // What is said of another sweep than the one that is shown steps back until the page has followed.
  painted(sweep) {
    this.node.classList.toggle("old", this.answer !== null && !this.answer.local && this.answer.sweep !== sweep);
  }
};

// player/assets/editor.js
var DOT_SPACING = 7;
var MOST_PAINTED = 2e3;
var PATIENCE = 1e4;
var Editor = class {
  constructor(player) {
    this.player = player;
    Object.assign(this, { told: null, waiting: [], timer: null });
    this.clear();
  }
  // What the page still has to answer stays in sight.
  clear() {
    const open = [...this.told ? [this.told.edit] : [], ...this.waiting], moved = open.findLast(({ name }) => name === "moved");
    this.dragged = moved ? { number: moved.number, point: moved.what.index, x: moved.what.x, y: moved.what.y } : null;
    this.painted = open.flatMap(({ number, what }) => (what.places ?? []).map(([x, y]) => ({ number, x, y })));
  }
  // What dragging does: "move", "paint" or nothing of its own.
  mode() {
    const { opening, options } = this.player;
    if (!opening?.editable) return null;
    return options.moving ? "move" : options.painting ? "paint" : null;
  }
  drag(number, point, x, y) {
    this.dragged = { number, point, x, y };
    this.player.knobs?.edited(number, [{ point, x, y }]);
  }
  drop() {
    if (!this.dragged) return;
    const { number, point, x, y } = this.dragged;
    this.report("moved", number, { index: point, x, y });
  }
  // By keyboard: the point under the cursor, by small steps.
  step(number, point, dx, dy) {
    const panel = this.player.run.panels[number];
    const { bounds: [xLow, xHigh, yLow, yHigh] } = this.player.panels[number].view;
    const same3 = this.dragged?.number === number && this.dragged.point === point;
    const from = same3 ? this.dragged : { x: panel.x[point], y: panel.y[point] };
    this.drag(number, point, from.x + KEY_STEP * dx * (xHigh - xLow), from.y + KEY_STEP * dy * (yHigh - yLow));
    this.drop();
    this.player.redraw();
  }
  paint(number, x, y, projection, first) {
    if (first) this.stroke = [];
    const last = this.stroke.at(-1);
    const near = last && Math.hypot((x - last[0]) * projection.scaleX, (y - last[1]) * projection.scaleY) < DOT_SPACING;
    if (near || this.stroke.length >= MOST_PAINTED) return;
    this.stroke.push([x, y]);
    this.painted.push({ number, x, y });
    this.player.knobs?.edited(number, this.painted);
  }
  // What was begun was no stroke.
  unpaint() {
    this.painted.splice(this.painted.length - this.stroke.length);
    this.stroke = [];
  }
  lift(number) {
    this.report("painted", number, { places: this.stroke });
  }
  // A page takes edits of the points that it has: until it answers with those of one edit, the next ones wait. Of a
  // point that is moved again only the newest place does.
  report(name, number, what) {
    const edit = { name, number, what }, last = this.waiting.at(-1);
    const again = name === "moved" && last?.name === name && last.number === number && last.what.index === what.index;
    if (again) this.waiting.pop();
    this.waiting.push(edit);
    if (!this.told) this.next();
  }
  next() {
    clearTimeout(this.timer);
    this.told = null;
    const edit = this.waiting.shift(), { channel, panels, run } = this.player;
    if (!edit || !panels[edit.number]) return;
    const { name, number, what } = edit;
    if (!channel?.stage) {
      this.told = { edit, nPoints: run.panels[number].n_points + (what.places?.length ?? 0) };
      this.timer = setTimeout(() => this.next(), PATIENCE);
    }
    channel?.setTriggerValue(name, { panel: number, points: panels[number].pointsId, ...what });
  }
  // New points are here: of the edit that was told, or others, of which nothing was edited.
  answered() {
    const { told } = this, { run } = this.player;
    if (told && run.panels[told.edit.number]?.n_points !== told.nPoints) this.waiting = [];
    this.next();
  }
  // The points as they will be, until the page brings new data.
  draw(context, number, scatter, projection) {
    const { theme, plot } = scatter, dragged = this.dragged?.number === number && plot;
    if (!dragged && !this.painted.some((spot) => spot.number === number)) return false;
    context.save();
    scatter.clip(context);
    for (const spot of this.painted) {
      if (spot.number === number) this.drawSpot(context, scatter, projection.x(spot.x), projection.y(spot.y));
    }
    if (dragged) {
      const { point, x, y } = this.dragged;
      context.beginPath();
      context.moveTo(projection.x(scatter.panel.x[point]), projection.y(scatter.panel.y[point]));
      context.lineTo(projection.x(x), projection.y(y));
      context.strokeStyle = cssColor(theme.text);
      context.lineWidth = 1;
      context.setLineDash([3, 3]);
      context.stroke();
      context.setLineDash([]);
      this.drawSpot(context, scatter, projection.x(x), projection.y(y));
    }
    context.restore();
    return true;
  }
  drawSpot(context, scatter, x, y) {
    context.beginPath();
    traceMarker(context, "circle", x, y, scatter.markerRadius());
    context.fillStyle = cssColor(scatter.theme.accent);
    context.fill();
    context.strokeStyle = cssColor(scatter.theme.text);
    context.lineWidth = 1.25;
    context.stroke();
  }
};

// player/assets/recorder.js
var Recorder = class {
  constructor(player) {
    this.player = player;
    this.film = null;
  }
  // Called after every paint.
  painted() {
    if (this.film) this.film.add(this.scene());
  }
  // Each visible block at its place on the page.
  scene() {
    const { root, panelGrid, panels, run, theme, charts, sizes } = this.player;
    const origin = root.getBoundingClientRect();
    const { top } = panelGrid.getBoundingClientRect();
    const place = (stage) => {
      const box = stage.getBoundingClientRect();
      return { x: box.left - origin.left + 8, y: box.top - top + 16 * theme.scale };
    };
    const visible = Object.values(charts).filter((block) => !block.block.hidden);
    const bars = sizes.block.hidden ? [] : [sizes];
    const ribbons = panels.filter((part) => part.ribbonBlock.stage.clientHeight > 0);
    const parts = panels.map((part, number) => ({
      ...place(part.stage),
      title: run.panels[number].title,
      note: part.status.textContent,
      draw: copyOf(part.canvas),
      drawVector: (context) => part.scatter.drawVector(context)
    }));
    for (const block of visible) parts.push({ ...place(block.stage), ...this.chartPart(block) });
    for (const block of bars) {
      const drawVector = (context) => this.player.bars.drawOn(context);
      parts.push({ ...place(block.stage), title: titleOf(block), note: "", draw: copyOf(block.canvas), drawVector });
    }
    for (const part of ribbons) {
      const { canvas, overlay, stage } = part.ribbonBlock;
      const drawVector = (context) => {
        part.ribbon.drawOn(context);
        part.ribbon.drawPlayheadOn(context, this.player.playheadFrame());
      };
      parts.push({ ...place(stage), title: "", note: "", draw: copyOf(canvas, overlay), drawVector });
    }
    const stages = [...panels, ...ribbons.map((part) => part.ribbonBlock), ...visible, ...bars].map((part) => part.stage);
    const bottom = Math.max(...stages.map((stage) => place(stage).y + stage.clientHeight));
    return { theme, width: root.clientWidth + 16, height: bottom + 8, parts };
  }
  chartPart(block) {
    const { chart, canvas, overlay, readout } = block;
    const drawVector = (context) => {
      chart.drawCurves(context);
      chart.drawPlayheadOn(context, chart.playhead.frame, chart.playhead.at);
    };
    return { title: titleOf(block), note: readout.textContent, draw: copyOf(canvas, overlay), drawVector };
  }
  async save(kind) {
    const title = this.player.run.panels[0].title || say("player.run");
    const name = title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 40);
    if (kind === "webm") {
      if (!this.film) await this.record(name);
      return;
    }
    this.player.resize(2);
    this.player.paint(performance.now());
    try {
      download(kind === "png" ? await scenePng(this.scene(), 2) : sceneSvg(this.scene()), `${name}.${kind}`);
    } finally {
      this.player.resize();
    }
  }
  // A film is the playback itself, from the first sweep to the last, at the chosen speed.
  async record(name) {
    const { deck, transport } = this.player;
    deck.moveTo(0, false);
    this.player.paint(performance.now());
    this.film = new Film(this.scene());
    this.player.say(say("player.recording"));
    deck.setLoop(false);
    transport.loop.setAttribute("aria-pressed", "false");
    deck.toggle();
    while (deck.playing && this.player.run) await new Promise(requestAnimationFrame);
    if (this.player.run) this.player.paint(performance.now());
    await this.film.save(name, () => this.player.run);
    this.film = null;
    if (this.player.run) this.player.say("");
  }
};
function titleOf(block) {
  return block.head.querySelector(".chart-title").textContent;
}

// player/assets/room.js
var RIBBON_HEIGHT = 44;
var GAP = 6;
var LEAST_SHARE = 0.5;
var LOWEST = 170;
var INSET_FROM = 700;
var [NARROWEST_INSET, WIDEST_INSET] = [226, 300];
var FOLDED_BELOW = 620;
var [LOWEST_CHART, HIGHEST_CHART] = [48, 120];
function arrangement(player, width) {
  const { scale } = player.theme;
  const count = player.panels.length;
  const inThrees = (count === 3 || count > 4) && width >= 860 * scale;
  const columns2 = count === 1 || width < 640 * scale ? 1 : inThrees ? 3 : 2;
  const charts = player.shownCharts().length;
  const inset = count === 1 && charts > 0 && width >= INSET_FROM * scale;
  return {
    width,
    count,
    columns: columns2,
    scale,
    charts,
    folded: width < FOLDED_BELOW * scale || count === 1 && scale > 1.1,
    few: player.root.classList.contains("few"),
    ribbon: player.options.ribbon && player.run.last > 0 ? Math.round(RIBBON_HEIGHT * Math.sqrt(scale)) : 0,
    inset: inset ? Math.round(Math.min(WIDEST_INSET * scale, Math.max(NARROWEST_INSET * scale, 0.22 * width))) : 0
  };
}
function chartsBelow({ charts, scale }, height, above) {
  if (above === 0) return charts;
  return Math.max(0, Math.floor((height - 76 * scale - above) / ((LOWEST_CHART + 28) * scale)));
}
function chartHeight({ charts, scale }, height, above) {
  const room = (height - 76 * scale - above) / Math.max(1, charts) - 28 * scale;
  return Math.round(Math.min(HIGHEST_CHART * scale, Math.max(LOWEST_CHART * scale, room)));
}
function depth(node) {
  let y = node.getBoundingClientRect().top;
  for (let at = node.parentNode; at; at = at.parentNode ?? at.host) y += at.scrollTop ?? 0;
  return y;
}
function stageHeight(player, room) {
  const { width, count, columns: columns2, ribbon, scale } = room;
  const widest = count === 1 ? 0.95 * width : 0.72 / columns2 * width;
  const asked = player.opening.height;
  if (asked && !player.isFull()) return Math.max(LOWEST, Math.min(asked * scale - ribbon, widest));
  const rows = Math.ceil(count / columns2);
  const head = player.panels[0].stage.getBoundingClientRect().top - player.root.getBoundingClientRect().top;
  const heads = (rows - 1) * (player.panels[0].header.offsetHeight + 8);
  const below = count > 1 ? player.chartGrid.offsetHeight + GAP : 0;
  const chrome = head + heads + rows * ribbon + below + player.transport.node.offsetHeight + GAP;
  const whole = innerHeight - chrome;
  const left = whole - (player.isFull() ? 0 : depth(player.root));
  const fitting = Math.max(left, Math.min(whole, LEAST_SHARE * innerHeight)) / rows;
  return Math.max(LOWEST, Math.round(player.isFull() ? fitting : Math.min(fitting, widest)));
}

// player/assets/fullscreen.js
var FullScreen = class {
  constructor(root, changed) {
    this.root = root;
    this.possible = document.fullscreenEnabled === true;
    this.on = false;
    this.listener = () => {
      const on = (root.getRootNode().fullscreenElement ?? document.fullscreenElement) === root;
      if (on === this.on) return;
      this.on = on;
      changed();
    };
    document.addEventListener("fullscreenchange", this.listener);
  }
  toggle() {
    if (this.on) document.exitFullscreen();
    else if (this.possible) this.root.requestFullscreen().catch(() => {
    });
  }
  close() {
    document.removeEventListener("fullscreenchange", this.listener);
  }
};

// player/assets/speaker.js
var SPOKEN_RATE = 0.4;
var Speaker = class {
  constructor(player) {
    this.player = player;
    this.on = false;
    this.said = null;
  }
  turn(on) {
    this.on = on;
    this.said = null;
    this.player.deck.slowest = on ? SPOKEN_RATE : Infinity;
    if (on) this.player.redraw();
  }
  // Called with every paint.
  painted(snapshots) {
    if (!this.on) return;
    const text = sentences(this.player.run, snapshots);
    if (text === this.said) return;
    this.said = text;
    this.player.live.textContent = text;
  }
};

// player/assets/player.js
var REPORT_DELAY = 150;
var REDUCED_MOTION_FPS = 3;
var CHARTS = ["nll", "k", "moved", "agreement"].map((name) => [name, say(`player.chart_${name}`)]);
var Player = class {
  constructor(root) {
    this.root = root;
    root.className = "dpviz-player";
    this.channel = null;
    this.knobs = null;
    this.bench = null;
    this.opening = null;
    this.loads = 0;
    this.focuses = false;
    this.leftAt = -Infinity;
    this.fitted = false;
    this.owing = false;
    this.likeness = "";
    this.unpainted = [];
    this.options = { clusters: true, moved: true, ribbon: true, objective: false, logarithmic: false };
    this.reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
    this.reader = new Reader(this);
    this.hints = new Hints(this);
    this.ghost = new Ghost(this);
    this.why = new Why(this);
    this.editor = new Editor(this);
    this.recorder = new Recorder(this);
    this.chosenCharts = {};
    this.placed = { key: null, height: 0 };
    this.deck = new Deck((settled) => this.moved(settled));
    this.fullScreen = new FullScreen(root, () => this.resize());
    this.build();
    this.speaker = new Speaker(this);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(root);
    this.windowChanged = () => this.resize();
    window.addEventListener("resize", this.windowChanged);
    this.colorScheme = matchMedia("(prefers-color-scheme: dark)");
    this.schemeChanged = () => this.refreshTheme();
    this.colorScheme.addEventListener("change", this.schemeChanged);
  }
  build() {
    this.toolbar = new Toolbar(this.options, {
      optionsChanged: () => this.resize(),
      setSync: (name) => this.setSync(name),
      reset: () => this.resetViews(),
      save: (kind) => this.recorder.save(kind),
      showAll: (all) => {
        this.root.classList.toggle("few", !all);
        if (this.run) this.resize();
      },
      showLegend: (shown) => this.legend.node.hidden = !shown,
      showChart: (name, shown) => this.showChart(name, shown),
      fullScreen: this.fullScreen.possible ? () => this.fullScreen.toggle() : null
    }, [...CHARTS, ["sizes", say("player.chart_sizes")]]);
    this.transport = new Transport(this.deck, (on) => this.speaker.turn(on));
    if (this.fullScreen.possible) this.transport.fullScreen = () => this.fullScreen.toggle();
    this.legend = new Legend();
    this.panelGrid = element("div", { class: "panels" });
    this.charts = {};
    const blocks = CHARTS.map(([name, title]) => {
      const parts = chartBlock(name, title);
      const block = { ...parts, chart: null };
      block.chart = new Chart(parts.canvas, parts.overlay, {
        scrub: (frame, done) => this.scrub(frame, done, block.chart.byVisit),
        hover: (frame, x, y) => this.hints.chart(block, frame, x, y)
      });
      block.full = this.chartChip(parts.head, `full_${name}`, say("player.full_range"), say("player.about_full_range"));
      this.charts[name] = block;
      return parts.block;
    });
    this.sizes = chartBlock("sizes", say("player.chart_sizes"));
    this.bars = new Bars(this.sizes.canvas);
    this.objectiveChip = this.chartChip(this.charts.nll.head, "objective", "E", say("player.about_objective"));
    this.chartChip(this.sizes.head, "logarithmic", say("player.log"), say("player.about_log"));
    this.live = element("div", { class: "live", "aria-live": "polite", role: "status" });
    this.message = element("div", { class: "message", hidden: true });
    this.slot = element("div", { class: "slot" });
    this.chartGrid = element("div", { class: "charts" }, this.why.node, ...blocks, this.sizes.block);
    const plots = element("div", { class: "plots" }, this.panelGrid, this.chartGrid);
    this.root.append(element(
      "div",
      { class: "body" },
      this.toolbar.node,
      this.legend.node,
      this.message,
      this.slot,
      plots,
      this.transport.node,
      this.live
    ));
    for (const node of [this.toolbar.node, plots, this.transport.node]) this.hold(node);
    this.root.addEventListener("focusin", () => this.leftAt = Infinity);
    this.root.addEventListener("focusout", () => this.leftAt = performance.now());
    this.root.addEventListener("keydown", (event) => this.transport.onKey(event));
    this.panels = [];
    this.toolbar.begin();
  }
  // Keeps its room, but no pointer and no key reaches it before it is painted for the first time.
  hold(node) {
    node.style.visibility = "hidden";
    this.unpainted.push(node);
  }
  chartChip(head, option, text, title) {
    const chip2 = toggle(option, text, title);
    chip2.addEventListener("click", () => {
      this.options[option] = !this.options[option];
      chip2.setAttribute("aria-pressed", String(this.options[option]));
      this.invalidate();
    });
    head.append(chip2);
    return chip2;
  }
  // `opening`: { id, command, sweep, start, height }. Called for every message, also when only the theme changed.
  // `payload`: bytes, or what they decode to, where the page itself computes.
  async open(opening, payload) {
    if ((this.bench ?? globalThis.dpvizLive)?.keeps(this, opening, payload)) return;
    const before = this.opening;
    this.opening = opening;
    const commanded = before === null || before.command !== opening.command;
    if (commanded) this.believed = opening.sweep;
    if (before !== null && before.id === opening.id) {
      if (this.run) this.toolbar.offer(this.run, opening);
      this.likeness = "";
      this.refreshTheme();
      this.resize();
      if (commanded) this.deck.moveTo(opening.sweep, false);
      this.begin();
      return;
    }
    if (!this.run) this.refreshTheme();
    this.loads += 1;
    const load = this.loads;
    try {
      const decoded = payload instanceof Uint8Array ? await decodePayload(payload) : payload;
      if (load === this.loads) this.show(new Run(decoded), commanded && before !== null);
    } catch (error) {
      if (load === this.loads) this.say(say("player.unreadable", { why: error.message }));
    }
  }
  // Once per command, start what Python asked for.
  begin() {
    const { start, command } = this.opening;
    if (!start || !this.run || this.begun === command) return;
    this.begun = command;
    this.focuses = true;
    if (start === "slow" && this.run.slowPanel() >= 0) this.deck.setSlow(true);
    else if (start === "play" && !this.deck.playing) this.deck.toggle();
  }
  // Also a moment after what had it was taken off the page.
  hasFocus() {
    return this.leftAt === Infinity || performance.now() - this.leftAt < 100;
  }
  // What was asked for plays here, so that keys work here; whoever is writing elsewhere goes on writing.
  takeFocus() {
    this.focuses = false;
    const { activeElement } = document;
    const writes = activeElement?.matches("input, textarea, select, [contenteditable]");
    if (!writes) this.panels[0].overlay.focus({ preventScroll: true });
  }
  say(text) {
    this.message.textContent = text;
    this.message.hidden = text === "";
  }
  show(run, commanded) {
    this.say("");
    this.slot.classList.toggle("kept", Boolean(this.opening.live));
    if (this.run && this.run.panels.length === run.panels.length && run.panels.length > 1) run.setSync(this.run.sync);
    this.run = run;
    this.deck.load(run, this.opening.sweep);
    this.matchPanels();
    if (commanded) this.deck.moveTo(this.opening.sweep, false);
    const slow = run.slowPanel();
    this.transport.offerSlow(slow < 0 ? null : say("player.slow_motion", { sweep: run.panels[slow].events_sweep }));
    const likeness = this.likenessOf(run);
    if (this.opening.quick && this.fitted && likeness === this.likeness) {
      this.invalidate();
      this.tick(document.timeline.currentTime);
    } else {
      this.toolbar.offer(run, this.opening);
      this.showLegend();
      this.objectiveChip.textContent = run.panels[0].objective_name;
      this.objectiveChip.hidden = !hasNll(run);
      this.explainCharts();
      this.refreshTheme();
      this.resize();
    }
    this.likeness = likeness;
    if (!run.partial) this.settle();
    this.why.receive(this.opening.key);
    globalThis.dpvizLive?.shown(this);
    this.begin();
  }
  // What else than the clusters themselves the words, colours and places around them depend on.
  likenessOf(run) {
    const { opening } = this;
    const about = run.panels.map((panel) => [
      panel.points_id,
      panel.objective_name,
      panel.cost_note,
      panel.ellipse_meanings,
      panel.ghosts.length,
      Object.keys(panel).filter((name) => panel[name] !== void 0)
    ]);
    return JSON.stringify([
      about,
      run.last > 0,
      run.slowPanel(),
      hasNll(run),
      withoutCost(run),
      this.shownCharts(),
      run.colors,
      opening.height,
      opening.scale,
      opening.editable,
      opening.placing
    ]);
  }
  showLegend() {
    this.legend.show(legendItems(this.run, this.run.colors.light.length, this.opening.placing));
  }
  // What the titles of charts say on hovering, and to those who hear them.
  explainCharts() {
    const [{ objective_name: objective, cost_note: note }] = this.run.panels;
    const about = costWords(hasNll(this.run), objective) + (note && this.panels.length === 1 ? ` ${note}` : "");
    const words = { nll: about, agreement: say("player.about_agreement") };
    for (const [name, text] of Object.entries(words)) {
      const { head, overlay } = this.charts[name];
      head.querySelector(".chart-title").title = text;
      const rand = this.panels.length > 1 && this.run.panels.some((panel) => panel.adjusted_rand);
      if (name === "agreement") head.querySelector(".chart-title").textContent = rand ? say("player.chart_agreement_ari") : say("player.chart_agreement");
      const without = name === "nll" ? withoutCost(this.run) : "";
      head.querySelector(".chart-note").textContent = without;
      overlay.setAttribute("aria-label", say("player.over_sweeps", { chart: head.querySelector(".chart-title").textContent, about: text }));
    }
  }
  judged() {
    return this.run.panels.some((panel) => panel.agreement !== void 0);
  }
  // Two charts teach: what a sweep costs, and what it did. The others come on demand.
  shownCharts() {
    const judged = this.judged();
    const second = this.panels.length === 1 ? "sizes" : judged ? "agreement" : "k";
    const offered = [...CHARTS.map(([name]) => name), "sizes"].filter((name) => judged || name !== "agreement");
    return offered.filter((name) => {
      return name === "sizes" && this.deck.slow || (this.chosenCharts[name] ?? (name === "nll" || name === second));
    });
  }
  showChart(name, shown) {
    this.chosenCharts[name] = shown;
    this.resize();
  }
  isFull() {
    return this.fullScreen.on;
  }
  // One plot per panel; a plot keeps its view while its points stay the same, and equal points share a view.
  matchPanels() {
    while (this.panels.length > this.run.panels.length) this.panels.pop().block.remove();
    while (this.panels.length < this.run.panels.length) this.panels.push(this.addPanel(this.panels.length));
    const views = new Map(this.panels.filter((part) => part.view).map((part) => [part.pointsId, part.view]));
    let changed = false;
    this.run.panels.forEach((panel, number) => {
      const part = this.panels[number];
      if (!views.has(panel.points_id) || !this.run.partial) {
        views.set(panel.points_id, views.get(panel.points_id) ?? new View(panel));
      }
      changed ||= part.pointsId !== panel.points_id;
      part.view = views.get(panel.points_id);
      part.pointsId = panel.points_id;
      part.scatter.setData(panel, part.view);
      write(part.title, panel.title);
      part.overlay.setAttribute("aria-label", say("player.points_of", { title: panel.title || say("player.the_run") }));
    });
    this.root.classList.toggle("single", this.run.panels.length === 1);
    this.reader.matchPanels();
    if (!changed) return;
    this.editor.answered();
    this.editor.clear();
  }
  addPanel(number) {
    const part = panelBlock(number);
    this.hold(part.block);
    this.panelGrid.append(part.block);
    part.home.addEventListener("click", () => {
      part.view.atHome = true;
      part.overlay.focus({ preventScroll: true });
      this.redraw();
    });
    part.scatter = new Scatter(part.canvas, part.overlay);
    part.scatter.drawGuests = (context, projection) => {
      return [this.ghost, this.editor].map((guest) => guest.draw(context, number, part.scatter, projection)).includes(true);
    };
    part.ribbon = new Ribbon(part.ribbonBlock.canvas, part.ribbonBlock.overlay, {
      scrub: (frame, done) => this.scrub(frame, done),
      hover: (frame, x, y) => this.hints.ribbon(number, part, frame, x, y)
    });
    part.pointer = new Pointer(part.scatter, part.overlay, {
      viewChanged: () => this.redraw(),
      wheelIsFree: () => this.isFull(),
      selecting: () => this.options.selecting,
      hover: (point, x, y, aloud) => this.reader.hover(number, point, x, y, aloud),
      choose: (point) => this.reader.choose(number, point),
      select: (box) => this.reader.select(number, box),
      editing: () => this.editor.mode(),
      drag: (point, x, y) => this.editor.drag(number, point, x, y),
      drop: () => this.editor.drop(),
      paint: (x, y, projection, first) => this.editor.paint(number, x, y, projection, first),
      lift: () => this.editor.lift(number),
      unpaint: () => this.editor.unpaint(),
      place: (x, y, projection) => this.ghost.offered() && this.ghost.click(number, x, y, projection),
      nudge: (point, dx, dy) => this.nudge(number, point, dx, dy),
      hint: (text) => this.reader.hint(part, text)
    });
    return part;
  }
  // Alt and arrows: the point under the cursor if points may be moved, else the ghost.
  nudge(number, point, dx, dy) {
    if (point >= 0 && this.editor.mode() === "move") this.editor.step(number, point, dx, dy);
    else if (this.ghost.offered()) this.ghost.step(number, dx, dy);
  }
  refreshTheme() {
    const theme = takeTheme(this.root, this.run?.colors, this.opening.scale ?? 1);
    this.theme = theme;
    this.root.classList.toggle("large", theme.scale > 1);
    if (!this.run) return;
    this.root.style.setProperty("--cluster-a", cssColor(theme.clusterColor(0)));
    this.root.style.setProperty("--cluster-b", cssColor(theme.clusterColor(1)));
    this.panels.forEach((part, number) => {
      paintSwatch(part.swatch, theme, number, this.panels.length);
    });
    this.invalidate();
  }
  // `ratio`: device pixels per CSS pixel; exports ask for more than the screen has.
  resize(ratio = Math.min(2, window.devicePixelRatio || 1)) {
    const width = this.root.clientWidth;
    this.fitted = width > 0 && Boolean(this.run);
    if (!this.fitted) return;
    const room = arrangement(this, width);
    const { ribbon, scale, inset } = room;
    const { style } = this.root;
    this.arrange(room);
    const fit = (part, stage, reserved) => part.resize(stage.clientWidth, stage.clientHeight, ratio, scale, reserved);
    for (const part of this.panels) {
      fit(part.scatter, part.stage, inset > 0 ? inset + 24 * scale : 0);
      style.setProperty("--plot-left", `${part.scatter.plot.x}px`);
      if (ribbon > 0) fit(part.ribbon, part.ribbonBlock.stage);
    }
    for (const { chart, stage, block } of Object.values(this.charts)) if (!block.hidden) fit(chart, stage);
    if (!this.sizes.block.hidden) fit(this.bars, this.sizes.stage);
    this.invalidate();
  }
  // Give everything its place. The plots keep their height, whatever is said above them, while window and points do.
  arrange(room) {
    const { width, columns: columns2, ribbon, inset, folded, few, count } = room;
    const shown = this.shownCharts();
    const fits = inset > 0 ? chartsBelow(room, this.placed.height, this.why.node.offsetHeight) : shown.length;
    const seen = shown.slice(0, fits);
    for (const [name, { block }] of Object.entries(this.charts)) block.hidden = !seen.includes(name);
    this.sizes.block.hidden = !seen.includes("sizes");
    this.toolbar.showCharts(shown, this.judged());
    this.root.classList.toggle("inset", inset > 0);
    this.root.classList.toggle("drags", Boolean(this.options.selecting || this.editor.mode()));
    this.root.classList.toggle("folded", folded);
    this.root.classList.toggle("full", this.isFull());
    this.placeHead(count === 1 && (folded || few));
    const { style } = this.root;
    style.setProperty("--ribbon-height", `${ribbon}px`);
    style.setProperty("--columns", columns2);
    style.setProperty("--chart-columns", Math.min(shown.length || 1, Math.max(1, Math.floor(width / (250 * room.scale)))));
    style.setProperty("--inset-width", `${inset}px`);
    const points = this.panels.map((part) => part.pointsId);
    const key = [innerWidth, innerHeight, this.isFull(), this.opening.height, ...Object.values({ ...room, charts: 0 }), ...points].join();
    if (key !== this.placed.key) this.placed = { key, height: stageHeight(this, room) };
    style.setProperty("--stage-height", `${this.placed.height}px`);
    this.root.classList.toggle("low", this.placed.height < 320 * room.scale);
    style.setProperty("--chart-height", `${chartHeight({ ...room, charts: seen.length }, this.placed.height, this.why.node.offsetHeight)}px`);
  }
  // Where there is little room, or little beside it, one run's title and state stand in the row of the buttons.
  placeHead(inRow) {
    const { header, block } = this.panels[0];
    if (inRow && header.parentNode === block) this.toolbar.node.prepend(header);
    else if (!inRow && header.parentNode !== block) block.prepend(header);
  }
  // Something besides the playhead and the view changed: redraw the charts, too.
  invalidate() {
    this.stale = true;
    this.redraw();
  }
  redraw() {
    this.dirty = true;
    this.wake();
  }
  wake() {
    this.frameRequest ??= requestAnimationFrame((now) => this.tick(now));
  }
  tick(now) {
    cancelAnimationFrame(this.frameRequest);
    this.frameRequest = null;
    if (!this.run) return;
    if (!this.fitted) this.resize();
    if (!this.fitted) return;
    const advanced = this.deck.advance(now);
    const calm = this.reducedMotion.matches && this.deck.playing && now - this.painted < 1e3 / REDUCED_MOTION_FPS;
    if (this.dirty || advanced && !calm) this.paint(now, Boolean(this.opening.quick));
    if (this.deck.playing) this.wake();
  }
  snapshots() {
    const { deck, run } = this;
    const slow = deck.slow ? run.slowPanel() : -1;
    return run.panels.map((_, number) => {
      return number === slow ? run.slowSnapshot(number, deck.step) : run.snapshot(number, deck.frame);
    });
  }
  // `quick`: points first, and what is around them when the frame with them is over, or with a newer run.
  paint(now, quick = false) {
    const { run, theme, options } = this;
    this.painted = now;
    const snapshots = this.snapshots();
    this.current = snapshots;
    this.panels.forEach((part, number) => {
      part.scatter.draw(snapshots[number], options, theme);
      showStatus(part.status, statusText(run, number, snapshots[number], this.charts.agreement.block.hidden));
      part.home.hidden = part.view.atHome;
    });
    this.dirty = false;
    this.owing = quick && this.stale && !this.owing && this.unpainted.length === 0;
    if (this.owing) requestAnimationFrame(() => setTimeout(() => this.owing && !this.dirty && this.paintAround(this.current)));
    else this.paintAround(snapshots);
  }
  // Everything but the points.
  paintAround(snapshots) {
    const { run, theme, options } = this;
    this.owing = false;
    const legend = this.opening.quick && this.stale;
    this.paintCharts(snapshots);
    if (!this.sizes.block.hidden) this.bars.draw(run, snapshots, options.logarithmic, theme);
    if (legend) this.showLegend();
    this.reader.showCard();
    this.why.painted(snapshots[0].sweep);
    this.speaker.painted(snapshots);
    write(
      this.sizes.head.querySelector(".chart-title"),
      snapshots.some((snapshot) => snapshot.visit?.candidates.length > 0) ? say("player.choices") : say("player.chart_sizes")
    );
    this.root.classList.toggle("slow-motion", this.deck.slow);
    const { playing, slow } = this.deck;
    this.transport.show({ playing, slow, spoken: spokenText(run, snapshots), written: positionText(run, this.deck) });
    this.stale = false;
    for (const node of this.unpainted.splice(0)) node.style.visibility = "";
    if (this.focuses) this.takeFocus();
    this.recorder.painted();
  }
  paintCharts(snapshots) {
    if (this.stale) this.prepareCharts();
    const frame = this.playheadFrame();
    const withRibbon = this.options.ribbon && this.run.last > 0;
    this.panels.forEach((part, number) => {
      if (!withRibbon) return;
      if (this.stale) part.ribbon.drawStatic(this.run, number, part.scatter.plot, this.theme);
      part.ribbon.drawPlayhead(frame);
    });
    for (const { chart, readout, block } of Object.values(this.charts)) {
      if (block.hidden) continue;
      const at = chart.lines.map((line) => {
        if (chart.byVisit) return this.deck.step;
        const { sweep } = snapshots[line.panel];
        const unfinished = this.deck.slow && this.deck.step < this.deck.length && line.panel === this.run.slowPanel();
        return Math.min(unfinished ? sweep - 1 : sweep, line.y.length - 1);
      });
      chart.drawPlayhead(chart.byVisit ? this.deck.step : frame, at);
      write(readout, this.panels.length === 1 ? chart.readout(at, 6) : "");
    }
  }
  prepareCharts() {
    const data = chartData(this.run, this.theme, this.options, this.deck.slow);
    const shown = Object.entries(this.charts).filter(([, { block }]) => !block.hidden);
    const room = shown.map(([name, { chart }]) => {
      chart.setData(data[name].lines, data[name].settings);
      this.charts[name].full.hidden = !chart.steep;
      this.charts[name].block.classList.toggle("by-visit", chart.byVisit);
      return chart.prepare(this.theme);
    });
    for (const [, { chart }] of shown) chart.drawStatic(Math.max(...room));
  }
  playheadFrame() {
    const { deck, run } = this;
    if (!deck.slow) return deck.frame;
    return run.panels[run.slowPanel()].events_sweep - 1 + deck.step / Math.max(1, deck.length);
  }
  moved(settled) {
    if (settled) this.settle();
    if (this.paintedSlow !== this.deck.slow) this.resize();
    this.paintedSlow = this.deck.slow;
    this.redraw();
  }
  scrub(frame, done, byVisit = false) {
    if (this.deck.slow && !byVisit) this.deck.setSlow(false);
    this.deck.moveTo(frame, done);
  }
  // The playhead came to rest: say so, and tell Python after a moment.
  settle() {
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => this.report(), REPORT_DELAY);
  }
  report() {
    clearTimeout(this.reporting);
    if (!this.run || this.deck.playing) return;
    if (this.opening.film) {
      this.ghost.follow();
      return;
    }
    this.live.textContent = spokenText(this.run, this.snapshots());
    this.ghost.follow();
    const { frame } = this.deck;
    if (this.deck.following || frame === Math.min(this.believed, this.run.last)) return;
    this.believed = frame;
    this.channel?.setStateValue("sweep", { sweep: frame, command: this.opening.command });
  }
  setSync(name) {
    this.run.setSync(name);
    this.invalidate();
  }
  resetViews() {
    for (const part of this.panels) part.view.atHome = true;
    this.redraw();
  }
  close() {
    this.owing = false;
    this.loads += 1;
    this.knobs?.left();
    this.observer.disconnect();
    window.removeEventListener("resize", this.windowChanged);
    this.ghost.close();
    this.why.close();
    this.fullScreen.close();
    clearTimeout(this.reporting);
    cancelAnimationFrame(this.frameRequest);
    this.colorScheme.removeEventListener("change", this.schemeChanged);
    this.run = null;
  }
};

// player/assets/mount.js
var players = globalThis.dpvizPlayers ??= /* @__PURE__ */ new Map();
var pressed = -Infinity;
document.addEventListener("click", (event) => {
  if (!event.composedPath().some((node) => node.classList?.contains("dpviz-player"))) pressed = performance.now();
}, true);
function standalonePlayer(place) {
  const shadow = document.getElementById(place).attachShadow({ mode: "open" });
  const root = element("div");
  shadow.append(element("style", { text: new TextDecoder().decode(contentOf("styles")) }), root);
  return new Player(root);
}
var USUAL_OPENING = { id: "", command: 0, sweep: 0, height: null, scale: 1 };

// stage/agreement.js
var entropy = (counts, total) => counts.reduce((sum2, count) => count > 0 ? sum2 - count / total * Math.log(count / total) : sum2, 0);
var pairs = (counts) => counts.reduce((sum2, count) => sum2 + count * (count - 1) / 2, 0);
function agreementCurves(tracks, groups) {
  const nPoints = groups.length;
  const nGroups = groups.reduce((most, group2) => Math.max(most, group2), 0) + 1;
  const curves = { agreement: [], adjusted_rand: [] };
  for (let start = 0; start < tracks.length; start += nPoints) {
    const row = tracks.subarray(start, start + nPoints);
    const nClusters = row.reduce((most, track) => Math.max(most, track), 0) + 1;
    const table = new Float64Array(nClusters * nGroups);
    const [ofClusters, ofGroups] = [new Float64Array(nClusters), new Float64Array(nGroups)];
    for (let i = 0; i < nPoints; i += 1) {
      table[row[i] * nGroups + groups[i]] += 1;
      ofClusters[row[i]] += 1;
      ofGroups[groups[i]] += 1;
    }
    curves.agreement.push(nmi(table, ofClusters, ofGroups, nPoints));
    curves.adjusted_rand.push(ari(table, ofClusters, ofGroups, nPoints));
  }
  return curves;
}
function nmi(table, ofClusters, ofGroups, total) {
  const both = entropy(ofClusters, total) + entropy(ofGroups, total);
  return both === 0 ? 1 : Math.min(1, Math.max(0, 2 * (both - entropy(table, total)) / both));
}
function ari(table, ofClusters, ofGroups, total) {
  const [joint, clusters, groups] = [table, ofClusters, ofGroups].map(pairs);
  if (joint === clusters && joint === groups) return 1;
  const expected = clusters * groups / (total * (total - 1) / 2);
  return (joint - expected) / ((clusters + groups) / 2 - expected);
}

// stage/tracks.js
var DENSE = 4e4;
var MOST_MATCHED = 512;
var PATTERNS = 4;
var highest = (numbers) => {
  let most = -1;
  for (let i = 0; i < numbers.length; i += 1) if (numbers[i] > most) most = numbers[i];
  return most;
};
function countsOf(numbers) {
  const counts = new Int32Array(highest(numbers) + 1);
  for (let i = 0; i < numbers.length; i += 1) counts[numbers[i]] += 1;
  return counts;
}
var present = (counts) => [...counts.keys()].filter((number) => counts[number] > 0);
var bySize = (counts) => present(counts).sort((a, b) => counts[b] - counts[a]);
function pairsOf(before, after) {
  const { tracks } = before, olds = present(before.counts).sort((a, b) => tracks[a] - tracks[b]), news = present(after.counts);
  const place = (numbers, counts) => {
    const places2 = new Int32Array(counts.length);
    numbers.forEach((number, k) => places2[number] = k);
    return places2;
  };
  const ofOld = place(olds, before.counts), ofNew = place(news, after.counts), width = news.length;
  const named = ([old, now]) => [tracks[olds[old]], news[now]];
  if (olds.length * width > DENSE) return greedy(before.row, after.row, ofOld, ofNew, width).map(named);
  const shared = new Float64Array(olds.length * width);
  for (let i = 0; i < after.row.length; i += 1) shared[ofOld[before.row[i]] * width + ofNew[after.row[i]]] += 1;
  return assigned(shared, olds.length, width).filter(([old, now]) => shared[old * width + now] > 0).map(named);
}
function greedy(before, after, ofOld, ofNew, width) {
  const shared = /* @__PURE__ */ new Map(), taken = [/* @__PURE__ */ new Set(), /* @__PURE__ */ new Set()], pairs2 = [];
  for (let i = 0; i < after.length; i += 1) {
    const pair = ofOld[before[i]] * width + ofNew[after[i]];
    shared.set(pair, (shared.get(pair) ?? 0) + 1);
  }
  for (const [pair] of [...shared].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
    const [old, now] = [Math.floor(pair / width), pair % width];
    if (taken[0].has(old) || taken[1].has(now)) continue;
    taken[0].add(old);
    taken[1].add(now);
    pairs2.push([old, now]);
  }
  return pairs2;
}
function continued(before, after, colors) {
  const tracks = new Int32Array(after.counts.length).fill(-1), used = bySize(after.counts);
  const limit = Math.max(colors, used.length), recent = /* @__PURE__ */ new Set();
  if (before) {
    for (const label of present(before.counts)) recent.add(before.tracks[label]);
    for (const [track, label] of pairsOf(before, after)) if (track < limit) tracks[label] = track;
  }
  const taken = new Set(tracks);
  const free = Array.from({ length: limit }, (_, track) => track).filter((track) => !taken.has(track));
  free.sort((a, b) => Number(recent.has(a)) - Number(recent.has(b)));
  for (const label of used) if (tracks[label] < 0) tracks[label] = free.shift();
  return tracks;
}
var same = (one, other) => {
  for (let i = 0; i < one.length; i += 1) if (one[i] !== other[i]) return false;
  return true;
};
function tracksOf(labels, nPoints, colors, references = []) {
  const rows = [];
  let [before, top] = [null, 0];
  for (let start = 0; start < labels.length; start += nPoints) {
    const row = labels.subarray(start, start + nPoints);
    if (!before || !same(row, before.row)) {
      const after = { row, counts: countsOf(row) };
      after.tracks = continued(before, after, colors);
      top = Math.max(top, highest(after.tracks));
      before = after;
    }
    rows.push(before);
  }
  const slots = references.length > 0 ? slotsOf(before.row.map((label) => before.tracks[label]), references, top, colors) : null;
  const found = new Int32Array(labels.length);
  rows.forEach(({ row, tracks }, k) => {
    const named = slots ? tracks.map((track) => track < slots.length ? slots[track] : track) : tracks;
    for (let i = 0; i < nPoints; i += 1) found[k * nPoints + i] = named[row[i]];
  });
  return found;
}
function slotsOf(last, references, top, colors) {
  const width = Math.min(Math.max(top + 1, colors, ...references.map((reference) => highest(reference) + 1)), MOST_MATCHED);
  const gain = new Float64Array(width * width), wanted = new Float64Array(width);
  for (const reference of references) {
    for (let i = 0; i < last.length; i += 1) {
      if (last[i] >= width || reference[i] >= width) continue;
      gain[last[i] * width + reference[i]] += 1;
      wanted[reference[i]] += 1;
    }
  }
  const slots = Array.from({ length: width }, (_, track) => track);
  for (const [from, to] of [[0, colors], [colors, PATTERNS * colors], [PATTERNS * colors, width]]) {
    exchange(slots, from, Math.min(to, width), gain, wanted);
  }
  return slots;
}
function exchange(slots, from, to, gain, wanted) {
  const size = to - from, width = wanted.length;
  const weights = new Float64Array(Math.max(0, size) ** 2);
  let shares = false;
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1) {
      const points = gain[(from + i) * width + from + j];
      shares ||= points > 0;
      weights[i * size + j] = points * (3 * width + 1) + Number(wanted[from + j] === 0) + Number(i === j);
    }
  }
  if (shares) for (const [i, j] of assigned(weights, size, size)) slots[from + i] = from + j;
}
function matchedGroups(groups, tracks, colors) {
  const row = { row: groups, counts: countsOf(groups) };
  const codes = continued(null, row, colors), own2 = groups.map((group2) => codes[group2]);
  const nGroups = highest(own2) + 1, width = Math.max(highest(tracks) + 1, nGroups, colors);
  if (width > MOST_MATCHED) return Int32Array.from(own2);
  const used = countsOf(tracks), weights = new Float64Array(nGroups * width);
  for (let i = 0; i < own2.length; i += 1) weights[own2[i] * width + tracks[i]] += 3 * width + 1;
  for (let k = 0; k < weights.length; k += 1) {
    const track = k % width;
    weights[k] += 2 * Number(track < Math.max(colors, nGroups)) + Number(!used[track]);
  }
  const slots = assigned(weights, nGroups, width);
  return Int32Array.from(own2, (code) => slots[code][1]);
}
function assigned(weights, nRows, nColumns) {
  if (nRows > nColumns) {
    const turned = new Float64Array(weights.length);
    for (let i = 0; i < nRows; i += 1) for (let j = 0; j < nColumns; j += 1) turned[j * nRows + i] = weights[i * nColumns + j];
    return assigned(turned, nColumns, nRows).map(([j, i]) => [i, j]).sort(([a], [b]) => a - b);
  }
  const state = {
    weights,
    nColumns,
    ofRows: new Float64Array(nRows),
    ofColumns: new Float64Array(nColumns),
    shortest: new Float64Array(nColumns),
    from: new Int32Array(nColumns),
    rowAt: new Int32Array(nColumns).fill(-1),
    columnAt: new Int32Array(nRows).fill(-1),
    remaining: new Int32Array(nColumns),
    seen: new Uint8Array(nColumns)
  };
  for (let row = 0; row < nRows; row += 1) augment(state, row);
  return Array.from(state.columnAt, (column2, row) => [row, column2]);
}
function augment(state, row) {
  const { ofRows, ofColumns, shortest, from, rowAt, columnAt, seen } = state;
  const { sink, length, rows } = pathFrom(state, row);
  ofRows[row] += length;
  for (const i of rows) if (i !== row) ofRows[i] += length - shortest[columnAt[i]];
  for (let j = 0; j < seen.length; j += 1) if (seen[j]) ofColumns[j] -= length - shortest[j];
  for (let [i, j] = [-1, sink]; i !== row; ) {
    i = from[j];
    rowAt[j] = i;
    [columnAt[i], j] = [j, columnAt[i]];
  }
}
function pathFrom(state, row) {
  const { weights, nColumns, ofRows, ofColumns, shortest, from, rowAt, remaining, seen } = state;
  for (let k = 0; k < nColumns; k += 1) remaining[k] = nColumns - 1 - k;
  shortest.fill(Infinity);
  seen.fill(0);
  const rows = [];
  let [count, length, sink, i] = [nColumns, 0, -1, row];
  while (sink < 0) {
    let [nearest, lowest] = [-1, Infinity];
    rows.push(i);
    for (let k = 0; k < count; k += 1) {
      const j2 = remaining[k], reached = length - weights[i * nColumns + j2] - ofRows[i] - ofColumns[j2];
      if (reached < shortest[j2]) {
        from[j2] = i;
        shortest[j2] = reached;
      }
      if (shortest[j2] < lowest || shortest[j2] === lowest && rowAt[j2] < 0) [lowest, nearest] = [shortest[j2], k];
    }
    length = lowest;
    const j = remaining[nearest];
    seen[j] = 1;
    remaining[nearest] = remaining[count -= 1];
    if (rowAt[j] < 0) sink = j;
    else i = rowAt[j];
  }
  return { sink, length, rows };
}

// stage/film.js
var CURVES = ["nll", "objective", "n_clusters", "n_moved", "n_born", "n_died"];
var END = 1e9;
var MOST_VALUES = 8;
var NOISE = 1e-9;
var FAR2 = 100;
var CELLS = 60;
var MOST_CLUSTERS = 40;
var AROUND = 0.15;
var SQUEEZED = 4;
var FADING = 0.25;
var KEPT = [
  "objective_name",
  "scaling_nats",
  "axis_names",
  "periods",
  "value_names",
  "class_names",
  "n_points",
  "points_id",
  "one_column",
  "origin",
  "x",
  "y",
  "values",
  "shapes",
  "true_labels",
  "true_tracks",
  "plane",
  "ellipse_meanings"
];
var columns = /* @__PURE__ */ new WeakMap();
function column(points, axis) {
  if (!columns.has(points.values)) columns.set(points.values, /* @__PURE__ */ new Map());
  const known = columns.get(points.values);
  if (!known.has(axis)) known.set(axis, newColumn(points, axis));
  return known.get(axis);
}
function newColumn(points, axis) {
  const values = Float64Array.from({ length: points.nPoints }, (_, i) => points.values[i * points.nFeatures + axis]);
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const middle = (low + high) / 2;
  const origin = Math.abs(middle) > FAR2 * (high - low) ? middle : 0;
  return { places: Float32Array.from(values, (value) => value - origin), origin };
}
function valuesOf(points) {
  const { nPoints, nFeatures, values } = points;
  if (nFeatures === 2) return { shapes: {} };
  const width = Math.min(nFeatures, MOST_VALUES);
  const shown = new Float32Array(nPoints * width);
  for (let i = 0; i < nPoints; i += 1) for (let d = 0; d < width; d += 1) shown[i * width + d] = values[i * nFeatures + d];
  return { values: shown, shapes: { values: [nPoints, width] } };
}
function renumbered(labels) {
  const numbers = /* @__PURE__ */ new Map();
  return Int32Array.from(labels, (label) => {
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    return numbers.get(label);
  });
}
function planeOf({ nFeatures, axes }) {
  const unit = (axis) => Array.from({ length: nFeatures }, (_, d) => Number(d === axis));
  return { directions: axes.map(unit), origin: Array(nFeatures).fill(0) };
}
function stillOf(points, { id, objective, meanings, stay = false }) {
  const [across, up] = points.shown ?? points.axes.map((axis) => column(points, axis));
  const groups = points.groups ? { true_labels: Int32Array.from(points.groups) } : {};
  if (points.groups && stay) groups.true_tracks = groups.true_labels;
  const periods = points.periods ? { periods: points.axes.map((axis) => points.periods[axis]) } : {};
  return {
    objective_name: objective,
    axis_names: points.axisNames ?? points.axes.map((axis) => points.names[axis]),
    value_names: points.names.slice(0, MOST_VALUES),
    class_names: [],
    n_points: points.nPoints,
    points_id: `${id} ${points.axes}`,
    one_column: false,
    origin: [across.origin, up.origin],
    x: across.places,
    y: up.places,
    plane: points.shown || points.own ? void 0 : planeOf(points),
    ellipse_meanings: meanings,
    ...periods,
    ...groups,
    ...valuesOf(points)
  };
}
async function answered(engine, run, searching) {
  const { points, still } = run;
  const more = still.scaling_nats ?? 0, told = ({ share, nll }) => searching?.({ share, nll: nll + more });
  let found = await engine.run(run.config, points, still.plane, told);
  if (run.instead && isLower((await engine.last(run.instead, points)).nll, found.nll)) {
    run.config = run.instead;
    found = await engine.run(run.config, points, still.plane);
  }
  const answer = raised(found, more);
  if (still.region_image && still.plane && points.nFeatures === 2) answer.maps = await mapped(engine, { ...run, answer }, 1);
  return answer;
}
var isLower = (nll, other) => nll < other - NOISE * Math.abs(other);
var mapped = (engine, run, most) => mapsOf(engine, run, run.still, run.still.plane, CELLS, most);
function pictureOf({ answer, still, title, visits }, colors, references) {
  const { n_sweeps: last, sweeps, maps } = answer;
  const labels = tracksOf(sweeps.labels, still.n_points, colors, references);
  const panel = {
    title,
    cost_note: "",
    cluster_names: {},
    ghosts: [],
    n_sweeps: last,
    labels,
    seconds: new Float64Array(last + 1),
    label_sweeps: Int32Array.from({ length: last + 1 }, (_, sweep) => sweep)
  };
  for (const name of KEPT) if (still[name] !== void 0) panel[name] = still[name];
  for (const name of CURVES) panel[name] = sweeps[name];
  if (sweeps.shapes) Object.assign(panel, ellipsesOf(sweeps.shapes, sweeps.labels, labels, panel));
  else delete panel.ellipse_meanings;
  if (maps) Object.assign(panel, mapArrays(maps, sweeps, panel));
  if (visits) Object.assign(panel, visitArrays(visits.found, visits.sweep, sweeps.labels, panel, still.scaling_nats));
  if (panel.true_labels) panel.true_tracks ??= matchedGroups(panel.true_labels, lastTracks(panel), colors);
  if (still.agreement && panel.true_labels) Object.assign(panel, agreementCurves(labels, renumbered(panel.true_labels)));
  return panel;
}
var lastTracks = ({ labels, n_sweeps: last, n_points: nPoints }) => labels.subarray(last * nPoints);
var films = 0;
function openFilm(player, panels, colors, opening) {
  films += 1;
  const film = { sync: player.run?.sync ?? "sweep", partial: false, progress: "", colors, panels };
  const opened = { ...opening, id: `film ${films}`, sweep: END, start: "", quick: true };
  player.open(opening.film ? { ...opened, command: opened.id } : opened, film);
}
var rowOf = (array, row, width) => array.subarray(row * width, (row + 1) * width);
function raised(answer, more) {
  if (!more) return answer;
  const sweeps = { ...answer.sweeps };
  for (const name of ["nll", "objective"]) sweeps[name] = sweeps[name].map((cost) => cost + more);
  return { ...answer, nll: answer.nll + more, sweeps };
}
function trackTable(labels, tracks) {
  const found = [];
  for (let i = 0; i < labels.length; i += 1) found[labels[i]] = tracks[i];
  const table = /* @__PURE__ */ new Map();
  found.forEach((track, label) => table.set(label, track));
  return table;
}
function ellipsesOf(shapes, labels, tracks, { n_points: nPoints, origin }) {
  const ellipse_tracks = new Int32Array(shapes.labels.length);
  for (let row = 0; row + 1 < shapes.offsets.length; row += 1) {
    const [from, to] = [shapes.offsets[row], shapes.offsets[row + 1]];
    if (from === to) continue;
    const table = trackTable(rowOf(labels, row, nPoints), rowOf(tracks, row, nPoints));
    for (let e = from; e < to; e += 1) ellipse_tracks[e] = table.get(shapes.labels[e]);
  }
  return {
    ellipse_offsets: shapes.offsets,
    ellipse_tracks,
    ellipse_centers: shapes.centers.map((place, e) => place - origin[e % 2]),
    ellipse_scales: shapes.scales,
    ellipse_factors: shapes.factors
  };
}
function extentOf(x, y) {
  const ends = [x, y].map((values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]));
  let sizes = ends.map(([low, high]) => Math.max(high - low, 1e-9) * (1 + 2 * AROUND));
  const ratio = sizes[0] / sizes[1];
  if (ratio <= SQUEEZED && ratio >= 1 / SQUEEZED) sizes = [Math.max(sizes[0], 2 * sizes[1]), Math.max(sizes[1], sizes[0] / 2)];
  return ends.flatMap(([low, high], k) => [(low + high - sizes[k]) / 2, (low + high + sizes[k]) / 2]);
}
function spotOf(x, y, { directions: [[a, b], [c, d]], origin }) {
  const determinant = a * d - b * c;
  return [origin[0] + (d * x - b * y) / determinant, origin[1] + (a * y - c * x) / determinant];
}
function gridOf([left, right, low, high], cells, plane) {
  const values = new Float64Array(2 * cells * cells);
  for (let k = 0; k < cells * cells; k += 1) {
    const x = left + (k % cells + 0.5) / cells * (right - left);
    const y = low + (Math.floor(k / cells) + 0.5) / cells * (high - low);
    values.set(spotOf(x, y, plane), 2 * k);
  }
  return { values, nPoints: cells * cells, nFeatures: 2 };
}
function mappedRows({ n_clusters: counts }, most) {
  const few = Array.from(counts.keys()).filter((row) => counts[row] <= MOST_CLUSTERS);
  const count = Math.min(few.length, most);
  return Array.from({ length: count }, (_, k) => few[count === 1 ? few.length - 1 : Math.round(k * (few.length - 1) / (count - 1))]);
}
async function mapsOf(engine, { config, points, answer }, panel, plane, cells, most) {
  const extent = extentOf(panel.x, panel.y).map((end, k) => end + panel.origin[k < 2 ? 0 : 1]);
  const where = gridOf(extent, cells, plane);
  const frames = [];
  for (const row of mappedRows(answer.sweeps, most)) {
    const labels = rowOf(answer.sweeps.labels, row, points.nPoints);
    frames.push({ row, ...await engine.places(config, points, labels, where) });
  }
  return { extent, cells, frames };
}
function nearEdges(takers, margins, cells) {
  const leads = margins.map((margin) => Number.isFinite(margin) ? margin : 1);
  let largest = 0;
  for (let cell = 0; cell < takers.length; cell += 1) {
    const [right, above] = [(cell + 1) % cells === 0 ? cell : cell + 1, cell + cells];
    if (takers[right] !== takers[cell]) largest = Math.max(largest, leads[cell], leads[right]);
    if (above < takers.length && takers[above] !== takers[cell]) largest = Math.max(largest, leads[cell], leads[above]);
  }
  return leads.map((lead) => Math.max(1e-9, Math.min(1, lead / (largest || 1))));
}
function mapArrays({ extent, cells, frames }, { labels, nll }, panel) {
  if (frames.length === 0) return {};
  const { n_points: N, origin } = panel;
  const joined = (Type, of) => {
    const whole = new Type(frames.length * cells ** 2);
    frames.forEach((frame, k) => whole.set(of(frame), k * cells ** 2));
    return whole;
  };
  const sweeps = Int32Array.from(frames, ({ row }) => row);
  const placed = extent.map((end, k) => end - origin[k < 2 ? 0 : 1]);
  const shape = [frames.length, cells, cells];
  const regions = {
    region_sweeps: sweeps,
    region_extent: placed,
    region_image: joined(Int32Array, ({ row, takers }) => {
      const table = trackTable(rowOf(labels, row, N), rowOf(panel.labels, row, N));
      return takers.map((label) => table.get(label) ?? -1);
    }),
    region_margins: joined(Float32Array, ({ takers, margins }) => nearEdges(takers, margins, cells))
  };
  if (!Number.isFinite(nll[0])) return { ...regions, shapes: { ...panel.shapes, region_image: shape } };
  const density_image = joined(Float32Array, ({ costs }) => {
    const lowest = costs.reduce((least, cost) => Math.min(least, cost), Infinity);
    return costs.map((cost) => Math.exp(FADING * (lowest - cost)));
  });
  return {
    ...regions,
    density_sweeps: sweeps,
    density_extent: placed,
    density_image,
    shapes: { ...panel.shapes, region_image: shape, density_image: shape }
  };
}
function visitArrays(found, sweep, labels, panel, more = 0) {
  const { n_points: N } = panel;
  const table = trackTable(rowOf(labels, sweep - 1, N), rowOf(panel.labels, sweep - 1, N));
  const after = rowOf(panel.labels, sweep, N);
  const taken = new Set(table.values());
  const opened = /* @__PURE__ */ new Map();
  found.to.forEach((label, visit) => {
    if (!table.has(label)) opened.set(label, [...opened.get(label) ?? [], after[found.points[visit]]]);
  });
  for (const [label, members] of opened) {
    const own2 = members.find((track2) => !taken.has(track2));
    const track = own2 ?? [...taken, ...after].reduce((most, other) => Math.max(most, other), 0) + 1;
    table.set(label, track);
    taken.add(track);
  }
  const tracks = (numbers) => Int32Array.from(numbers, (label) => table.get(label) ?? -1);
  const event_nll = found.nll?.every(Number.isFinite) ? { event_nll: found.nll.map((nll) => nll + more) } : {};
  return {
    events_sweep: sweep,
    event_points: found.points,
    event_from: tracks(found.from),
    event_to: tracks(found.to),
    event_candidates: tracks(found.candidates),
    event_costs: Float32Array.from(found.costs, (cost) => cost + more / N),
    ...event_nll,
    shapes: { ...panel.shapes, event_costs: [found.points.length, found.width] }
  };
}
function pullsOf({ log_predictive: fits, log_weight: weights }, labels, tracks, rowNats = 0) {
  const table = trackTable(labels, tracks);
  return Array.from(fits, (fit, k) => [table.get(k) ?? -1, Math.exp(weights[k]), fit - rowNats]);
}

// stage/edits.js
function spotsOf({ origin, plane }, edits) {
  return edits.map(({ x, y }) => spotOf(x + origin[0], y + origin[1], plane));
}
function editedPoints(points, panel, edits) {
  const nPoints = points.nPoints + edits.filter(({ point }) => point === void 0).length;
  const values = new Float64Array(2 * nPoints);
  values.set(points.values);
  let next = points.nPoints;
  spotsOf(panel, edits).forEach((spot, k) => values.set(spot, 2 * (edits[k].point ?? next++)));
  return { values, nPoints, nFeatures: 2 };
}

// course/assets/bench.css
var bench_default = '.bench { margin: 2px 4px 6px; font-size: calc(16px * var(--scale)); line-height: 1.6; }\n.bench p { margin: 0; max-width: 56em; }\n.bench .dragged { display: inline-block; min-width: 1.2em; padding: 0 3px; border-bottom: 2px dotted var(--accent); color: var(--accent); cursor: ew-resize; font-variant-numeric: tabular-nums; font-weight: 700; line-height: 1.15; text-align: center; touch-action: pan-y; user-select: none; }\n.bench .dragged.held, .bench .dragged:hover { background: color-mix(in srgb, var(--accent) 14%, transparent); border-radius: 4px 4px 0 0; }\n.bench .dragged[aria-disabled="true"] { border-bottom: 0; color: inherit; cursor: default; }\n.bench .dragged:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }\n.bench b { font-variant-numeric: tabular-nums; }\n.bench b.awaited { opacity: 0.35; }\n.bench.lead { --scale: 1; --accent: var(--st-primary-color, light-dark(#005a94, #7cc0f5)); margin: 0; font-size: 1rem; }\n.bench .row { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; margin-top: 4px; font-size: calc(13px * var(--scale)); }\n.bench .said { color: var(--muted); }\n.bench .tally { font-size: calc(13px * var(--scale)); }\n.bench .tally p { color: var(--muted); line-height: 1.4; }\n.bench .tally p[role="status"] { color: inherit; font-weight: 600; }\n.bench .draws { display: flex; flex-wrap: wrap; gap: 3px; margin: 3px 0; }\n.bench .draws button { min-width: 30px; min-height: 28px; padding: 0 4px; border: 1px solid var(--grid); border-radius: 5px; background: none; color: inherit; font: inherit; font-variant-numeric: tabular-nums; cursor: pointer; }\n.bench .draws button.right { border-color: var(--accent); font-weight: 700; }\n.bench .draws button[aria-current] { outline: 2px solid var(--text); outline-offset: 1px; }\n.bench .further { border-color: var(--accent); color: var(--accent); font-weight: 600; }\n.bench .transfer { margin-top: 6px; padding-top: 4px; border-top: 1px solid var(--grid); font-size: calc(15px * var(--scale)); }\n.bench .transfer .row { margin: 4px 0; }\n.bench .transfer .chip { white-space: normal; text-align: left; }\n.bench .verdict:empty { display: none; }\n.bench .live-prices { position: absolute; z-index: 3; max-width: min(340px, 70%); padding: 8px 10px; border: 1px solid var(--grid); border-radius: 8px; background: var(--background); font-size: calc(13px * var(--scale)); }\n.bench .live-prices:empty { display: none; }\n.bench .live-prices h2 { margin: 0 0 6px; font-size: 1em; }\n.bench .live-prices p { margin: 6px 0 0; color: var(--muted); font-size: 0.85em; line-height: 1.3; }\n.bench.folded > :not(.unfold), .bench:not(.folded) > .unfold { display: none; }\n';

// browser/checks.js
function dpvizChecks(tables, refuse) {
  const { codes, learned, limits, partitions, models: MODELS, tempered: TEMPERED } = tables;
  const HOLDS = { ">": (x, end) => x > end, ">=": (x, end) => x >= end, "<": (x, end) => x < end, "<=": (x, end) => x <= end };
  const isList = (value) => Array.isArray(value) || ArrayBuffer.isView(value);
  const isPlain = (value) => typeof value === "object" && value !== null && !isList(value);
  const isGiven = (value) => value !== null && value !== void 0;
  const isWhole = Number.isInteger;
  const isNumber = (value, most = limits.largest_number) => typeof value === "number" && Math.abs(value) <= most;
  const isRow = (value, length, most) => isList(value) && value.length === length && Array.from(value).every((x) => isNumber(x, most));
  function shown(value) {
    let text;
    try {
      text = typeof value === "number" ? String(value) : JSON.stringify(value) ?? String(value);
    } catch {
      text = String(value);
    }
    return text.length > 80 ? `${text.slice(0, 77)}...` : text;
  }
  function must(holds, what, value, bound) {
    if (!holds) refuse(`${what} = ${shown(value)} must be ${bound}.`);
    return value;
  }
  const between = (what, value, low, high, kind = "a whole number ") => must(isWhole(value) && value >= low && value <= high, what, value, `${kind}from ${low} to ${high}`);
  function sized(what, list, length, units) {
    if (!isList(list) || list.length !== length) refuse(`${what} has ${shown(list?.length)} ${units}.`);
  }
  function everyOne(what, list, fits, bound) {
    const wrong = list.findIndex((entry) => !fits(entry));
    if (wrong >= 0) must(false, `${what}[${wrong}]`, list[wrong], bound);
  }
  function placeIn(known, name, what) {
    const found = known.indexOf(name);
    if (found < 0) refuse(`${what} = ${shown(name)} is not computed in a browser; it must be one of ${known.join(", ")}.`);
    return found;
  }
  const code = (kind, name, what = kind) => placeIn(codes[kind], name, what);
  function bounded(what, value, { choices, integer, ends }, N = 0, D = 0) {
    if (choices.length > 0) return must(choices.includes(value), what, value, `one of ${choices.join(", ")}`);
    const bounds = ends.map(([sign, constant, point, feature]) => [sign, constant + point * N + feature * D]);
    const holds = isNumber(value) && (!integer || isWhole(value)) && bounds.every(([sign, end]) => HOLDS[sign](value, end));
    return must(holds, what, value, `a ${integer ? "whole" : "finite"} number${bounds.map(([sign, end]) => ` ${sign} ${end}`).join(" and")}`);
  }
  function optionsOf(given) {
    let config = given;
    if (typeof config === "string") {
      try {
        config = JSON.parse(config);
      } catch {
        refuse("the configuration is not JSON.");
      }
    }
    if (!isPlain(config)) refuse("a configuration must be a JSON object.");
    const { version, ...options } = config;
    if (version !== tables.version) refuse(`version ${shown(version)} of the configuration must be ${tables.version}.`);
    code("algorithm", options.algorithm);
    const o = { ...tables.defaults[options.algorithm] };
    for (const [name, value] of Object.entries(options)) {
      if (!Object.hasOwn(o, name)) refuse(`option ${name} is unknown.`);
      if (name === "prior" || isGiven(value)) o[name] = value;
    }
    for (const [name, bound] of Object.entries(tables.options)) if (isGiven(o[name])) bounded(name, o[name], bound);
    if (isGiven(o.options)) refuse("options of an algorithm's own are not computed in a browser; leave them out.");
    must(!(o.temperature > 0 && o.temperature < limits.lowest_temperature), "temperature", o.temperature, `0 or at least ${limits.lowest_temperature}`);
    if (o.algorithm === "gibbs") {
      const most = o.n_sweeps - o.burn_in;
      must(most > 0, "burn_in", o.burn_in, `smaller than n_sweeps = ${o.n_sweeps}, which includes it`);
      must(o.thin <= most, "thin", o.thin, `at most n_sweeps − burn_in = ${most}, so that one draw is kept`);
    }
    return o;
  }
  function checkModel(o, N) {
    for (const name of ["family", "prior"]) if (o[name] === "auto") refuse(`${name} = 'auto' has to be chosen first: give a ${name}, or the configuration that a run returned.`);
    must(!isGiven(o.prior) || isPlain(o.prior), "prior", o.prior, "null or an object of hyperparameters");
    if (o.split_merge && o.temperature !== 1) refuse(`split_merge = ${shown(o.split_merge)} needs temperature = 1.`);
    for (const [name, value] of Object.entries(tables.only)) if (JSON.stringify(o[name] ?? null) !== JSON.stringify(value)) refuse(`${name} = ${shown(o[name])} is not computed in a browser; ${value ? `use '${value}'` : "leave it out"}.`);
    code("family", o.family);
    checkPartition(o, N);
  }
  function pointsOf(X) {
    const flat = X?.values !== void 0 && !Array.isArray(X), number = (cell) => typeof cell === "number" ? cell : NaN;
    const [nPoints, nFeatures] = flat ? [X.nPoints, X.nFeatures] : [X?.length, X?.[0]?.length];
    if (![nPoints, nFeatures].every((n) => isWhole(n) && n > 0)) refuse("X is empty; it needs at least one point and one feature.");
    const values = new Float64Array(nPoints * nFeatures);
    const put = (what, cells, length, place) => {
      sized(what, cells, length, `cells; it must have ${length}`);
      values.set(ArrayBuffer.isView(cells) ? cells : Array.from(cells, number), place);
    };
    if (flat) put("X", X.values, values.length, 0);
    else for (let i = 0; i < nPoints; i += 1) put(`row ${i} of X`, X[i], nFeatures, i * nFeatures);
    const wrong = values.findIndex((cell) => !isNumber(cell, limits.largest_value));
    if (wrong >= 0) refuse(`row ${Math.floor(wrong / nFeatures)}, column ${wrong % nFeatures} of X is missing or no number of at most ${limits.largest_value}.`);
    return { values, nPoints, nFeatures, columns: X.columns };
  }
  function startOf2(o, { nPoints: N, nFeatures: D }, nClusters) {
    const { init, algorithm } = o, most = MODELS.includes(algorithm) ? o.partition?.n_components ?? N : N;
    const beginning = (start, K2) => {
      if (K2 > N) refuse(`${K2} clusters are more than the ${N} points of X; choose fewer.`);
      if (K2 > most) refuse(`the start has ${K2} clusters, but the partition prior allows at most ${most}; raise n_components or start with fewer.`);
      return start;
    };
    if (!isList(init)) {
      const offered = tables.starts[algorithm];
      if (!offered.includes(init)) refuse(`init = ${shown(init)} is no start of ${algorithm}; it must be one of ${offered.join(", ")}.`);
      if (init === "auto" && algorithm === "mapdp" && N > limits.most_searched) refuse(`${N} points are searched by a sample first, which is not computed in a browser; take at most ${limits.most_searched}.`);
      return beginning(init, init === "singletons" ? N : TEMPERED.includes(init) && nClusters || 1);
    }
    const centres = isList(init[0]), fixed = algorithm === "kmeans";
    if (centres && !fixed) refuse("init = centres is a start of kmeans only; give labels.");
    if (!centres) sized("init", init, N, `labels for ${N} points; give one label per point`);
    everyOne("init", init, centres ? (value) => isRow(value, D, limits.largest_value) : isWhole, centres ? `${D} numbers` : "a whole number");
    const K = centres ? init.length : new Set(init).size;
    if (fixed && K !== o.n_clusters) refuse(`init has ${K} clusters, but n_clusters = ${o.n_clusters}; give n_clusters = ${K}.`);
    return beginning(centres ? "centres" : "labels", K);
  }
  function hyperparameter(name, value, { vector, matrix, bound }, N, D) {
    const what = `prior[${shown(name)}]`, length = vector ? D : matrix ? D * D : 1;
    const given = [value].flat(2).flatMap((x) => ArrayBuffer.isView(x) ? Array.from(x) : x);
    const numbers = vector && given.length === 1 ? Array(D).fill(given[0]) : given;
    sized(what, numbers, length, `numbers; it must have ${length}`);
    numbers.forEach((x) => bounded(what, x, bound, N, D));
    return matrix ? definite(what, numbers, D) : numbers;
  }
  function definite(what, matrix, D) {
    const symmetric = matrix.map((x, position) => {
      const mirrored = matrix[position % D * D + Math.floor(position / D)];
      if (!(Math.abs(x - mirrored) <= 1e-8 * Math.abs(mirrored))) refuse(`${what} is not symmetric; give a symmetric positive definite matrix.`);
      return (x + mirrored) / 2;
    });
    const root = (d) => Math.sqrt(symmetric[d * (D + 1)]), rest = symmetric.map((x, position) => x / root(Math.floor(position / D)) / root(position % D));
    for (let k = 0; k < D; k += 1) {
      if (!(rest[k * D + k] > 1e-13)) refuse(`${what} is not positive definite; add a small multiple of its diagonal.`);
      for (let row = k + 1; row < D; row += 1) for (let column2 = k + 1; column2 < D; column2 += 1) rest[row * D + column2] -= rest[row * D + k] * rest[k * D + column2] / rest[k * D + k];
    }
    return symmetric;
  }
  function checkPartition({ partition }, N) {
    if (!isPlain(partition)) refuse(`partition = ${shown(partition)} has to be chosen first: give an object with its kind.`);
    const { kind, ...given } = partition, lowest = -(given.discount ?? 0);
    placeIn(Object.keys(partitions), kind, "partition");
    for (const name of Object.keys(given)) if (!Object.hasOwn(partitions[kind], name)) refuse(`partition.${name} is no parameter of ${kind}.`);
    for (const [name, bound] of Object.entries(partitions[kind])) {
      if (bound) bounded(`partition.${name}`, given[name], bound, N);
      else checkGrowth(given[name], N);
    }
    must(given.concentration > lowest, "partition.concentration", given.concentration, `more than -discount = ${lowest}`);
    const recursive = given.log_g || given.power < 1;
    if (recursive && N > limits.most_recursive) refuse(`partition = ${kind} takes at most ${limits.most_recursive} points; X has ${N}.`);
  }
  function checkGrowth(values, N) {
    if (!isList(values) || values.length < N) refuse(`partition.log_g has ${shown(values?.length)} values; it must have one per point, ${N}.`);
    const seen = values.slice(0, N);
    everyOne("partition.log_g", seen, (x) => isNumber(x), "a finite number");
    const fall = seen.findIndex((x, n) => n > 0 && x < seen[n - 1] - 1e-12 * Math.max(1, Math.abs(x)));
    if (fall > 0) must(false, `partition.log_g[${fall}]`, seen[fall], `at least the one before, ${seen[fall - 1]}`);
  }
  function lawsOf(o, N) {
    const laws = o.hyperpriors ?? {}, law = o.partition, numbers = {};
    must(isPlain(laws), "hyperpriors", laws, "null or an object of laws");
    if (Object.keys(laws).length === 0) return numbers;
    if (o.algorithm !== "gibbs" || o.temperature !== 1) refuse("hyperpriors are learned by gibbs at temperature = 1 only.");
    if (N < 2) refuse("hyperpriors need two points.");
    const { most, supports } = learned[law.kind];
    if (N > most) refuse(`hyperpriors of ${law.kind} take at most ${most} points; X has ${N}.`);
    for (const [name, text] of Object.entries(laws)) {
      if (!Object.hasOwn(supports, name)) refuse(`hyperpriors[${shown(name)}] is no parameter of ${law.kind} that is learned; these are ${Object.keys(supports).join(", ")}.`);
      const [place, prefix] = name === "concentration" ? ["law", "law_"] : ["second_law", "second_"];
      const { kind, parts } = lawOf(`hyperpriors[${shown(name)}]`, text, supports[name], law[name]);
      numbers[place] = kind;
      for (const [part, number] of Object.entries(parts)) numbers[prefix + part] = number;
    }
    return numbers;
  }
  const LAW = new RegExp(`^${tables.laws.text}$`, "i");
  function lawOf(what, text, [lower, upper], start) {
    const found = typeof text === "string" && text.length <= tables.laws.longest ? LAW.exec(text)?.groups : null;
    if (!found) refuse(`${what} = ${shown(text)} must be a law such as gamma(1,0.3), beta(1,3) or 1+gamma(1,10).`);
    const { name, origin, ...numbers } = found, kind = code("law", name.toLowerCase(), what);
    const parts = Object.fromEntries(Object.entries(numbers).map(([part, number]) => [part, bounded(what, Number(number), tables.laws.parameter)]));
    parts.origin = origin === void 0 ? NaN : bounded(what, Number(origin), tables.laws.origin);
    const low = parts.origin || 0, high = codes.law[kind] === "beta" ? low + 1 : Infinity, most = upper ?? Infinity;
    must(lower <= low && high <= most, what, text, `a law of numbers from ${lower} to ${most}`);
    if (!(low < start && start < high)) refuse(`${what} = ${shown(text)} does not hold ${start}, where the chain begins.`);
    return { kind, parts };
  }
  function labelsOf(labels, N, gaps, rows = 1) {
    sized("labels", labels, N * rows, `entries for ${N} points${rows === 1 ? "" : ` and ${rows} partitions`}`);
    everyOne("labels", labels, (label) => isWhole(label) && label >= 0 && label < N, `a whole number from 0 to ${N - 1}`);
    const all = Int32Array.from(labels), counts = Array.from({ length: rows }, (_, row) => {
      const seen = new Uint8Array(N);
      for (let i = row * N; i < (row + 1) * N; i += 1) seen[all[i]] = 1;
      const K = seen.lastIndexOf(1) + 1, absent = seen.indexOf(0);
      if (!gaps && absent >= 0 && absent < K) refuse(`labels leave out ${absent}; number the clusters 0 to ${seen.reduce((sum2, one) => sum2 + one) - 1}.`);
      return K;
    });
    return { labels: all, counts };
  }
  function axesOf(plane, D) {
    const unit = (k) => Array.from({ length: D }, (_, d) => Number(d === k));
    const { directions = [unit(0), unit(1)], origin = Array(D).fill(0) } = plane ?? {};
    const rows = isList(directions) ? [...directions, origin] : [];
    if (rows.length !== 3 || !rows.every((row) => isRow(row, D))) refuse(`a plane must have two directions and an origin of ${D} finite numbers.`);
    return Float64Array.from(rows.flatMap((row) => Array.from(row)));
  }
  return { axesOf, MODELS, TEMPERED, between, bounded, checkModel, code, hyperparameter, labelsOf, lawsOf, optionsOf, pointsOf, shown, startOf: startOf2 };
}

// browser/loader.js
function dpvizWorker(tables, checksOf) {
  const { settings: NAMES2, places: PLACES, row: ROW, summary: SUMMARY, shape: SHAPE, limits } = tables;
  let compiled = null, instance = null;
  let kept = null;
  class Refused extends Error {
  }
  const refuse = (sentence2) => {
    throw new Refused(sentence2);
  };
  const check = checksOf(tables, refuse);
  function writePrior(o, { nPoints: N, nFeatures: D }, numbers, blocks) {
    const known = PLACES[o.family];
    for (const [name, value] of Object.entries(o.prior ?? {})) {
      if (name === "width") {
        numbers.width = check.bounded('prior["width"]', value, tables.width);
        continue;
      }
      if (!Object.hasOwn(known, name)) refuse(`prior[${check.shown(name)}] is not a hyperparameter of ${o.family}.`);
      blocks[known[name].block].set(check.hyperparameter(name, value, known[name], N, D));
    }
  }
  function numbersOf(o, points, start, nClusters) {
    const { partition: law, algorithm, temperature } = o, { nPoints, nFeatures: D } = points, given = { ...o, ...law };
    const once = start !== "auto" && !check.TEMPERED.includes(start) && o.order === "index" && !temperature;
    const [constant, slope, bend] = tables.operations[o.family] ?? [NaN, NaN, NaN];
    return {
      ...Object.fromEntries(NAMES2.map((name) => [name, typeof given[name] === "number" ? given[name] : NaN])),
      algorithm: check.code("algorithm", algorithm),
      n_points: nPoints,
      n_features: D,
      start: check.code("start", start, "init"),
      n_clusters: nClusters,
      n_starts: once ? 1 : o.n_init ?? 1,
      order: check.code("order", o.order),
      max_sweeps: algorithm === "gibbs" ? o.n_sweeps : o.max_sweeps,
      temperature: temperature ?? 0,
      one_point: Number(o.first_sweep === "one_point"),
      until_birth: Number(o.sweep === "until_birth"),
      split_merge: o.split_merge ?? 0,
      effort: o.effort ?? 0,
      operations: constant + slope * D + bend * D * D,
      partition: check.MODELS.includes(algorithm) ? check.code("partition", law.kind) : NaN,
      second: law?.discount ?? law?.power ?? NaN
    };
  }
  function pointsIn({ X, table }) {
    if (table === void 0) return check.pointsOf(X);
    if (kept?.table !== table) throw new Error("the points are no longer here.");
    return kept.points ??= check.pointsOf(kept.X);
  }
  function prepared(message) {
    const o = check.optionsOf(message.config), points = pointsIn(message), { values, nPoints: N, nFeatures: D } = points;
    const hasModel2 = check.MODELS.includes(o.algorithm);
    if (hasModel2) check.checkModel(o, N);
    else if (points.columns) refuse(`${o.algorithm} takes distances, and has no use for columns that are each of its own kind; take mapdp or gibbs.`);
    const nClusters = (o.algorithm === "kmeans" ? o.n_clusters : o.init_clusters) ?? NaN;
    const start = check.startOf(o, points, nClusters), numbers = numbersOf(o, points, start, nClusters);
    const empty = (length) => new Float64Array(length).fill(NaN);
    const parts = { X: values, location: empty(D), weight: empty(1), shape: empty(1), spread: empty(D * D), between: empty(D * D), labels: empty(N), growth: empty(N), centres: [] };
    if (start === "labels") {
      const order = new Map([...new Set(o.init)].sort((a, b) => a - b).map((label, k) => [label, k]));
      parts.labels.set(Array.from(o.init, (label) => order.get(label)));
    }
    if (start === "centres") parts.centres = Array.from(o.init, (centre) => Array.from(centre)).flat();
    if (hasModel2) {
      writePrior(o, points, numbers, parts);
      if (o.partition.kind === "generalized") parts.growth.set(o.partition.log_g.slice(0, N));
      Object.assign(numbers, check.lawsOf(o, N));
    }
    const written2 = Object.values(parts), whole2 = new Float64Array(written2.reduce((sum2, { length }) => sum2 + length, 0));
    let place = 0;
    for (const part of written2) {
      whole2.set(part, place);
      place += part.length;
    }
    return {
      N,
      D,
      of: hasModel2 ? o.family : tables.centres,
      rows: numbers.max_sweeps + 1,
      starts: numbers.n_starts,
      hasModel: hasModel2,
      given: [Float64Array.from(NAMES2, (name) => numbers[name]), whole2, ...points.columns ? [points.columns] : []]
    };
  }
  async function called(name, run, given, answer2, goesOn = null) {
    instance ??= new WebAssembly.Instance(compiled, {});
    const { memory, reserve, release } = instance.exports, taken = [], filled2 = [];
    const lent = (content) => {
      const address = reserve(Math.max(8, content.byteLength));
      if (!address) throw new Error("the memory of the page does not suffice.");
      taken.push(address);
      const own2 = () => new content.constructor(memory.buffer, address, content.length);
      if (!content.filled) own2().set(content);
      filled2.push({ read: (from = 0, to = content.length) => own2().slice(from, to) });
      return [address, content.length];
    };
    try {
      const numbers = [...run.given, ...given].flatMap((one) => typeof one === "number" ? one : lent(one));
      const ask = (...most) => instance.exports[`${name}_${run.of}`](...numbers, ...most);
      const arrays = filled2.slice(run.given.length);
      let status = goesOn ? ask(tables.slice) : ask();
      while (goesOn && status > 0) {
        const wanted = await goesOn(...arrays);
        status = ask(wanted ? tables.slice : -1);
        if (!wanted) refuse("cancelled.");
      }
      if (status === tables.ended) refuse("the run ended before this sweep.");
      if (status < 0) throw new Error("the engine stopped.");
      return answer2(status, ...arrays);
    } catch (error) {
      if (!(error instanceof Refused)) instance = null;
      throw error;
    } finally {
      if (instance) taken.forEach(release);
    }
  }
  const room = (Type, length) => ({ constructor: Type, length, byteLength: length * Type.BYTES_PER_ELEMENT, filled: true });
  function columns2(table, width, from, to = from + 1, Type = Float64Array) {
    const taken = new Type(table.length / width * (to - from));
    for (let row = 0, place = 0; row < table.length; row += width) for (let c = from; c < to; c += 1) taken[place++] = table[row + c];
    return taken;
  }
  const numbersIn = (summary) => Object.fromEntries(Array.from(summary.read(), (value, place) => [SUMMARY[place], value]));
  async function whole(message, withLabels, goesOn) {
    const run = prepared(message), { rows, N, starts } = run, halves = Math.min(starts, 2);
    if (rows * N > limits.most_labels) refuse(`${N} points over ${rows - 1} sweeps are more than a page keeps (${limits.most_labels} labels); run fewer sweeps.`);
    const rooms = [room(Int32Array, halves * rows * N), room(Float64Array, halves * rows * ROW.length), new Float64Array(SUMMARY.length), room(Float64Array, tables.kept)];
    const answer2 = await called("run", run, rooms, (_, labels, record, summary) => {
      const { n_rows: n, chosen_start: chosenStart, converged, writing } = numbersIn(summary), first = (1 - writing) * rows, last2 = n - 1;
      const table = record.read(first * ROW.length, (first + n) * ROW.length), partitions = (row) => labels.read((first + row) * N, (first + n) * N);
      const sweeps2 = Object.fromEntries(ROW.map((name, place) => [name, columns2(table, ROW.length, place)]));
      if (run.hasModel && !sweeps2.nll.every(Number.isFinite)) refuse("the nll of this run is no number: its hyperparameters and its data are too far apart.");
      if (withLabels) sweeps2.labels = partitions(0);
      return {
        labels: partitions(last2),
        nll: sweeps2.nll[last2],
        n_clusters: sweeps2.n_clusters[last2],
        n_sweeps: last2,
        chosen_start: chosenStart,
        converged: Boolean(converged),
        sweeps: sweeps2
      };
    }, (_labels, _rows, summary) => goesOn(numbersIn(summary)));
    const { sweeps } = answer2;
    if (withLabels && message.plane !== void 0) sweeps.shapes = await shapesOf2(run, sweeps.labels, sweeps.n_sizes, message.plane);
    return answer2;
  }
  function scores2(message) {
    const run = prepared(message), { N } = run, { point } = message;
    if (!run.hasModel) refuse("this algorithm has no model, so that it scores no point.");
    const { labels, counts: [K] } = check.labelsOf(message.labels, N, false);
    check.between("point", point, 0, N - 1, "");
    return called(
      "scores",
      run,
      [labels, point, room(Float64Array, 2 * K + 2)],
      (_, _labels, found) => ({ log_predictive: found.read(0, K + 1), log_weight: found.read(K + 1) })
    );
  }
  function places2(message) {
    const run = prepared(message), { N, D, hasModel: hasModel2 } = run, where = check.pointsOf(message.where);
    if (where.nFeatures !== D) refuse(`places have ${where.nFeatures} columns; they must have ${D}, as X has.`);
    const { labels, counts: [K] } = check.labelsOf(message.labels, N, !hasModel2), P = where.nPoints;
    return called("places", run, [labels, where.values, room(Float64Array, (P + 1) * (K + 1)), room(Float64Array, 3 * P)], (count, _labels, _where, found, taken) => {
      const table = taken.read(), [takers, margins, costs] = [Int32Array, Float64Array, Float64Array].map((Type, c) => columns2(table, 3, c, c + 1, Type));
      return { log_predictive: found.read(0, P * count), log_weight: found.read(P * count, (P + 1) * count), takers, margins, costs };
    });
  }
  function shapesOf2(run, labels, counts, plane) {
    const size = counts.reduce((sum2, K) => sum2 + Math.min(K, limits.most_shapes), 0), width = SHAPE.length;
    return called("shapes", run, [labels, check.axesOf(plane, run.D), room(Float64Array, size * width), new Int32Array(counts.length + 1)], (count, _labels, _plane, found, offsets) => {
      const table = found.read(0, count * width), part = (from, to, Type) => columns2(table, width, from, to, Type);
      return { offsets: offsets.read(), labels: part(0, 1, Int32Array), centers: part(1, 3), scales: part(3, 6), factors: part(6, 8) };
    });
  }
  function shapes(message) {
    const run = prepared(message), { N } = run, rows = Math.max(1, Math.ceil((message.labels?.length ?? 0) / N));
    const { labels, counts } = check.labelsOf(message.labels, N, true, rows);
    return shapesOf2(run, labels, counts, message.plane);
  }
  async function visits(message) {
    const run = prepared(message), { N, rows, starts } = run, { start, sweep } = message;
    check.between("start", start, 0, starts - 1);
    check.between("sweep", sweep, 1, rows - 1);
    const most = Math.min(N, limits.most_visits);
    const asked = (width2) => called(
      "visits",
      run,
      [start, sweep, room(Int32Array, 3 * most), room(Int32Array, most * width2), room(Float64Array, most * width2), room(Float64Array, most)],
      (count2, ...filled2) => [count2, ...filled2.map((array) => array.read())]
    );
    let width = 32, [count, ...found] = await asked(width);
    if (count * most > limits.most_costs) refuse(`${count} clusters are more than visits are shown of.`);
    if (count > width) [count, ...found] = await asked(width = count);
    const [visited2, candidates2, costs, nll] = found, end = visited2.indexOf(tables.padding), n = end < 0 ? most : end / 3;
    const [points, from, to] = [0, 1, 2].map((c) => columns2(visited2.subarray(0, 3 * n), 3, c, c + 1, Int32Array));
    const narrow = (array) => columns2(array.subarray(0, n * width), width, 0, count, array.constructor);
    return { points, from, to, width: count, candidates: narrow(candidates2), costs: narrow(costs), nll: run.hasModel ? nll.slice(0, n) : null };
  }
  const answers = { run: (message, goesOn) => whole(message, true, goesOn), last: (message, goesOn) => whole(message, false, goesOn), scores: scores2, places: places2, shapes, visits };
  async function load({ compiled: given }) {
    compiled = given;
    const X = Array.from({ length: 40 }, (_, i) => [i % 7, i * i % 11]);
    for (const config of tables.first) await whole({ config, X }, false, () => true);
  }
  const buffers = (value) => ArrayBuffer.isView(value) ? [value.buffer] : value && typeof value === "object" ? Object.values(value).flatMap(buffers) : [];
  const { port1: here, port2: there } = new MessageChannel();
  const others = () => new Promise((heard) => {
    here.onmessage = heard;
    there.postMessage(null);
  });
  let cancelled = 0, last = Promise.resolve();
  async function answer(message, send) {
    const { kind, id, table, X } = message;
    if (table !== void 0 && X !== void 0) kept = { table, X };
    const goesOn = async ({ stage, share, score: nll }) => {
      if (stage === tables.searches) send({ kind: "searching", id, told: { share, nll } });
      await others();
      return id > cancelled;
    };
    try {
      if (kind === "load") {
        await load(message);
        send({ kind: "ready" });
      } else if (id > cancelled) {
        const found = await answers[kind](message, goesOn);
        send({ kind: "done", id, answer: found }, buffers(found));
      }
    } catch (error) {
      send({ kind: error instanceof Refused ? "refused" : "failed", id, reason: String(error.message ?? error) });
    }
  }
  return (message, send) => {
    if (message.kind === "cancel") {
      cancelled = message.id;
      send({ kind: "heard" });
    } else last = last.then(() => answer(message, send));
    return last;
  };
}
var dpvizCompiled = /* @__PURE__ */ new WeakMap();
var dpvizSources = /* @__PURE__ */ new WeakMap();
function dpvizSourceOf(tables) {
  if (!dpvizSources.has(tables)) {
    const source = `const answer = (${dpvizWorker})(${JSON.stringify(tables)}, ${dpvizChecks});onmessage = ({ data }) => answer(data, (...reply) => postMessage(...reply));`;
    dpvizSources.set(tables, URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  }
  return dpvizSources.get(tables);
}
var DpvizTable = class {
  name = 0;
  X = null;
  /* The part of a message that says which points are meant. Rows as arrays are sent every time. */
  written(X) {
    if (!(X?.values instanceof Float64Array)) return { X };
    const { values, nPoints, nFeatures, columns: columns2 } = X;
    return this.holds(X) ? { table: this.name } : { table: this.name + 1, X: { values, nPoints, nFeatures, columns: columns2 } };
  }
  /* They may have changed where they are: every number is compared with what was sent. */
  holds(X) {
    const { values, nPoints, nFeatures } = this.X ?? {};
    return values?.length === X.values.length && nPoints === X.nPoints && nFeatures === X.nFeatures && values.every((x, place) => Object.is(x, X.values[place]));
  }
  sent({ table, X }) {
    if (table !== void 0 && X !== void 0) Object.assign(this, { name: table, X: { ...X, values: X.values.slice() } });
  }
};
var dpvizPatience = 1500;
function dpvizEngine(bytes, tables = dpvizTables) {
  const names = { refused: "Refused", failed: "Failed", cancelled: "Cancelled" };
  const waiting = /* @__PURE__ */ new Map();
  let worker = null, loaded = null, table = null, last = 0, ready = false, hearing = null;
  const named = (kind, reason) => Object.assign(new Error(reason), { name: names[kind] });
  const fail = (kind, reason) => {
    for (const { reject } of waiting.values()) reject(named(kind, reason));
    waiting.clear();
  };
  const stop = () => {
    clearTimeout(hearing);
    worker?.terminate();
    worker = loaded = hearing = null;
  };
  function begin() {
    if (typeof WebAssembly !== "object") throw named("failed", "this browser has no WebAssembly.");
    const begun = new Worker(dpvizSourceOf(tables));
    worker = begun;
    ready = false;
    table = new DpvizTable();
    begun.onmessage = ({ data }) => {
      if (data.kind === "ready") ready = true;
      if (data.kind === "heard") {
        clearTimeout(hearing);
        hearing = null;
      }
      if (data.id === void 0) {
        if (data.reason !== void 0) ended(data.reason);
        return;
      }
      const { resolve, reject, told } = waiting.get(data.id) ?? {};
      if (data.kind === "searching") {
        told?.(data.told);
        return;
      }
      waiting.delete(data.id);
      if (data.kind === "done") resolve?.(data.answer);
      else reject?.(named(data.kind, data.reason));
    };
    const ended = (reason) => {
      if (worker === begun) {
        stop();
        fail("failed", reason);
      }
    };
    begun.onerror = (event) => ended(event.message ?? "the Worker died.");
    begun.onmessageerror = () => ended("an answer could not be read.");
    if (!dpvizCompiled.has(bytes)) dpvizCompiled.set(bytes, WebAssembly.compile(bytes));
    loaded = dpvizCompiled.get(bytes).then((compiled) => begun.postMessage({ kind: "load", compiled }));
    loaded.catch((error) => {
      dpvizCompiled.delete(bytes);
      ended(String(error.message));
    });
  }
  function post(id) {
    const asked = worker, known = table;
    loaded.then(() => {
      if (!waiting.has(id) || worker !== asked) return;
      const { message, reject } = waiting.get(id);
      try {
        const points = known.written(message.X);
        asked.postMessage({ ...message, X: void 0, ...points, id });
        known.sent(points);
      } catch (error) {
        waiting.delete(id);
        reject(named("refused", String(error.message)));
      }
    }, () => {
    });
  }
  const ask = (message, told) => new Promise((resolve, reject) => {
    try {
      if (!worker) begin();
    } catch (error) {
      reject(error);
      return;
    }
    waiting.set(++last, { resolve, reject, told, message });
    post(last);
  });
  function replace() {
    stop();
    begin();
    for (const id of waiting.keys()) post(id);
  }
  function cancel() {
    if (waiting.size > 0 && worker) {
      worker.postMessage({ kind: "cancel", id: last });
      if (ready) hearing ??= setTimeout(replace, dpvizPatience);
    }
    fail("cancelled", "the run was cancelled.");
  }
  const withSizes = (answer) => {
    const { labels: { length: N }, sweeps } = answer;
    sweeps.sizes = (row) => sweeps.labels.subarray(row * N, (row + 1) * N).reduce((sizes, label) => {
      sizes[label] += 1;
      return sizes;
    }, new Int32Array(sweeps.n_sizes[row]));
    return answer;
  };
  const asking = (kind, ...names2) => (config, X, ...given) => ask({ kind, config, X, ...Object.fromEntries(names2.map((name, place) => [name, given[place]])) });
  try {
    begin();
  } catch {
    worker = null;
  }
  return {
    run: (config, X, plane, told) => ask({ kind: "run", config, X, plane }, told).then(withSizes),
    last: asking("last"),
    scores: asking("scores", "labels", "point"),
    places: asking("places", "labels", "where"),
    shapes: asking("shapes", "labels", "plane"),
    visits: asking("visits", "start", "sweep"),
    cancel,
    close: () => {
      stop();
      fail("cancelled", "the engine was closed.");
    }
  };
}

// stage/dice.js
var Dice = class {
  // `engines`: of the stage; `choose(seed)`: a seed was pressed.
  constructor(node, engines, choose) {
    Object.assign(this, { node, engines, choose, round: 0, rolling: false });
  }
  // The twenty seeds among which the present one is.
  seedsAround(seed, count) {
    const first = Math.min(Math.floor(seed / count) * count, 2 ** 32 - count);
    return Array.from({ length: count }, (_, k) => first + k);
  }
  // Throw for every panel: [{ title, given, points, nGroups, configuration(seed) }]; `given`: the number of clusters is not
  // found; `nGroups`: of the data, or null.
  async roll(panels, seed, count) {
    this.round += 1;
    this.rolling = true;
    const round2 = this.round;
    const seeds = this.seedsAround(seed, count);
    const rows = panels.map((panel) => this.strip(panel, seeds, seed));
    this.node.classList.remove("old");
    this.node.replaceChildren(element("h2", { text: sayCount("live.n_seeds", count) }), ...rows.map((row) => row.node));
    for (const row of rows) {
      const { points, nGroups, given, configuration } = row.panel;
      for (const [k, one] of seeds.entries()) {
        const found = await this.engines.aside.last(configuration(one), points).catch((error) => error);
        if (round2 !== this.round) return;
        if (found instanceof Error) {
          row.words.textContent = found.name === "Cancelled" ? "" : found.message;
          break;
        }
        row.show(k, found.n_clusters, given ? null : nGroups);
      }
    }
    this.rolling = false;
  }
  // What is said of other settings than those of now steps back.
  cancel() {
    if (this.rolling) this.engines.aside.cancel();
    this.round += 1;
    this.rolling = false;
    this.node.classList.add("old");
  }
  strip(panel, seeds, seed) {
    const words = element("span", { class: "words" });
    const counts = [], chance2 = drawsNothing(panel.configuration(seed)) ? ` (${say("live.no_chance")})` : "";
    const buttons = seeds.map((one) => {
      const button = element("button", { type: "button", text: "·", "aria-label": say("live.seed", { seed: one }), title: say("live.seed", { seed: one }) });
      if (one === seed) button.setAttribute("aria-current", "true");
      button.addEventListener("click", () => this.choose(one));
      return button;
    });
    const show2 = (k, n, nGroups) => {
      counts.push(n);
      buttons[k].textContent = n;
      buttons[k].setAttribute("aria-label", sayCount("live.seed_found", n, { seed: seeds[k] }));
      buttons[k].classList.toggle("right", n === nGroups);
      words.textContent = panel.given ? say("live.given") : sayCounts(counts, nGroups) + chance2;
    };
    const node = element(
      "div",
      { class: "strip" },
      element("p", {}, `${panel.title}: `, words),
      element("div", { class: "seeds", role: "group", "aria-label": say("live.seeds_of", { title: panel.title }) }, ...buttons)
    );
    return { panel, node, words, show: show2 };
  }
};
function drawsNothing({ algorithm, init = "single", order = "index" }) {
  return algorithm === "dpmeans" && order === "index" && ["single", "singletons", "sequential"].includes(init);
}
function sayCounts(counts, nGroups) {
  if (nGroups !== null) {
    const right = counts.filter((n) => n === nGroups).length;
    return say("live.right_number", { groups: nGroups, right, all: counts.length });
  }
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return low === high ? say("live.same_k", { k: low, all: counts.length }) : say("live.k_range", { low, high, all: counts.length });
}

// stage/frames.js
var EveryFrame = class {
  constructor(draw) {
    Object.assign(this, { draw, request: null, again: false });
  }
  ask() {
    if (this.request !== null) this.again = true;
    else this.act();
  }
  act() {
    this.again = false;
    this.request = requestAnimationFrame(() => {
      this.request = null;
      if (this.again) this.act();
    });
    this.draw();
  }
};

// stage/prices.css
var prices_default = ".contest { line-height: 1.4; }\n.contest .candidate { display: flex; justify-content: space-between; gap: 1em; overflow-wrap: anywhere; }\n.contest .candidate b { white-space: nowrap; }\n.contest .bars { display: flex; align-items: center; border-left: 1px solid; min-width: 0; }\n.contest .bars span { margin-left: 5px; color: light-dark(#31333f, #fafafa); white-space: nowrap; }\n.contest .bars i, .contest .looks i { flex: none; box-sizing: border-box; height: 0.8em; background: currentColor; border: 2px solid; }\n.contest i.seat { background: repeating-linear-gradient(135deg, currentColor 0 2px, transparent 2px 7px); }\n.contest .looks { margin: 0.6em 0 0.2em; }\n.contest .looks i { display: inline-block; width: 1em; height: 0.7em; margin-right: 0.4em; }\n";

// stage/prices.js
var WITHOUT_MODEL = { kmeans: "live.no_prices_of_kmeans", dpmeans: "live.no_prices_of_dpmeans" };
var MOST_BARS = 4;
var EDGE = 12;
var PARTS2 = ["place", "seat"];
var hasModel = ({ algorithm }) => !(algorithm in WITHOUT_MODEL);
var Prices = class {
  // `engines`: of the stage.
  constructor(node, engines) {
    Object.assign(this, { node, engines, theme: null, chosen: null, ticket: null });
  }
  clear() {
    Object.assign(this, { chosen: null, ticket: null });
    this.node.replaceChildren();
  }
  // Resolves to whether an answer is shown, which it is not if another question overtook this one.
  // `run`: { config, points, title }; `tracks` (N) and `labels` (N) of the sweep that is shown; `theme`: of the player.
  async ask(run, point, { sweep, tracks, labels }, theme) {
    const ticket = {};
    Object.assign(this, { chosen: point, theme, ticket });
    const { config, points } = run;
    const head = element("h2", { text: `${say("live.why", { point, cluster: tracks[point] + 1, sweep })} ${run.title.split(" · ").slice(0, 2).join(" · ")}` });
    if (!hasModel(config)) {
      this.node.replaceChildren(head, element("p", { text: say(WITHOUT_MODEL[config.algorithm]) }));
      return true;
    }
    const question = this.engines.prices.ask((engine) => engine.scores(config, points, labels, point));
    const told = await question.then(
      (found) => found && [this.list(found, labels, tracks, tracks[point])],
      (error) => [element("p", { text: say("live.no_prices", { why: error.message }) })]
    );
    if (!told || this.ticket !== ticket) return false;
    this.node.replaceChildren(head, ...told);
    return true;
  }
  // What a cluster asks for the point's place and for its seat, each above the lowest, as the server's bars have it.
  list(found, labels, tracks, own2) {
    const rows = ranked(found, new Map(Array.from(labels, (label, i) => [label, tracks[i]]))), left = rows.length - MOST_BARS;
    const looks = ["live.price_place", "live.price_seat"].map((key, part) => element("div", {}, element("i", { class: PARTS2[part] }), say(key)));
    const more = left > 0 ? `${sayCount("live.cost_more", left)} ` : "";
    return element(
      "div",
      { class: "contest" },
      element("style", { text: prices_default }),
      ...rows.slice(0, MOST_BARS).flatMap((row) => this.row(row, own2)),
      element("div", { class: "looks" }, ...looks),
      element("p", { class: "small", title: say("live.about_prices"), text: `${more}${say("live.shorter_wins")}` })
    );
  }
  row({ track, parts, share }, own2) {
    const { theme } = this, total = parts[0] + parts[1], room = [Math.min(parts[0], EDGE), 0];
    room[1] = Math.min(parts[1], EDGE - room[0]);
    const name = track < 0 ? say("live.new_cluster") : say(track === own2 ? "live.cluster_here" : "live.cluster", { cluster: track + 1 });
    const bars = room.flatMap((length, part) => length > 0 ? [bar(PARTS2[part], length)] : []);
    const line = element("div", { class: "bars" }, ...bars, element("span", { text: `${total > EDGE ? "// " : ""}${formatFixed(total, total < 100 ? 2 : 0)}` }));
    line.style.color = cssColor(track < 0 ? theme.muted : theme.clusterColor(track));
    return [element("div", { class: "candidate" }, element("span", { text: name }), element("b", { text: percentage(share) })), line];
  }
};
function candidates({ log_predictive: places2, log_weight: seats }, trackOf) {
  return Array.from(places2, (place, k) => ({ track: trackOf(k) ?? -1, parts: [-place, -seats[k]] })).filter(({ parts }) => parts.every(Number.isFinite));
}
function ranked(found, tracks) {
  const all = candidates(found, (k) => tracks.get(k));
  for (const part of [0, 1]) {
    const lowest = Math.min(...all.map(({ parts }) => parts[part]));
    for (const { parts } of all) parts[part] -= lowest;
  }
  all.sort((a, b) => sum(a) - sum(b));
  const powers = all.map((row) => Math.exp(sum(all[0]) - sum(row))), total = powers.reduce((before, power) => before + power, 0);
  return all.map((row, k) => ({ ...row, share: powers[k] / total }));
}
function bar(part, nats) {
  const node = element("i", { class: part });
  node.style.width = `calc((100% - 4.5em) * ${(nats / EDGE).toFixed(4)})`;
  return node;
}
var sum = ({ parts: [place, seat] }) => place + seat;
function percentage(share) {
  if (share > 0 && share < 5e-4) return "< 0.1 %";
  if (share >= 0.9995 && share < 1) return "> 99.9 %";
  return `${formatNumber(100 * share, 3)} %`;
}

// stage/controller.js
var AT_REST = 350;
var NEXT_CHANGE = 100;
var MANY = 600;
var MOST_MAPS = 8;
var same2 = (one, other) => one === other || one?.length === other?.length && one.every((track, i) => track === other[i]);
var Stage = class {
  // `host` has
  //   count                 panels in the picture
  //   colors                of clusters, { light, dark }
  //   asks(number, how)     the run of a panel: { config, points, id, still, title } (`id`: the same for the same points,
  //                         `still`: its panel without a run), and perhaps
  //                           reference, or else before    tracks (N) that colours agree with
  //                           key        for a run whose answer is kept until it or the configuration changes
  //                           draft      it is less than the whole run
  //                           shortened  words for its title, if it has only one of several starts
  //                           instead    a configuration that is shown in its place where it ends lower
  //                           name, given, nGroups         for twenty seeds
  //                         `how`: { quick, edit, seed, … }, as it is asked for
  //   base(number)          of a panel that has no film: the same, `still` being what is shown; or null
  //   wants(run)            whether a run that was made is still to be shown
  //   ready(), opening()    whether films are shown now, and how they are opened
  //   shown()               a film was opened
  //   searching(run, told)  how far its search is: { share, nll }
  //   failed(error, runs)   they were refused, or their engine failed
  //   further(), rested()   a picture is of what is set now, or nothing changed for a while: what takes longer can begin
  //   edited(number, edits) points were moved or painted; false if that is for the page to answer
  //   explains(number), explained(point)   whether questions about a panel are answered here; an answer is shown
  constructor(host, engines, { prices, dice, choose }) {
    Object.assign(this, { host, engines, player: null, page: null, films: [], known: [], drafts: /* @__PURE__ */ new Set() });
    Object.assign(this, { era: 0, round: 0, mapping: 0, asked: 0, resting: null, later: null });
    this.pictures = new EveryFrame(() => this.draw());
    this.prices = new Prices(prices, engines);
    this.dice = dice ? new Dice(dice, engines, choose) : null;
  }
  get numbers() {
    return Array.from({ length: this.host.count }, (_, number) => number);
  }
  // --- runs ---
  // Something changes: what was begun for what it was before is of no use, unless it is a seed among those that are thrown.
  turn(keepsDice = false) {
    this.round += 1;
    clearTimeout(this.later);
    clearTimeout(this.resting);
    if (this.mapping > 0) this.engines.aside.cancel();
    if (!keepsDice) this.dice?.cancel();
  }
  rest() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.host.rested(), AT_REST);
  }
  // Show runs of panels as soon as they are made; those that are asked for together come together.
  async show(numbers, how = {}) {
    const made = await this.made(numbers, how);
    if (made) this.take(made);
  }
  // What was left out while something moved. Returns the panels.
  finish() {
    const left = [...this.drafts].filter((number) => number < this.host.count);
    for (const number of left) this.show([number], { long: true });
    return left;
  }
  // Resolves to runs with their answers, or to null if they are no longer wanted.
  async made(numbers, how = {}) {
    const runs = numbers.map((number) => this.wanted(number, how)), { era } = this;
    const wants = () => era === this.era && runs.every((run) => this.host.wants(run));
    try {
      const answers = await this.engines.run(numbers[0]).ask((engine) => this.answers(engine, runs), how.long);
      if (answers === null || !wants()) return null;
      this.engines.failures = 0;
      return runs.map((run, k) => ({ ...run, answer: answers[k] }));
    } catch (error) {
      if (wants()) this.host.failed(error, runs);
      return null;
    }
  }
  wanted(number, how) {
    const run = { number, round: this.round, ...this.host.asks(number, how) };
    if (how.quick && run.config.n_init > 1 && run.points.nPoints > MANY) {
      Object.assign(run, { draft: true, config: { ...run.config, n_init: 1 }, title: run.title + (run.shortened ?? "") });
    }
    if (run.draft) this.drafts.add(number);
    else this.drafts.delete(number);
    return run;
  }
  async answers(engine, runs) {
    const found = [];
    for (const run of runs) {
      const key = run.key && JSON.stringify([run.config, run.key]);
      if (!key || this.known[run.number]?.key !== key) {
        const answer = await answered(engine, run, (told) => this.host.searching?.(run, told));
        this.known[run.number] = { key, answer };
      }
      found.push(this.known[run.number].answer);
    }
    return found;
  }
  // No film is shown any more, nor are those that are on their way.
  drop() {
    Object.assign(this, { films: [], era: this.era + 1 });
    this.drafts.clear();
  }
  // --- the picture ---
  take(made) {
    this.put(made);
    this.pictures.ask();
  }
  put(made) {
    for (const film of made) {
      const shown = this.films[film.number];
      if (shown?.id === film.id) film.before = shown.tracks;
      this.compose(film);
      this.films[film.number] = film;
    }
  }
  // Tracks of the first panel, with which a film of the same points agrees.
  firstOf({ number, id }) {
    const first = number > 0 ? this.runAt(0) : null;
    return first?.id === id ? first.tracks ?? lastTracks(first.still) : null;
  }
  // Colours agree with those of the run before in this panel, and with those of the first panel.
  compose(film) {
    const { reference, before } = film;
    film.first = this.firstOf(film);
    const references = (reference ? [reference] : [before, film.first]).filter((tracks) => tracks?.length === film.still.n_points);
    film.panel = pictureOf(film, this.host.colors.light.length, references);
    film.tracks = lastTracks(film.panel);
  }
  // The film of a panel, or what is known of the picture in its place.
  runAt(number) {
    return this.films[number] ?? this.host.base?.(number) ?? null;
  }
  pictureAt(number) {
    return this.films[number]?.panel ?? this.host.base(number).still;
  }
  draw() {
    if (!this.host.ready()) return;
    this.open();
    this.host.shown?.();
    this.askAgain();
    if (this.player.ghost.offered()) this.player.ghost.follow(true);
    clearTimeout(this.later);
    if (this.films.every((film) => film.round === this.round)) this.later = setTimeout(() => this.host.further?.(), NEXT_CHANGE);
  }
  open() {
    for (const film of this.films) if (film && !film.reference && !same2(film.first, this.firstOf(film))) this.compose(film);
    openFilm(this.player, this.numbers.map((number) => this.pictureAt(number)), this.host.colors, this.host.opening());
  }
  // Behind the points: the cluster that would take a place, and the density. The film goes on.
  async map() {
    for (const film of this.films) {
      const { answer, points, number } = film;
      if (!answer.sweeps.shapes || answer.maps || points.nFeatures !== 2) continue;
      this.mapping += 1;
      const maps = await mapped(this.engines.aside, film, MOST_MAPS).catch(() => null);
      this.mapping -= 1;
      if (maps === null) return;
      answer.maps = maps;
      const { player } = this;
      if (this.films[number] !== film || player.run?.panels[number] !== film.panel) return;
      Object.assign(film.panel, mapArrays(maps, answer.sweeps, film.panel));
      player.open({ ...player.opening }, null);
      player.legend.show(legendItems(player.run, this.host.colors.light.length, true));
    }
  }
  // One sweep visit by visit, of the panel that was asked about last.
  async replay() {
    const film = this.films[this.asked] ?? this.films[0];
    if (!film || film.answer.n_sweeps === 0) return;
    const { config, points, answer, number } = film, sweep = Math.max(1, this.at(number).sweep);
    try {
      const found = await this.engines.run(number).ask((engine) => engine.visits(config, points, answer.chosen_start, sweep));
      if (found === null || this.films[number] !== film) return;
      for (const other of this.films) {
        const had = other.visits;
        other.visits = other === film ? { sweep, found } : void 0;
        if (had || other === film) this.compose(other);
      }
      this.open();
      this.player.deck.setSlow(true);
    } catch (error) {
      this.host.failed(error, [film]);
    }
  }
  // --- what is asked about the picture ---
  // A panel at the playhead: { sweep, tracks (N), labels (N) of the same partition, from 0 }.
  at(number) {
    const { run, deck } = this.player, film = this.films[number];
    const sweep = run.sweepAt(number, deck.frame), row = run.rowAt(number, sweep), tracks = run.labelsOfRow(number, row);
    const labels = film ? film.answer.sweeps.labels.slice(row * tracks.length, (row + 1) * tracks.length) : renumbered(tracks);
    return { sweep, tracks, labels };
  }
  // Say why a point is in its cluster. Resolves to whether an answer is shown.
  async explain(number, point) {
    const run = this.runAt(number);
    if (!run?.config || point >= run.points.nPoints || this.host.explains?.(number) === false) return false;
    this.asked = number;
    const told = await this.prices.ask(run, point, this.at(number), this.player.theme);
    if (told) this.host.explained?.(point);
    return told;
  }
  // At another sweep, or of other runs: the point that was asked about is asked about again.
  askAgain() {
    if (this.prices.chosen !== null) this.explain(this.asked, this.prices.chosen);
  }
  // Whether it is known here how clusters pull at a place of the plane.
  weighs(number) {
    const run = this.runAt(number);
    return Boolean(run?.config && hasModel(run.config) && run.still.plane && run.points.nFeatures === 2);
  }
  // Tell how strongly clusters pull at the ghost point.
  weigh({ panel: number, x, y }) {
    const { player } = this, { sweep, tracks, labels } = this.at(number);
    const tell = (pulls) => player.ghost.at && player.ghost.tell({ sweep, pulls });
    if (!this.weighs(number)) return tell([]);
    const { config, points, still } = this.runAt(number), [spot] = spotsOf(still, [{ x, y }]);
    return this.engines.places.ask((engine) => engine.places(config, points, labels, [spot])).then((found) => found && tell(pullsOf(found, labels, tracks, points.rowNats)), () => tell([]));
  }
  // Throw twenty seeds for panels, of which the present one is among them. `how`: as of `asks`.
  roll(numbers, seed, count, how = {}) {
    const strips = numbers.map((number) => {
      const { name, given, points, nGroups } = this.host.asks(number, how);
      return { title: name, given, points, nGroups, configuration: (one) => this.host.asks(number, { ...how, seed: one }).config };
    });
    return this.dice.roll(strips, seed, count);
  }
  // Hear what the player tells; of a picture of the page's own the page hears it, too.
  listen() {
    const { player } = this;
    if (player.channel?.stage) return;
    this.page = player.channel;
    const tells = (kind) => (name, value) => this.hear(name, value) || this.page?.[kind](name, value);
    player.channel = { stage: this, setStateValue: tells("setStateValue"), setTriggerValue: tells("setTriggerValue") };
  }
  hear(name, value) {
    if (name === "moved" || name === "painted") {
      const edits = name === "moved" ? [{ point: value.index, x: value.x, y: value.y }] : value.places.map(([x, y]) => ({ x, y }));
      if (this.host.edited(value.panel, edits)) return true;
    }
    if (this.films.length === 0) return false;
    if (name === "sweep") this.askAgain();
    if (name === "place" && value) this.weigh(value);
    if (name === "point") this.explain(value.panel, value.index);
    return true;
  }
};

// stage/engines.js
var NEXT_TRY = 2;
var PATIENCE2 = 1500;
var Newest = class {
  constructor(engine) {
    Object.assign(this, { engine, waiting: null, asked: null });
  }
  get busy() {
    return this.asked !== null;
  }
  // Resolves to what `question(engine)` does, or to null if another one overtook it. `long`: it ends with the next one.
  ask(question, long = false) {
    this.waiting?.resolve(null);
    return new Promise((resolve, reject) => {
      this.waiting = { question, long, resolve, reject };
      if (!this.asked) this.next();
      else if (this.asked.long) this.engine.cancel();
      else this.patience ??= setTimeout(() => this.engine.cancel(), PATIENCE2);
    });
  }
  // Whoever still waits gets null.
  close() {
    this.waiting?.resolve(null);
    clearTimeout(this.patience);
    Object.assign(this, { waiting: null, patience: null });
    this.engine.close();
  }
  async next() {
    const { question, resolve, reject } = this.asked = this.waiting;
    this.waiting = null;
    const found = async () => question(this.engine);
    await found().then(resolve, (error) => error.name === "Cancelled" ? resolve(null) : reject(error));
    clearTimeout(this.patience);
    Object.assign(this, { patience: null, asked: null });
    if (this.waiting) this.next();
  }
};
var Engines = class {
  // `make()`: an engine.
  constructor(make) {
    Object.assign(this, { make, runs: [], failures: 0 });
  }
  // Of a run in the picture, so that all of them answer at once.
  run(number) {
    return this.runs[number] ??= new Newest(this.make());
  }
  // For what takes longer than a picture: seeds, draws, maps.
  get aside() {
    return this.slow ??= this.make();
  }
  // For questions about a point, and about the ghost point while a knob moves: the newest cancels those before it alone.
  get prices() {
    return this.asked ??= new Newest(this.make());
  }
  get places() {
    return this.weighing ??= new Newest(this.make());
  }
  // Whether an error is so many failures one after the other that nothing more is tried.
  ended(error) {
    if (error.name !== "Refused") this.failures += globalThis.WebAssembly ? 1 : NEXT_TRY;
    return this.failures >= NEXT_TRY;
  }
  get busy() {
    return this.runs.some((run) => run.busy);
  }
  close() {
    this.slow?.close();
    for (const newest of [...this.runs, this.asked, this.weighing]) newest?.close();
  }
};

// course/assets/measures.js
var CRUMB = 10;
var [EARLY, LATE] = [20, 100];
function sizesOf(labels) {
  const sizes = [];
  for (const label of labels) sizes[label] = (sizes[label] ?? 0) + 1;
  return sizes.filter((size) => size > 0);
}
var visited = ({ answer, config }) => Array.from(answer.sweeps.n_clusters.subarray((config.burn_in ?? 0) + 1));
var mean = (values) => values.reduce((sum2, value) => sum2 + value, 0) / values.length;
var scores = (labels, groups) => groups ? agreementCurves(labels, groups) : { agreement: [NaN], adjusted_rand: [NaN] };
function mostVisited(run) {
  const times = [];
  for (const k of visited(run)) times[k] = (times[k] ?? 0) + 1;
  return times.reduce((best, count, k) => count > (times[best] ?? 0) ? k : best, 0);
}
function shareInOne(labels, groups, wanted) {
  const sizes = sizesOf(labels.filter((_, i) => groups[i] === wanted));
  return Math.max(...sizes) / sizes.reduce((sum2, size) => sum2 + size, 0);
}
function groupWithMost({ nPoints, groups }, value) {
  const rows = [];
  for (let i = 0; i < nPoints; i += 1) (rows[groups[i]] ??= []).push(i);
  const values = rows.map(value);
  return values.indexOf(Math.max(...values));
}
function spread({ nFeatures, values }, rows) {
  const column2 = (d) => {
    const own2 = rows.map((i) => values[i * nFeatures + d]);
    const middle = mean(own2);
    return Math.sqrt(mean(own2.map((value) => (value - middle) ** 2)));
  };
  return mean(Array.from({ length: nFeatures }, (_, d) => column2(d)));
}
var wholeness = (run, { groups }, group2) => groups ? shareInOne(run.answer.labels, groups, group2()) : NaN;
var MEASURES = {
  n_clusters: ({ answer }) => answer.n_clusters,
  n_large: ({ answer }) => sizesOf(answer.labels).filter((size) => size >= CRUMB).length,
  n_small: ({ answer }) => sizesOf(answer.labels).filter((size) => size < CRUMB).length,
  alone: ({ answer }) => sizesOf(answer.labels).filter((size) => size === 1).length,
  smallest: ({ answer }) => Math.min(...sizesOf(answer.labels)),
  ari: ({ answer }, { groups }) => scores(answer.labels, groups).adjusted_rand[0],
  nmi: ({ answer }, { groups }) => 100 * scores(answer.labels, groups).agreement[0],
  widest_whole: (run, points) => wholeness(run, points, () => points.stretched ?? groupWithMost(points, (rows) => spread(points, rows))),
  largest_whole: (run, points) => wholeness(run, points, () => groupWithMost(points, (rows) => rows.length)),
  first_moved: ({ answer }) => answer.sweeps.n_moved[1],
  nll: ({ answer }) => answer.nll,
  objective: ({ answer }) => answer.sweeps.objective[answer.n_sweeps],
  usual: mostVisited,
  mean_k: (run) => mean(visited(run)),
  n_visited: (run) => new Set(visited(run)).size,
  extra: (run, { groups }) => mean(visited(run)) - sizesOf(groups).length,
  births: ({ answer, config }) => mean(Array.from(answer.sweeps.n_born.subarray((config.burn_in ?? 0) + 1), (born) => Number(born > 0))),
  least_early: ({ answer }) => Math.min(...answer.sweeps.n_clusters.subarray(0, EARLY + 1)),
  n_late_costs: ({ answer }) => new Set(answer.sweeps.nll.slice(-LATE)).size,
  n_sweeps: ({ answer }) => answer.n_sweeps,
  converged: ({ answer }) => Number(answer.converged),
  least_k: (run) => Math.min(...visited(run)),
  most_k: (run) => Math.max(...visited(run)),
  share_of_usual: (run, _, first) => 100 * mean(visited(run).map((k) => Number(k === mostVisited(first)))),
  sweeps_as: (run, _, other) => visited(run).filter((k) => k === other.answer.n_clusters).length,
  above: ({ answer }, _, other) => Math.max(0, answer.nll - other.answer.nll),
  // rounding aside
  alike: (run, _, first) => agreementCurves(run.answer.labels, first.answer.labels).adjusted_rand[0]
};
var places = (count) => (value) => formatFixed(value, count);
var ofHundred = (value) => formatFixed(value < 1 ? Math.min(99, 100 * value) : 100, 0);
var WRITTEN = {
  ari: places(2),
  alike: places(2),
  widest_whole: ofHundred,
  largest_whole: ofHundred,
  mean_k: places(1),
  above: places(1),
  births: places(2),
  extra: places(1),
  nll: (value) => formatNumber(value, 6),
  n_clusters: (value) => sayCount("bench.clusters", value)
};
function written(ways, quantity, runs, [first = 0, second = first], points) {
  const value = MEASURES[quantity](runs[first], points, runs[second]);
  return Number.isFinite(value) ? (ways[quantity] ?? places(0))(value) : "–";
}
var measured = (...asked) => written(WRITTEN, ...asked);
var plainly = (...asked) => written({ ...WRITTEN, n_clusters: places(0) }, ...asked);
function boundedValue({ quantity, run, per, than, beside }, runs, points) {
  const of = (place) => MEASURES[quantity](runs[place], points, runs[beside ?? place]);
  if (per === null && than === null) return { value: of(run), words: plainly(quantity, runs, [run, beside ?? run], points) };
  const more = of(run) - (than === null ? 0 : of(than));
  return per === null ? { value: more, words: formatFixed(more, 0) } : { value: more / of(per), words: formatFixed(more / of(per), 1) };
}
function within2(bounds, runs, points) {
  return bounds.every((bound) => {
    const { value } = boundedValue(bound, runs, points);
    return (bound.least === null || value >= bound.least) && (bound.most === null || value <= bound.most);
  });
}

// course/assets/reshaped.js
var FAR3 = 4;
var copy = (points, values) => ({ ...points, values });
var CHANGES = {
  // A group about its mean, `value / usual` times as wide.
  spread(points, value, { usual, path: [, , group2] }) {
    const { groups, nFeatures } = points;
    const values = points.values.slice();
    const rows = Array.from(groups.keys()).filter((i) => groups[i] === Number(group2));
    for (let d = 0; d < nFeatures; d += 1) {
      const middle = rows.reduce((sum2, i) => sum2 + values[i * nFeatures + d], 0) / rows.length;
      for (const i of rows) values[i * nFeatures + d] = middle + value / usual * (values[i * nFeatures + d] - middle);
    }
    return { ...copy(points, values), stretched: Number(group2) };
  },
  // The means of the groups, `value / usual` times as far from the mean of all.
  apart(points, value, { usual }) {
    const { groups, nFeatures, nPoints } = points;
    const values = points.values.slice();
    for (let d = 0; d < nFeatures; d += 1) {
      const [sums, sizes] = [[], []];
      let all = 0;
      for (let i = 0; i < nPoints; i += 1) {
        sums[groups[i]] = (sums[groups[i]] ?? 0) + values[i * nFeatures + d];
        sizes[groups[i]] = (sizes[groups[i]] ?? 0) + 1;
        all += values[i * nFeatures + d] / nPoints;
      }
      for (let i = 0; i < nPoints; i += 1) values[i * nFeatures + d] += (value / usual - 1) * (sums[groups[i]] / sizes[groups[i]] - all);
    }
    return copy(points, values);
  },
  // The first so many of points that come in no order.
  points(points, value) {
    const { values, groups, nFeatures } = points;
    return { ...points, nPoints: value, values: values.slice(0, value * nFeatures), groups: groups?.slice(0, value) ?? null };
  },
  // Of every group but one only one point in so many.
  thin(points, value, { path: [, , group2] }) {
    const { values, groups, nFeatures, nPoints } = points, [all, seen] = [[], []];
    for (const own2 of groups) all[own2] = (all[own2] ?? 0) + 1;
    const kept = Array.from({ length: nPoints }, (_, i) => i).filter((i) => {
      seen[groups[i]] = (seen[groups[i]] ?? 0) + 1;
      return groups[i] === Number(group2) || (seen[groups[i]] - 1) * value < all[groups[i]];
    });
    const cells = kept.flatMap((i) => Array.from(values.subarray(i * nFeatures, (i + 1) * nFeatures)));
    return { ...points, nPoints: kept.length, values: Float64Array.from(cells), groups: Uint8Array.from(kept, (i) => groups[i]) };
  },
  // The last points beside each other, so far from the mean of all in every direction of the axes.
  far(points, value) {
    if (value === 0) return points;
    const { nFeatures, nPoints } = points, values = points.values.slice(), from = (nPoints - FAR3) * nFeatures;
    for (let d = 0; d < nFeatures; d += 1) {
      let middle = 0;
      for (let at = d; at < values.length; at += nFeatures) middle += values[at] / nPoints;
      for (let at = from + d; at < values.length; at += nFeatures) values[at] = middle + value + (at - from - d) / nFeatures;
    }
    return copy(points, values);
  },
  // One column in another unit.
  divide(points, value, { path: [, , column2] }) {
    const values = points.values.slice();
    for (let at = Number(column2); at < values.length; at += points.nFeatures) values[at] /= value;
    return copy(points, values);
  },
  // A share of the cells, the mean of their column in place of each; more of them include those before.
  fill(points, value, turn, number) {
    const { values: own2, nPoints, nFeatures } = points;
    const values = own2.slice();
    const hidden = Array.from(own2, (_, at) => chance(number * own2.length + at) < value);
    for (let d = 0; d < nFeatures; d += 1) {
      let [sum2, count] = [0, 0];
      for (let at = d; at < own2.length; at += nFeatures) if (!hidden[at]) [sum2, count] = [sum2 + own2[at], count + 1];
      for (let at = d; at < nPoints * nFeatures; at += nFeatures) if (hidden[at]) values[at] = sum2 / count;
    }
    return copy(points, values);
  }
};
function chance(at) {
  let bits = Math.imul(at + 1, 2654435761);
  bits = Math.imul(bits ^ bits >>> 15, 2246822507);
  bits = Math.imul(bits ^ bits >>> 13, 3266489909);
  return ((bits ^ bits >>> 16) >>> 0) / 2 ** 32;
}
function reshaped(points, turns, values, number = 0) {
  const changing = turns.filter(({ path }) => path[0] === "data");
  return changing.reduce((changed, turn) => CHANGES[turn.path[1]](changed, values[turn.name], turn, number), points);
}

// stage/knobs.js
var placesOf = (knob) => knob.step > 0 ? Math.round((knob.high - knob.low) / knob.step) : knob.positions;
function placeOf(knob, value, [low, high]) {
  return knob.step > 0 ? (value - low) / knob.step : knob.positions * Math.log(value / low) / Math.log(high / low);
}
function valueAt(knob, place, [low, high]) {
  if (knob.step > 0) return Number((low + place * knob.step).toFixed(6));
  return Number((low * (high / low) ** (place / knob.positions)).toPrecision(3));
}
function configured(config, knobs, values) {
  const whole = structuredClone(config);
  for (const { name, path: [first, second] } of knobs) {
    if (second) whole[first] = { ...whole[first], [second]: values[name] };
    else whole[first] = values[name];
  }
  return whole;
}

// course/assets/dragged.js
var TRAVEL = 360;
var STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity };
var DraggedNumber = class {
  // `read()`: its value; `write(value)`: it was moved.
  constructor(turn, read, write2) {
    Object.assign(this, { turn, read, write: write2, from: null });
    this.barred = this.instead = "";
    this.node = element("span", {
      class: "dragged",
      role: "slider",
      tabindex: 0,
      "aria-label": turn.words,
      title: this.about,
      "aria-valuemin": turn.low,
      "aria-valuemax": turn.high
    });
    this.node.addEventListener("pointerdown", (event) => this.take(event));
    this.node.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) this.node.addEventListener(end, () => this.release());
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.show();
  }
  get about() {
    return say("bench.drag_me", { words: this.turn.words, explanation: this.turn.explanation });
  }
  get ends() {
    return [this.turn.low, this.turn.high];
  }
  get last() {
    return placesOf(this.turn);
  }
  get place() {
    return placeOf(this.turn, this.read(), this.ends);
  }
  // `why`: it cannot be moved, "" if it can; `text` stands in its place then.
  bar(why, text) {
    this.barred = why;
    this.instead = text;
    this.node.setAttribute("aria-disabled", String(why !== ""));
    this.node.title = why || this.about;
  }
  show() {
    const text = this.barred ? this.instead : shortNumber(this.read());
    this.node.textContent = text;
    this.node.setAttribute("aria-valuenow", this.read());
    this.node.setAttribute("aria-valuetext", text);
  }
  take(event) {
    this.from = { x: event.clientX, place: this.place };
    this.node.setPointerCapture(event.pointerId);
    this.node.classList.add("held");
    this.node.focus({ preventScroll: true });
    event.preventDefault();
  }
  drag(event) {
    if (!this.from) return;
    this.moveTo(this.from.place + (event.clientX - this.from.x) * this.last / TRAVEL);
  }
  release() {
    this.from = null;
    this.node.classList.remove("held");
  }
  key(event) {
    const steps = STEPS[event.key];
    if (steps === void 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.moveTo(this.place + steps);
  }
  moveTo(place) {
    if (this.barred) return;
    const value = valueAt(this.turn, Math.min(this.last, Math.max(0, Math.round(place))), this.ends);
    if (value === this.read()) return;
    this.write(value);
    this.show();
  }
};

// course/assets/sentence.js
var PARTS3 = /\[(\w+)\]|\{(\w+)((?: \d+)*)\}/g;
var Sentence = class {
  // `turns`: the numbers to drag, with the ends that they have here.
  constructor(facts, draws, turns) {
    Object.assign(this, { facts, draws, turns, told: [], numbers: [] });
    this.values = Object.fromEntries(turns.map(({ name, usual }) => [name, usual]));
  }
  // Words, numbers to drag, and what was found.
  pieces(text) {
    const pieces = [];
    let end = 0;
    for (const match of text.matchAll(PARTS3)) {
      pieces.push(text.slice(end, match.index));
      end = match.index + match[0].length;
      const [, name, quantity, runs] = match;
      pieces.push(name ? this.draggable(name) : this.place(quantity, runs));
    }
    return [...pieces, text.slice(end)];
  }
  draggable(name) {
    const turn = this.turns.find((one) => one.name === name);
    const number = new DraggedNumber(turn, () => this.values[name], (value) => this.turn(name, value));
    this.numbers.push(number);
    return number.node;
  }
  place(quantity, runs) {
    const node = element("b", { text: "…" });
    this.told.push({ node, quantity, runs: runs.trim() === "" ? [] : runs.trim().split(" ").map(Number) });
    return node;
  }
  configuration(place, number) {
    const turns = this.turns.filter(({ runs }) => runs.includes(place));
    const config = configured(this.facts.runs[place].config, turns, this.values);
    config.seed += this.facts.seeds * number;
    return config;
  }
  // Results of other numbers are dimmed until those of the present ones are here.
  await(isAwaited) {
    for (const { node } of this.told) node.classList.toggle("awaited", isAwaited);
  }
};

// course/assets/runs.js
var Runs = class extends Sentence {
  // `player`: open or soon open; `places`: of the runs that are shown; `turns`: as of a sentence; `bytes`: of the engine.
  constructor(player, { facts, draws }, bytes, { places: places2, turns }) {
    super(facts, draws, turns);
    Object.assign(this, { player, places: places2, number: 0, own: null, computes: true, count: places2.length, colors: facts.colors });
    this.stage = new Stage(this, new Engines(() => dpvizEngine(bytes)), { prices: element("div", { class: "live-prices", role: "status" }) });
    this.stage.player = player;
    this.stage.listen();
    player.bench = this;
  }
  // What is seen of it is in the player's slot.
  enter(node) {
    this.node = Object.assign(node, { bench: this });
    this.player.slot.append(node);
    node.addEventListener("keydown", (event) => event.stopPropagation());
  }
  close() {
    const { player, stage } = this;
    stage.engines.close();
    this.node.remove();
    player.bench = null;
    if (player.channel) player.channel = stage.page;
  }
  inPlane() {
    return this.draws[0].nFeatures === 2;
  }
  // The reader's own points stand for those of the draw.
  points(number = this.number, own2 = this.own) {
    const { facts } = this;
    const base = number === this.number && own2 ? own2 : reshaped(this.draws[number] ?? this.draws[0], facts.turns, this.values, number);
    const moved = facts.turns.filter(({ path }) => path[0] === "data").map(({ name }) => this.values[name]);
    return { ...base, key: [number, own2?.version ?? 0, ...moved], names: facts.features, axes: [0, 1] };
  }
  // Fill in the sentence and, if asked to, show the runs. Resolves to { points, runs } if they are the newest.
  async tell(shows) {
    if (!this.computes) return null;
    const { stage } = this;
    stage.turn();
    this.await(true);
    const made = await stage.made(stage.numbers);
    if (!made) return null;
    const [{ points, round: round2 }] = made, runs = [];
    for (const run of made) runs[this.places[run.number]] = run;
    for (const { node, quantity, runs: places2 } of this.told) node.textContent = measured(quantity, runs, places2, points);
    if (shows && this.ready()) this.show(made);
    if (round2 !== stage.round) return null;
    this.await(false);
    return { points, runs };
  }
  show(made) {
    this.served ??= { opening: this.player.opening, run: this.player.run };
    this.stage.take(made);
  }
  // Other values may be computed all the same, and another Worker takes the place of one that died.
  failed(error, [{ round: round2 }]) {
    if (this.stage.engines.ended(error)) this.fail(error);
    if (!this.computes || round2 !== this.stage.round) return;
    for (const { node } of this.told) node.textContent = "–";
    this.await(false);
    this.refused(error);
  }
  fail() {
    this.computes = false;
    for (const number of this.numbers) {
      number.bar(say("bench.computes_nothing"));
      number.node.tabIndex = -1;
    }
  }
  title(place) {
    const { title, about, words } = this.facts.runs[place];
    const own2 = this.facts.turns.filter(({ runs, symbol }) => symbol && runs.includes(place)).map(({ name, symbol }) => `${symbol} = ${shortNumber(this.values[name])}`);
    return [title, ...own2.length > 0 ? own2 : [about], words].filter(Boolean).join(" · ");
  }
  // Runs that differ in their random numbers alone are told apart by these.
  titleAmong(place) {
    const titles = this.places.map((one) => this.title(one)), title = this.title(place);
    const { seed } = this.facts.runs[place].config;
    return titles.indexOf(title) === titles.lastIndexOf(title) ? title : `${title} · ${say("bench.seed", { seed })}`;
  }
  // --- as the host of a stage ---
  asks(number, { draw = this.number, own: own2 = this.own } = {}) {
    const { facts } = this, place = this.places[number], { objective, meanings } = facts.runs[place], points = this.points(draw, own2), id = points.key.join();
    return {
      number,
      config: this.configuration(place, draw),
      points,
      id,
      key: points.key,
      title: this.titleAmong(place),
      reference: points.groups,
      still: stillOf({ ...points, ...this.placesShown() }, { id, objective, meanings, stay: true })
      // groups keep the colours of the picture that asks
    };
  }
  placesShown() {
    const { shown, axes } = this.facts;
    if (!shown) return {};
    return { shown: shown.map((values) => ({ places: Float32Array.from(values), origin: 0 })), axisNames: axes };
  }
  wants() {
    return true;
  }
  ready() {
    return Boolean(this.player.run);
  }
  edited() {
    return false;
  }
  opening() {
    return { ...this.player.opening ?? this.served.opening, film: true, editable: false };
  }
  // A picture of the page's has to wait while one of ours is shown.
  keeps(player, opening, payload) {
    if (opening.film) return false;
    this.stage.listen();
    this.served = { opening, payload };
    if (this.stage.films.length === 0) return false;
    player.refreshTheme();
    return true;
  }
};

// course/assets/tally.js
var Tally = class {
  // `make(number)`: { points, runs } of a draw, in time; `choose(number)`: a draw was pressed; `isUsual()`: whether all
  // numbers stand where the text has them.
  constructor(facts, make, choose, isUsual, unit) {
    Object.assign(this, { facts, make, choose, isUsual, unit, round: 0 });
    this.node = element("div", { class: "tally" });
  }
  clear() {
    this.round += 1;
    this.node.replaceChildren();
  }
  // What was told goes away, or is told again.
  turn(shown) {
    if (this.node.childElementCount > 0) this.clear();
    else this.roll(shown);
  }
  async roll(shown) {
    this.round += 1;
    const { round: round2, facts: { seeds, claims, counted: { quantity, run, beside, words: label } } } = this;
    const found = [];
    const buttons = Array.from({ length: seeds }, (_, number) => this.button(number, number === shown));
    const lines2 = claims.map(({ says }) => element("p", { text: capital(says) }));
    const ranges = claims.map(({ bounds }) => bounds.map(() => []));
    const place = [run, beside ?? run];
    const sum2 = element("p", { role: "status", text: sayCount(`bench.counting_${this.unit}s`, seeds) });
    this.node.replaceChildren(sum2, element("p", { text: capital(say("bench.told_of_each", { what: label })) }), element("div", { class: "draws", role: "group", "aria-label": say(`bench.all_${this.unit}s`) }, ...buttons), ...lines2);
    for (const [number, button] of buttons.entries()) {
      const { points, runs, message } = await this.make(number).catch((error) => error);
      if (round2 !== this.round) return;
      if (!runs) {
        sum2.textContent = say("bench.counting_ended", { done: found.length, all: sayCount(`bench.n_${this.unit}s`, seeds), why: message });
        return;
      }
      const held = claims.map(({ bounds }) => within2(bounds, runs, points));
      const all = held.length > 0 && held.every(Boolean);
      const words = plainly(quantity, runs, place, points);
      found.push({ held, words, value: MEASURES[quantity](runs[run], points, runs[place[1]]) });
      button.textContent = words;
      button.classList.toggle("right", all);
      button.setAttribute("aria-label", say(all ? "bench.found_as_said" : "bench.found", { name: this.name(number), words }));
      claims.forEach(({ says, bounds }, k) => {
        bounds.forEach((bound, j) => ranges[k][j].push(boundedValue(bound, runs, points)));
        const told2 = bounds.map((bound, j) => say("bench.bound", { bound: bound.words, range: foundRange(ranges[k][j]) }));
        lines2[k].textContent = say("bench.claim", { claim: capital(says), right: found.filter((one) => one.held[k]).length, all: found.length, told: told2.join("; ") });
      });
    }
    const told = this.sum(found);
    sum2.textContent = capital(shown === null ? say("bench.of_chapter", { told }) : told);
  }
  // The draw that is shown.
  mark(number) {
    for (const [k, button] of this.node.querySelectorAll("button").entries()) {
      if (k === number) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }
  name(number) {
    return say(`bench.one_${this.unit}`, { number: number + 1 });
  }
  button(number, current) {
    const node = element("button", { type: "button", text: "·", "aria-label": this.name(number), title: this.name(number) });
    if (current) node.setAttribute("aria-current", "true");
    node.addEventListener("click", () => this.choose(number));
    return node;
  }
  sum(found) {
    const all = sayCount(`bench.n_${this.unit}s`, found.length);
    if (this.facts.claims.length === 0) return say("bench.range_in", { range: foundRange(found), all });
    const right = found.filter(({ held }) => held.every(Boolean)).length;
    return say(this.isUsual() ? "bench.holds_in" : "bench.holds_in_with_these", { right, all });
  }
};
function foundRange(found) {
  const [low, high] = [Math.min, Math.max].map((end) => found.find(({ value }) => value === end(...found.map((one) => one.value))));
  if (!low) return "–";
  return low.words === high.words ? low.words : say("bench.range", { low: low.words, high: high.words });
}
var capital = (text) => text[0].toUpperCase() + text.slice(1);

// course/assets/transfer.js
var Transfer = class {
  // `find(values)`: shows the runs with these numbers, and resolves to { points, runs }, or to null if others are newer;
  // `onwards()`: it was answered.
  constructor({ prompt, values, answers, reveal }, find, onwards) {
    Object.assign(this, { values, answers, reveal, find, onwards });
    this.verdict = element("p", { class: "verdict", role: "status" });
    this.chips = answers.map(({ text }, place) => chip(text, prompt, () => this.choose(place)));
    this.node = element("section", { class: "transfer", "aria-label": prompt }, element("p", { text: prompt }), element("div", { class: "row" }, ...this.chips), this.verdict);
  }
  async choose(place) {
    const { answers, chips, verdict } = this;
    chips.forEach((node, k) => node.setAttribute("aria-pressed", String(k === place)));
    const found = await this.find(this.values);
    if (!found) return;
    const { runs, points } = found, right = answers.findIndex(({ bounds }) => within2(bounds, runs, points));
    const [said, run] = [place, right].map((k) => say("course.quoted", { answer: answers[k]?.text ?? "–" }));
    const mark = place === right ? say("course.predicted_right", { said }) : say("course.predicted_another", { said, right: run });
    const told = this.reveal.replace(/\{(\w+)((?: \d+)*)\}/g, (_, quantity, places2) => measured(quantity, runs, places2.trim().split(" ").map(Number), points));
    verdict.textContent = `${mark} ${told}`;
    this.onwards();
  }
};

// course/assets/bench.js
var NARROW = 560;
var MOST_POINTS = 5e3;
var Bench = class extends Runs {
  constructor(player, trial, bytes) {
    const { facts } = trial;
    super(player, trial, bytes, { places: [...facts.runs.keys()], turns: facts.turns });
    Object.assign(this, { edits: 0, restores: 0 });
    this.build();
    this.say(say("bench.hint"));
    this.retell();
  }
  build() {
    this.sentence = element("p", {}, ...this.pieces(this.facts.text));
    const drawn = this.draws.length > 1;
    this.unit = drawn ? "draw" : "start";
    this.another = chip(say(`bench.another_${this.unit}`), say(`bench.about_another_${this.unit}`), () => this.choose((this.number + 1) % this.facts.seeds));
    this.dice = chip(sayCount(`bench.n_${this.unit}s`, this.facts.seeds), say(`bench.about_${this.unit}s`), () => this.tally.turn(this.own ? null : this.number));
    const tool = (name, text, title) => {
      const node = chip(text, title, () => this.take(name));
      node.dataset.tool = name;
      node.hidden = !this.inPlane();
      return node;
    };
    this.tools = [tool("painting", say("bench.draw_points"), say("bench.about_draw_points")), tool("moving", say("bench.move_points"), say("bench.about_move_points"))];
    this.back = chip(say("bench.film"), say("bench.about_film"), () => this.restore());
    this.back.hidden = true;
    this.unfold = chip(say("bench.unfold"), say("bench.about_unfold"), () => this.node.classList.remove("folded"));
    this.unfold.classList.add("unfold");
    this.said = element("span", { class: "said", role: "status" });
    this.tally = new Tally(this.facts, (number) => this.runsOf(number), (number) => this.choose(number), () => this.isUsual(), this.unit);
    this.transfers = this.facts.transfers.map((one, k) => new Transfer(one, (values) => this.find(values), () => this.ask(k + 1)).node);
    for (const node of this.transfers) node.hidden = true;
    this.onward = chip(say("bench.further"), say("bench.about_further"), () => this.ask(0));
    this.onward.classList.add("further");
    this.enter(element(
      "section",
      { class: "bench", "aria-label": say("bench.name") },
      element("style", { text: bench_default }),
      this.unfold,
      this.sentence,
      element("div", { class: "row" }, this.another, this.dice, ...this.tools, this.onward, this.back, this.said),
      this.tally.node,
      ...this.transfers,
      this.stage.prices.node
    ));
    this.node.classList.toggle("folded", this.player.root.clientWidth < NARROW);
  }
  say(text) {
    this.said.textContent = text;
  }
  fail(error) {
    super.fail();
    for (const node of [this.another, this.dice, ...this.tools, this.onward, ...this.transfers]) node.hidden = true;
    this.say(`${say("bench.computes_nothing")} (${error.message})`);
  }
  refused(error) {
    this.say(say("bench.not_computed", { why: error.message }));
  }
  // --- what the reader does ---
  turn(name, value) {
    if (!this.computes) return;
    this.values[name] = value;
    this.tally.clear();
    this.retell(true);
  }
  // What dragging in the picture does.
  take(tool) {
    this.player.toolbar.flip(tool);
    for (const node of this.tools) node.setAttribute("aria-pressed", String(Boolean(this.player.options[node.dataset.tool])));
  }
  choose(number) {
    Object.assign(this, { number, own: null });
    this.tally.mark(number);
    this.retell(true);
  }
  // Points were dragged or painted: they are what is clustered until another draw is taken.
  edited(panel, edits) {
    if (!this.computes || !this.inPlane()) return false;
    const points = this.points(), changed = editedPoints(points, this.player.run.panels[panel], edits);
    const grows = changed.nPoints > points.nPoints;
    if (grows && changed.nPoints > MOST_POINTS) {
      this.player.editor.clear();
      this.player.redraw();
      this.say(say("bench.most_points", { most: MOST_POINTS }));
      return true;
    }
    this.edits += 1;
    this.own = { ...points, ...changed, version: this.edits, groups: grows ? null : points.groups };
    this.tally.clear();
    this.retell(true);
    return true;
  }
  // Ask one of the further questions; those before the last that was answered make room.
  ask(place) {
    this.onward.hidden = true;
    this.transfers.forEach((node, k) => node.hidden = k > place || k < place - 1);
  }
  // What the draw's own points give with some numbers elsewhere.
  find(values) {
    this.values = { ...this.usual(), ...values };
    this.own = null;
    this.tally.clear();
    return this.retell(true);
  }
  usual() {
    return Object.fromEntries(this.facts.turns.map(({ name, usual }) => [name, usual]));
  }
  isUsual() {
    return this.facts.turns.every(({ name, usual }) => this.values[name] === usual);
  }
  // The page's own film again.
  restore() {
    this.values = this.usual();
    for (const number of this.numbers) number.show();
    Object.assign(this, { number: 0, own: null });
    this.restores += 1;
    this.tally.clear();
    this.stage.drop();
    this.stage.prices.clear();
    this.back.hidden = true;
    const { player, served } = this;
    const opening = { ...served.opening, command: `restored ${this.restores}` };
    if (served.payload) player.open(opening, served.payload);
    else {
      player.opening = opening;
      player.loads += 1;
      player.show(served.run, true);
    }
    this.say(say("bench.hint"));
    this.retell();
  }
  // --- runs ---
  // All runs of a draw, by another engine, so that a number that is dragged need not wait. Points of the reader's are
  // no draw.
  async runsOf(draw) {
    const { engines, numbers } = this.stage, runs = [];
    for (const number of numbers) {
      const run = this.asks(number, { draw, own: null });
      runs.push({ ...run, answer: await answered(engines.aside, run) });
    }
    return { points: runs[0].points, runs };
  }
  // Bring the numbers and what is said of them up to date.
  async retell(shows = false) {
    if (!this.computes) return null;
    const { nPoints } = this.points(), { number } = this;
    for (const one of this.numbers) {
      const ofData = this.own && one.turn.path[0] === "data";
      one.bar(ofData ? say("bench.own_points") : "", one.turn.path[1] === "points" ? shortNumber(nPoints) : "–");
      one.show();
    }
    const found = await this.tell(shows);
    if (found) this.say(shows ? this.about(number) : say("bench.hint"));
    return found;
  }
  about(number) {
    const ungrouped = this.own && !this.own.groups && this.facts.grouped;
    const what = this.own ? say("bench.your_points") : say(`bench.this_${this.unit}`, { number: number + 1, all: this.facts.seeds });
    return [say("bench.computed", { what }), this.own && say("bench.of_yours"), ungrouped && say("bench.no_groups")].filter(Boolean).join(" ");
  }
  show(made) {
    this.back.hidden = false;
    super.show(made);
  }
  opening() {
    return { ...super.opening(), editable: this.inPlane() };
  }
};

// course/assets/guess.js
var Guess = class {
  // `facts`: `low`, `high`, the `start` of keys, `unit`, `label`, and what was `given` before or null; `chosen(number)`: a
  // number was chosen.
  constructor(facts, chosen) {
    const { low, high, start, unit, label, given } = facts;
    Object.assign(this, { unit, chosen, made: given !== null });
    this.range = element("input", { type: "range", name: "guess", min: low, max: high, value: given ?? start, "aria-label": label });
    this.output = element("output");
    const said = element("span", { class: "said" }, this.output, ` ${unit}`);
    const ends = [low, high].map((end) => element("span", { class: "end", "aria-hidden": "true", text: formatFixed(end, 0) }));
    this.node = element("div", { class: "guess" }, ends[0], this.range, ends[1], said);
    this.range.addEventListener("input", () => this.choose());
    this.range.addEventListener("click", () => this.choose());
    this.range.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      this.choose();
    });
    this.show();
  }
  choose() {
    this.made = true;
    this.show();
    this.chosen(Number(this.range.value));
  }
  show() {
    const { range, made } = this;
    this.node.classList.toggle("open", !made);
    const number = formatFixed(Number(range.value), 0);
    this.output.textContent = made ? number : "–";
    range.setAttribute("aria-valuetext", made ? `${number} ${this.unit}` : say("bench.no_prediction"));
  }
};

// course/assets/lead.js
var CHARTS2 = ["nll", "k", "moved", "agreement", "sizes"];
var LeadIn = class extends Runs {
  // A browser that cannot compute keeps the page's own picture and shows no sentence. `opened`: of a player in which nothing is
  // open yet; `pictured()`: runs are shown.
  constructor(player, trial, bytes, { opened = null, pictured = () => {
  } } = {}) {
    const { facts: { lead, turns } } = trial, ends = new Map(lead.ends.map(([name, low, high, first]) => [name, { low, high, first }]));
    const told = [...lead.text.matchAll(/\{\w+((?: \d+)*)\}/g)].flatMap(([, runs]) => runs.trim().split(" ").filter(Boolean).map(Number));
    super(player, trial, bytes, { places: [...new Set(told)].sort((a, b) => a - b), turns: turns.map((turn) => ({ ...turn, ...ends.get(turn.name) })) });
    for (const [name, { first }] of ends) this.values[name] = first;
    Object.assign(this, { opened, pictured });
    player.chosenCharts = Object.fromEntries(CHARTS2.map((name) => [name, false]));
    const beyond = turns.filter(({ name, usual }) => ends.has(name) && (usual < ends.get(name).low || usual > ends.get(name).high)).map(({ usual }) => ` ${say("bench.question_has", { value: shortNumber(usual) })}`);
    this.enter(element("div", { class: "bench lead" }, element("style", { text: bench_default }), element("p", {}, `${say("bench.before")} `, ...this.pieces(lead.text), ...beyond)));
    this.tell(true);
  }
  turn(name, value) {
    this.values[name] = value;
    this.tell(true);
  }
  show(made) {
    this.pictured();
    super.show(made);
  }
  ready() {
    return Boolean(this.player.run ?? this.opened);
  }
  opening() {
    return { ...this.opened, ...super.opening() };
  }
  refused() {
  }
  // What the run of the question is called stands in its question.
  title(place) {
    const own2 = this.facts.lead.ends.map(([name]) => this.turns.find((turn) => turn.name === name));
    const said = own2.filter(({ symbol, path }) => symbol && path[0] !== "data").map(({ name, symbol }) => `${symbol} = ${shortNumber(this.values[name])}`);
    return [this.facts.runs[place].title, ...said].join(" · ");
  }
  close() {
    super.close();
    this.player.chosenCharts = {};
  }
  fail() {
    super.fail();
    this.node.hidden = true;
  }
};

// course/assets/scorm.js
var MOST_WINDOWS = 8;
function findApi() {
  for (let around = window, k = 0; around && k < MOST_WINDOWS; around = around === around.parent ? around.opener : around.parent, k += 1) {
    try {
      if (typeof around.API?.LMSInitialize === "function") return around.API;
    } catch {
      return null;
    }
  }
  return null;
}
function learningSystem() {
  const api = findApi();
  if (!api) return () => {
  };
  const tell = (call) => {
    try {
      return call();
    } catch {
      return "";
    }
  };
  tell(() => api.LMSInitialize(""));
  addEventListener("pagehide", () => tell(() => api.LMSFinish("")));
  for (const link of document.links) link.target = "_blank";
  return (isRight) => {
    if (tell(() => api.LMSGetValue("cmi.core.lesson_status")) === "completed") return;
    const said = { "score.min": 0, "score.max": 100, "score.raw": isRight ? 100 : 0, lesson_status: "completed" };
    for (const [name, value] of Object.entries(said)) tell(() => api.LMSSetValue(`cmi.core.${name}`, String(value)));
    tell(() => api.LMSCommit(""));
  };
}

// course/assets/trial.js
function trialOf(bytes) {
  const { opening: facts, payload } = openEnvelope(bytes);
  const nFeatures = facts.features.length;
  let at = 0;
  const draws = facts.draws.map(({ n, low, step, per }) => {
    const levels = new Uint16Array(payload.slice(at, at += 2 * n * nFeatures).buffer);
    const values = Float64Array.from(levels, (level, i) => (low[i % nFeatures] + step[i % nFeatures] * level) / per[i % nFeatures]);
    return { values, nPoints: n, nFeatures, groups: null };
  });
  if (facts.grouped) for (const draw of draws) draw.groups = payload.slice(at, at += draw.nPoints);
  return { facts, draws };
}

// course/assets/course.js
var COURSE = "dpviz course";
var OPENED = { ...USUAL_OPENING, height: 420 };
function progress(change) {
  try {
    const kept = JSON.parse(localStorage.getItem(COURSE)) ?? {};
    if (change) localStorage.setItem(COURSE, JSON.stringify({ ...kept, ...change }));
    return { ...kept, ...change };
  } catch {
    return change ?? {};
  }
}
function showProgress(done) {
  for (const entry of document.querySelectorAll("[data-chapter]")) {
    entry.classList.toggle("done", entry.dataset.chapter in done);
  }
}
function putOnAxis(guess, { low, high }) {
  const axis = document.querySelector(".answer-axis");
  const place = `${100 * (guess - low) / (high - low)}%`;
  for (const node of axis.querySelectorAll(".you, .said")) node.style.setProperty("--at", place);
  const said = formatFixed(guess, 0);
  axis.querySelector(".said").textContent = say("bench.you", { answer: said });
  axis.setAttribute("aria-label", axis.dataset.label.replace("{said}", said));
}
function takeStage() {
  document.getElementById("film").hidden = false;
  document.querySelector("#stage > figure").hidden = true;
}
async function playAndTry(player, trying) {
  player.bench?.close();
  takeStage();
  player.open({ ...OPENED, start: "play", editable: true }, contentOf("payload"));
  const { trial, engine } = await trying;
  new Bench(player, trial, engine);
}
async function leadIn(player) {
  const part = async (id) => inflate(contentOf(id));
  const damaged = () => new Uint8Array();
  const [bytes, engine] = await Promise.all([part("trial"), part("engine").catch(damaged)]);
  const trial = trialOf(bytes), revealed = !document.getElementById("reveal").hidden;
  if (!revealed) new LeadIn(player, trial, engine, { opened: OPENED, pictured: takeStage });
  return { trial, engine };
}
function startChapter() {
  const { name, marks, guess: facts } = JSON.parse(document.getElementById("marks").textContent);
  const form = document.getElementById("question");
  const reveal = document.getElementById("reveal");
  const line = facts && new Guess(facts, () => line.range.setCustomValidity(""));
  if (line) document.getElementById("guess").replaceWith(line.node);
  const player = standalonePlayer("film");
  const trying = leadIn(player), report = learningSystem();
  showProgress(progress());
  addEventListener("storage", () => showProgress(progress()));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const guess = form.elements.guess.value;
    if (line && !line.made) {
      line.range.setCustomValidity(say("bench.predict_first"));
      form.reportValidity();
      return;
    }
    const { words, is_right: isRight } = marks[guess];
    const verdict = document.getElementById("verdict");
    verdict.textContent = words;
    verdict.className = isRight ? "right" : "other";
    if (line) putOnAxis(Number(guess), facts);
    const first = reveal.hidden;
    for (const part of [reveal, document.getElementById("after")]) part.hidden = false;
    document.querySelector("main").classList.add("revealed");
    if (first) {
      report(isRight);
      playAndTry(player, trying);
    }
    showProgress(progress({ [name]: guess }));
    verdict.scrollIntoView({ block: "start" });
  });
}
startChapter();
