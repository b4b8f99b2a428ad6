// From the engine's answers to what the player plays, without a way through bytes.

import { continued, tracksOf } from "./tracks.js";
import { ellipsesOf, mapArrays, visitArrays } from "./layers.js";

const CURVES = ["nll", "objective", "n_clusters", "n_moved", "n_born", "n_died"];
const END = 1e9; // a sweep that no run has
const MOST_VALUES = 8; // columns that are said on hovering
const FAR = 100; // times their range: points so far from zero are drawn relative to their middle

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

// The columns that are shown, for the engine's shapes.
export function planeOf({ nFeatures, axes }) {
  const unit = (axis) => Array.from({ length: nFeatures }, (_, d) => Number(d === axis));
  return { directions: axes.map(unit), origin: Array(nFeatures).fill(0) };
}

// What a panel plays of a run { answer, maps, visits }, of which the last two may be missing. `still`: what a panel has
// without one; `reference` (N): tracks that the last sweep is to agree with, or null.
export function played({ answer, maps, visits }, still, colors, reference) {
  const { n_sweeps: last, sweeps } = answer;
  const labels = tracksOf(sweeps.labels, still.n_points, colors, reference);
  const panel = {
    ...still, cluster_names: {}, ghosts: [], n_sweeps: last, labels, seconds: new Float64Array(last + 1),
    label_sweeps: Int32Array.from({ length: last + 1 }, (_, sweep) => sweep),
  };
  for (const name of CURVES) panel[name] = sweeps[name];
  if (sweeps.shapes) Object.assign(panel, ellipsesOf(sweeps.shapes, sweeps.labels, labels, panel));
  else delete panel.ellipse_meanings;
  if (maps) Object.assign(panel, mapArrays(maps, sweeps, panel));
  if (visits) Object.assign(panel, visitArrays(visits.found, visits.sweep, sweeps.labels, panel));
  return panel;
}

// Tracks (N) of a panel's last sweep.
export const lastTracks = ({ labels, n_sweeps: last, n_points: nPoints }) => labels.subarray(last * nPoints);

// The panel of a run of points. `points.shown`: places { places, origin } across and up, and `axisNames`, where they are
// no columns.
export function panelOf(run, points, { title, objective, meanings, colors, reference }) {
  const [across, up] = points.shown ?? points.axes.map((axis) => column(points, axis));
  const panel = played(run, {
    title, objective_name: objective, axis_names: points.axisNames ?? points.axes.map((axis) => points.names[axis]),
    value_names: points.names.slice(0, MOST_VALUES), class_names: [], n_points: points.nPoints,
    points_id: `${points.id} ${points.axes}`, one_column: false, origin: [across.origin, up.origin],
    x: across.places, y: up.places, ellipse_meanings: meanings, ...valuesOf(points),
  }, colors, reference);
  if (points.groups) {
    const tracks = continued(lastTracks(panel), points.groups, colors);
    panel.true_labels = Int32Array.from(points.groups);
    panel.true_tracks = Int32Array.from(points.groups, (group) => tracks.get(group));
  }
  return panel;
}

let films = 0; // that were opened: each has a name

// Open panels as a film. `opening`: the one before, with what is otherwise now; a `film` in the place of a server's picture
// begins at its end, others where the playhead is.
export function openFilm(player, panels, colors, opening) {
  films += 1;
  const film = { sync: player.run?.sync ?? "sweep", partial: false, progress: "", colors, panels };
  const opened = { ...opening, id: `film ${films}`, sweep: END, start: "", quick: true };
  player.open(opening.film ? { ...opened, command: opened.id } : opened, film);
}
