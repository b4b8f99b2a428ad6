// The picture of a page's run with what the engine answered: its points and axes stay, and so do colours.

import { tracksOf } from "./tracks.js";

const KEPT = ["objective_name", "axis_names", "value_names", "class_names", "cluster_names", "n_points", "points_id",
  "one_column", "origin", "x", "y", "values", "shapes", "true_labels", "true_tracks"];
const CURVES = ["nll", "objective", "n_clusters", "n_moved", "n_born", "n_died"];

// `panel`: of the page's run; `reference` (N): tracks that the last sweep is to agree with.
export function pictureOf(panel, answer, { title, colors, reference }) {
  const { n_sweeps: last, sweeps } = answer;
  const picture = { title, cost_note: "", n_sweeps: last, ghosts: [] };
  for (const name of KEPT) if (panel[name] !== undefined) picture[name] = panel[name];
  for (const name of CURVES) picture[name] = sweeps[name];
  picture.labels = tracksOf(sweeps.labels, panel.n_points, colors, reference);
  picture.label_sweeps = Int32Array.from({ length: last + 1 }, (_, sweep) => sweep);
  picture.seconds = new Float64Array(last + 1);
  return picture;
}

// The same partition with clusters numbered in the order in which they first appear: 0, 1, 2, …
export function renumbered(labels) {
  const numbers = new Map();
  return Int32Array.from(labels, (label) => {
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    return numbers.get(label);
  });
}
