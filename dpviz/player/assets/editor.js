// Moving and painting points, where the page asked for it: the player draws and reports them, the page makes the data.

import { cssColor } from "./theme.js";
import { traceMarker } from "./markers.js";
import { KEY_STEP } from "./view.js";

const DOT_SPACING = 7; // pixels between painted points
const MOST_PAINTED = 2000;
const PATIENCE = 10000; // milliseconds in which a page answers an edit by new points

export class Editor {
  constructor(player) {
    this.player = player;
    Object.assign(this, { told: null, waiting: [] });
    this.clear();
  }

  clear() {
    this.dragged = null;
    this.painted = [];
  }

  // What dragging does: "move", "paint" or nothing of its own.
  mode() {
    const { opening, options } = this.player;
    if (!opening?.editable) return null;
    return options.moving ? "move" : options.painting ? "paint" : null;
  }

  drag(number, point, x, y) {
    this.dragged = { number, point, x, y };
    this.player.knobs?.edited(number, [{ point, x, y }]);
  }

  drop() {
    const { number, point, x, y } = this.dragged;
    this.report("moved", number, { index: point, x, y });
  }

  // By keyboard: the point under the cursor, by small steps.
  step(number, point, dx, dy) {
    const panel = this.player.run.panels[number];
    const { bounds: [xLow, xHigh, yLow, yHigh] } = this.player.panels[number].view;
    const same = this.dragged?.number === number && this.dragged.point === point;
    const from = same ? this.dragged : { x: panel.x[point], y: panel.y[point] };
    this.drag(number, point, from.x + KEY_STEP * dx * (xHigh - xLow), from.y + KEY_STEP * dy * (yHigh - yLow));
    this.drop();
    this.player.redraw();
  }

  paint(number, x, y, projection, first) {
    if (first) this.stroke = [];
    const last = this.stroke.at(-1);
    const near = last && Math.hypot((x - last[0]) * projection.scaleX, (y - last[1]) * projection.scaleY) < DOT_SPACING;
    if (near || this.stroke.length >= MOST_PAINTED) return;
    this.stroke.push([x, y]);
    this.painted.push({ number, x, y });
    this.player.knobs?.edited(number, this.painted);
  }

  lift(number) { this.report("painted", number, { places: this.stroke }); }

  // A page takes edits of the points that it has: until it answers with those of one edit, the next ones wait.
  report(name, number, what) {
    const { channel, panels } = this.player, points = panels[number].pointsId, now = performance.now();
    const { told } = this;
    if (told?.points === points && now - told.at < PATIENCE && !channel?.stage) {
      this.waiting.push([name, number, what]);
      return;
    }
    this.told = { points, at: now };
    channel?.setTriggerValue(name, { panel: number, points, ...what });
  }

  // New points are here.
  answered() {
    this.told = null;
    const next = this.waiting.shift();
    if (next && this.player.panels[next[1]]) this.report(...next);
  }

  // The points as they will be, until the page brings new data.
  draw(context, number, scatter, projection) {
    const { theme, plot } = scatter, dragged = this.dragged?.number === number && plot;
    if (!dragged && !this.painted.some((spot) => spot.number === number)) return false;
    context.save();
    scatter.clip(context);
    for (const spot of this.painted) {
      if (spot.number === number) this.drawSpot(context, scatter, projection.x(spot.x), projection.y(spot.y));
    }
    if (dragged) {
      const { point, x, y } = this.dragged;
      context.beginPath();
      context.moveTo(projection.x(scatter.panel.x[point]), projection.y(scatter.panel.y[point]));
      context.lineTo(projection.x(x), projection.y(y));
      context.strokeStyle = cssColor(theme.text);
      context.lineWidth = 1;
      context.setLineDash([3, 3]);
      context.stroke();
      context.setLineDash([]);
      this.drawSpot(context, scatter, projection.x(x), projection.y(y));
    }
    context.restore();
    return true;
  }

  drawSpot(context, scatter, x, y) {
    context.beginPath();
    traceMarker(context, "circle", x, y, scatter.markerRadius());
    context.fillStyle = cssColor(scatter.theme.accent);
    context.fill();
    context.strokeStyle = cssColor(scatter.theme.text);
    context.lineWidth = 1.25;
    context.stroke();
  }
}
