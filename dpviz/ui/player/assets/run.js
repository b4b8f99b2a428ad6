// One decoded payload: which sweep each panel shows at a playhead frame, its labels, moves and sizes there.

import { sizeBands, sizeHistory } from "./sizes.js";

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

  // What a panel shows at a frame: { sweep, row, labels, moved, visit }.
  snapshot(number, frame) {
    const sweep = this.sweepAt(number, frame);
    const row = this.rowAt(number, sweep);
    const labels = this.labelsOfRow(number, row);
    const recorded = this.panels[number].label_sweeps[row] === sweep;
    const moved = row > 0 && recorded ? changedPoints(labels, this.labelsOfRow(number, row - 1)) : [];
    return { sweep, row, labels, moved, visit: null };
  }

  // Slow motion: the labels after `step` visits of the recorded sweep, and the visit itself.
  slowSnapshot(number, step) {
    const panel = this.panels[number];
    const row = this.rowAt(number, panel.events_sweep - 1);
    const labels = Int32Array.from(this.labelsOfRow(number, row));
    const moved = [];
    for (let e = 0; e < step; e += 1) {
      const point = panel.event_points[e];
      labels[point] = panel.event_to[e];
      if (panel.event_to[e] !== panel.event_from[e]) moved.push(point);
    }
    return { sweep: panel.events_sweep, row, labels, moved, visit: step > 0 ? this.visit(panel, step - 1) : null };
  }

  visit(panel, event) {
    const candidates = [];
    if (panel.event_costs) {
      const width = panel.shapes.event_costs[1];
      for (let c = 0; c < width; c += 1) {
        const cost = panel.event_costs[event * width + c];
        if (Number.isFinite(cost)) candidates.push({ track: panel.event_candidates[event * width + c], cost });
      }
    }
    return {
      point: panel.event_points[event], from: panel.event_from[event], to: panel.event_to[event], candidates,
    };
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
