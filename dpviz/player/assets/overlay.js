// What is drawn over the points: ellipses, centres, density curves, and the visit of slow motion.
// Every function takes a 2-D context, so that the same lines draw on the screen and into exports.

import { shortened } from "./format.js";
import { shapeOf, traceMarker } from "./markers.js";
import { cssColor, mixColors } from "./theme.js";
import { drawAround, meanPlaces, periodOf, shownPlace } from "./turns.js";

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

// Axes of {x : xᵀ scale⁻¹ x = 1} in pixels: [half-axis, half-axis, angle].
function ellipseAxes(projection, xx, xy, yy) {
  const a = xx * projection.scaleX ** 2;
  const b = -xy * projection.scaleX * projection.scaleY;
  const c = yy * projection.scaleY ** 2;
  const middle = (a + c) / 2;
  const spread = Math.hypot((a - c) / 2, b);
  return [Math.sqrt(middle + spread), Math.sqrt(Math.max(0, middle - spread)), 0.5 * Math.atan2(2 * b, a - c)];
}

// A cluster of a single point has no shape of its own: what it would take is the prior's, around the prior's mean.
export function drawEllipses(context, panel, view, { shapes, labels }, projection, theme, withRings = true) {
  const lonely = new Map(clusterMeans(panel, labels).filter(({ count }) => count === 1).map((mean) => [mean.track, mean]));
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

// The name the reader gave to a cluster, legible over its points.
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

// Means of the points, for runs without ellipses.
export function clusterMeans(panel, labels) {
  const sums = new Map();
  for (let i = 0; i < labels.length; i += 1) {
    let sum = sums.get(labels[i]);
    if (sum === undefined) sums.set(labels[i], (sum = { count: 0, x: 0, y: 0 }));
    sum.count += 1;
    sum.x += panel.x[i];
    sum.y += panel.y[i];
  }
  const means = Array.from(sums, ([track, { count, x, y }]) => ({ track, count, x: x / count, y: y / count }));
  for (const [axis, name] of [[0, "x"], [1, "y"]]) {
    const places = periodOf(panel, axis) ? meanPlaces(panel, labels, axis) : null;
    if (places) for (const mean of means) mean[name] = places.get(mean.track);
  }
  return means;
}

export function drawMeans(context, panel, labels, projection, theme) {
  for (const mean of clusterMeans(panel, labels)) {
    drawCentre(context, projection.x(mean.x), projection.y(mean.y), mean.track, theme);
  }
}

// Predictive density of each cluster, and their sum, over the stacked dots.
export function drawDensityCurves(context, panel, row, projection, theme) {
  const size = panel.curve_grid.length;
  const total = new Float64Array(size);
  for (let e = panel.curve_offsets[row]; e < panel.curve_offsets[row + 1]; e += 1) {
    const values = panel.curve_values.subarray(e * size, (e + 1) * size);
    values.forEach((value, g) => (total[g] += value));
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

// Slow motion: the visited point, and a line to the centre of the cluster that it joins.
export function drawVisit(context, panel, snapshot, projection, theme) {
  const { point, from, to } = snapshot.visit;
  const x = projection.x(panel.x[point]);
  const y = projection.y(panel.y[point]);
  if (to !== from) {
    const mean = clusterMeans(panel, snapshot.labels).find((entry) => entry.track === to);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(projection.x(mean.x), projection.y(mean.y));
    strokeOver(context, theme, theme.clusterColor(to), 2);
  }
  drawHalo(context, x, y, 9, theme.clusterColor(to), theme);
}

export function drawHalo(context, x, y, radius, fill, theme) {
  context.beginPath();
  context.arc(x, y, radius * 0.55, 0, 2 * Math.PI);
  context.fillStyle = cssColor(fill);
  context.fill();
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  strokeOver(context, theme, theme.text, 1.75);
}
