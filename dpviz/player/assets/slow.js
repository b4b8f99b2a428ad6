// Slow motion: one sweep visit by visit. The changes after a number of visits, and the curves.

// Labels after `step` visits, and the points that moved.
export function visitedLabels(panel, start, step) {
  const labels = Int32Array.from(start);
  const moved = [];
  for (let e = 0; e < step; e += 1) {
    const point = panel.event_points[e];
    labels[point] = panel.event_to[e];
    if (panel.event_to[e] !== panel.event_from[e]) moved.push(point);
  }
  return { labels, moved };
}

// One visit in full: who, from where, to where, and what the candidates cost.
export function visitOf(panel, event) {
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

// Values after 0, 1, 2, … visits: clusters alive, points moved, and the nll where Python sent it.
export function visitCurves(panel, start, nllBefore) {
  const sizes = new Map();
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

// Shapes of a row, or of a visit: [{ track, x, y, xx, xy, yy, inner, outer }].
export function shapesOf(panel, row, prefix = "ellipse") {
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

// Shapes after `step` visits: those of the start, as far as the visits left them, and only of clusters with points.
export function visitedShapes(panel, row, labels, step) {
  const shapes = new Map(shapesOf(panel, row).map((shape) => [shape.track, shape]));
  if (panel.event_ellipse_offsets) {
    for (let e = 0; e < step; e += 1) {
      for (const shape of shapesOf(panel, e, "event_ellipse")) shapes.set(shape.track, shape);
    }
  }
  const alive = new Set(labels);
  return [...shapes.values()].filter((shape) => alive.has(shape.track));
}
