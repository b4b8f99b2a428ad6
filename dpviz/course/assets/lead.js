// What can be tried before the prediction: a sentence with numbers on the way to those of the question.

import { dpvizEngine } from "../../browser/loader.js";
import { element } from "../../player/assets/layout.js";
import { Newest } from "../../stage/newest.js";
import benchStyles from "./bench.css";
import { measured } from "./measures.js";
import { reshaped } from "./reshaped.js";
import { Sentence } from "./sentence.js";
import { say } from "../../words/say.js";

export class LeadIn extends Sentence {
  // `bytes`: of the engine; a browser that cannot compute shows nothing.
  constructor({ facts, draws }, bytes) {
    const ends = new Map(facts.lead.ends.map(([name, low, high, first]) => [name, { low, high, first }]));
    super(facts, draws, facts.turns.map((turn) => ({ ...turn, ...ends.get(turn.name) })));
    for (const [name, { first }] of ends) this.values[name] = first;
    this.node = element("div", { class: "bench lead" }, element("style", { text: benchStyles }), element("p", {}, `${say("bench.before")} `, ...this.pieces(facts.lead.text)));
    try {
      this.engine = new Newest(dpvizEngine(bytes));
    } catch {
      this.node.hidden = true;
      return;
    }
    this.tell();
  }

  turn(name, value) {
    this.values[name] = value;
    this.tell();
  }

  close() {
    this.engine?.close();
    this.engine = null;
    this.node.remove();
  }

  async tell() {
    const { facts } = this;
    const points = { ...reshaped(this.draws[0], facts.turns, this.values), names: facts.features, axes: [0, 1] };
    const wanted = new Set(this.told.flatMap(({ runs }) => runs));
    this.await(true);
    try {
      const runs = await this.engine.ask(async (engine) => {
        const found = [];
        for (const place of wanted) found[place] = await this.made(engine, place, 0, points);
        return found;
      });
      if (runs === null || !this.engine) return;
      for (const { node, quantity, runs: places } of this.told) node.textContent = measured(quantity, runs, places, points);
      this.await(false);
    } catch {
      for (const { node } of this.told) node.textContent = "–"; // refused; other values may be computed all the same
    }
  }
}
