// What all figures share: a drawing in units of the data, with points in the colours of their clusters.

import { formatFixed } from "../player/assets/format.js";
import { element, svg } from "../player/assets/layout.js";
import { Projection } from "../player/assets/view.js";
import { matchedGroups } from "./tracks.js";

export const UNITS = 640; // of a drawing in its own units; its styles make it as wide as the page allows
export const COLORS = 12;

export const two = (value) => formatFixed(value, 2);

// Which colour each cluster has, and how many points are in the wrong group: clusters have the colours of groups so that
// as few points as possible have another one than theirs; those that match none have colours of their own.
export function matched(labels, groups) {
  const own = matchedGroups(labels, groups, COLORS), colors = [];
  labels.forEach((label, i) => { colors[label] = own[i]; });
  return { colors, wrong: own.filter((color, i) => color !== groups[i]).length };
}

// Rows as the engine takes them.
export const table = (rows) => ({ values: Float64Array.from(rows.flat()), nPoints: rows.length, nFeatures: 2 });

export class Plate {
  // `box`: [x low, x high, y low, y high]; `ratio`: of height and width, that of the box by default.
  constructor(place, box, label, ratio = (box[3] - box[2]) / (box[1] - box[0])) {
    const height = Math.round(UNITS * ratio);
    Object.assign(this, { box, height, width: UNITS, projection: new Projection(box, { x: 0, y: 0, width: UNITS, height }) });
    this.under = svg("g");
    this.points = svg("g");
    this.over = svg("g");
    this.node = svg("svg", { viewBox: `0 0 ${UNITS} ${height}`, class: "plate", role: "img", "aria-label": label }, this.under, this.points, this.over);
    place.append(this.node);
  }

  x(value) { return Number(this.projection.x(value).toFixed(1)); }
  y(value) { return Number(this.projection.y(value).toFixed(1)); }

  // A line through places.
  path(places, closed = false) {
    return `M${places.map(([x, y]) => `${this.x(x)} ${this.y(y)}`).join("L")}${closed ? "Z" : ""}`;
  }

  // Points in the colours of their clusters; those that `isWrong` says are crosses.
  dots(rows, colorOf, isWrong = () => false) {
    const marks = new Map();
    rows.forEach(([x, y], i) => {
      const wrong = isWrong(i), key = `${wrong ? "cross" : "dot"} k${colorOf(i) % COLORS}`;
      const [left, top] = [this.x(x), this.y(y)];
      const mark = wrong ? `M${left - 3.5} ${top - 3.5}l7 7m0-7l-7 7` : `M${left} ${top}h0`;
      marks.set(key, (marks.get(key) ?? "") + mark);
    });
    this.points.replaceChildren(...Array.from(marks, ([key, d]) => svg("path", { class: key, d })));
  }

  // The place of the plane under a pointer.
  pointed(event) {
    const { a, d, e, f } = this.node.getScreenCTM();
    return [this.projection.dataX((event.clientX - e) / a), this.projection.dataY((event.clientY - f) / d)];
  }
}

// The part of the plane in which points are, with some room.
export function boxOf(rows, room = 0.08) {
  return [0, 1].flatMap((d) => {
    const values = rows.map((row) => row[d]), low = Math.min(...values), high = Math.max(...values);
    return [low - room * (high - low), high + room * (high - low)];
  });
}

// A small picture of this part of the plane, with words below.
export function thumb(place, box, label) {
  const node = place.appendChild(element("figure")), plate = new Plate(node, box, label);
  return { node, plate, caption: node.appendChild(element("figcaption")) };
}
