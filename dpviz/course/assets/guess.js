// A line for a prediction that holds none until it is touched, so that any number can be the first: the one where keys
// begin, too.

import { formatFixed } from "../../player/assets/format.js";
import { element } from "../../player/assets/nodes.js";
import { say } from "../../words/say.js";

export class Guess {
  // `facts`: `low`, `high`, the `start` of keys, `unit`, `label`, and what was `given` before or null; `chosen(number)`: a
  // number was chosen.
  constructor(facts, chosen) {
    const { low, high, start, unit, label, given } = facts;
    Object.assign(this, { unit, chosen, made: given !== null });
    this.range = element("input", { type: "range", name: "guess", min: low, max: high, value: given ?? start, "aria-label": label });
    this.output = element("output");
    const said = element("span", { class: "said" }, this.output, ` ${unit}`);
    const ends = [low, high].map((end) => element("span", { class: "end", "aria-hidden": "true", text: formatFixed(end, 0) }));
    this.node = element("div", { class: "guess" }, ends[0], this.range, ends[1], said);
    this.range.addEventListener("input", () => this.choose());
    this.range.addEventListener("click", () => this.choose()); // where keys begin, nothing moves
    this.range.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      this.choose();
    });
    this.show();
  }

  choose() {
    this.made = true;
    this.show();
    this.chosen(Number(this.range.value));
  }

  show() {
    const { range, made } = this;
    this.node.classList.toggle("open", !made);
    const number = formatFixed(Number(range.value), 0);
    this.output.textContent = made ? number : "–";
    range.setAttribute("aria-valuetext", made ? `${number} ${this.unit}` : say("bench.no_prediction"));
  }
}

const guesses = new WeakMap(); // by the element that they are in: Streamlit calls again without cleanup

export default function mountGuess({ data, parentElement, setStateValue }) {
  if (!guesses.has(parentElement)) {
    const made = { guess: new Guess(data, (number) => made.tell(number)), tell: null };
    guesses.set(parentElement, made);
    parentElement.append(made.guess.node);
  }
  const made = guesses.get(parentElement);
  made.tell = (number) => setStateValue("guess", number);
  return () => {
    made.guess.node.remove();
    guesses.delete(parentElement);
  };
}
