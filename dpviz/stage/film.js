// From the engine's answers to what the player plays, without a way through bytes.

import { agreementCurves } from "./agreement.js";
import { matchedGroups, tracksOf } from "./tracks.js";

const CURVES = ["nll", "objective", "n_clusters", "n_moved", "n_born", "n_died"];
const END = 1e9; // a sweep that no run has
const MOST_VALUES = 8; // columns that are said on hovering
const NOISE = 1e-9; // relative difference of equal nll
const FAR = 100; // times their range: points so far from zero are drawn relative to their middle
const CELLS = 60; // along either side of a map of the plane
const MOST_CLUSTERS = 40; // of a sweep, beyond which it has neither ellipses nor a map
const AROUND = 0.15; // of the range of the points, around them
const SQUEEZED = 4; // ratio of the axes' ranges from which a picture does not keep their scales equal
const FADING = 0.25; // of the nats in a map of the density, so that more than its peaks is visible
const KEPT = ["objective_name", "scaling_nats", "axis_names", "periods", "value_names", "class_names", "n_points", "points_id",
  "one_column", "origin", "x", "y", "values", "shapes", "true_labels", "true_tracks", "plane", "ellipse_meanings"];

const columns = new WeakMap(); // those of values, by axis: knobs do not change them

// Column of the rows, and what was subtracted from it.
function column(points, axis) {
  if (!columns.has(points.values)) columns.set(points.values, new Map());
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

// What is shown of a run that there is not: all points in one cluster.
export function unclustered(nPoints) {
  const sweeps = { labels: new Int32Array(nPoints), nll: [NaN], objective: [NaN], n_clusters: [1] };
  return { n_sweeps: 0, sweeps: { ...sweeps, n_moved: [0], n_born: [0], n_died: [0] } };
}

// The same partition with clusters numbered in the order in which they first appear: 0, 1, 2, …
export function renumbered(labels) {
  const numbers = new Map();
  return Int32Array.from(labels, (label) => {
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    return numbers.get(label);
  });
}

// Two columns as the plane, for the engine's shapes.
function planeOf({ nFeatures, axes }) {
  const unit = (axis) => Array.from({ length: nFeatures }, (_, d) => Number(d === axis));
  return { directions: axes.map(unit), origin: Array(nFeatures).fill(0) };
}

// The panel of points, without a run. `points.shown`: places { places, origin } across and up, and `axisNames`, where
// they are no columns, around which nothing is drawn, as around points with `own` columns; `points.periods`: after what
// columns begin again, 0 for those that do not; `points.groups` (N): true groups, of which the colours are their numbers if
// these `stay`.
export function stillOf(points, { id, objective, meanings, stay = false }) {
  const [across, up] = points.shown ?? points.axes.map((axis) => column(points, axis));
  const groups = points.groups ? { true_labels: Int32Array.from(points.groups) } : {};
  if (points.groups && stay) groups.true_tracks = groups.true_labels;
  const periods = points.periods ? { periods: points.axes.map((axis) => points.periods[axis]) } : {};
  return {
    objective_name: objective, axis_names: points.axisNames ?? points.axes.map((axis) => points.names[axis]),
    value_names: points.names.slice(0, MOST_VALUES), class_names: [], n_points: points.nPoints,
    points_id: `${id} ${points.axes}`, one_column: false, origin: [across.origin, up.origin],
    x: across.places, y: up.places, plane: points.shown || points.own ? undefined : planeOf(points), ellipse_meanings: meanings, ...periods, ...groups, ...valuesOf(points),
  };
}

// What the engine answers about a run, with what is drawn around the points of its `still`: shapes and, of data in the
// plane that have a map, who takes which place after the last sweep.
// `searching({ share, nll })` is told of a search meanwhile. A run takes the configuration that it has `instead` where that ends
// lower.
export async function answered(engine, run, searching) {
  const { points, still } = run;
  // Costs have the units of the page's table, whose columns were divided to make the points.
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

const isLower = (nll, other) => nll < other - NOISE * Math.abs(other);

// Maps of a run in `most` sweeps.
export const mapped = (engine, run, most) => mapsOf(engine, run, run.still, run.still.plane, CELLS, most);

// What a panel plays of a run { answer, still, title, visits }. `references`: tracks (N) with which the last sweep is to
// agree.
export function pictureOf({ answer, still, title, visits }, colors, references) {
  const { n_sweeps: last, sweeps, maps } = answer;
  const labels = tracksOf(sweeps.labels, still.n_points, colors, references);
  const panel = {
    title, cost_note: "", cluster_names: {}, ghosts: [], n_sweeps: last, labels, seconds: new Float64Array(last + 1),
    label_sweeps: Int32Array.from({ length: last + 1 }, (_, sweep) => sweep),
  };
  for (const name of KEPT) if (still[name] !== undefined) panel[name] = still[name];
  for (const name of CURVES) panel[name] = sweeps[name];
  if (sweeps.shapes) Object.assign(panel, ellipsesOf(sweeps.shapes, sweeps.labels, labels, panel));
  else delete panel.ellipse_meanings;
  if (maps) Object.assign(panel, mapArrays(maps, sweeps, panel));
  if (visits) Object.assign(panel, visitArrays(visits.found, visits.sweep, sweeps.labels, panel, still.scaling_nats));
  if (panel.true_labels) panel.true_tracks ??= matchedGroups(panel.true_labels, lastTracks(panel), colors);
  if (still.agreement && panel.true_labels) Object.assign(panel, agreementCurves(labels, renumbered(panel.true_labels)));
  return panel;
}

// Tracks (N) of a panel's last sweep.
export const lastTracks = ({ labels, n_sweeps: last, n_points: nPoints }) => labels.subarray(last * nPoints);

let films = 0; // that were opened: each has a name

// Open panels as a film. `opening`: the one before, with what is otherwise now; a `film` in the place of a server's picture
// begins at its end, others where the playhead is.
export function openFilm(player, panels, colors, opening) {
  films += 1;
  const film = { sync: player.run?.sync ?? "sweep", partial: false, progress: "", colors, panels };
  const opened = { ...opening, id: `film ${films}`, sweep: END, start: "", quick: true };
  player.open(opening.film ? { ...opened, command: opened.id } : opened, film);
}

// --- what is drawn with the points: ellipses, maps of the plane, visits of one sweep, and how clusters pull at a place ---

const rowOf = (array, row, width) => array.subarray(row * width, (row + 1) * width);

// A run's answer with costs that are higher by so many nats.
export function raised(answer, more) {
  if (!more) return answer;
  const sweeps = { ...answer.sweeps };
  for (const name of ["nll", "objective"]) sweeps[name] = sweeps[name].map((cost) => cost + more);
  return { ...answer, nll: answer.nll + more, sweeps };
}

// The track of every label of a sweep.
function trackTable(labels, tracks) {
  const found = [];
  for (let i = 0; i < labels.length; i += 1) found[labels[i]] = tracks[i];
  const table = new Map();
  found.forEach((track, label) => table.set(label, track));
  return table;
}

// The engine's shapes of all rows of `labels`, in the colours of `tracks`.
export function ellipsesOf(shapes, labels, tracks, { n_points: nPoints, origin }) {
  const ellipse_tracks = new Int32Array(shapes.labels.length);
  for (let row = 0; row + 1 < shapes.offsets.length; row += 1) {
    const [from, to] = [shapes.offsets[row], shapes.offsets[row + 1]];
    if (from === to) continue;
    const table = trackTable(rowOf(labels, row, nPoints), rowOf(tracks, row, nPoints));
    for (let e = from; e < to; e += 1) ellipse_tracks[e] = table.get(shapes.labels[e]);
  }
  return {
    ellipse_offsets: shapes.offsets, ellipse_tracks, ellipse_centers: shapes.centers.map((place, e) => place - origin[e % 2]),
    ellipse_scales: shapes.scales, ellipse_factors: shapes.factors,
  };
}

// The part of the plane that the player shows at first: [x low, x high, y low, y high].
export function extentOf(x, y) {
  const ends = [x, y].map((values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]));
  let sizes = ends.map(([low, high]) => Math.max(high - low, 1e-9) * (1 + 2 * AROUND));
  const ratio = sizes[0] / sizes[1];
  if (ratio <= SQUEEZED && ratio >= 1 / SQUEEZED) sizes = [Math.max(sizes[0], 2 * sizes[1]), Math.max(sizes[1], sizes[0] / 2)];
  return ends.flatMap(([low, high], k) => [(low + high - sizes[k]) / 2, (low + high + sizes[k]) / 2]);
}

// A place of the plane in the units of the data, which have two columns.
export function spotOf(x, y, { directions: [[a, b], [c, d]], origin }) {
  const determinant = a * d - b * c;
  return [origin[0] + (d * x - b * y) / determinant, origin[1] + (a * y - c * x) / determinant];
}

// The middles of cells × cells places of the plane, row by row from the lowest, in the units of the data, which have two
// columns.
function gridOf([left, right, low, high], cells, plane) {
  const values = new Float64Array(2 * cells * cells);
  for (let k = 0; k < cells * cells; k += 1) {
    const x = left + (((k % cells) + 0.5) / cells) * (right - left);
    const y = low + ((Math.floor(k / cells) + 0.5) / cells) * (high - low);
    values.set(spotOf(x, y, plane), 2 * k);
  }
  return { values, nPoints: cells * cells, nFeatures: 2 };
}

// Rows that get a map: evenly spread, the last one among them.
function mappedRows({ n_clusters: counts }, most) {
  const few = Array.from(counts.keys()).filter((row) => counts[row] <= MOST_CLUSTERS);
  const count = Math.min(few.length, most);
  return Array.from({ length: count }, (_, k) => few[count === 1 ? few.length - 1 : Math.round((k * (few.length - 1)) / (count - 1))]);
}

// Who takes each of cells × cells places, and for what price, in `most` sweeps: { extent, cells, frames }.
export async function mapsOf(engine, { config, points, answer }, panel, plane, cells, most) {
  const extent = extentOf(panel.x, panel.y).map((end, k) => end + panel.origin[k < 2 ? 0 : 1]);
  const where = gridOf(extent, cells, plane);
  const frames = [];
  for (const row of mappedRows(answer.sweeps, most)) {
    const labels = rowOf(answer.sweeps.labels, row, points.nPoints);
    frames.push({ row, ...await engine.places(config, points, labels, where) });
  }
  return { extent, cells, frames };
}

// Leads, of which no more counts than the largest at an edge: only there they say where the edge is.
function nearEdges(takers, margins, cells) {
  const leads = margins.map((margin) => (Number.isFinite(margin) ? margin : 1));
  let largest = 0;
  for (let cell = 0; cell < takers.length; cell += 1) {
    const [right, above] = [(cell + 1) % cells === 0 ? cell : cell + 1, cell + cells];
    if (takers[right] !== takers[cell]) largest = Math.max(largest, leads[cell], leads[right]);
    if (above < takers.length && takers[above] !== takers[cell]) largest = Math.max(largest, leads[cell], leads[above]);
  }
  return leads.map((lead) => Math.max(1e-9, Math.min(1, lead / (largest || 1))));
}

// The maps as the player draws them. `panel`: with labels as tracks.
export function mapArrays({ extent, cells, frames }, { labels, nll }, panel) {
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
    region_sweeps: sweeps, region_extent: placed,
    region_image: joined(Int32Array, ({ row, takers }) => {
      const table = trackTable(rowOf(labels, row, N), rowOf(panel.labels, row, N));
      return takers.map((label) => table.get(label) ?? -1);
    }),
    region_margins: joined(Float32Array, ({ takers, margins }) => nearEdges(takers, margins, cells)),
  };
  if (!Number.isFinite(nll[0])) return { ...regions, shapes: { ...panel.shapes, region_image: shape } };
  const density_image = joined(Float32Array, ({ costs }) => {
    const lowest = costs.reduce((least, cost) => Math.min(least, cost), Infinity);
    return costs.map((cost) => Math.exp(FADING * (lowest - cost)));
  });
  return { ...regions, density_sweeps: sweeps, density_extent: placed, density_image,
    shapes: { ...panel.shapes, region_image: shape, density_image: shape } };
}

// The visits of a sweep with the tracks of the sweep before; clusters that it opens take those of their points after it.
// `more`: nats by which costs are higher than the engine's.
export function visitArrays(found, sweep, labels, panel, more = 0) {
  const { n_points: N } = panel;
  const table = trackTable(rowOf(labels, sweep - 1, N), rowOf(panel.labels, sweep - 1, N));
  const after = rowOf(panel.labels, sweep, N);
  const taken = new Set(table.values());
  const opened = new Map();
  found.to.forEach((label, visit) => {
    if (!table.has(label)) opened.set(label, [...(opened.get(label) ?? []), after[found.points[visit]]]);
  });
  for (const [label, members] of opened) {
    const own = members.find((track) => !taken.has(track));
    const track = own ?? [...taken, ...after].reduce((most, other) => Math.max(most, other), 0) + 1;
    table.set(label, track);
    taken.add(track);
  }
  const tracks = (numbers) => Int32Array.from(numbers, (label) => table.get(label) ?? -1);
  const event_nll = found.nll?.every(Number.isFinite) ? { event_nll: found.nll.map((nll) => nll + more) } : {};
  return {
    events_sweep: sweep, event_points: found.points, event_from: tracks(found.from), event_to: tracks(found.to),
    event_candidates: tracks(found.candidates), event_costs: Float32Array.from(found.costs, (cost) => cost + more / N), ...event_nll,
    shapes: { ...panel.shapes, event_costs: [found.points.length, found.width] },
  };
}

// How each cluster pulls at a place, as the ghost point asks: [track, weight, ln of the fit], whose density is lower by
// `rowNats` in the units of the table.
export function pullsOf({ log_predictive: fits, log_weight: weights }, labels, tracks, rowNats = 0) {
  const table = trackTable(labels, tracks);
  return Array.from(fits, (fit, k) => [table.get(k) ?? -1, Math.exp(weights[k]), fit - rowNats]);
}
