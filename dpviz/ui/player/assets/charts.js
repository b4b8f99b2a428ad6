// A curve over the sweeps with the playhead on it; dragging anywhere scrubs.

import { cssColor } from "./theme.js";
import { formatNumber, niceTicks, tickLabels } from "./format.js";

export class Chart {
  // `scrub(frame, done)` is called while dragging and once at the end.
  constructor(canvas, overlay, scrub) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.lines = [];
    this.last = 1;
    let dragging = false;
    const frameAt = (event) => {
      const x = event.clientX - overlay.getBoundingClientRect().left;
      const share = (x - this.plot.x) / this.plot.width;
      return Math.round(Math.min(1, Math.max(0, share)) * this.last);
    };
    overlay.addEventListener("pointerdown", (event) => {
      dragging = true;
      overlay.setPointerCapture(event.pointerId);
      scrub(frameAt(event), false);
    });
    overlay.addEventListener("pointermove", (event) => dragging && scrub(frameAt(event), false));
    const finish = (event) => {
      if (dragging) scrub(frameAt(event), true);
      dragging = false;
    };
    overlay.addEventListener("pointerup", finish);
    overlay.addEventListener("pointercancel", finish);
  }

  // lines: [{ panel, x, y, color, dash, steps, faint, echo }]; `whole` asks for integer ticks.
  setData(lines, { last, whole, fromZero, axis }) {
    Object.assign(this, { lines, last: Math.max(1, last), whole, axis });
    const all = rangeOf(lines, 0);
    const later = rangeOf(lines, 1);
    // A start far above everything that follows would flatten the rest: let its line leave through the top.
    const clipped = all[1] - later[1] > 2 * (later[1] - later[0]) && later[1] > later[0];
    const [low, high] = clipped && !fromZero ? later : all;
    const room = high > low ? (high - low) * 0.06 : Math.max(1, Math.abs(high)) * 0.1;
    this.range = [fromZero ? 0 : low - room, high + room];
  }

  resize(width, height, ratio) {
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    Object.assign(this, { width, height, ratio });
  }

  x(frame) {
    return this.plot.x + (frame / this.last) * this.plot.width;
  }

  y(value) {
    const [low, high] = this.range;
    return this.plot.y + this.plot.height * (1 - (value - low) / (high - low));
  }

  // Room that the tick labels need; stacked charts share the widest, so that their playheads line up.
  prepare(theme) {
    this.theme = theme;
    const context = this.canvas.getContext("2d");
    context.font = `11px ${theme.font}`;
    this.ticks = niceTicks(this.range[0], this.range[1], Math.max(2, this.height / 36), this.whole);
    this.labels = tickLabels(this.ticks);
    return Math.ceil(Math.max(...this.labels.map((label) => context.measureText(label).width))) + 10;
  }

  drawStatic(left) {
    this.plot = { x: left, y: 8, width: this.width - left - 10, height: this.height - 28 };
    const context = this.canvas.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.drawCurves(context);
  }

  drawCurves(context) {
    context.font = `11px ${this.theme.font}`;
    this.drawGrid(context);
    context.save();
    context.beginPath();
    context.rect(this.plot.x - 1, this.plot.y - 3, this.plot.width + 2, this.plot.height + 6);
    context.clip();
    for (const line of this.lines) this.drawLine(context, line);
    context.restore();
  }

  drawGrid(context) {
    const { theme, plot, ticks, labels } = this;
    context.strokeStyle = cssColor(theme.grid);
    context.lineWidth = 1;
    context.fillStyle = cssColor(theme.muted);
    context.textAlign = "right";
    context.textBaseline = "middle";
    ticks.forEach((tick, k) => {
      const y = Math.round(this.y(tick)) + 0.5;
      context.beginPath();
      context.moveTo(plot.x, y);
      context.lineTo(plot.x + plot.width, y);
      context.stroke();
      context.fillText(labels[k], plot.x - 5, y);
    });
    context.textBaseline = "top";
    const [low, high, whole] = [this.axis.from, this.axis.to, this.axis.whole];
    const marks = niceTicks(low, high, Math.max(2, plot.width / 70), whole);
    tickLabels(marks).forEach((label, k) => {
      const x = plot.x + ((marks[k] - low) / (high - low || 1)) * plot.width;
      context.textAlign = x > this.width - 18 ? "right" : "center";
      context.fillText(label, Math.min(x, this.width - 2), plot.y + plot.height + 6);
    });
  }

  drawLine(context, line) {
    context.strokeStyle = cssColor(line.color, line.faint ? 0.45 : 1);
    context.lineWidth = line.faint ? 1 : 1.75;
    context.lineJoin = "round";
    context.setLineDash(line.dash);
    context.beginPath();
    let started = false;
    for (let k = 0; k < line.y.length; k += 1) {
      if (!Number.isFinite(line.y[k])) {
        started = false;
        continue;
      }
      const x = this.x(line.x[k]);
      const y = this.y(line.y[k]);
      if (!started) context.moveTo(x, y);
      else {
        if (line.steps) context.lineTo(x, this.y(line.y[k - 1]));
        context.lineTo(x, y);
      }
      started = true;
    }
    context.stroke();
    context.setLineDash([]);
  }

  // `at`: for each line that is not faint, the index of the value under the playhead.
  drawPlayhead(frame, at) {
    const context = this.overlay.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.drawPlayheadOn(context, frame, at);
  }

  drawPlayheadOn(context, frame, at) {
    const { theme, plot } = this;
    const x = Math.round(this.x(frame)) + 0.5;
    context.strokeStyle = cssColor(theme.text, 0.55);
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, plot.y - 4);
    context.lineTo(x, plot.y + plot.height);
    context.stroke();
    this.lines.forEach((line, k) => {
      const value = line.faint ? NaN : line.y[at[k]];
      if (!Number.isFinite(value)) return;
      context.beginPath();
      context.arc(this.x(line.x[at[k]]), Math.max(plot.y - 3, this.y(value)), 4, 0, 2 * Math.PI);
      context.fillStyle = cssColor(line.color);
      context.fill();
      context.strokeStyle = cssColor(theme.background);
      context.lineWidth = 1.5;
      context.stroke();
    });
  }

  readout(at, digits) {
    const values = this.lines.map((line, k) => (line.faint || line.echo ? NaN : line.y[at[k]]));
    return values.filter(Number.isFinite).map((value) => formatNumber(value, digits)).join(" · ");
  }
}

// Smallest and largest finite value from an index on; [0, 1] without any.
function rangeOf(lines, start) {
  let low = Infinity;
  let high = -Infinity;
  for (const line of lines) {
    for (let k = start; k < line.y.length; k += 1) {
      if (!Number.isFinite(line.y[k])) continue;
      low = Math.min(low, line.y[k]);
      high = Math.max(high, line.y[k]);
    }
  }
  return high >= low ? [low, high] : [0, 1];
}
