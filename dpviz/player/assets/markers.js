// Points as pixels: each marker is drawn once into an alpha mask, then stamped wherever a point is.

import { OPACITIES } from "./crowding.js";

// Outlines on a unit disc; drawn both into masks and into vector exports.
export const MARKER_SHAPES = ["circle", "square", "triangle", "diamond", "plus", "cross", "wedge", "star", "ring"];
const CHOSEN_SHAPES = 8; // with a shape per cluster; the ring is for clusters beyond the colours only
const VARIANT_SHAPES = ["circle", "ring", "cross", "triangle"];

// Shape of a track's markers: by its number on request, else only to distinguish clusters of one colour.
export function shapeOf(track, byCluster, theme) {
  if (!byCluster) return VARIANT_SHAPES[theme.clusterVariant(track)];
  const count = theme.clusters.length;
  return MARKER_SHAPES[((track % count) + 3 * Math.floor(track / count)) % CHOSEN_SHAPES];
}

// The same for many points at once: indices into MARKER_SHAPES, for track modulo the table's length.
export function shapeTable(byCluster, theme) {
  const length = theme.clusters.length * CHOSEN_SHAPES;
  return Array.from({ length }, (_, track) => MARKER_SHAPES.indexOf(shapeOf(track, byCluster, theme)));
}

function polygon(context, x, y, radius, corners, turn, inner = 1) {
  const steps = inner === 1 ? corners : 2 * corners;
  for (let k = 0; k < steps; k += 1) {
    const angle = turn + (2 * Math.PI * k) / steps;
    const r = radius * (k % 2 === 1 ? inner : 1);
    if (k === 0) context.moveTo(x + r * Math.cos(angle), y + r * Math.sin(angle));
    else context.lineTo(x + r * Math.cos(angle), y + r * Math.sin(angle));
  }
  context.closePath();
}

export function traceMarker(context, shape, x, y, radius) {
  const up = -Math.PI / 2;
  if (shape === "square") context.rect(x - 0.86 * radius, y - 0.86 * radius, 1.72 * radius, 1.72 * radius);
  else if (shape === "triangle") polygon(context, x, y, 1.3 * radius, 3, up);
  else if (shape === "wedge") polygon(context, x, y, 1.3 * radius, 3, -up);
  else if (shape === "diamond") polygon(context, x, y, 1.25 * radius, 4, up);
  else if (shape === "plus") polygon(context, x, y, 1.3 * radius, 4, up, 0.32);
  else if (shape === "cross") polygon(context, x, y, 1.35 * radius, 4, up / 2, 0.34);
  else if (shape === "star") polygon(context, x, y, 1.35 * radius, 5, up, 0.45);
  else {
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
  if (shape === "ring") {
    context.moveTo(x + 0.5 * radius, y);
    context.arc(x, y, 0.5 * radius, 0, 2 * Math.PI);
  }
}

// Alpha mask of a marker (or of a ring) with the given radius in device pixels.
function makeMask(draw, radius) {
  const half = Math.ceil(radius * 1.4) + 2;
  const size = 2 * half + 1;
  const canvas = document.createElement("canvas");
  canvas.width = size;
  canvas.height = size;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.beginPath();
  draw(context, half + 0.5, half + 0.5);
  const data = context.getImageData(0, 0, size, size).data;
  const dx = [];
  const dy = [];
  const alpha = [];
  for (let k = 0; k < size * size; k += 1) {
    if (data[4 * k + 3] > 8) {
      dx.push((k % size) - half);
      dy.push(Math.floor(k / size) - half);
      alpha.push(data[4 * k + 3]);
    }
  }
  const pixels = { dx: Int32Array.from(dx), dy: Int32Array.from(dy), alpha: Int32Array.from(alpha) };
  return { half, ...pixels, stride: 0, fainter: OPACITIES.map((share) => pixels.alpha.map((value) => value * share)) };
}

export function markerMask(shape, radius) {
  return makeMask((context, x, y) => {
    traceMarker(context, shape, x, y, radius);
    context.fill("evenodd");
  }, radius);
}

export function ringMask(radius, width) {
  return makeMask((context, x, y) => {
    context.lineWidth = width;
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
  }, radius + width);
}

// Offsets into a pixel row-major buffer, recomputed when the buffer's width changes.
function offsetsFor(mask, stride) {
  if (mask.stride !== stride) {
    mask.stride = stride;
    mask.offsets = Int32Array.from(mask.dx, (dx, k) => mask.dy[k] * stride + dx);
  }
  return mask.offsets;
}

// Blend one mask into opaque pixels; two channels at a time, since alpha + (256 − alpha) cannot overflow them.
// `level`: which of OPACITIES, or −1 for the mask's own.
export function stamp(pixels, width, height, mask, x, y, color, level) {
  const { half } = mask;
  const alpha = level < 0 ? mask.alpha : mask.fainter[level];
  const redBlue = color & 0xff00ff;
  const green = color & 0x00ff00;
  if (x < half || y < half || x >= width - half || y >= height - half) {
    stampAtEdge(pixels, width, height, mask, alpha, x, y, redBlue, green);
    return;
  }
  const offsets = offsetsFor(mask, width);
  const center = y * width + x;
  for (let k = 0; k < offsets.length; k += 1) blend(pixels, center + offsets[k], alpha[k], redBlue, green);
}

function stampAtEdge(pixels, width, height, mask, alpha, x, y, redBlue, green) {
  if (x < -mask.half || y < -mask.half || x >= width + mask.half || y >= height + mask.half) return;
  for (let k = 0; k < mask.dx.length; k += 1) {
    const column = x + mask.dx[k];
    const row = y + mask.dy[k];
    if (column >= 0 && column < width && row >= 0 && row < height) {
      blend(pixels, row * width + column, alpha[k], redBlue, green);
    }
  }
}

function blend(pixels, at, alpha, redBlue, green) {
  const share = alpha + (alpha >> 7);
  const rest = 256 - share;
  const under = pixels[at];
  const newRedBlue = ((redBlue * share + (under & 0xff00ff) * rest + 0x800080) >>> 8) & 0xff00ff; // rounded, not cut
  const newGreen = ((green * share + (under & 0x00ff00) * rest + 0x008000) >>> 8) & 0x00ff00;
  pixels[at] = (0xff000000 | newRedBlue | newGreen) >>> 0;
}
