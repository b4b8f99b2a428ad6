// A sentence with numbers to drag and what runs find.

import { element } from "../../player/assets/layout.js";
import { configured } from "../../stage/knobs.js";
import { DraggedNumber } from "./dragged.js";

const PARTS = /\[(\w+)\]|\{(\w+)((?: \d+)*)\}/g;

export class Sentence {
  // `turns`: the numbers to drag, with the ends that they have here.
  constructor(facts, draws, turns) {
    Object.assign(this, { facts, draws, turns, told: [], numbers: [] });
    this.values = Object.fromEntries(turns.map(({ name, usual }) => [name, usual]));
  }

  // Words, numbers to drag, and what was found.
  pieces(text) {
    const pieces = [];
    let end = 0;
    for (const match of text.matchAll(PARTS)) {
      pieces.push(text.slice(end, match.index));
      end = match.index + match[0].length;
      const [, name, quantity, runs] = match;
      pieces.push(name ? this.draggable(name) : this.place(quantity, runs));
    }
    return [...pieces, text.slice(end)];
  }

  draggable(name) {
    const turn = this.turns.find((one) => one.name === name);
    const number = new DraggedNumber(turn, () => this.values[name], (value) => this.turn(name, value));
    this.numbers.push(number);
    return number.node;
  }

  place(quantity, runs) {
    const node = element("b", { text: "…" });
    this.told.push({ node, quantity, runs: runs.trim() === "" ? [] : runs.trim().split(" ").map(Number) });
    return node;
  }

  configuration(place, number) {
    const turns = this.turns.filter(({ runs }) => runs.includes(place));
    const config = configured(this.facts.runs[place].config, turns, this.values);
    config.seed += this.facts.seeds * number;
    return config;
  }

  // Results of other numbers are dimmed until those of the present ones are here.
  await(isAwaited) {
    for (const { node } of this.told) node.classList.toggle("awaited", isAwaited);
  }
}
