// A number in the text that is dragged, or moved by keys, as a slider is.

import { shortNumber } from "../../player/assets/format.js";
import { element } from "../../player/assets/layout.js";
import { placeOf, placesOf, valueAt } from "../../stage/knobs.js";
import { say } from "../../words/say.js";

const TRAVEL = 360; // pixels from end to end
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity };

export class DraggedNumber {
  // `read()`: its value; `write(value)`: it was moved.
  constructor(turn, read, write) {
    Object.assign(this, { turn, read, write, from: null });
    this.barred = this.instead = "";
    this.node = element("span", { class: "dragged", role: "slider", tabindex: 0, "aria-label": turn.words,
      title: this.about, "aria-valuemin": turn.low, "aria-valuemax": turn.high });
    this.node.addEventListener("pointerdown", (event) => this.take(event));
    this.node.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) this.node.addEventListener(end, () => this.release());
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.show();
  }

  get about() { return say("bench.drag_me", { words: this.turn.words, explanation: this.turn.explanation }); }
  get ends() { return [this.turn.low, this.turn.high]; }
  get last() { return placesOf(this.turn); }
  get place() { return placeOf(this.turn, this.read(), this.ends); }

  // `why`: it cannot be moved, "" if it can; `text` stands in its place then.
  bar(why, text) {
    this.barred = why;
    this.instead = text;
    this.node.setAttribute("aria-disabled", String(why !== ""));
    this.node.title = why || this.about;
  }

  show() {
    const text = this.barred ? this.instead : shortNumber(this.read());
    this.node.textContent = text;
    this.node.setAttribute("aria-valuenow", this.read());
    this.node.setAttribute("aria-valuetext", text);
  }

  take(event) {
    this.from = { x: event.clientX, place: this.place };
    this.node.setPointerCapture(event.pointerId);
    this.node.classList.add("held");
    this.node.focus({ preventScroll: true });
    event.preventDefault();
  }

  drag(event) {
    if (!this.from) return;
    this.moveTo(this.from.place + ((event.clientX - this.from.x) * this.last) / TRAVEL);
  }

  release() {
    this.from = null;
    this.node.classList.remove("held");
  }

  key(event) {
    const steps = STEPS[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    event.stopPropagation(); // the playhead stays
    this.moveTo(this.place + steps);
  }

  moveTo(place) {
    if (this.barred) return;
    const value = valueAt(this.turn, Math.min(this.last, Math.max(0, Math.round(place))), this.ends);
    if (value === this.read()) return;
    this.write(value);
    this.show();
  }
}
