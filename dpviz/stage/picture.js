// The picture of a page's run with what the engine answered: its points and axes stay, and so do colours.

import { agreementCurves } from "./agreement.js";
import { played } from "./film.js";
import { mapsOf, raised } from "./layers.js";

const KEPT = ["objective_name", "scaling_nats", "axis_names", "value_names", "class_names", "n_points", "points_id",
  "one_column", "origin", "x", "y", "values", "shapes", "true_labels", "true_tracks", "plane", "ellipse_meanings"];

const CELLS = 60; // along either side of a map of the plane

// The engine's answer with what is drawn around the points of a panel: shapes and, of data in the plane, who takes which
// place after the last sweep.
export async function answered(engine, config, points, panel) {
  // Costs have the units of the page's table, whose columns were divided to make the points.
  const answer = raised(await engine.run(config, points, undefined, panel.plane), panel.scaling_nats);
  if (panel.region_image && panel.plane && points.nFeatures === 2) {
    answer.maps = await mapsOf(engine, { config, points, answer }, panel, panel.plane, CELLS, 1);
  }
  return answer;
}

// `panel`: of the page's run; `reference` (N): tracks that the last sweep is to agree with.
export function pictureOf(panel, answer, { title, colors, reference }) {
  const still = { title, cost_note: "" };
  for (const name of KEPT) if (panel[name] !== undefined) still[name] = panel[name];
  const picture = played({ answer, maps: answer.maps }, still, colors, reference);
  if (panel.agreement && panel.true_labels) Object.assign(picture, agreementCurves(picture.labels, renumbered(panel.true_labels)));
  return picture;
}

// The panel with points moved or added: [{ point, x, y }], new ones without `point`. `nearest[k]`: the old point whose
// cluster and group the k-th new one takes.
export function editedPanel(panel, edits, nearest) {
  const added = edits.filter(({ point }) => point === undefined);
  const x = Float32Array.from([...panel.x, ...added.map((spot) => spot.x)]);
  const y = Float32Array.from([...panel.y, ...added.map((spot) => spot.y)]);
  for (const spot of edits) if (spot.point !== undefined) [x[spot.point], y[spot.point]] = [spot.x, spot.y];
  const longer = { ...panel, x, y, n_points: x.length, values: undefined };
  for (const name of ["true_labels", "true_tracks"]) {
    if (panel[name]) longer[name] = Int32Array.from([...panel[name], ...nearest.map((point) => panel[name][point])]);
  }
  return longer;
}

// The old point that is nearest to each of the new ones.
export function nearestPoints(panel, added) {
  return added.map((spot) => {
    let [best, distance] = [0, Infinity];
    for (let i = 0; i < panel.n_points; i += 1) {
      const d = (panel.x[i] - spot.x) ** 2 + (panel.y[i] - spot.y) ** 2;
      if (d < distance) [best, distance] = [i, d];
    }
    return best;
  });
}

// The same partition with clusters numbered in the order in which they first appear: 0, 1, 2, …
export function renumbered(labels) {
  const numbers = new Map();
  return Int32Array.from(labels, (label) => {
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    return numbers.get(label);
  });
}
