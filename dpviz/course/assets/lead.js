// Before the prediction: a sentence with numbers on the way to those of the question, and the picture that they move.

import { shortNumber } from "../../player/assets/format.js";
import { element } from "../../player/assets/layout.js";
import benchStyles from "./bench.css";
import { Runs } from "./runs.js";
import { say } from "../../words/say.js";

const CHARTS = ["nll", "k", "moved", "agreement", "sizes"]; // which wait for the runs of the question

export class LeadIn extends Runs {
  // A browser that cannot compute keeps the page's own picture and shows no sentence. `opened`: of a player in which nothing is
  // open yet; `pictured()`: runs are shown.
  constructor(player, trial, bytes, { opened = null, pictured = () => {} } = {}) {
    const { facts: { lead, turns } } = trial, ends = new Map(lead.ends.map(([name, low, high, first]) => [name, { low, high, first }]));
    const told = [...lead.text.matchAll(/\{\w+((?: \d+)*)\}/g)].flatMap(([, runs]) => runs.trim().split(" ").filter(Boolean).map(Number));
    super(player, trial, bytes, { places: [...new Set(told)].sort((a, b) => a - b), turns: turns.map((turn) => ({ ...turn, ...ends.get(turn.name) })) });
    for (const [name, { first }] of ends) this.values[name] = first;
    Object.assign(this, { opened, pictured });
    player.chosenCharts = Object.fromEntries(CHARTS.map((name) => [name, false]));
    const beyond = turns.filter(({ name, usual }) => ends.has(name) && (usual < ends.get(name).low || usual > ends.get(name).high))
      .map(({ usual }) => ` ${say("bench.question_has", { value: shortNumber(usual) })}`);
    this.enter(element("div", { class: "bench lead" }, element("style", { text: benchStyles }), element("p", {}, `${say("bench.before")} `, ...this.pieces(lead.text), ...beyond)));
    this.tell(true);
  }

  turn(name, value) {
    this.values[name] = value;
    this.tell(true);
  }

  show(made) {
    this.pictured();
    super.show(made);
  }

  ready() { return Boolean(this.player.run ?? this.opened); }
  opening() { return { ...this.opened, ...super.opening() }; }
  refused() {}

  // What the run of the question is called stands in its question.
  title(place) {
    const own = this.facts.lead.ends.map(([name]) => this.turns.find((turn) => turn.name === name));
    const said = own.filter(({ symbol, path }) => symbol && path[0] !== "data").map(({ name, symbol }) => `${symbol} = ${shortNumber(this.values[name])}`);
    return [this.facts.runs[place].title, ...said].join(" · ");
  }

  close() {
    super.close();
    this.player.chosenCharts = {};
  }

  fail() {
    super.fail();
    this.node.hidden = true;
  }
}
