// Twenty draws of the data and of the runs: what is found in each, and in how many each claim of the text holds.

import { element } from "../../player/assets/layout.js";
import { MEASURES, boundedValue, plainly, within } from "./measures.js";

const OF_CHAPTER = "Of the chapter's data, without your points: ";

export class Tally {
  // `make(number)`: { points, runs } of a draw, in time; `choose(number)`: a draw was pressed; `isUsual()`: whether all
  // numbers stand where the text has them.
  constructor(facts, make, choose, isUsual, unit) {
    Object.assign(this, { facts, make, choose, isUsual, unit, round: 0 });
    this.node = element("div", { class: "tally" });
  }

  clear() {
    this.round += 1;
    this.node.replaceChildren();
  }

  // What was told goes away, or is told again.
  turn(shown) {
    if (this.node.childElementCount > 0) this.clear();
    else this.roll(shown);
  }

  async roll(shown) {
    this.round += 1;
    const { round, facts: { seeds, claims, counted: { quantity, run, beside, words: label } } } = this;
    const found = [];
    const buttons = Array.from({ length: seeds }, (_, number) => this.button(number, number === shown));
    const lines = claims.map(({ says }) => element("p", { text: capital(says) }));
    const ranges = claims.map(({ bounds }) => bounds.map(() => [])); // what was found of the very quantities
    const place = [run, beside ?? run];
    const sum = element("p", { role: "status", text: `${seeds} ${this.unit} …` });
    this.node.replaceChildren(sum, element("p", { text: `${label}:` }), element("div", { class: "draws", role: "group", "aria-label": capital(this.unit) }, ...buttons), ...lines);
    for (const [number, button] of buttons.entries()) {
      const { points, runs, message } = await this.make(number).catch((error) => error);
      if (round !== this.round) return;
      if (!runs) {
        sum.textContent = `Counting ended after ${found.length} of ${seeds} ${this.unit}: ${message}`;
        return;
      }
      const held = claims.map(({ bounds }) => within(bounds, runs, points));
      const all = held.length > 0 && held.every(Boolean);
      const words = plainly(quantity, runs, place, points); // the unit is in the label
      found.push({ held, words, value: MEASURES[quantity](runs[run], points, runs[place[1]]) });
      button.textContent = words;
      button.classList.toggle("right", all);
      button.setAttribute("aria-label", `${this.name(number)}: ${words}${all ? ", as the text says" : ""}`);
      claims.forEach(({ says, bounds }, k) => {
        bounds.forEach((bound, j) => ranges[k][j].push(boundedValue(bound, runs, points)));
        const told = bounds.map((bound, j) => `${bound.words} (${foundRange(ranges[k][j])})`);
        lines[k].textContent = `${capital(says)}, in ${found.filter((one) => one.held[k]).length} of ${found.length}: ${told.join("; ")}.`;
      });
    }
    sum.textContent = capital(`${shown === null ? OF_CHAPTER : ""}${this.sum(found)}`);
  }

  name(number) { return `${capital(this.unit.slice(0, -1))} ${number + 1}`; }

  button(number, current) {
    const node = element("button", { type: "button", text: "·", "aria-label": this.name(number), title: this.name(number) });
    if (current) node.setAttribute("aria-current", "true");
    node.addEventListener("click", () => this.choose(number));
    return node;
  }

  sum(found) {
    if (this.facts.claims.length === 0) {
      return `${foundRange(found)} in ${found.length} ${this.unit}.`;
    }
    const right = found.filter(({ held }) => held.every(Boolean)).length;
    return `${this.isUsual() ? "" : "With these numbers, "}what is said below holds in ${right} of ${found.length} ${this.unit}.`;
  }
}

// The least and the most of what was found, each { value, words }.
function foundRange(found) {
  const [low, high] = [Math.min, Math.max].map((end) => found.find(({ value }) => value === end(...found.map((one) => one.value))));
  if (!low) return "–";
  return low.words === high.words ? low.words : `${low.words} to ${high.words}`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
