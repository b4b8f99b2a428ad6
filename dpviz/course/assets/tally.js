// Twenty draws of the data and of the runs: what is found in each, and in how many each claim of the text holds.

import { element } from "../../player/assets/layout.js";
import { MEASURES, boundedValue, plainly, within } from "./measures.js";
import { say, sayCount } from "../../words/say.js";

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
    const sum = element("p", { role: "status", text: sayCount(`bench.counting_${this.unit}s`, seeds) });
    this.node.replaceChildren(sum, element("p", { text: capital(say("bench.told_of_each", { what: label })) }), element("div", { class: "draws", role: "group", "aria-label": say(`bench.all_${this.unit}s`) }, ...buttons), ...lines);
    for (const [number, button] of buttons.entries()) {
      const { points, runs, message } = await this.make(number).catch((error) => error);
      if (round !== this.round) return;
      if (!runs) {
        sum.textContent = say("bench.counting_ended", { done: found.length, all: sayCount(`bench.n_${this.unit}s`, seeds), why: message });
        return;
      }
      const held = claims.map(({ bounds }) => within(bounds, runs, points));
      const all = held.length > 0 && held.every(Boolean);
      const words = plainly(quantity, runs, place, points); // the unit is in the label
      found.push({ held, words, value: MEASURES[quantity](runs[run], points, runs[place[1]]) });
      button.textContent = words;
      button.classList.toggle("right", all);
      button.setAttribute("aria-label", say(all ? "bench.found_as_said" : "bench.found", { name: this.name(number), words }));
      claims.forEach(({ says, bounds }, k) => {
        bounds.forEach((bound, j) => ranges[k][j].push(boundedValue(bound, runs, points)));
        const told = bounds.map((bound, j) => say("bench.bound", { bound: bound.words, range: foundRange(ranges[k][j]) }));
        lines[k].textContent = say("bench.claim", { claim: capital(says), right: found.filter((one) => one.held[k]).length, all: found.length, told: told.join("; ") });
      });
    }
    const told = this.sum(found);
    sum.textContent = capital(shown === null ? say("bench.of_chapter", { told }) : told);
  }

  // The draw that is shown.
  mark(number) {
    for (const [k, button] of this.node.querySelectorAll("button").entries()) {
      if (k === number) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  name(number) { return say(`bench.one_${this.unit}`, { number: number + 1 }); }

  button(number, current) {
    const node = element("button", { type: "button", text: "·", "aria-label": this.name(number), title: this.name(number) });
    if (current) node.setAttribute("aria-current", "true");
    node.addEventListener("click", () => this.choose(number));
    return node;
  }

  sum(found) {
    const all = sayCount(`bench.n_${this.unit}s`, found.length);
    if (this.facts.claims.length === 0) return say("bench.range_in", { range: foundRange(found), all });
    const right = found.filter(({ held }) => held.every(Boolean)).length;
    return say(this.isUsual() ? "bench.holds_in" : "bench.holds_in_with_these", { right, all });
  }
}

// The least and the most of what was found, each { value, words }.
function foundRange(found) {
  const [low, high] = [Math.min, Math.max].map((end) => found.find(({ value }) => value === end(...found.map((one) => one.value))));
  if (!low) return "–";
  return low.words === high.words ? low.words : say("bench.range", { low: low.words, high: high.words });
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
