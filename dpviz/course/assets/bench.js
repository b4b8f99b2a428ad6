// What can be tried in a chapter: numbers in a sentence that are dragged, other draws, points that are moved.

import { shortNumber } from "../../player/assets/format.js";
import { chip, element } from "../../player/assets/layout.js";
import { editedPoints } from "../../stage/edits.js";
import { answered } from "../../stage/film.js";
import benchStyles from "./bench.css";
import { Runs } from "./runs.js";
import { Tally } from "./tally.js";
import { Transfer } from "./transfer.js";
import { say, sayCount } from "../../words/say.js";

const NARROW = 560; // pixels, below which the film comes first and the sentence waits behind a button
const MOST_POINTS = 5000; // of a picture, with those that are drawn

export class Bench extends Runs {
  constructor(player, trial, bytes) {
    const { facts } = trial;
    super(player, trial, bytes, { places: [...facts.runs.keys()], turns: facts.turns });
    Object.assign(this, { edits: 0, restores: 0 });
    this.build();
    this.say(say("bench.hint"));
    this.retell();
  }

  build() {
    this.sentence = element("p", {}, ...this.pieces(this.facts.text));
    const drawn = this.draws.length > 1;
    this.unit = drawn ? "draw" : "start"; // also in the keys of texts
    this.another = chip(say(`bench.another_${this.unit}`), say(`bench.about_another_${this.unit}`), () => this.choose((this.number + 1) % this.facts.seeds));
    this.dice = chip(sayCount(`bench.n_${this.unit}s`, this.facts.seeds), say(`bench.about_${this.unit}s`), () => this.tally.turn(this.own ? null : this.number));
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
    this.transfers = this.facts.transfers.map((one, k) => new Transfer(one, (values) => this.find(values), () => this.ask(k + 1)).node);
    for (const node of this.transfers) node.hidden = true; // the film comes first
    this.onward = chip(say("bench.further"), say("bench.about_further"), () => this.ask(0));
    this.onward.classList.add("further");
    this.enter(element("section", { class: "bench", "aria-label": say("bench.name") }, element("style", { text: benchStyles }), this.unfold, this.sentence,
      element("div", { class: "row" }, this.another, this.dice, ...this.tools, this.onward, this.back, this.said), this.tally.node, ...this.transfers, this.stage.prices.node));
    this.node.classList.toggle("folded", this.player.root.clientWidth < NARROW);
  }

  say(text) { this.said.textContent = text; }

  fail(error) {
    super.fail();
    for (const node of [this.another, this.dice, ...this.tools, this.onward, ...this.transfers]) node.hidden = true;
    this.say(`${say("bench.computes_nothing")} (${error.message})`);
  }

  refused(error) { this.say(say("bench.not_computed", { why: error.message })); }

  // --- what the reader does ---

  turn(name, value) {
    if (!this.computes) return;
    this.values[name] = value;
    this.tally.clear();
    this.retell(true);
  }

  // What dragging in the picture does.
  take(tool) {
    this.player.toolbar.flip(tool);
    for (const node of this.tools) node.setAttribute("aria-pressed", String(Boolean(this.player.options[node.dataset.tool])));
  }

  choose(number) {
    Object.assign(this, { number, own: null });
    this.tally.mark(number);
    this.retell(true);
  }

  // Points were dragged or painted: they are what is clustered until another draw is taken.
  edited(panel, edits) {
    if (!this.computes || !this.inPlane()) return false;
    const points = this.points(), changed = editedPoints(points, this.player.run.panels[panel], edits);
    const grows = changed.nPoints > points.nPoints;
    if (grows && changed.nPoints > MOST_POINTS) {
      this.player.editor.clear();
      this.player.redraw();
      this.say(say("bench.most_points", { most: MOST_POINTS }));
      return true;
    }
    this.edits += 1;
    this.own = { ...points, ...changed, version: this.edits, groups: grows ? null : points.groups };
    this.tally.clear();
    this.retell(true);
    return true;
  }

  // Ask one of the further questions; those before the last that was answered make room.
  ask(place) {
    this.onward.hidden = true;
    this.transfers.forEach((node, k) => (node.hidden = k > place || k < place - 1));
  }

  // What the draw's own points give with some numbers elsewhere.
  find(values) {
    this.values = { ...this.usual(), ...values };
    this.own = null;
    this.tally.clear();
    return this.retell(true);
  }

  usual() { return Object.fromEntries(this.facts.turns.map(({ name, usual }) => [name, usual])); }

  isUsual() { return this.facts.turns.every(({ name, usual }) => this.values[name] === usual); }

  // The page's own film again.
  restore() {
    this.values = this.usual();
    for (const number of this.numbers) number.show();
    Object.assign(this, { number: 0, own: null });
    this.restores += 1;
    this.tally.clear();
    this.stage.drop();
    this.stage.prices.clear();
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
    this.retell();
  }

  // --- runs ---

  // All runs of a draw, by another engine, so that a number that is dragged need not wait. Points of the reader's are
  // no draw.
  async runsOf(draw) {
    const { engines, numbers } = this.stage, runs = [];
    for (const number of numbers) {
      const run = this.asks(number, { draw, own: null });
      runs.push({ ...run, answer: await answered(engines.aside, run) });
    }
    return { points: runs[0].points, runs };
  }

  // Bring the numbers and what is said of them up to date.
  async retell(shows = false) {
    if (!this.computes) return null;
    const { nPoints } = this.points(), { number } = this;
    for (const one of this.numbers) {
      const ofData = this.own && one.turn.path[0] === "data";
      one.bar(ofData ? say("bench.own_points") : "", one.turn.path[1] === "points" ? shortNumber(nPoints) : "–");
      one.show();
    }
    const found = await this.tell(shows);
    if (found) this.say(shows ? this.about(number) : say("bench.hint"));
    return found;
  }

  about(number) {
    const ungrouped = this.own && !this.own.groups && this.facts.grouped;
    const what = this.own ? say("bench.your_points") : say(`bench.this_${this.unit}`, { number: number + 1, all: this.facts.seeds });
    return [say("bench.computed", { what }), this.own && say("bench.of_yours"), ungrouped && say("bench.no_groups")].filter(Boolean).join(" ");
  }

  show(made) {
    this.back.hidden = false;
    super.show(made);
  }

  opening() { return { ...super.opening(), editable: this.inPlane() }; }
}
