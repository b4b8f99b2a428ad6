// Points that are moved or painted in a picture: [{ point, x, y }], new ones without `point`.

import { spotOf } from "./film.js";

// Where edits are in the units of the data, which have two columns.
export function spotsOf({ origin, plane }, edits) {
  return edits.map(({ x, y }) => spotOf(x + origin[0], y + origin[1], plane));
}

// Points { values, nPoints, nFeatures } with them.
export function editedPoints(points, panel, edits) {
  const nPoints = points.nPoints + edits.filter(({ point }) => point === undefined).length;
  const values = new Float64Array(2 * nPoints);
  values.set(points.values);
  let next = points.nPoints;
  spotsOf(panel, edits).forEach((spot, k) => values.set(spot, 2 * (edits[k].point ?? next++)));
  return { values, nPoints, nFeatures: 2 };
}

// The panel with them. `nearest[k]`: the old point whose cluster and group the k-th new one takes.
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
export function nearestPoints(panel, edits) {
  return edits.filter(({ point }) => point === undefined).map((spot) => {
    let [best, distance] = [0, Infinity];
    for (let i = 0; i < panel.n_points; i += 1) {
      const d = (panel.x[i] - spot.x) ** 2 + (panel.y[i] - spot.y) ** 2;
      if (d < distance) [best, distance] = [i, d];
    }
    return best;
  });
}
