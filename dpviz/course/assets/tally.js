// Twenty draws of the data and of the runs: what is found in each, and in how many each claim of the text holds.

import { element } from "../../player/assets/layout.js";
import { MEASURES, measured, within } from "./measures.js";

const UNITS = { n_clusters: "clusters", mean_k: "clusters on average", n_visited: "different numbers of clusters" };

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
    const { round, facts: { seeds, claims, counted: { quantity, run } } } = this;
    const found = [];
    const buttons = Array.from({ length: seeds }, (_, number) => this.button(number, number === shown));
    const lines = claims.map(({ says }) => element("p", { text: capital(says) }));
    const sum = element("p", { role: "status", text: `${seeds} ${this.unit} …` });
    this.node.replaceChildren(sum, element("div", { class: "draws", role: "group", "aria-label": capital(this.unit) }, ...buttons), ...lines);
    for (const [number, button] of buttons.entries()) {
      const { points, runs, message } = await this.make(number).catch((error) => error);
      if (round !== this.round) return;
      if (!runs) {
        sum.textContent = `Counting ended after ${found.length} of ${seeds} ${this.unit}: ${message}`;
        return;
      }
      const held = claims.map(({ bounds }) => within(bounds, runs, points));
      found.push({ held, value: MEASURES[quantity](runs[run], points) });
      const all = held.length > 0 && held.every(Boolean);
      const words = measured(quantity, runs, [run], points);
      button.textContent = words.replace(/ \D+$/, ""); // its unit is in the sum
      button.classList.toggle("right", all);
      button.setAttribute("aria-label", `${this.name(number)}: ${words}${all ? ", as the text says" : ""}`);
      lines.forEach((line, k) => (line.textContent = `${capital(claims[k].says)}: ${found.filter((one) => one.held[k]).length} of ${found.length}`));
    }
    sum.textContent = this.sum(found);
  }

  // The draw that is shown.
  mark(number) {
    for (const [k, button] of this.node.querySelectorAll("button").entries()) {
      if (k === number) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  name(number) { return `${capital(this.unit.slice(0, -1))} ${number + 1}`; }

  button(number, current) {
    const node = element("button", { type: "button", text: "·", "aria-label": this.name(number), title: this.name(number) });
    if (current) node.setAttribute("aria-current", "true");
    node.addEventListener("click", () => this.choose(number));
    return node;
  }

  sum(found) {
    const { claims, counted } = this.facts;
    if (claims.length > 0) {
      const right = found.filter(({ held }) => held.every(Boolean)).length;
      return this.isUsual() ? `The text is right in ${right} of ${found.length} ${this.unit}.` : `With these numbers the text holds in ${right} of ${found.length} ${this.unit}.`;
    }
    const values = found.map(({ value }) => Number(value.toPrecision(2)));
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const range = low === high ? String(high) : `${low} to ${high}`;
    return `${range} ${UNITS[counted.quantity] ?? ""} in ${found.length} ${this.unit}.`.replace("  ", " ");
  }
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
