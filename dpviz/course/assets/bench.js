// A chapter's runs, computed here: numbers in a sentence that are dragged, other draws, points that are moved.

import { dpvizEngine } from "../../browser/loader.js";
import { element } from "../../player/assets/layout.js";
import { Engines } from "../../stage/engines.js";
import { lastTracks, openFilm, panelOf } from "../../stage/film.js";
import { shortNumber } from "../../stage/knobs.js";
import { Prices } from "../../stage/prices.js";
import benchStyles from "./bench.css";
import { measured } from "./measures.js";
import { reshaped } from "./reshaped.js";
import { Sentence } from "./sentence.js";
import { Tally } from "./tally.js";
import { say, sayCount } from "../../words/say.js";

const NARROW = 560; // pixels, below which the film comes first and the sentence waits behind a button
const MOST_POINTS = 5000; // of a picture, with those that are drawn
const NEXT_TRY = 2; // failures of the engine one after the other, after which nothing is tried any more

export class Bench extends Sentence {
  // `player`: open or soon open; `bytes`: of the engine.
  constructor(player, { facts, draws }, bytes) {
    super(facts, draws, facts.turns);
    Object.assign(this, { player, number: 0, edited: null, film: null, known: new Map() });
    Object.assign(this, { rounds: 0, edits: 0, restores: 0, failures: 0, computes: true });
    this.build();
    player.bench = this;
    player.slot.append(Object.assign(this.node, { bench: this })); // by which scripts find it
    this.channel = player.channel;
    this.engines = new Engines(() => dpvizEngine(bytes));
    this.listen();
    this.say(say("bench.hint"));
    this.tell();
  }

  inPlane() { return this.draws[0].nFeatures === 2; }

  close() {
    this.engines.close();
    this.node.remove();
    this.player.bench = null;
    if (this.player.channel) this.player.channel = this.channel;
  }

  build() {
    const chip = (text, title, action) => {
      const node = element("button", { type: "button", class: "chip", text, title });
      node.addEventListener("click", action);
      return node;
    };
    this.sentence = element("p", {}, ...this.pieces(this.facts.text));
    const drawn = this.draws.length > 1;
    this.unit = drawn ? "draw" : "start"; // also in the keys of texts
    this.another = chip(say(`bench.another_${this.unit}`), say(`bench.about_another_${this.unit}`), () => this.choose((this.number + 1) % this.facts.seeds));
    this.dice = chip(sayCount(`bench.n_${this.unit}s`, this.facts.seeds), say(`bench.about_${this.unit}s`), () => this.tally.turn(this.edited ? null : this.number));
    const tool = (name, text, title) => {
      const node = chip(text, title, () => this.take(name));
      node.dataset.tool = name;
      node.hidden = !this.inPlane();
      return node;
    };
    this.tools = [tool("painting", say("bench.draw_points"), say("bench.about_draw_points")), tool("moving", say("bench.move_points"), say("bench.about_move_points"))];
    this.back = chip(say("bench.film"), say("bench.about_film"), () => this.restore());
    this.back.hidden = true;
    this.unfold = chip(say("bench.unfold"), say("bench.about_unfold"), () => this.node.classList.remove("folded"));
    this.unfold.classList.add("unfold");
    this.said = element("span", { class: "said", role: "status" });
    this.tally = new Tally(this.facts, (number) => this.runsOf(number), (number) => this.choose(number), () => this.isUsual(), this.unit);
    this.why = element("div", { class: "live-prices", role: "status" });
    this.node = element("section", { class: "bench", "aria-label": say("bench.name") }, element("style", { text: benchStyles }), this.unfold, this.sentence,
      element("div", { class: "row" }, this.another, this.dice, ...this.tools, this.back, this.said), this.tally.node, this.why);
    this.node.classList.toggle("folded", this.player.root.clientWidth < NARROW);
    this.node.addEventListener("keydown", (event) => event.stopPropagation()); // keys here are not the player's
  }

  say(text) { this.said.textContent = text; }

  fail(error) {
    this.computes = false;
    for (const node of [this.another, this.dice, ...this.tools]) node.hidden = true;
    for (const number of this.numbers) {
      number.bar(say("bench.computes_nothing"));
      number.node.tabIndex = -1;
    }
    this.say(`${say("bench.computes_nothing")} (${error.message})`);
  }

  // --- what the reader does ---

  turn(name, value) {
    if (!this.computes) return;
    this.values[name] = value;
    this.tally.clear();
    this.tell(true);
  }

  // What dragging in the picture does.
  take(tool) {
    this.player.toolbar.flip(tool);
    for (const node of this.tools) node.setAttribute("aria-pressed", String(Boolean(this.player.options[node.dataset.tool])));
  }

  choose(number) {
    Object.assign(this, { number, edited: null });
    this.tally.mark(number);
    this.tell(true);
  }

  // Points were dragged or painted: they are what is clustered until another draw is taken.
  edit(name, value) {
    const points = this.points();
    const origin = this.player.run.panels[value.panel].origin;
    const rows = name === "moved" ? [[value.x, value.y]] : value.places;
    if (name === "painted" && points.nPoints + rows.length > MOST_POINTS) {
      this.player.editor.clear();
      this.player.redraw();
      this.say(say("bench.most_points", { most: MOST_POINTS }));
      return;
    }
    const placed = rows.flatMap(([x, y]) => [x + origin[0], y + origin[1]]);
    const values = Float64Array.from(name === "moved" ? points.values : [...points.values, ...placed]);
    if (name === "moved") values.set(placed, 2 * value.index);
    const nPoints = values.length / 2;
    this.edits += 1;
    this.edited = { ...points, version: this.edits, values, nPoints, groups: nPoints === points.nPoints ? points.groups : null };
    this.tally.clear();
    this.tell(true);
  }

  isUsual() { return this.facts.turns.every(({ name, usual }) => this.values[name] === usual); }

  // The page's own film again.
  restore() {
    this.values = Object.fromEntries(this.facts.turns.map(({ name, usual }) => [name, usual]));
    for (const number of this.numbers) number.show();
    Object.assign(this, { number: 0, edited: null, film: null });
    this.restores += 1;
    this.tally.clear();
    this.prices?.clear();
    this.back.hidden = true;
    const { player, served } = this;
    const opening = { ...served.opening, command: `restored ${this.restores}` };
    if (served.payload) player.open(opening, served.payload);
    else {
      player.opening = opening;
      player.loads += 1;
      player.show(served.run, true);
    }
    this.say(say("bench.hint"));
    this.tell();
  }

  // --- runs ---

  points(number = this.number, edited = this.edited) {
    const { facts } = this;
    const base = number === this.number && edited ? edited : reshaped(this.draws[number] ?? this.draws[0], facts.turns, this.values, number);
    const moved = facts.turns.filter(({ path }) => path[0] === "data").map(({ name }) => this.values[name]);
    return { ...base, key: [number, edited?.version ?? 0, ...moved], names: facts.features, axes: [0, 1] };
  }

  // A run that no number has changed since is not made again.
  async newest(engine, place, number, points) {
    const key = JSON.stringify([this.configuration(place, number), points.key]);
    const before = this.known.get(place);
    if (before?.key === key) return before.run;
    const run = await this.made(engine, place, number, points);
    this.known.set(place, { key, run });
    return run;
  }

  // All runs of a draw, by another engine, so that a number that is dragged need not wait. Points of the reader's are
  // no draw.
  async runsOf(number) {
    const points = this.points(number, null);
    const runs = [];
    for (const place of this.facts.runs.keys()) runs.push(await this.made(this.engines.aside, place, number, points));
    return { points, runs };
  }

  // Fill in the sentence and, if asked to, show the runs.
  async tell(shows = false) {
    if (!this.computes) return;
    const { number, restores } = this;
    const points = this.points();
    for (const one of this.numbers) {
      const ofData = this.edited && one.turn.path[0] === "data";
      one.bar(ofData ? say("bench.own_points") : "", one.turn.path[1] === "points" ? shortNumber(points.nPoints) : "–");
      one.show();
    }
    this.rounds += 1;
    const round = this.rounds;
    this.await(true);
    try {
      const runs = await this.engines.run(0).ask(async (engine) => {
        const found = [];
        for (const place of this.facts.runs.keys()) found.push(await this.newest(engine, place, number, points));
        return found;
      });
      if (runs === null || restores !== this.restores) return; // the film came back meanwhile
      this.failures = 0;
      for (const { node, quantity, runs: places } of this.told) node.textContent = measured(quantity, runs, places, points);
      if (round === this.rounds) this.await(false);
      if (shows) this.show(runs, points, number);
      if (round === this.rounds) this.say(shows ? this.about(number) : say("bench.hint"));
    } catch (error) {
      if (error.name !== "Refused") this.failures += globalThis.WebAssembly ? 1 : NEXT_TRY;
      if (this.failures >= NEXT_TRY) this.fail(error);
      else if (round === this.rounds) this.refused(error);
    }
  }

  // Other values may be computed all the same, and another Worker takes the place of one that died.
  refused(error) {
    for (const { node } of this.told) node.textContent = "–";
    this.await(false);
    this.say(say("bench.not_computed", { why: error.message }));
  }

  about(number) {
    const ungrouped = this.edited && !this.edited.groups && this.facts.grouped;
    const what = this.edited ? say("bench.your_points") : say(`bench.this_${this.unit}`, { number: number + 1, all: this.facts.seeds });
    return [say("bench.computed", { what }), this.edited && say("bench.of_yours"), ungrouped && say("bench.no_groups")].filter(Boolean).join(" ");
  }

  title(place) {
    const { title, about, words } = this.facts.runs[place];
    const own = this.facts.turns.filter(({ runs, symbol }) => symbol && runs.includes(place)).map(({ name, symbol }) => `${symbol} = ${shortNumber(this.values[name])}`);
    return [title, ...(own.length > 0 ? own : [about]), words].filter(Boolean).join(" · ");
  }

  // Runs that differ in their random numbers alone are told apart by these.
  titles() {
    const titles = [...this.facts.runs.keys()].map((place) => this.title(place));
    const seed = (place) => this.facts.runs[place].config.seed;
    return titles.map((title, place) => (titles.indexOf(title) === titles.lastIndexOf(title) ? title : `${title} · ${say("bench.seed", { seed: seed(place) })}`));
  }

  // --- the picture ---

  show(runs, points, number) {
    const { player, facts } = this;
    if (!player.run) return;
    this.served ??= { opening: player.opening, run: player.run };
    const colors = facts.colors.light.length;
    const places = { ...points, id: points.key.join(), ...this.placesShown() };
    const [panels, titles] = [[], this.titles()];
    for (const [place, { answer }] of runs.entries()) {
      const reference = points.groups ?? (place === 0 ? null : lastTracks(panels[0]));
      const panel = panelOf({ answer }, places, { title: titles[place], objective: facts.runs[place].objective, colors, reference });
      if (points.groups) panel.true_tracks = Int32Array.from(points.groups); // as in the picture of the question
      panels.push(panel);
    }
    this.film = { runs, points };
    this.back.hidden = false;
    openFilm(player, panels, facts.colors, { ...(player.opening ?? this.served.opening), film: true, editable: this.inPlane() });
  }

  placesShown() {
    const { shown, axes } = this.facts;
    if (!shown) return {};
    return { shown: shown.map((values) => ({ places: Float32Array.from(values), origin: 0 })), axisNames: axes };
  }

  // A picture of the page's has to wait while one of ours is shown.
  keeps(player, opening, payload) {
    if (opening.film) return false;
    this.listen(); // every message of the page brings its own channel again
    this.served = { opening, payload };
    if (!this.film) return false;
    player.refreshTheme();
    return true;
  }

  // The page hears of no film of ours, nor of points that are clustered here.
  listen() {
    const { player } = this;
    if (player.channel?.bench) return;
    this.channel = player.channel;
    player.channel = {
      bench: true,
      setStateValue: (name, value) => (this.film ? null : this.channel?.setStateValue(name, value)),
      setTriggerValue: (name, value) => this.triggered(name, value),
    };
  }

  triggered(name, value) {
    if ((name === "moved" || name === "painted") && this.computes && this.inPlane()) this.edit(name, value);
    else if (!this.film) this.channel?.setTriggerValue(name, value);
    else if (name === "point") this.explain(value.panel, value.index);
  }

  // Why a point is where it is.
  explain(panel, point) {
    const { player, film } = this;
    this.prices ??= new Prices(this.why, player, this.engines.prices);
    const sweep = player.run.sweepAt(panel, player.deck.frame);
    const { config, answer } = film.runs[panel];
    this.prices.ask({ config, points: film.points, title: this.title(panel), answer }, point, sweep, player.run.labelsOfRow(panel, sweep));
  }
}
