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
var element = (tag, ...content) => filled(document.createElement(tag), ...content);
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
function chip(text, title, action) {
  const node = element("button", { type: "button", class: "chip", text, title });
  node.addEventListener("click", action);
  return node;
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
  const codes = continued(null, row, colors), own = groups.map((group2) => codes[group2]);
  const nGroups = highest(own) + 1, width = Math.max(highest(tracks) + 1, nGroups, colors);
  if (width > MOST_MATCHED) return Int32Array.from(own);
  const used = countsOf(tracks), weights = new Float64Array(nGroups * width);
  for (let i = 0; i < own.length; i += 1) weights[own[i] * width + tracks[i]] += 3 * width + 1;
  for (let k = 0; k < weights.length; k += 1) {
    const track = k % width;
    weights[k] += 2 * Number(track < Math.max(colors, nGroups)) + Number(!used[track]);
  }
  const slots = assigned(weights, nGroups, width);
  return Int32Array.from(own, (code) => slots[code][1]);
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
var FAR = 100;
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
  const origin = Math.abs(middle) > FAR * (high - low) ? middle : 0;
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
    const own = members.find((track2) => !taken.has(track2));
    const track = own ?? [...taken, ...after].reduce((most, other) => Math.max(most, other), 0) + 1;
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
  function startOf(o, { nPoints: N, nFeatures: D }, nClusters) {
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
  return { axesOf, MODELS, TEMPERED, between, bounded, checkModel, code, hyperparameter, labelsOf, lawsOf, optionsOf, pointsOf, shown, startOf };
}

// browser/loader.js
function dpvizWorker(tables, checksOf) {
  const { settings: NAMES, places: PLACES, row: ROW, summary: SUMMARY, shape: SHAPE, limits } = tables;
  let compiled = null, instance = null;
  let kept = null;
  class Refused extends Error {
  }
  const refuse = (sentence) => {
    throw new Refused(sentence);
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
      ...Object.fromEntries(NAMES.map((name) => [name, typeof given[name] === "number" ? given[name] : NaN])),
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
      given: [Float64Array.from(NAMES, (name) => numbers[name]), whole2, ...points.columns ? [points.columns] : []]
    };
  }
  async function called(name, run, given, answer2, goesOn = null) {
    instance ??= new WebAssembly.Instance(compiled, {});
    const { memory, reserve, release } = instance.exports, taken = [], filled2 = [];
    const lent = (content) => {
      const address = reserve(Math.max(8, content.byteLength));
      if (!address) throw new Error("the memory of the page does not suffice.");
      taken.push(address);
      const own = () => new content.constructor(memory.buffer, address, content.length);
      if (!content.filled) own().set(content);
      filled2.push({ read: (from = 0, to = content.length) => own().slice(from, to) });
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
    if (withLabels && message.plane !== void 0) sweeps.shapes = await shapesOf(run, sweeps.labels, sweeps.n_sizes, message.plane);
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
  function shapesOf(run, labels, counts, plane) {
    const size = counts.reduce((sum2, K) => sum2 + Math.min(K, limits.most_shapes), 0), width = SHAPE.length;
    return called("shapes", run, [labels, check.axesOf(plane, run.D), room(Float64Array, size * width), new Int32Array(counts.length + 1)], (count, _labels, _plane, found, offsets) => {
      const table = found.read(0, count * width), part = (from, to, Type) => columns2(table, width, from, to, Type);
      return { offsets: offsets.read(), labels: part(0, 1, Int32Array), centers: part(1, 3), scales: part(3, 6), factors: part(6, 8) };
    });
  }
  function shapes(message) {
    const run = prepared(message), { N } = run, rows = Math.max(1, Math.ceil((message.labels?.length ?? 0) / N));
    const { labels, counts } = check.labelsOf(message.labels, N, true, rows);
    return shapesOf(run, labels, counts, message.plane);
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
    const round = this.round;
    const seeds = this.seedsAround(seed, count);
    const rows = panels.map((panel) => this.strip(panel, seeds, seed));
    this.node.classList.remove("old");
    this.node.replaceChildren(element("h2", { text: sayCount("live.n_seeds", count) }), ...rows.map((row) => row.node));
    for (const row of rows) {
      const { points, nGroups, given, configuration } = row.panel;
      for (const [k, one] of seeds.entries()) {
        const found = await this.engines.aside.last(configuration(one), points).catch((error) => error);
        if (round !== this.round) return;
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
    const show = (k, n, nGroups) => {
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
    return { panel, node, words, show };
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

// player/assets/theme.js
function cssColor([red, green, blue], alpha = 1) {
  return alpha === 1 ? `rgb(${red}, ${green}, ${blue})` : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

// stage/prices.css
var prices_default = ".contest { line-height: 1.4; }\n.contest .candidate { display: flex; justify-content: space-between; gap: 1em; overflow-wrap: anywhere; }\n.contest .candidate b { white-space: nowrap; }\n.contest .bars { display: flex; align-items: center; border-left: 1px solid; min-width: 0; }\n.contest .bars span { margin-left: 5px; color: light-dark(#31333f, #fafafa); white-space: nowrap; }\n.contest .bars i, .contest .looks i { flex: none; box-sizing: border-box; height: 0.8em; background: currentColor; border: 2px solid; }\n.contest i.seat { background: repeating-linear-gradient(135deg, currentColor 0 2px, transparent 2px 7px); }\n.contest .looks { margin: 0.6em 0 0.2em; }\n.contest .looks i { display: inline-block; width: 1em; height: 0.7em; margin-right: 0.4em; }\n";

// stage/prices.js
var WITHOUT_MODEL = { kmeans: "live.no_prices_of_kmeans", dpmeans: "live.no_prices_of_dpmeans" };
var MOST_BARS = 4;
var EDGE = 12;
var PARTS = ["place", "seat"];
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
  list(found, labels, tracks, own) {
    const rows = ranked(found, new Map(Array.from(labels, (label, i) => [label, tracks[i]]))), left = rows.length - MOST_BARS;
    const looks = ["live.price_place", "live.price_seat"].map((key, part) => element("div", {}, element("i", { class: PARTS[part] }), say(key)));
    const more = left > 0 ? `${sayCount("live.cost_more", left)} ` : "";
    return element(
      "div",
      { class: "contest" },
      element("style", { text: prices_default }),
      ...rows.slice(0, MOST_BARS).flatMap((row) => this.row(row, own)),
      element("div", { class: "looks" }, ...looks),
      element("p", { class: "small", title: say("live.about_prices"), text: `${more}${say("live.shorter_wins")}` })
    );
  }
  row({ track, parts, share }, own) {
    const { theme } = this, total = parts[0] + parts[1], room = [Math.min(parts[0], EDGE), 0];
    room[1] = Math.min(parts[1], EDGE - room[0]);
    const name = track < 0 ? say("live.new_cluster") : say(track === own ? "live.cluster_here" : "live.cluster", { cluster: track + 1 });
    const bars = room.flatMap((length, part) => length > 0 ? [bar(PARTS[part], length)] : []);
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
var PATIENCE = 1500;
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
      else this.patience ??= setTimeout(() => this.engine.cancel(), PATIENCE);
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
    const own = rows.map((i) => values[i * nFeatures + d]);
    const middle = mean(own);
    return Math.sqrt(mean(own.map((value) => (value - middle) ** 2)));
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
function within(bounds, runs, points) {
  return bounds.every((bound) => {
    const { value } = boundedValue(bound, runs, points);
    return (bound.least === null || value >= bound.least) && (bound.most === null || value <= bound.most);
  });
}

// course/assets/reshaped.js
var FAR2 = 4;
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
    for (const own of groups) all[own] = (all[own] ?? 0) + 1;
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
    const { nFeatures, nPoints } = points, values = points.values.slice(), from = (nPoints - FAR2) * nFeatures;
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
    const { values: own, nPoints, nFeatures } = points;
    const values = own.slice();
    const hidden = Array.from(own, (_, at) => chance(number * own.length + at) < value);
    for (let d = 0; d < nFeatures; d += 1) {
      let [sum2, count] = [0, 0];
      for (let at = d; at < own.length; at += nFeatures) if (!hidden[at]) [sum2, count] = [sum2 + own[at], count + 1];
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
  constructor(turn, read, write) {
    Object.assign(this, { turn, read, write, from: null });
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
var PARTS2 = /\[(\w+)\]|\{(\w+)((?: \d+)*)\}/g;
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
    for (const match of text.matchAll(PARTS2)) {
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
  points(number = this.number, own = this.own) {
    const { facts } = this;
    const base = number === this.number && own ? own : reshaped(this.draws[number] ?? this.draws[0], facts.turns, this.values, number);
    const moved = facts.turns.filter(({ path }) => path[0] === "data").map(({ name }) => this.values[name]);
    return { ...base, key: [number, own?.version ?? 0, ...moved], names: facts.features, axes: [0, 1] };
  }
  // Fill in the sentence and, if asked to, show the runs. Resolves to { points, runs } if they are the newest.
  async tell(shows) {
    if (!this.computes) return null;
    const { stage } = this;
    stage.turn();
    this.await(true);
    const made = await stage.made(stage.numbers);
    if (!made) return null;
    const [{ points, round }] = made, runs = [];
    for (const run of made) runs[this.places[run.number]] = run;
    for (const { node, quantity, runs: places2 } of this.told) node.textContent = measured(quantity, runs, places2, points);
    if (shows && this.ready()) this.show(made);
    if (round !== stage.round) return null;
    this.await(false);
    return { points, runs };
  }
  show(made) {
    this.served ??= { opening: this.player.opening, run: this.player.run };
    this.stage.take(made);
  }
  // Other values may be computed all the same, and another Worker takes the place of one that died.
  failed(error, [{ round }]) {
    if (this.stage.engines.ended(error)) this.fail(error);
    if (!this.computes || round !== this.stage.round) return;
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
    const own = this.facts.turns.filter(({ runs, symbol }) => symbol && runs.includes(place)).map(({ name, symbol }) => `${symbol} = ${shortNumber(this.values[name])}`);
    return [title, ...own.length > 0 ? own : [about], words].filter(Boolean).join(" · ");
  }
  // Runs that differ in their random numbers alone are told apart by these.
  titleAmong(place) {
    const titles = this.places.map((one) => this.title(one)), title = this.title(place);
    const { seed } = this.facts.runs[place].config;
    return titles.indexOf(title) === titles.lastIndexOf(title) ? title : `${title} · ${say("bench.seed", { seed })}`;
  }
  // --- as the host of a stage ---
  asks(number, { draw = this.number, own = this.own } = {}) {
    const { facts } = this, place = this.places[number], { objective, meanings } = facts.runs[place], points = this.points(draw, own), id = points.key.join();
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
    const { round, facts: { seeds, claims, counted: { quantity, run, beside, words: label } } } = this;
    const found = [];
    const buttons = Array.from({ length: seeds }, (_, number) => this.button(number, number === shown));
    const lines = claims.map(({ says }) => element("p", { text: capital(says) }));
    const ranges = claims.map(({ bounds }) => bounds.map(() => []));
    const place = [run, beside ?? run];
    const sum2 = element("p", { role: "status", text: sayCount(`bench.counting_${this.unit}s`, seeds) });
    this.node.replaceChildren(sum2, element("p", { text: capital(say("bench.told_of_each", { what: label })) }), element("div", { class: "draws", role: "group", "aria-label": say(`bench.all_${this.unit}s`) }, ...buttons), ...lines);
    for (const [number, button] of buttons.entries()) {
      const { points, runs, message } = await this.make(number).catch((error) => error);
      if (round !== this.round) return;
      if (!runs) {
        sum2.textContent = say("bench.counting_ended", { done: found.length, all: sayCount(`bench.n_${this.unit}s`, seeds), why: message });
        return;
      }
      const held = claims.map(({ bounds }) => within(bounds, runs, points));
      const all = held.length > 0 && held.every(Boolean);
      const words = plainly(quantity, runs, place, points);
      found.push({ held, words, value: MEASURES[quantity](runs[run], points, runs[place[1]]) });
      button.textContent = words;
      button.classList.toggle("right", all);
      button.setAttribute("aria-label", say(all ? "bench.found_as_said" : "bench.found", { name: this.name(number), words }));
      claims.forEach(({ says, bounds }, k) => {
        bounds.forEach((bound, j) => ranges[k][j].push(boundedValue(bound, runs, points)));
        const told2 = bounds.map((bound, j) => say("bench.bound", { bound: bound.words, range: foundRange(ranges[k][j]) }));
        lines[k].textContent = say("bench.claim", { claim: capital(says), right: found.filter((one) => one.held[k]).length, all: found.length, told: told2.join("; ") });
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
    const { runs, points } = found, right = answers.findIndex(({ bounds }) => within(bounds, runs, points));
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

// course/assets/lead.js
var CHARTS = ["nll", "k", "moved", "agreement", "sizes"];
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
    player.chosenCharts = Object.fromEntries(CHARTS.map((name) => [name, false]));
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
    const own = this.facts.lead.ends.map(([name]) => this.turns.find((turn) => turn.name === name));
    const said = own.filter(({ symbol, path }) => symbol && path[0] !== "data").map(({ name, symbol }) => `${symbol} = ${shortNumber(this.values[name])}`);
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

// course/assets/mount.js
var SOON = 100;
var benches = /* @__PURE__ */ new Map();
var courseEngine = null;
var engineCame = null;
var engineBytes = () => courseEngine ??= new Promise((resolve) => engineCame = resolve);
function mountBench({ data, parentElement }) {
  const { opening: header, payload } = openEnvelope(data);
  hide(parentElement);
  if (header.kind === "engine") {
    engineBytes();
    inflate(payload).catch(() => new Uint8Array()).then((bytes) => engineCame?.(bytes));
    return () => {
    };
  }
  let closed = false;
  Promise.all([engineBytes(), inflate(payload)]).then(([engine, trial]) => {
    const attach = () => {
      const player = [...globalThis.dpvizPlayers?.values() ?? []].find(({ opening }) => opening?.key === header.player);
      if (closed || player?.bench) return;
      if (player?.run) benches.set(header.player, new (header.kind === "lead" ? LeadIn : Bench)(player, trialOf(trial), engine));
      else setTimeout(attach, SOON);
    };
    attach();
  });
  return () => {
    closed = true;
    benches.get(header.player)?.close();
    benches.delete(header.player);
  };
}
export {
  mountBench as default
};
