// Pan, zoom, box select, hover and click on one plot, by mouse, touch, pen or keyboard.

import { say } from "../../words/say.js";

const CLICK_SLACK = 4; // pixels a press may wander and still be a click
const STEP = 60; // pixels of a turn of the wheel that count at once
const APPLE = /Mac|iP(hone|ad)/.test(navigator.platform);

export class Pointer {
  // `actions`: viewChanged(), wheelIsFree(), hover(point, x, y), choose(point), select(box), hint(text), selecting(),
  // editing(), drag(point, x, y), drop(), paint(x, y, projection, first), lift(), unpaint(), place(x, y, projection),
  // nudge(point, dx, dy).
  constructor(scatter, element, actions) {
    this.scatter = scatter;
    this.actions = actions;
    this.pressed = new Map();
    const listen = (name, handler, options) => element.addEventListener(name, handler.bind(this), options);
    listen("pointerdown", this.onDown);
    listen("pointermove", this.onMove);
    listen("pointerup", this.onUp);
    listen("pointercancel", this.onCancel);
    listen("pointerleave", () => actions.hover(-1, 0, 0));
    listen("wheel", this.onWheel, { passive: false });
    listen("dblclick", this.onReset);
    listen("keydown", this.onKey);
    this.element = element;
  }

  place(event) {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  onDown(event) {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    this.element.focus({ preventScroll: true });
    const at = this.place(event);
    if (this.gesture === "paint" && !this.wandered) this.gesture = this.actions.unpaint() ?? null; // two fingers zoom
    this.letGo(); // a second finger ends what the first one did
    this.pressed.set(event.pointerId, at);
    this.start = at;
    this.wandered = this.pressed.size > 1;
    const selects = this.actions.selecting() || event.shiftKey;
    this.gesture = this.pressed.size > 1 ? "pinch" : selects ? "box" : this.editGesture(at, event) ?? "pan";
  }

  // Dragging a point, or painting, where the page allows it.
  editGesture(at, event) {
    const editing = this.actions.editing();
    if (editing === "paint") {
      this.paint(at, true);
      return "paint";
    }
    this.dragged = editing === "move" ? this.nearest(at, event.pointerType === "touch" ? 20 : 10) : -1;
    return this.dragged >= 0 ? "move" : null;
  }

  paint(at, first) {
    const projection = this.scatter.projection();
    this.actions.paint(projection.dataX(at.x), projection.dataY(at.y), projection, first);
    this.actions.viewChanged();
  }

  onMove(event) {
    const at = this.place(event);
    const before = this.pressed.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType !== "touch") this.actions.hover(this.nearest(at, 10), at.x, at.y);
      return;
    }
    if (Math.hypot(at.x - this.start.x, at.y - this.start.y) > CLICK_SLACK) this.wandered = true;
    if (this.wandered) this.drag(event.pointerId, before, at);
    this.pressed.set(event.pointerId, at);
  }

  drag(pointerId, before, at) {
    const { view, plot } = this.scatter;
    if (this.gesture === "box") this.scatter.box = this.boxTo(at);
    else if (this.gesture === "paint") this.paint(at, false);
    else if (this.gesture === "move") {
      const projection = this.scatter.projection();
      this.actions.drag(this.dragged, projection.dataX(at.x), projection.dataY(at.y));
    } else if (this.gesture === "pan") view.pan((before.x - at.x) / plot.width, (at.y - before.y) / plot.height);
    else this.pinch(pointerId, before, at);
    this.actions.viewChanged();
  }

  // The other finger is the fixed point of the zoom.
  pinch(pointerId, before, at) {
    const other = [...this.pressed].find(([id]) => id !== pointerId)?.[1];
    if (!other) return;
    const stretch = Math.hypot(at.x - other.x, at.y - other.y) / Math.hypot(before.x - other.x, before.y - other.y);
    const projection = this.scatter.projection();
    this.scatter.view.zoom(stretch || 1, projection.dataX(other.x), projection.dataY(other.y));
  }

  boxTo(at) {
    const projection = this.scatter.projection();
    const xs = [projection.dataX(this.start.x), projection.dataX(at.x)].sort((a, b) => a - b);
    const ys = [projection.dataY(this.start.y), projection.dataY(at.y)].sort((a, b) => a - b);
    return [...xs, ...ys];
  }

  onUp(event) {
    if (!this.pressed.delete(event.pointerId)) return;
    const at = this.place(event);
    if (this.gesture === "box" && this.wandered) this.actions.select(this.scatter.box);
    else if (this.letGo()) this.actions.viewChanged();
    else if (!this.wandered) this.click(at, event.pointerType === "touch" ? 20 : 10);
    this.gesture = this.pressed.size > 0 ? "pan" : null;
    this.wandered = true;
  }

  onCancel(event) {
    this.pressed.delete(event.pointerId);
    this.letGo();
    this.gesture = null;
  }

  // Points that were painted or moved stay where they are seen, however the gesture ended. Returns whether there are any.
  letGo() {
    const { gesture } = this, moved = gesture === "move" && this.wandered;
    if (gesture === "paint") this.actions.lift();
    else if (moved) this.actions.drop();
    if (gesture === "paint" || moved) this.gesture = null;
    return gesture === "paint" || moved;
  }

  click(at, reach) {
    const point = this.nearest(at, reach);
    this.actions.hover(point, at.x, at.y);
    if (point >= 0) this.actions.choose(point);
    else if (this.actions.selecting()) this.actions.select(null);
    else {
      const projection = this.scatter.projection();
      this.actions.place(projection.dataX(at.x), projection.dataY(at.y), projection);
    }
  }

  onWheel(event) {
    if (!event.ctrlKey && !event.metaKey && !this.actions.wheelIsFree()) { // the page scrolls
      this.actions.hint(say("player.hold_to_zoom", { key: APPLE ? "⌘" : say("player.key_control") }));
      return;
    }
    event.preventDefault();
    const at = this.place(event);
    const projection = this.scatter.projection();
    const lines = event.deltaMode === 1 ? 16 : 1;
    const turned = Math.min(STEP, Math.max(-STEP, event.deltaY * lines)); // a notch of a wheel is far more than a pinch
    const factor = Math.exp(-turned * (event.ctrlKey ? 0.008 : 0.0015));
    this.scatter.view.zoom(factor, projection.dataX(at.x), projection.dataY(at.y));
    this.actions.viewChanged();
  }

  onReset() {
    this.scatter.view.atHome = true;
    this.actions.viewChanged();
  }

  // With the plot focused: + − 0, shift + arrows, n p to walk the points, Enter for "why", b for what is in view.
  onKey(event) {
    const { view } = this.scatter;
    const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    const [xLow, xHigh, yLow, yHigh] = view.bounds;
    const middle = [(xLow + xHigh) / 2, (yLow + yHigh) / 2];
    if (event.shiftKey && step) view.pan(...step);
    else if (event.altKey && step) this.actions.nudge(this.scatter.hovered, ...step.map((share) => 10 * share));
    else if (event.key === "g") this.actions.nudge(-1, 0, 0);
    else if (event.key === "+" || event.key === "=") view.zoom(1.25, ...middle);
    else if (event.key === "-") view.zoom(0.8, ...middle);
    else if (event.key === "0") view.atHome = true;
    else if (event.key === "n" || event.key === "p") this.walk(event.key === "n" ? 1 : -1);
    else if (event.key === "Enter" && this.scatter.hovered >= 0) this.actions.choose(this.scatter.hovered);
    else if (event.key === "b") this.actions.select([...view.bounds]);
    else if (event.key === "Escape") this.actions.select(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.actions.viewChanged();
  }

  // Next visible point from left to right.
  walk(direction) {
    const { panel, hovered, view } = this.scatter;
    const [xLow, xHigh, yLow, yHigh] = view.bounds;
    const rank = (i) => panel.x[i] * direction;
    let best = -1;
    for (let i = 0; i < panel.n_points; i += 1) {
      if (panel.x[i] < xLow || panel.x[i] > xHigh || panel.y[i] < yLow || panel.y[i] > yHigh) continue;
      const after = hovered < 0 || rank(i) > rank(hovered) || (rank(i) === rank(hovered) && i > hovered);
      if (after && i !== hovered && (best < 0 || rank(i) < rank(best))) best = i;
    }
    if (best < 0) return;
    const projection = this.scatter.projection();
    this.actions.hover(best, projection.x(panel.x[best]), projection.y(panel.y[best]), true);
  }

  nearest(at, reach) {
    const { panel } = this.scatter;
    const projection = this.scatter.projection();
    const x = projection.dataX(at.x);
    const y = projection.dataY(at.y);
    let best = -1;
    let distance = reach * reach;
    for (let i = 0; i < panel.n_points; i += 1) {
      const dx = (panel.x[i] - x) * projection.scaleX;
      const dy = (panel.y[i] - y) * projection.scaleY;
      const d = dx * dx + dy * dy;
      if (d < distance) {
        distance = d;
        best = i;
      }
    }
    return best;
  }
}
