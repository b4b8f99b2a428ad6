// Cluster sizes of one panel as a stack over the sweeps, the playhead on it; dragging scrubs.

import { Canvas } from "./canvas.js";
import { cssColor } from "./theme.js";
import { hatch } from "./hatch.js";
import { OTHERS, bandAt } from "./sizes.js";
import { listenToScrubs } from "./scrub.js";
import { say } from "../../words/say.js";

export class Ribbon extends Canvas {
  constructor(canvas, overlay, actions) {
    super(canvas, overlay);
    listenToScrubs(overlay, (x) => this.frameAt(x), actions);
  }

  frameAt(x) {
    const share = (x - this.area.x) / this.area.width;
    return Math.round(Math.min(1, Math.max(0, share)) * this.run.last);
  }

  x(frame) {
    return this.area.x + (frame / Math.max(1, this.run.last)) * this.area.width;
  }

  y(points) {
    return this.area.y + this.area.height * (1 - points / this.run.panels[this.number].n_points);
  }

  // `plot`: the rectangle of the points above, so that both start and end at the same place.
  drawStatic(run, number, plot, theme) {
    Object.assign(this, { run, number, theme });
    this.area = { x: plot.x, y: 5, width: plot.width, height: this.height - 9 };
    const context = this.emptied(this.canvas);
    this.drawOn(context);
  }

  drawOn(context) {
    const { run, number, theme, area } = this;
    const panel = run.panels[number];
    const places = Array.from(panel.label_sweeps, (sweep) => this.x(run.frameOfSweep(number, sweep)));
    // The last recorded labels hold to the end of the run, and a single row still is a column one can see.
    const end = Math.max(this.x(run.frameOfSweep(number, panel.n_sweeps)), places[0] + 3);
    context.font = theme.type(12);
    context.fillStyle = cssColor(theme.muted);
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(say("player.sizes"), area.x - 6, area.y + area.height / 2);
    for (const band of run.bands(number)) this.drawBand(context, band, places, end);
    if (end < area.x + area.width - 1) this.drawRest(context, end);
  }

  // What a run that is over ended with goes on, faintly, while others are under way.
  drawRest(context, end) {
    const { run, number, theme, area } = this;
    const last = run.panels[number].label_sweeps.length - 1;
    context.globalAlpha = 0.25;
    for (const band of run.bands(number)) {
      if (band.rows.at(-1) !== last) continue;
      const [high, low] = [this.y(band.high.at(-1)), this.y(band.low.at(-1))];
      context.fillStyle = band.track === OTHERS ? cssColor(theme.faint) : cssColor(theme.clusterColor(band.track));
      context.fillRect(end, high, area.x + area.width - end, low - high);
    }
    context.globalAlpha = 1;
  }

  drawBand(context, band, places, end) {
    const { theme, area } = this;
    const points = band.rows.map((row, k) => [places[row], this.y(band.high[k]), this.y(band.low[k])]);
    if (band.rows.at(-1) === places.length - 1) points.push([end, ...points.at(-1).slice(1)]);
    context.beginPath();
    points.forEach(([x, high], k) => (k === 0 ? context.moveTo(x, high) : context.lineTo(x, high)));
    for (const [x, , low] of points.reverse()) context.lineTo(x, low);
    context.closePath();
    context.fillStyle = band.track === OTHERS ? cssColor(theme.faint) : cssColor(theme.clusterColor(band.track));
    context.fill();
    if (places.length < area.width / 3) {
      context.strokeStyle = cssColor(theme.background);
      context.lineWidth = 0.75;
      context.stroke();
    }
    const variant = theme.clusterVariant(band.track);
    if (variant === 0 || band.track === OTHERS) return;
    context.save();
    context.clip();
    hatch(context, theme, variant, area.x, area.y, area.width, area.height);
    context.restore();
  }

  drawPlayhead(frame) {
    const shown = [this.size, this.x(frame), this.theme.stamp].join();
    if (shown === this.shown) return;
    this.shown = shown;
    const context = this.emptied(this.overlay);
    this.drawPlayheadOn(context, frame);
  }

  drawPlayheadOn(context, frame) {
    const x = Math.round(this.x(frame)) + 0.5;
    for (const [color, width] of [[this.theme.background, 4], [this.theme.text, 1.5]]) {
      context.strokeStyle = cssColor(color);
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, this.height);
      context.stroke();
    }
  }

  // Which cluster lies under the pointer: { sweep, track, size }.
  read(frame, y) {
    const { run, number, area } = this;
    const sweep = run.sweepAt(number, frame);
    const count = run.panels[number].n_points;
    const points = Math.min(count - 1, Math.max(0, ((area.y + area.height - y) / area.height) * count));
    return { sweep, ...bandAt(run.sizes(number), run.rowAt(number, sweep), points) };
  }
}
