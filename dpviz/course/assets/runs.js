// A sentence about runs of a chapter, which a stage shows: what is dragged in it changes them.

import { dpvizEngine } from "../../browser/loader.js";
import { shortNumber } from "../../player/assets/format.js";
import { element } from "../../player/assets/layout.js";
import { Stage } from "../../stage/controller.js";
import { Engines } from "../../stage/engines.js";
import { stillOf } from "../../stage/film.js";
import { measured } from "./measures.js";
import { reshaped } from "./reshaped.js";
import { Sentence } from "./sentence.js";
import { say } from "../../words/say.js";

export class Runs extends Sentence {
  // `player`: open or soon open; `places`: of the runs that are shown; `turns`: as of a sentence; `bytes`: of the engine.
  constructor(player, { facts, draws }, bytes, { places, turns }) {
    super(facts, draws, turns);
    Object.assign(this, { player, places, number: 0, own: null, computes: true, count: places.length, colors: facts.colors });
    this.stage = new Stage(this, new Engines(() => dpvizEngine(bytes)), { prices: element("div", { class: "live-prices", role: "status" }) });
    this.stage.player = player;
    this.stage.listen();
    player.bench = this;
  }

  // What is seen of it is in the player's slot.
  enter(node) {
    this.node = Object.assign(node, { bench: this }); // by which scripts find it
    this.player.slot.append(node);
    node.addEventListener("keydown", (event) => event.stopPropagation()); // keys here are not the player's
  }

  close() {
    const { player, stage } = this;
    stage.engines.close();
    this.node.remove();
    player.bench = null;
    if (player.channel) player.channel = stage.page;
  }

  inPlane() { return this.draws[0].nFeatures === 2; }

  // The reader's own points stand for those of the draw.
  points(number = this.number, own = this.own) {
    const { facts } = this;
    const base = number === this.number && own ? own : reshaped(this.draws[number] ?? this.draws[0], facts.turns, this.values, number);
    const moved = facts.turns.filter(({ path }) => path[0] === "data").map(({ name }) => this.values[name]);
    return { ...base, key: [number, own?.version ?? 0, ...moved], names: facts.features, axes: [0, 1] };
  }

  // Fill in the sentence and, if asked to, show the runs. Resolves to { points, runs } if they are the newest.
  async tell(shows) {
    if (!this.computes) return null;
    const { stage } = this;
    stage.turn();
    this.await(true);
    const made = await stage.made(stage.numbers);
    if (!made) return null;
    const [{ points, round }] = made, runs = [];
    for (const run of made) runs[this.places[run.number]] = run;
    for (const { node, quantity, runs: places } of this.told) node.textContent = measured(quantity, runs, places, points);
    if (shows && this.ready()) this.show(made);
    if (round !== stage.round) return null;
    this.await(false);
    return { points, runs };
  }

  show(made) {
    this.served ??= { opening: this.player.opening, run: this.player.run };
    this.stage.take(made);
  }

  // Other values may be computed all the same, and another Worker takes the place of one that died.
  failed(error, [{ round }]) {
    if (this.stage.engines.ended(error)) this.fail(error);
    if (!this.computes || round !== this.stage.round) return;
    for (const { node } of this.told) node.textContent = "–";
    this.await(false);
    this.refused(error);
  }

  fail() {
    this.computes = false;
    for (const number of this.numbers) {
      number.bar(say("bench.computes_nothing"));
      number.node.tabIndex = -1;
    }
  }

  title(place) {
    const { title, about, words } = this.facts.runs[place];
    const own = this.facts.turns.filter(({ runs, symbol }) => symbol && runs.includes(place)).map(({ name, symbol }) => `${symbol} = ${shortNumber(this.values[name])}`);
    return [title, ...(own.length > 0 ? own : [about]), words].filter(Boolean).join(" · ");
  }

  // Runs that differ in their random numbers alone are told apart by these.
  titleAmong(place) {
    const titles = this.places.map((one) => this.title(one)), title = this.title(place);
    const { seed } = this.facts.runs[place].config;
    return titles.indexOf(title) === titles.lastIndexOf(title) ? title : `${title} · ${say("bench.seed", { seed })}`;
  }

  // --- as the host of a stage ---

  asks(number, { draw = this.number, own = this.own } = {}) {
    const { facts } = this, place = this.places[number], { objective, meanings } = facts.runs[place], points = this.points(draw, own), id = points.key.join();
    return {
      number, config: this.configuration(place, draw), points, id, key: points.key, title: this.titleAmong(place), reference: points.groups,
      still: stillOf({ ...points, ...this.placesShown() }, { id, objective, meanings, stay: true }), // groups keep the colours of the picture that asks
    };
  }

  placesShown() {
    const { shown, axes } = this.facts;
    if (!shown) return {};
    return { shown: shown.map((values) => ({ places: Float32Array.from(values), origin: 0 })), axisNames: axes };
  }

  wants() { return true; }
  ready() { return Boolean(this.player.run); }
  edited() { return false; }
  opening() { return { ...(this.player.opening ?? this.served.opening), film: true, editable: false }; }

  // A picture of the page's has to wait while one of ours is shown.
  keeps(player, opening, payload) {
    if (opening.film) return false;
    this.stage.listen(); // every message of the page brings its own channel again
    this.served = { opening, payload };
    if (this.stage.films.length === 0) return false;
    player.refreshTheme();
    return true;
  }
}
