// A curve over the sweeps with the playhead on it; dragging anywhere scrubs.

import { Canvas, drawLevels } from "./canvas.js";
import { cssColor } from "./theme.js";
import { formatFixed, formatNumber, niceTicks, tickLabels } from "./format.js";
import { chartRanges } from "./ranges.js";
import { listenToScrubs } from "./scrub.js";
import { say } from "../../words/say.js";

export class Chart extends Canvas {
  // `actions`: scrub(frame, done), hover(frame or null, x, y).
  constructor(canvas, overlay, actions) {
    super(canvas, overlay);
    this.lines = [];
    this.last = 1;
    listenToScrubs(overlay, (x) => this.frameAt(x), actions);
  }

  frameAt(x) {
    const share = (x - this.plot.x) / this.plot.width;
    return Math.round(Math.min(1, Math.max(0, share)) * this.last);
  }

  // lines: [{ panel, label, unit, x, y, color, dash, steps, connect, faint, echo }]. `connect` bridges gaps, `whole`
  // asks for integer ticks, `full` for all values, also those of a steep start; `limits` fix the range, and `least` is how
  // much it has to show, so that what is next to nothing looks so. `byVisit`: frames are visits.
  setData(lines, { last, whole = false, fromZero = false, axis, full = false, limits = null, least = 0, byVisit = false }) {
    Object.assign(this, { lines, last: Math.max(1, last), whole, axis, byVisit });
    const ranges = chartRanges(lines, fromZero);
    this.steep = ranges.cut && limits === null;
    this.cut = this.steep && !full;
    const [lowest, highest] = limits ?? (this.cut ? ranges.later : ranges.all);
    const lack = highest > lowest ? Math.max(0, least - (highest - lowest)) / 2 : 0;
    const [low, high] = [lowest - lack, highest + lack];
    const room = high > low ? (high - low) * 0.06 : Math.max(1, Math.abs(high)) * 0.1;
    this.range = [fromZero ? 0 : low - room, high + room];
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
    context.font = theme.type(12);
    const count = Math.max(2, this.height / (36 * theme.scale));
    this.ticks = niceTicks(...this.range, count, this.whole);
    if (this.ticks.length < 2) this.ticks = niceTicks(...this.range, 2.5 * count, this.whole); // one tick is no scale
    const room = (this.height - 20 * theme.scale) / (14 * theme.scale); // in lines of labels
    if (this.ticks.length > Math.max(2, room)) this.ticks = [this.ticks[0], this.ticks.at(-1)];
    this.labels = tickLabels(this.ticks);
    return Math.ceil(Math.max(...this.labels.map((label) => context.measureText(label).width))) + 10;
  }

  drawStatic(left) {
    this.plot = { x: left, y: 8, width: this.width - left - 10, height: this.height - 8 - 20 * this.theme.scale };
    const context = this.emptied(this.canvas);
    this.drawCurves(context);
  }

  drawCurves(context) {
    context.font = this.theme.type(12);
    this.drawGrid(context);
    context.save();
    context.beginPath();
    context.rect(this.plot.x - 1, this.plot.y - 3, this.plot.width + 2, this.plot.height + 6);
    context.clip();
    for (const line of this.lines) this.drawLine(context, line);
    context.restore();
    for (const line of this.lines) this.drawRunningOff(context, line);
  }

  // Marks where a line leaves the chart: through the top at a steep start, or to the right as a longer ghost.
  drawRunningOff(context, line) {
    const { plot, theme } = this;
    const finite = line.y.findIndex(Number.isFinite);
    context.fillStyle = cssColor(line.color);
    if (this.cut && line.y[finite] > this.range[1]) {
      const x = Math.max(plot.x + 5, this.x(line.x[finite]));
      drawArrow(context, x, plot.y - 7, 0);
      if (this.lines.filter((other) => !other.faint && !other.echo).length === 1 && !line.faint && !line.echo) {
        // at the right, where a falling curve is low
        const text = say("player.starts_at", { value: formatNumber(line.y[finite], 5) });
        const right = plot.x + plot.width;
        context.fillStyle = cssColor(theme.background, 0.85);
        const { width } = context.measureText(text);
        context.fillRect(right - width - 17, plot.y - 8, width + 17, 13 * theme.scale);
        context.fillStyle = cssColor(theme.muted);
        context.textAlign = "right";
        context.textBaseline = "top";
        context.fillText(text, right - 12, plot.y - 7);
        drawArrow(context, right - 5, plot.y - 6, 0);
      }
    }
    if (line.faint && line.x.at(-1) > this.last) {
      const y = Math.max(plot.y, this.y(line.y[Math.floor(this.last)]));
      drawArrow(context, plot.x + plot.width + 8, y, 1);
    }
  }

  drawGrid(context) {
    const { theme, plot, ticks, labels } = this;
    drawLevels(context, theme, plot, ticks.map((tick) => this.y(tick)), labels);
    context.textBaseline = "top";
    const [low, high, whole] = [this.axis.from, this.axis.to, this.axis.whole];
    const marks = niceTicks(low, high, Math.max(2, plot.width / (70 * theme.scale)), whole);
    const [step] = marks.slice(1).map((mark, k) => mark - marks[k]);
    if (whole && high - marks.at(-1) > 0.45 * step) marks.push(high); // where it ends
    else if (whole && marks.length > 1) marks[marks.length - 1] = high;
    tickLabels(marks).forEach((label, k) => {
      const x = plot.x + ((marks[k] - low) / (high - low || 1)) * plot.width;
      context.textAlign = x > this.width - 18 * theme.scale ? "right" : "center";
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
        started = started && line.connect;
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

  // For each line, the index of its value at a frame; past its end for a panel that the frame is not about.
  indicesAt(run, frame) {
    return this.lines.map((line) => {
      if (this.byVisit) return frame;
      if (line.faint) return frame < line.y.length ? frame : -1;
      return frame > run.last ? -1 : Math.min(run.sweepAt(line.panel, frame), line.y.length - 1);
    });
  }

  // `at`: for each line that is not faint, the index of the value under the playhead.
  drawPlayhead(frame, at) {
    this.playhead = { frame, at };
    this.drawOverlay();
  }

  drawOverlay() {
    const context = this.emptied(this.overlay);
    this.drawPlayheadOn(context, this.playhead.frame, this.playhead.at);
    if (this.hovered === null || this.hovered === undefined) return;
    context.setLineDash([2, 3]);
    this.drawHairline(context, this.hovered, 0.4);
    context.setLineDash([]);
  }

  drawHairline(context, frame, opacity) {
    const x = Math.round(this.x(frame)) + 0.5;
    context.strokeStyle = cssColor(this.theme.text, opacity);
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, this.plot.y - 4);
    context.lineTo(x, this.plot.y + this.plot.height);
    context.stroke();
  }

  drawPlayheadOn(context, frame, at) {
    const { theme, plot } = this;
    this.drawHairline(context, frame, 0.55);
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
    const shown = this.lines.map((line, k) => ({ line, value: line.faint || line.echo ? NaN : line.y[at[k]] }));
    return shown.filter(({ value }) => Number.isFinite(value)).map(({ line, value }) => {
      const written = line.decimals === undefined ? formatNumber(value, digits) : formatFixed(value, 2);
      return line.named ? `${line.label} ${written}` : written;
    }).join(" · ");
  }
}

// A small triangle; 0 points up, 1 to the right.
function drawArrow(context, x, y, direction) {
  context.beginPath();
  if (direction === 0) [[x - 4, y + 7], [x + 4, y + 7], [x, y]].forEach(([a, b], k) => trace(context, k, a, b));
  else [[x - 7, y - 4], [x - 7, y + 4], [x, y]].forEach(([a, b], k) => trace(context, k, a, b));
  context.closePath();
  context.fill();
}

function trace(context, k, x, y) {
  if (k === 0) context.moveTo(x, y);
  else context.lineTo(x, y);
}
