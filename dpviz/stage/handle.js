// A place in a plate that is dragged, or moved by keys.

import { svg } from "../player/assets/layout.js";
import { say } from "../words/say.js";
import { two } from "./plate.js";

const REACH = 24, GRIP = 11; // of a finger around it, and of what is seen
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
const LEAP = 5; // times as far with the shift key

const between = (value, low, high) => Math.min(high, Math.max(low, value));

export class Handle {
  // `ends`: [x low, x high, y low, y high] of where it can be; `level`: whether it only moves to the sides; `step`: of a
  // key; `moved(x, y)`: it was.
  constructor(plate, { label, at, color, step, moved, level = false, ends = plate.box }) {
    Object.assign(this, { plate, step, moved, level, ends, held: null });
    this.node = svg("g", { class: `handle k${color}`, role: "slider", tabindex: 0, "aria-label": label, "aria-valuemin": ends[0], "aria-valuemax": ends[1] },
      svg("circle", { class: "reach", r: REACH }), svg("circle", { class: "grip", r: GRIP }));
    this.node.addEventListener("pointerdown", (event) => this.take(event));
    this.node.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) this.node.addEventListener(end, () => { this.held = null; });
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.put(...at);
    plate.over.append(this.node);
    plate.node.setAttribute("role", "group"); // no picture alone any more
  }

  put(x, y) {
    this.at = [x, y];
    this.node.setAttribute("transform", `translate(${this.plate.x(x)} ${this.plate.y(y)})`);
    this.node.setAttribute("aria-valuenow", Number(x.toFixed(2)));
    this.node.setAttribute("aria-valuetext", this.level ? two(x) : say("story.place", { x: two(x), y: two(y) }));
  }

  move(x, y) {
    const [left, right, low, high] = this.ends, [before, level] = this.at;
    const to = [between(x, left, right), this.level ? level : between(y, low, high)];
    if (to[0] === before && to[1] === level) return;
    this.put(...to);
    this.moved(...to);
  }

  take(event) {
    const [x, y] = this.plate.pointed(event);
    this.held = [this.at[0] - x, this.at[1] - y];
    this.node.setPointerCapture(event.pointerId);
    this.node.focus({ preventScroll: true });
    event.preventDefault();
  }

  drag(event) {
    if (!this.held) return;
    const [x, y] = this.plate.pointed(event);
    this.move(x + this.held[0], y + this.held[1]);
  }

  key(event) {
    const arrow = ARROWS[event.key];
    if (!arrow) return;
    event.preventDefault();
    const far = this.step * (event.shiftKey ? LEAP : 1);
    const [dx, dy] = this.level ? [arrow[0] + arrow[1], 0] : arrow; // as sliders do
    this.move(this.at[0] + far * dx, this.at[1] + far * dy);
  }
}
