// A picture on a canvas, and what moves over it on another.

import { cssColor } from "./theme.js";

export class Canvas {
  constructor(canvas, overlay = null) {
    Object.assign(this, { canvas, overlay });
  }

  // `more`: what else the picture is laid out by. Returns whether anything is other than before.
  resize(width, height, ratio, ...more) {
    const size = [width, height, ratio, ...more].join();
    if (size === this.size) return false; // what a canvas shows goes when its size is set
    this.size = size;
    for (const canvas of [this.canvas, this.overlay]) {
      if (!canvas) continue;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    Object.assign(this, { width, height, ratio });
    return true;
  }

  // What draws on one of them, empty, in pixels of the page.
  emptied(canvas) {
    const context = canvas.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    return context;
  }
}

// Lines across an area at heights, with their labels to the left.
export function drawLevels(context, theme, area, heights, labels) {
  context.strokeStyle = cssColor(theme.grid);
  context.lineWidth = 1;
  context.fillStyle = cssColor(theme.muted);
  context.textAlign = "right";
  context.textBaseline = "middle";
  heights.forEach((height, k) => {
    const y = Math.round(height) + 0.5;
    context.beginPath();
    context.moveTo(area.x, y);
    context.lineTo(area.x + area.width, y);
    context.stroke();
    context.fillText(labels[k], area.x - 5, y);
  });
}
