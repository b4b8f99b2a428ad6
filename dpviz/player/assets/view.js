// Which part of the data plane is visible, and where data land inside a plot rectangle.

const MOST_ROOM = 0.3; // of the data's range, on each side
const LARGEST_EQUAL_RATIO = 4; // ranges further apart than this are different units: stretch them instead

export class View {
  constructor(panel) {
    this.oneColumn = panel.one_column;
    this.extent = dataExtent(panel);
    this.data = [...this.extent];
    this.bounds = null;
    this.atHome = true;
    this.version = 0;
  }

  // Bounds [x low, x high, y low, y high] for a rectangle of this size; equal scales where the units allow.
  home(width, height) {
    const [xLow, xHigh, yLow, yHigh] = this.extent;
    if (this.oneColumn) return [xLow - 0.04 * (xHigh - xLow), xHigh + 0.04 * (xHigh - xLow), 0, yHigh * 1.08];
    let xRange = (xHigh - xLow) * 1.08;
    let yRange = (yHigh - yLow) * 1.08;
    const ratio = xRange / yRange;
    if (ratio <= LARGEST_EQUAL_RATIO && ratio >= 1 / LARGEST_EQUAL_RATIO) {
      const unit = Math.max(xRange / width, yRange / height);
      xRange = unit * width;
      yRange = unit * height;
    }
    const xMiddle = (xLow + xHigh) / 2;
    const yMiddle = (yLow + yHigh) / 2;
    return [xMiddle - xRange / 2, xMiddle + xRange / 2, yMiddle - yRange / 2, yMiddle + yRange / 2];
  }

  // Make room for the shapes of the last sweep, too, unless they are far larger than the data.
  include(panels) {
    this.extent = [...this.data];
    if (this.oneColumn) return;
    for (const panel of panels) {
      shapeExtent(panel).forEach((edge, i) => {
        const range = this.data[i | 1] - this.data[i & 2];
        const limit = this.data[i] + (i % 2 === 0 ? -1 : 1) * MOST_ROOM * range;
        this.extent[i] = i % 2 === 0
          ? Math.min(this.extent[i], Math.max(edge, limit))
          : Math.max(this.extent[i], Math.min(edge, limit));
      });
    }
  }

  fit(width, height) {
    if (this.atHome || this.bounds === null) this.set(this.home(width, height), true);
  }

  set(bounds, atHome = false) {
    const changed = this.bounds === null || bounds.some((edge, i) => edge !== this.bounds[i]);
    this.bounds = bounds;
    this.atHome = atHome;
    if (changed) this.version += 1;
  }

  // Move by a share of the visible range.
  pan(dx, dy) {
    const [xLow, xHigh, yLow, yHigh] = this.bounds;
    const x = dx * (xHigh - xLow);
    const y = this.oneColumn ? 0 : dy * (yHigh - yLow);
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
    return (this.extent[1] - this.extent[0]) / (this.bounds[1] - this.bounds[0]);
  }
}

// Box around the outer ellipses of the last recorded row; an empty one if there are none.
function shapeExtent(panel) {
  const extent = [Infinity, -Infinity, Infinity, -Infinity];
  if (!panel.ellipse_offsets) return extent;
  const row = panel.label_sweeps.length - 1;
  for (let e = panel.ellipse_offsets[row]; e < panel.ellipse_offsets[row + 1]; e += 1) {
    for (const axis of [0, 1]) {
      const reach = panel.ellipse_factors[2 * e + 1] * Math.sqrt(panel.ellipse_scales[3 * e + 2 * axis]);
      extent[2 * axis] = Math.min(extent[2 * axis], panel.ellipse_centers[2 * e + axis] - reach);
      extent[2 * axis + 1] = Math.max(extent[2 * axis + 1], panel.ellipse_centers[2 * e + axis] + reach);
    }
  }
  return extent;
}

function dataExtent(panel) {
  const extent = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < panel.n_points; i += 1) {
    extent[0] = Math.min(extent[0], panel.x[i]);
    extent[1] = Math.max(extent[1], panel.x[i]);
    extent[2] = Math.min(extent[2], panel.y[i]);
    extent[3] = Math.max(extent[3], panel.y[i]);
  }
  if (panel.curve_values) for (const density of panel.curve_values) extent[3] = Math.max(extent[3], density);
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
