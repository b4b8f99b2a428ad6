// One panel's plot: a bitmap backdrop, points stamped as pixels, and vector marks over them.

import { Canvas } from "./canvas.js";
import { cssColor, mixColors, packColor } from "./theme.js";
import { Backdrop } from "./backdrop.js";
import { OPACITIES, levelOf, opacityLevels } from "./crowding.js";
import { MARKER_SHAPES, markerMask, ringMask, shapeOf, shapeTable, stamp, traceMarker } from "./markers.js";
import { drawInTurns, turnTo } from "./turns.js";
import { Projection } from "./view.js";
import { drawDensityCurves, drawEllipses, drawHalo, drawMeans, drawVisit } from "./overlay.js";

const DIMMED = 0.82;
const MOVED = OPACITIES.length - 1; // how opaque points are that changed cluster, however crowded their place
const FEW_MOVED = 250; // more are ringed the fainter the more there are, or rings would be all there is to see

export class Scatter extends Canvas {
  constructor(canvas, overlay) {
    super(canvas, overlay);
    this.context = canvas.getContext("2d", { willReadFrequently: true });
    this.backdropKey = null;
    this.maskKey = null;
    this.snapshot = null;
    this.selected = null;
    this.blank = null; // by point, whether it has no cluster yet
    this.box = null;
    this.drawGuests = null; // what others draw over the points; returns whether there is anything
    this.marked = false; // whether there is anything on the overlay
    this.hovered = -1; // under the pointer
    this.chosen = -1; // asked about
  }

  setData(panel, view) {
    if (this.panel?.points_id !== panel.points_id) {
      this.chosen = -1;
      this.hovered = -1;
    }
    if (this.view !== view || !this.standsBehind(panel)) this.backdropKey = null;
    this.panel = panel;
    this.view = view;
    this.backdropLayer = new Backdrop(this);
  }

  // Whether the axes and the places of the points, which are computed with them, are those of another run as well.
  standsBehind(panel) {
    const before = this.panel;
    if (!before || this.options?.region || this.options?.density) return false;
    const equal = (one, other) => one === other || (one.length === other.length && one.every((value, i) => value === other[i]));
    const named = ({ points_id: id, axis_names: names, origin, periods, one_column: single }) => JSON.stringify([id, names, origin, periods, single]);
    return named(before) === named(panel) && equal(before.x, panel.x) && equal(before.y, panel.y);
  }

  // `reserved`: pixels on the right that something lies over.
  resize(width, height, ratio, scale, reserved = 0) {
    if (!super.resize(width, height, ratio, scale, reserved)) return;
    this.reserved = reserved;
    // Whole device pixels, because the points are written as pixels.
    const snap = (value) => Math.round(value * ratio) / ratio;
    this.plot = { x: snap((width < 420 ? 38 : 46) * scale), y: snap(8 + 14 * scale) };
    this.plot.width = snap(width - this.plot.x - 10);
    this.plot.height = snap(height - this.plot.y - 36 * scale);
    this.backdropKey = null;
  }

  projection() {
    this.view.fit(this.plot.width, this.plot.height, this.reserved);
    return new Projection(this.view.bounds, this.plot);
  }

  draw(snapshot, options, theme) {
    this.snapshot = snapshot;
    this.options = options;
    this.theme = theme;
    const projection = this.projection();
    this.prepareBackdrop(projection);
    this.prepareMasks();
    this.pixels.set(this.backdrop);
    this.stampPoints(projection);
    const { ratio, plot, context } = this;
    context.putImageData(this.image, Math.round(plot.x * ratio), Math.round(plot.y * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawMarks(context, projection);
    this.drawOverlay();
  }

  // Background, images and grid as pixels; the axes go straight to the canvas, outside the plot rectangle.
  prepareBackdrop(projection) {
    const { plot, ratio, theme, view } = this;
    const key = [view.version, theme.stamp, plot.width, plot.height, ratio, this.backdropLayer.imageKey()].join();
    if (key === this.backdropKey) return;
    this.backdropKey = key;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    turnTo(this.panel, view);
    this.backdropLayer.draw(this.context, projection);
    const [x, y, width, height] = [plot.x, plot.y, plot.width, plot.height].map((v) => Math.round(v * ratio));
    this.backdrop = new Uint32Array(this.context.getImageData(x, y, width, height).data.buffer);
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.computePositions(projection);
    // What is in view, for tests and for tools that read the page: data units, then pixels of the plot rectangle.
    const [xOrigin, yOrigin] = this.panel.origin;
    const [xLow, xHigh, yLow, yHigh] = view.bounds;
    const bounds = [xLow + xOrigin, xHigh + xOrigin, yLow + yOrigin, yHigh + yOrigin];
    this.overlay.dataset.view = JSON.stringify({ bounds, plot });
  }

  computePositions(projection) {
    const { panel, plot, ratio } = this;
    this.columns = new Int32Array(panel.n_points);
    this.rows = new Int32Array(panel.n_points);
    for (let i = 0; i < panel.n_points; i += 1) {
      this.columns[i] = Math.floor((projection.x(panel.x[i]) - plot.x) * ratio);
      this.rows[i] = Math.floor((projection.y(panel.y[i]) - plot.y) * ratio);
    }
    const { width, height } = this.image;
    this.levels = opacityLevels(this.columns, this.rows, width, height, this.markerRadius() * ratio, ratio);
  }

  markerRadius() {
    const base = Math.min(5, Math.max(1.3, 14 * this.panel.n_points ** -0.2));
    return base * Math.min(2, Math.max(1, this.view.closeness() ** 0.35));
  }

  prepareMasks() {
    const radius = Math.round(this.markerRadius() * this.ratio * 4) / 4;
    const key = `${radius},${this.ratio}`;
    if (key === this.maskKey) return;
    this.maskKey = key;
    this.masks = MARKER_SHAPES.map((shape) => markerMask(shape, radius));
    this.ring = ringMask(radius + 1.25 * this.ratio, 1.25 * this.ratio);
  }

  visibleTracks() {
    return this.options.truth && this.panel.true_tracks ? this.panel.true_tracks : this.snapshot.labels;
  }

  stampPoints() {
    const { panel, theme, columns, rows, levels, masks, selected, pixels } = this;
    const { width, height } = this.image;
    const tracks = this.visibleTracks();
    const colors = theme.clusters.map(packColor);
    const dimmed = theme.clusters.map((color) => packColor(mixColors(color, theme.background, DIMMED)));
    const shapes = shapeTable(this.options.shapes, theme);
    const grey = packColor(mixColors(theme.muted, theme.background, 0.35));
    const maskOf = (track) => masks[shapes[track % shapes.length]];
    for (let i = 0; i < panel.n_points; i += 1) {
      const track = tracks[i] < 0 ? 0 : tracks[i];
      const palette = selected && !selected[i] ? dimmed : colors;
      const color = this.blank?.[i] ? grey : palette[track % palette.length];
      stamp(pixels, width, height, maskOf(track), columns[i], rows[i], color, levels[i]);
    }
    if (!this.options.moved) return;
    const ink = packColor(theme.text);
    const { moved } = this.snapshot;
    const many = moved.length > FEW_MOVED;
    const ringLevel = many ? levelOf(Math.max(0.2, FEW_MOVED / moved.length)) : -1;
    for (const i of moved) {
      const level = many ? levels[i] : MOVED;
      stamp(pixels, width, height, maskOf(tracks[i]), columns[i], rows[i], colors[tracks[i] % colors.length], level);
      stamp(pixels, width, height, this.ring, columns[i], rows[i], ink, ringLevel);
    }
  }

  // Marks over the points, inside the plot rectangle.
  drawMarks(context, projection) {
    const { panel, snapshot, theme, options } = this;
    context.save();
    this.clip(context);
    if (panel.one_column) {
      if (panel.curve_offsets && options.clusters) {
        const drawn = (map) => drawDensityCurves(context, panel, snapshot.row, map, theme);
        drawInTurns(context, panel, this.view, projection, drawn);
      }
    } else if (options.clusters && !options.truth) {
      if (snapshot.shapes) drawEllipses(context, panel, this.view, snapshot, projection, theme, !options.bare);
      else drawMeans(context, panel, snapshot.labels, projection, theme);
    }
    if (snapshot.visit) drawVisit(context, panel, snapshot, projection, theme);
    context.restore();
  }

  clip(context) {
    context.beginPath();
    context.rect(this.plot.x, this.plot.y, this.plot.width, this.plot.height);
    context.clip();
  }

  // The pointer's marks live on their own canvas, so that hovering redraws nothing else.
  drawOverlay() {
    const context = this.overlay.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (this.marked) context.clearRect(0, 0, this.width, this.height);
    this.marked = false;
    if (!this.snapshot) return;
    const projection = this.projection();
    if (this.box) {
      const [x0, x1, y0, y1] = this.box;
      const corner = [projection.x(x0), projection.y(y1)];
      const size = [projection.x(x1) - corner[0], projection.y(y0) - corner[1]];
      context.save();
      this.clip(context);
      context.fillStyle = cssColor(this.theme.accent, 0.08);
      context.strokeStyle = cssColor(this.theme.accent);
      context.fillRect(...corner, ...size);
      context.strokeRect(...corner, ...size);
      context.restore();
    }
    const guests = Boolean(this.drawGuests?.(context, projection));
    this.marked = guests || Boolean(this.box) || this.chosen >= 0 || this.hovered >= 0;
    for (const [point, room] of [[this.chosen, 7], [this.hovered, 4]]) {
      if (point < 0) continue;
      const x = projection.x(this.panel.x[point]);
      const y = projection.y(this.panel.y[point]);
      const color = this.theme.clusterColor(Math.max(0, this.visibleTracks()[point]));
      drawHalo(context, x, y, this.markerRadius() + room, color, this.theme);
    }
  }

  // The same picture as vectors, for SVG: points are paths here.
  drawVector(context) {
    const projection = this.projection();
    const { panel, theme, snapshot } = this;
    this.backdropLayer.draw(context, projection);
    context.save();
    this.clip(context);
    const tracks = this.visibleTracks();
    const radius = this.markerRadius();
    for (let i = 0; i < panel.n_points; i += 1) {
      const track = Math.max(0, tracks[i]);
      const color = theme.clusterColor(track);
      const dim = this.selected && !this.selected[i];
      context.fillStyle = cssColor(dim ? mixColors(color, theme.background, DIMMED) : color);
      context.globalAlpha = OPACITIES[this.levels[i]];
      context.beginPath();
      const shape = shapeOf(track, this.options.shapes, theme);
      traceMarker(context, shape, projection.x(panel.x[i]), projection.y(panel.y[i]), radius);
      context.fill("evenodd");
    }
    context.globalAlpha = 1;
    context.strokeStyle = cssColor(theme.text);
    context.lineWidth = 1.25;
    for (const i of this.options.moved ? snapshot.moved : []) {
      context.beginPath();
      context.arc(projection.x(panel.x[i]), projection.y(panel.y[i]), radius + 1.25, 0, 2 * Math.PI);
      context.stroke();
    }
    context.restore();
    this.drawMarks(context, projection);
  }
}
