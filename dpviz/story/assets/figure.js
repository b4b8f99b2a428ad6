// A figure in the article: its place, and its sentence with numbers that are told or dragged.

import { DraggedNumber } from "../../course/assets/dragged.js";
import { element } from "../../player/assets/layout.js";
import { placeOf, valueAt } from "../../stage/knobs.js";
import { say } from "../../words/say.js";
import { note, saidOf } from "./address.js";

export class Figure {
  // `story`: { facts, engine(name) }. A figure `begin`s once.
  constructor(name, story) {
    Object.assign(this, { story, facts: story.facts, values: {}, pending: new Map() });
    this.node = document.getElementById(name);
    this.stage = this.node.querySelector(".stage");
    this.sentence = this.node.querySelector(".told");
  }

  // Fill in what is told.
  tell(values) {
    for (const [name, value] of Object.entries(values)) {
      for (const node of this.node.querySelectorAll(`[data-told="${name}"]`)) node.textContent = value;
    }
  }

  // A number of the sentence becomes one that is dragged. `turn`: as knobs are written; `turned()`: it has another value.
  drag(turn, turned) {
    const name = `${this.node.id}.${turn.name}`, said = Number(saidOf(name) ?? NaN), ends = [turn.low, turn.high];
    this.values[turn.name] = said >= turn.low && said <= turn.high ? valueAt(turn, Math.round(placeOf(turn, said, ends)), ends) : turn.usual;
    const number = new DraggedNumber(turn, () => this.values[turn.name], (value) => {
      this.values[turn.name] = value;
      note(name, value === turn.usual ? null : value);
      turned();
    });
    this.node.querySelector(`[data-number="${turn.name}"]`).replaceWith(number.node);
  }

  button(text, pressed) {
    const node = element("button", { type: "button", text });
    node.addEventListener("click", pressed);
    this.acts ??= this.stage.appendChild(element("p", { class: "act" }));
    this.acts.append(node);
    return node;
  }

  // What an engine is asked; a browser without one says so. While the newest question to one is open, numbers are older.
  async ask(name, question) {
    this.pending.set(name, question);
    this.node.classList.add("awaited");
    try {
      const found = await this.story.engine(name).ask(question);
      if (found) this.fault?.remove();
      return found;
    } catch (error) {
      this.fault ??= element("p", { role: "status" });
      this.fault.textContent = say("story.computes_nothing", { why: error.message });
      this.sentence.after(this.fault); // which stays, with its numbers: the next answer may come
      return null;
    } finally {
      if (this.pending.get(name) === question) this.pending.delete(name);
      this.node.classList.toggle("awaited", this.pending.size > 0);
    }
  }
}
