// One decoded payload: which sweep each panel shows at a playhead frame, its labels, moves and sizes there.

import { sizeBands, sizeHistory } from "./sizes.js";
import { shapesOf, visitCurves, visitOf, visitedLabels, visitedShapes } from "./slow.js";

export class Run {
  constructor(decoded) {
    Object.assign(this, decoded);
    this.histories = [];
    this.lifetimes = [];
    this.last = Math.max(...this.panels.map((panel) => panel.n_sweeps));
    this.setSync(decoded.sync);
  }

  setSync(sync) {
    this.sync = sync;
    this.elapsed = this.panels.map((panel) => {
      let sum = 0;
      return Float64Array.from(panel.seconds, (seconds) => (sum += seconds));
    });
    this.duration = Math.max(...this.elapsed.map((elapsed) => elapsed[elapsed.length - 1]));
  }

  sweepAt(number, frame) {
    const sweeps = this.panels[number].n_sweeps;
    if (this.sync === "fraction") return Math.round((frame / Math.max(1, this.last)) * sweeps);
    if (this.sync === "seconds" && this.duration > 0) {
      const time = this.frameTime(frame) * (1 + 1e-9);
      return lastNotAfter(this.elapsed[number], time);
    }
    return Math.min(frame, sweeps);
  }

  frameTime(frame) {
    return (frame / Math.max(1, this.last)) * this.duration;
  }

  // Horizontal position of a panel's sweep on the charts, in frames.
  frameOfSweep(number, sweep) {
    if (this.sync === "fraction") return (sweep / Math.max(1, this.panels[number].n_sweeps)) * this.last;
    if (this.sync === "seconds" && this.duration > 0) {
      return (this.elapsed[number][sweep] / this.duration) * this.last;
    }
    return sweep;
  }

  rowAt(number, sweep) {
    return lastNotAfter(this.panels[number].label_sweeps, sweep);
  }

  labelsOfRow(number, row) {
    const panel = this.panels[number];
    return panel.labels.subarray(row * panel.n_points, (row + 1) * panel.n_points);
  }

  // What a panel shows at a frame: { sweep, row, labels, moved, shapes, visit }.
  snapshot(number, frame) {
    const sweep = this.sweepAt(number, frame);
    const row = this.rowAt(number, sweep);
    const labels = this.labelsOfRow(number, row);
    const recorded = this.panels[number].label_sweeps[row] === sweep;
    const moved = row > 0 && recorded ? changedPoints(labels, this.labelsOfRow(number, row - 1)) : [];
    const shapes = this.panels[number].ellipse_offsets && shapesOf(this.panels[number], row);
    return { sweep, row, labels, moved, shapes, visit: null };
  }

  // Slow motion: what the panel shows after `step` visits of the recorded sweep.
  slowSnapshot(number, step) {
    const panel = this.panels[number];
    const row = this.rowAt(number, panel.events_sweep - 1);
    const { labels, moved } = visitedLabels(panel, this.labelsOfRow(number, row), step);
    const shapes = panel.ellipse_offsets && visitedShapes(panel, row, labels, step);
    return { sweep: panel.events_sweep, row, labels, moved, shapes, visit: step > 0 ? visitOf(panel, step - 1) : null };
  }

  // The curves of slow motion, one value per visit and one before the first.
  visits() {
    const number = this.slowPanel();
    const panel = this.panels[number];
    const row = this.rowAt(number, panel.events_sweep - 1);
    this.visited ??= visitCurves(panel, this.labelsOfRow(number, row), panel.nll[panel.events_sweep - 1]);
    return this.visited;
  }

  // Sizes at every recorded sweep, and the lifetimes they make; counted when they are first asked for.
  sizes(number) {
    return (this.histories[number] ??= sizeHistory(this.panels[number]));
  }

  bands(number) {
    return (this.lifetimes[number] ??= sizeBands(this.sizes(number)));
  }

  // Largest cluster of any sweep, so that size bars keep one scale throughout.
  largestCluster() {
    this.largest ??= Math.max(...this.panels.map((_, number) => this.sizes(number).largest));
    return this.largest;
  }

  slowPanel() {
    return this.panels.findIndex((panel) => panel.event_points !== undefined);
  }
}

// Index of the last entry ≤ value in an increasing array; 0 if all are larger.
export function lastNotAfter(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

function changedPoints(labels, before) {
  const moved = [];
  for (let i = 0; i < labels.length; i += 1) if (labels[i] !== before[i]) moved.push(i);
  return moved;
}
