// Areas in a cluster's colour, hatched where the colour repeats that of another cluster.

import { cssColor } from "./theme.js";

const SPACING = 5;

// A filled rectangle; hatches are plain (variant 0), one way, both ways, or dots.
export function fillCluster(context, theme, track, x, y, width, height) {
  context.fillStyle = cssColor(theme.clusterColor(track));
  context.fillRect(x, y, width, height);
  const variant = theme.clusterVariant(track);
  if (variant === 0 || width < 2 || height < 2) return;
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  hatch(context, theme, variant, x, y, width, height);
  context.restore();
}

// Hatch the clipped area, over a rectangle that holds it.
export function hatch(context, theme, variant, x, y, width, height) {
  context.beginPath();
  if (variant === 3) {
    for (let row = y + SPACING / 2; row < y + height; row += SPACING) {
      for (let column = x + SPACING / 2; column < x + width; column += SPACING) {
        context.rect(column - 1, row - 1, 2, 2);
      }
    }
    context.fillStyle = cssColor(theme.background);
    context.fill();
    return;
  }
  for (let shift = -height; shift < width; shift += SPACING) {
    context.moveTo(x + shift, y + height);
    context.lineTo(x + shift + height, y);
    if (variant === 2) {
      context.moveTo(x + shift, y);
      context.lineTo(x + shift + height, y + height);
    }
  }
  context.strokeStyle = cssColor(theme.background);
  context.lineWidth = 1.25;
  context.stroke();
}
