// One restaurant: who sits where after m customers, where the next one will sit, and how it is drawn.

import { drawBoxed } from "../../../player/assets/surface.js";
import { cssColor } from "../../../player/assets/theme.js";
import { fillCluster } from "../../../player/assets/hatch.js";

const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
const GAP = 5;

export class Restaurant {
  // `labels`: table of each customer; `join[n − 1]`, `open[K]`: log weights, null where there is none; `seats[m]`
  // instead: probabilities of the next seat after m customers.
  constructor({ labels, join, open, seats, shares }) {
    Object.assign(this, { labels, join, open, seats, shares });
    this.sizes = new Array(labels.length === 0 ? 0 : Math.max(...labels) + 1).fill(0);
    for (const label of labels) this.sizes[label] += 1;
    let tables = 0;
    this.counts = [0, ...labels.map((label) => (tables = Math.max(tables, label + 1)))];
  }

  sizesAt(seated) {
    const sizes = new Array(this.counts[seated]).fill(0);
    for (let i = 0; i < seated; i += 1) sizes[this.labels[i]] += 1;
    return sizes;
  }

  // Probabilities of each table and, last, of a new one; null where the next seat has no such law.
  nextSeat(sizes) {
    if (this.seats) return this.seats[sizes.reduce((sum, size) => sum + size, 0)];
    if (this.join === null) return null;
    if (sizes.length === 0) return [1];
    const logs = [...sizes.map((size) => this.join[size - 1]), this.open[sizes.length] ?? -Infinity];
    const peak = Math.max(...logs);
    const weights = logs.map((value) => Math.exp(value - peak));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  }

  // Centres and radii of all tables at their final sizes, in rows by the order of opening; one more for a new table.
  layout(width, height) {
    const sizes = [...this.sizes, 1];
    const place = (unit) => {
      const places = [];
      let [x, y, row] = [GAP, GAP, 0];
      for (const size of sizes) {
        const radius = unit * Math.sqrt(size) + 2;
        if (x + 2 * radius + GAP > width && x > GAP) [x, y, row] = [GAP, y + row + GAP, 0];
        places.push({ x: x + radius, y: y + radius, radius, fits: x + 2 * radius + GAP <= width });
        x += 2 * radius + GAP;
        row = Math.max(row, 2 * radius);
      }
      return { places, height: y + row + GAP, fits: places.every(({ fits }) => fits) };
    };
    let [low, high] = [0, width];
    for (let step = 0; step < 24; step += 1) {
      const middle = (low + high) / 2;
      const found = place(middle);
      if (found.fits && found.height <= height) low = middle;
      else high = middle;
    }
    const found = place(low);
    const spare = Math.max(0, (height - found.height) / 2);
    return { unit: low, places: found.places.map(({ x, y, radius }) => ({ x, y: y + spare, radius })) };
  }
}

// The floor: tables that fill up, the last customer ringed, the place of a new table dashed.
export function drawFloor(context, theme, restaurant, seated, width, height) {
  const { unit, places } = restaurant.layout(width, height);
  const sizes = restaurant.sizesAt(seated);
  const dot = Math.max(0.8, Math.min(6, 0.72 * unit));
  const last = seated > 0 ? restaurant.labels[seated - 1] : -1;
  const filled = new Array(sizes.length).fill(0);
  const circle = (x, y, radius) => {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
  };
  context.lineWidth = 1;
  sizes.forEach((size, table) => {
    const { x, y } = places[table];
    circle(x, y, unit * Math.sqrt(size) + 2);
    context.fillStyle = cssColor(theme.clusterColor(table), 0.16);
    context.fill();
    context.strokeStyle = cssColor(theme.clusterColor(table), 0.75);
    context.stroke();
  });
  for (let i = 0; i < seated; i += 1) {
    const table = restaurant.labels[i];
    const { x, y } = places[table];
    const distance = unit * Math.sqrt(filled[table] + (sizes[table] > 1 ? 0.4 : 0)) * 0.94;
    const angle = filled[table] * GOLDEN_ANGLE;
    filled[table] += 1;
    const [across, down] = [x + distance * Math.cos(angle), y + distance * Math.sin(angle)];
    circle(across, down, dot);
    context.fillStyle = cssColor(theme.clusterColor(table));
    context.fill();
    if (i === seated - 1) {
      circle(across, down, dot + 2.5);
      context.strokeStyle = cssColor(theme.text);
      context.lineWidth = 1.75;
      context.stroke();
    }
  }
  sizes.forEach((size, table) => writeSize(context, theme, places[table], size, unit, table === last));
  const next = places[sizes.length];
  if (seated < restaurant.labels.length && next) {
    circle(next.x, next.y, Math.max(unit + 2, 3));
    context.setLineDash([3, 3]);
    context.lineWidth = 1.25;
    context.strokeStyle = cssColor(theme.muted);
    context.stroke();
    context.setLineDash([]);
  }
}

// How many sit at a table, where there is room for the number.
function writeSize(context, theme, { x, y }, size, unit, isLast) {
  const radius = unit * Math.sqrt(size);
  if (radius < 16 * theme.scale) return;
  context.font = theme.type(12, isLast ? "700" : "600");
  const text = String(size), half = context.measureText(text).width / 2 + 4;
  drawBoxed(context, theme, text, { x, y }, { half, height: 18 * theme.scale });
}

// Shares of a whole side by side, tables in their colours, and what is left for new tables in grey.
export function drawShares(context, theme, shares, width, height) {
  let left = 0;
  shares.forEach((share, table) => {
    const isNew = table === shares.length - 1;
    const right = isNew ? width : left + share * width;
    if (isNew) {
      context.fillStyle = cssColor(theme.faint);
      context.fillRect(left, 0, right - left, height);
    } else if (right - left > 0.15) fillCluster(context, theme, table, left, 0, right - left, height);
    if (right - left > 2.5 && !isNew) {
      context.fillStyle = cssColor(theme.background);
      context.fillRect(right - 0.75, 0, 0.75, height);
    }
    left = right;
  });
}
