// What all figures share: a drawing in units of the data, points by clusters, and places that are dragged.

import { formatFixed } from "../../player/assets/format.js";
import { SVG } from "../../player/assets/layout.js";
import { Projection } from "../../player/assets/view.js";
import { assigned } from "../../stage/assignment.js";
import { say } from "../../words/say.js";

const WIDTH = 640; // of a drawing in its own units; its styles make it as wide as the page allows
const REACH = 24; // of a finger around what is dragged
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
const LEAP = 5; // times as far with the shift key
export const COLORS = 12;

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export const two = (value) => formatFixed(value, 2);

// Which colour each cluster has, and how many points are in the wrong group: clusters have the colours of groups so that
// as few points as possible have another one than theirs; clusters beyond take the colours that follow.
export function matched(labels, groups) {
  const nClusters = 1 + labels.reduce((most, label) => Math.max(most, label), 0);
  const nGroups = 1 + groups.reduce((most, group) => Math.max(most, group), 0);
  const shared = new Float64Array(nClusters * nGroups);
  for (let i = 0; i < labels.length; i += 1) shared[labels[i] * nGroups + groups[i]] += 1;
  const colors = new Array(nClusters).fill(-1);
  let right = 0;
  for (const [cluster, group] of assigned(shared, nClusters, nGroups)) {
    colors[cluster] = group;
    right += shared[cluster * nGroups + group];
  }
  let next = nGroups;
  for (let k = 0; k < nClusters; k += 1) if (colors[k] < 0) colors[k] = next++;
  return { colors, wrong: labels.length - right };
}

// Rows as the engine takes them.
export const table = (rows) => ({ values: Float64Array.from(rows.flat()), nPoints: rows.length, nFeatures: 2 });

export class Plate {
  // `box`: [x low, x high, y low, y high]; `ratio`: of height and width, that of the box by default.
  constructor(place, box, label, ratio = (box[3] - box[2]) / (box[1] - box[0])) {
    const height = Math.round(WIDTH * ratio);
    Object.assign(this, { box, height, width: WIDTH, projection: new Projection(box, { x: 0, y: 0, width: WIDTH, height }) });
    this.under = svg("g");
    this.points = svg("g");
    this.over = svg("g");
    this.node = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "plate", role: "group", "aria-label": label }, this.under, this.points, this.over);
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

  // A place that is dragged or moved by keys, inside the box. `along`: the directions in which it moves, "x", "y" or
  // "xy"; `moved(x, y)` answers with what is said of it.
  handle({ label, at, color = 0, along = "xy", step, moved, ends = this.box }) {
    const node = svg("g", { class: `handle k${color}`, role: "slider", tabindex: 0, "aria-label": label },
      svg("circle", { class: "reach", r: REACH }), svg("circle", { class: "grip", r: 11 }));
    const handle = { node, at };
    const range = along === "y" ? [2, 3] : [0, 1];
    node.setAttribute("aria-valuemin", ends[range[0]]);
    node.setAttribute("aria-valuemax", ends[range[1]]);
    handle.put = (x, y) => {
      handle.at = [x, y];
      node.setAttribute("transform", `translate(${this.x(x)} ${this.y(y)})`);
      node.setAttribute("aria-valuenow", Number((along === "y" ? y : x).toFixed(2)));
      node.setAttribute("aria-valuetext", along === "xy" ? say("story.place", { x: two(x), y: two(y) }) : two(along === "y" ? y : x));
    };
    const move = (x, y) => {
      const inside = (value, low, high) => Math.min(high, Math.max(low, value));
      const to = [along === "y" ? handle.at[0] : inside(x, ends[0], ends[1]), along === "x" ? handle.at[1] : inside(y, ends[2], ends[3])];
      if (to[0] === handle.at[0] && to[1] === handle.at[1]) return;
      handle.put(...to);
      moved(...to);
    };
    let held = null;
    node.addEventListener("pointerdown", (event) => {
      const [x, y] = this.pointed(event);
      held = [handle.at[0] - x, handle.at[1] - y];
      node.setPointerCapture(event.pointerId);
      node.focus({ preventScroll: true });
      event.preventDefault();
    });
    node.addEventListener("pointermove", (event) => {
      if (!held) return;
      const [x, y] = this.pointed(event);
      move(x + held[0], y + held[1]);
    });
    for (const end of ["pointerup", "pointercancel"]) node.addEventListener(end, () => { held = null; });
    node.addEventListener("keydown", (event) => {
      const arrow = ARROWS[event.key];
      if (!arrow) return;
      event.preventDefault();
      const far = step * (event.shiftKey ? LEAP : 1), [dx, dy] = along === "x" && arrow[0] === 0 ? [arrow[1], 0] : along === "y" && arrow[1] === 0 ? [0, arrow[0]] : arrow;
      move(handle.at[0] + far * dx, handle.at[1] + far * dy);
    });
    handle.put(...at);
    this.over.append(node);
    return handle;
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
