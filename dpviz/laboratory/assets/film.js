// From the engine's answers to what the player plays, without a way through bytes.

import { continued, tracksOf } from "../../live/assets/tracks.js";
import { ellipsesOf, mapArrays, visitArrays } from "../../live/assets/layers.js";

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

// A run's { answer, maps, visits }, of which the last two may be missing. `points.shown`: places { places, origin } across
// and up, and `axisNames`, where they are no columns.
export function panelOf({ answer, maps, visits }, points, { title, objective, meanings, colors, reference }) {
  const { n_sweeps: last, sweeps } = answer;
  const [across, up] = points.shown ?? points.axes.map((axis) => column(points, axis));
  const labels = tracksOf(sweeps.labels, points.nPoints, colors, reference);
  const panel = {
    title, objective_name: objective, axis_names: points.axisNames ?? points.axes.map((axis) => points.names[axis]),
    value_names: points.names.slice(0, MOST_VALUES), class_names: [], cluster_names: {}, n_points: points.nPoints,
    points_id: `${points.id} ${points.axes}`, n_sweeps: last, one_column: false, origin: [across.origin, up.origin],
    ghosts: [], x: across.places, y: up.places, labels, ...valuesOf(points),
    label_sweeps: Int32Array.from({ length: last + 1 }, (_, sweep) => sweep), seconds: new Float64Array(last + 1),
  };
  for (const name of ["nll", "objective", "n_clusters", "n_moved", "n_born", "n_died"]) panel[name] = sweeps[name];
  if (sweeps.shapes) Object.assign(panel, { ellipse_meanings: meanings, ...ellipsesOf(sweeps.shapes, sweeps.labels, labels, panel) });
  if (maps) Object.assign(panel, mapArrays(maps, sweeps, panel));
  if (visits) Object.assign(panel, visitArrays(visits.found, visits.sweep, sweeps.labels, panel));
  if (points.groups) {
    const tracks = continued(labels.subarray(last * points.nPoints), points.groups, colors);
    panel.true_labels = Int32Array.from(points.groups);
    panel.true_tracks = Int32Array.from(points.groups, (group) => tracks.get(group));
  }
  return panel;
}

export function filmOf(panels, colors) {
  return { sync: "sweep", partial: false, progress: "", colors, panels };
}
