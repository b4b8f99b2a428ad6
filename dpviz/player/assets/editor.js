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
    Object.assign(this, { told: null, waiting: [], timer: null });
    this.clear();
  }

  // What the page still has to answer stays in sight.
  clear() {
    const open = [...(this.told ? [this.told.edit] : []), ...this.waiting], moved = open.findLast(({ name }) => name === "moved");
    this.dragged = moved ? { number: moved.number, point: moved.what.index, x: moved.what.x, y: moved.what.y } : null;
    this.painted = open.flatMap(({ number, what }) => (what.places ?? []).map(([x, y]) => ({ number, x, y })));
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
    if (!this.dragged) return; // there are other points by now
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

  // What was begun was no stroke.
  unpaint() {
    this.painted.splice(this.painted.length - this.stroke.length);
    this.stroke = [];
  }

  lift(number) { this.report("painted", number, { places: this.stroke }); }

  // A page takes edits of the points that it has: until it answers with those of one edit, the next ones wait. Of a
  // point that is moved again only the newest place does.
  report(name, number, what) {
    const edit = { name, number, what }, last = this.waiting.at(-1);
    const again = name === "moved" && last?.name === name && last.number === number && last.what.index === what.index;
    if (again) this.waiting.pop();
    this.waiting.push(edit);
    if (!this.told) this.next();
  }

  next() {
    clearTimeout(this.timer);
    this.told = null;
    const edit = this.waiting.shift(), { channel, panels, run } = this.player;
    if (!edit || !panels[edit.number]) return;
    const { name, number, what } = edit;
    if (!channel?.stage) { // a page that computes by itself has answered at once
      this.told = { edit, nPoints: run.panels[number].n_points + (what.places?.length ?? 0) };
      this.timer = setTimeout(() => this.next(), PATIENCE);
    }
    channel?.setTriggerValue(name, { panel: number, points: panels[number].pointsId, ...what });
  }

  // New points are here: of the edit that was told, or others, of which nothing was edited.
  answered() {
    const { told } = this, { run } = this.player;
    if (told && run.panels[told.edit.number]?.n_points !== told.nPoints) this.waiting = [];
    this.next();
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
