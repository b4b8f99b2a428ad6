// What lies behind the points: density and region images, grid, axes.

import { cssColor } from "./theme.js";
import { niceTicks, shortened, tickLabels } from "./format.js";
import { regionCanvas } from "./regions.js";
import { lastNotAfter } from "./run.js";
import { ownPlace, ticksOfTurn } from "./turns.js";
import { say } from "../../words/say.js";

export class Backdrop {
  constructor(scatter) {
    this.scatter = scatter;
    this.panel = scatter.panel;
    this.images = {};
  }

  draw(context, projection) {
    this.ticks = this.axisTicks();
    this.drawGround(context, projection);
    this.drawGrid(context, projection);
    this.drawAxes(context, projection);
  }

  // Changes when another frame of an image is due, or other words about it.
  imageKey() {
    return [...this.shownImages().map((kind) => this.imageFrame(kind)), this.imageText()].join();
  }

  shownImages() {
    return ["region", "density"].filter((kind) => this.scatter.options[kind] && this.panel[`${kind}_image`]);
  }

  // Which sweep an image belongs to: that of the playhead, or the nearest that has one.
  imageText() {
    const { sweep } = this.scatter.snapshot;
    const names = new Map();
    for (const kind of this.shownImages()) {
      const drawn = this.panel[`${kind}_sweeps`][this.imageFrame(kind)];
      names.set(drawn, [...(names.get(drawn) ?? []), kind]);
    }
    return Array.from(names, ([drawn, kinds]) => {
      const relation = drawn === sweep ? "this" : drawn < sweep ? "before" : "first";
      return say(`player.image_of_${relation}`, { images: say(`player.images_${kinds.join("_")}`), sweep: drawn });
    }).join("; ");
  }

  imageFrame(kind) {
    const sweeps = this.panel[`${kind}_sweeps`];
    return sweeps ? lastNotAfter(sweeps, this.scatter.snapshot.sweep) : -1;
  }

  drawGround(context, projection) {
    const { plot, theme } = this.scatter;
    context.save();
    this.scatter.clip(context);
    context.fillStyle = cssColor(theme.background);
    context.fillRect(plot.x, plot.y, plot.width, plot.height);
    for (const kind of this.shownImages()) this.drawImageLayer(context, projection, kind);
    context.restore();
  }

  drawGrid(context, projection) {
    const { plot, theme } = this.scatter;
    context.strokeStyle = cssColor(theme.text, 0.1);
    context.lineWidth = 1;
    context.beginPath();
    for (const tick of this.ticks.x.at) {
      const x = Math.round(projection.x(tick)) + 0.5;
      context.moveTo(x, plot.y);
      context.lineTo(x, plot.y + plot.height);
    }
    for (const tick of this.ticks.y.at) {
      const y = Math.round(projection.y(tick)) + 0.5;
      context.moveTo(plot.x, y);
      context.lineTo(plot.x + plot.width, y);
    }
    context.stroke();
  }

  axisTicks() {
    const { plot } = this.scatter;
    const [xLow, xHigh, yLow, yHigh] = this.scatter.view.bounds;
    const ticks = (low, high, axis, count) => {
      const origin = this.panel.origin[axis] ?? 0;
      const ends = [low + origin, high + origin];
      const { at: named, step } = ticksOfTurn(this.panel, axis, ...ends, count) ?? { at: niceTicks(...ends, count) };
      const at = named.map((tick) => tick - origin);
      return { at, text: tickLabels(at.map((tick) => ownPlace(this.panel, axis, tick) + origin), step) };
    };
    return {
      x: ticks(xLow, xHigh, 0, Math.max(2, plot.width / (90 * this.scatter.theme.scale))),
      y: ticks(yLow, yHigh, 1, Math.max(2, plot.height / (64 * this.scatter.theme.scale))),
    };
  }

  drawAxes(context, projection) {
    const { panel } = this;
    const { plot, theme, height } = this.scatter;
    context.font = theme.type(12);
    context.fillStyle = cssColor(theme.muted);
    context.textBaseline = "top";
    context.textAlign = "center";
    this.ticks.x.at.forEach((tick, k) => {
      context.fillText(this.ticks.x.text[k], projection.x(tick), plot.y + plot.height + 5 * theme.scale);
    });
    context.textBaseline = "middle";
    context.textAlign = "right";
    this.ticks.y.at.forEach((tick, k) => context.fillText(this.ticks.y.text[k], plot.x - 6, projection.y(tick)));
    context.fillStyle = cssColor(theme.text);
    context.textBaseline = "alphabetic";
    const yName = panel.one_column ? say("player.images_density") : panel.axis_names[1] ?? "";
    context.fillText(shortened(context, panel.axis_names[0], plot.width), plot.x + plot.width, height - 3);
    context.textAlign = "left";
    const words = this.imageText();
    context.fillText(shortened(context, yName, plot.width * (words ? 0.4 : 1)), 4, plot.y - 9);
    context.fillStyle = cssColor(theme.muted);
    context.textAlign = "right";
    if (words) context.fillText(shortened(context, words, plot.width * 0.6), plot.x + plot.width, plot.y - 9);
  }

  drawImageLayer(context, projection, kind) {
    const frame = this.imageFrame(kind);
    const { theme } = this.scatter;
    const key = `${frame},${theme.stamp}`;
    if (this.images[kind]?.key !== key) {
      this.images[kind] = { key, canvas: imageCanvas(this.panel, kind, frame, theme) };
    }
    const [xLow, xHigh, yLow, yHigh] = this.panel[`${kind}_extent`];
    const x = projection.x(xLow);
    const y = projection.y(yHigh);
    context.imageSmoothingEnabled = true;
    const [width, height] = [projection.x(xHigh) - x, projection.y(yLow) - y];
    const { canvas } = this.images[kind];
    context.drawImage(canvas, x, y, width, height);
    this.continueImage(context, canvas, { x, y, width, height });
  }

  // Beyond its extent a map goes on with the values of its edge, to the edges of the plot.
  continueImage(context, canvas, box) {
    const { plot } = this.scatter;
    const columns = spans(plot.x, plot.x + plot.width, box.x, box.x + box.width, canvas.width);
    const rows = spans(plot.y, plot.y + plot.height, box.y, box.y + box.height, canvas.height);
    for (const column of columns) {
      for (const row of rows) {
        const inside = column.size === canvas.width && row.size === canvas.height;
        if (inside || column.length <= 0 || row.length <= 0) continue;
        const part = cutOut(canvas, column.first, row.first, column.size, row.size);
        context.drawImage(part, column.at, row.at, column.length, row.length);
      }
    }
  }
}

// Before, inside and after an image along one axis: where on the plot, and which of its cells.
function spans(start, end, low, high, cells) {
  return [
    { at: start, length: low - start, first: 0, size: 1 },
    { at: low, length: high - low, first: 0, size: cells },
    { at: high, length: end - high, first: cells - 1, size: 1 },
  ];
}

// One row, column or corner of an image as an image of its own.
function cutOut(canvas, x, y, width, height) {
  const part = document.createElement("canvas");
  part.width = width;
  part.height = height;
  part.getContext("2d").drawImage(canvas, x, y, width, height, 0, 0, width, height);
  return part;
}

function imageCanvas(panel, kind, frame, theme) {
  const [, ny, nx] = panel.shapes[`${kind}_image`];
  const values = panel[`${kind}_image`].subarray(frame * ny * nx, (frame + 1) * ny * nx);
  if (kind === "density") return densityCanvas(values, nx, ny, theme);
  const margins = panel.region_margins?.subarray(frame * ny * nx, (frame + 1) * ny * nx);
  return regionCanvas(values, margins, nx, ny, theme);
}

// A density as a small canvas, whose row 0 is that of the largest y.
function densityCanvas(values, nx, ny, theme) {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, value);
  const canvas = document.createElement("canvas");
  canvas.width = nx;
  canvas.height = ny;
  const image = new ImageData(nx, ny);
  for (let row = 0; row < ny; row += 1) {
    for (let column = 0; column < nx; column += 1) {
      const at = 4 * ((ny - 1 - row) * nx + column);
      image.data.set(theme.text, at);
      image.data[at + 3] = 110 * Math.sqrt(Math.max(0, values[row * nx + column]) / (largest || 1));
    }
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}
