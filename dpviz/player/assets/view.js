// Which part of the data plane is visible, and where data land inside a plot rectangle.

import { periodOf, wholeTurn } from "./turns.js";

export const KEY_STEP = 0.02; // of the view, by which a key moves what is in it
const ROOM = 1.12; // of the data's range: what is in view belongs to the data, so that runs on them share a view
const LARGEST_EQUAL_RATIO = 4; // ranges further apart than this are different units: stretch them instead

export class View {
  constructor(panel) {
    this.oneColumn = panel.one_column;
    this.extent = dataExtent(panel);
    this.bounds = this.home(1, 1, 0); // a pointer may ask before the first picture
    this.homeWidth = this.bounds[1] - this.bounds[0]; // of what home shows, in data units
    this.atHome = true;
    this.moved = [0, 0]; // from home, in data units
    this.version = 0;
  }

  // Bounds [x low, x high, y low, y high] for a rectangle of this size; equal scales where the units allow. The data
  // keep out of `reserved` pixels on the right, where something lies over the plot.
  home(width, height, reserved) {
    const [xLow, xHigh, yLow, yHigh] = this.extent;
    const free = Math.max(width / 2, width - reserved);
    const widened = (low, range) => [low, low + (range * width) / free];
    if (this.oneColumn) {
      return [...widened(xLow - 0.04 * (xHigh - xLow), 1.08 * (xHigh - xLow)), 0, yHigh * 1.3];
    }
    let xRange = (xHigh - xLow) * ROOM;
    let yRange = (yHigh - yLow) * ROOM;
    const ratio = xRange / yRange;
    if (ratio <= LARGEST_EQUAL_RATIO && ratio >= 1 / LARGEST_EQUAL_RATIO) {
      const unit = Math.max(xRange / free, yRange / height);
      xRange = unit * free;
      yRange = unit * height;
    }
    const xMiddle = (xLow + xHigh) / 2;
    const yMiddle = (yLow + yHigh) / 2;
    return [...widened(xMiddle - xRange / 2, xRange), yMiddle - yRange / 2, yMiddle + yRange / 2];
  }

  fit(width, height, reserved) {
    if (!this.atHome) return;
    const home = this.home(width, height, reserved);
    this.homeWidth = home[1] - home[0];
    this.set(home, true);
  }

  set(bounds, atHome = false) {
    const changed = bounds.some((edge, i) => edge !== this.bounds[i]);
    this.bounds = bounds;
    this.atHome = atHome;
    if (atHome) this.moved = [0, 0];
    if (changed) this.version += 1;
  }

  // Move by a share of the visible range.
  pan(dx, dy) {
    const [xLow, xHigh, yLow, yHigh] = this.bounds;
    const x = dx * (xHigh - xLow);
    const y = this.oneColumn ? 0 : dy * (yHigh - yLow);
    this.moved = [this.moved[0] + x, this.moved[1] + y];
    this.set([xLow + x, xHigh + x, yLow + y, yHigh + y]);
  }

  // Zoom by a factor (> 1 is closer) around a data point.
  zoom(factor, x, y) {
    const [xLow, xHigh, yLow, yHigh] = this.bounds;
    const [left, right] = this.extent;
    const closest = (right - left) / 2000;
    const farthest = (right - left) * 20;
    const limited = Math.min(Math.max((xHigh - xLow) / factor, closest), farthest) / (xHigh - xLow);
    const vertical = this.oneColumn ? [yLow, yHigh] : [y + (yLow - y) * limited, y + (yHigh - y) * limited];
    this.set([x + (xLow - x) * limited, x + (xHigh - x) * limited, ...vertical]);
  }

  // How much closer than home the view is.
  closeness() {
    return this.homeWidth / (this.bounds[1] - this.bounds[0]);
  }
}

function dataExtent(panel) {
  const extent = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < panel.n_points; i += 1) {
    extent[0] = Math.min(extent[0], panel.x[i]);
    extent[1] = Math.max(extent[1], panel.x[i]);
    extent[2] = Math.min(extent[2], panel.y[i]);
    extent[3] = Math.max(extent[3], panel.y[i]);
  }
  for (const axis of [0, 1]) if (periodOf(panel, axis)) extent.splice(2 * axis, 2, ...wholeTurn(panel, axis));
  for (const low of [0, 2]) {
    if (extent[low] === extent[low + 1]) {
      const room = Math.abs(extent[low]) * 0.1 || 1;
      extent[low] -= room;
      extent[low + 1] += room;
    }
  }
  return extent;
}

// Linear map from data to CSS pixels of one plot rectangle.
export class Projection {
  constructor(bounds, rect) {
    const [xLow, xHigh, yLow, yHigh] = bounds;
    this.scaleX = rect.width / (xHigh - xLow);
    this.scaleY = rect.height / (yHigh - yLow);
    this.offsetX = rect.x - xLow * this.scaleX;
    this.offsetY = rect.y + rect.height + yLow * this.scaleY;
  }

  x(value) { return this.offsetX + value * this.scaleX; }
  y(value) { return this.offsetY - value * this.scaleY; }
  dataX(pixel) { return (pixel - this.offsetX) / this.scaleX; }
  dataY(pixel) { return (this.offsetY - pixel) / this.scaleY; }
}
