// From the engine's answers to what the player plays, without a way through bytes.

import { agreementCurves } from "./agreement.js";
import { ellipsesOf, mapArrays, mapsOf, raised, visitArrays } from "./layers.js";
import { matchedGroups, tracksOf } from "./tracks.js";

const CURVES = ["nll", "objective", "n_clusters", "n_moved", "n_born", "n_died"];
const END = 1e9; // a sweep that no run has
const MOST_VALUES = 8; // columns that are said on hovering
const FAR = 100; // times their range: points so far from zero are drawn relative to their middle
const CELLS = 60; // along either side of a map of the plane
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
// `searching({ share, nll })` is told of a search meanwhile.
export async function answered(engine, { config, points, still }, searching) {
  // Costs have the units of the page's table, whose columns were divided to make the points.
  const more = still.scaling_nats ?? 0, told = ({ share, nll }) => searching?.({ share, nll: nll + more });
  const answer = raised(await engine.run(config, points, still.plane, told), more);
  if (still.region_image && still.plane && points.nFeatures === 2) answer.maps = await mapped(engine, { config, points, answer, still }, 1);
  return answer;
}

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
  if (visits) Object.assign(panel, visitArrays(visits.found, visits.sweep, sweeps.labels, panel));
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
