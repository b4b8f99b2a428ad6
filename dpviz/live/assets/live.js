// Knobs at a player of the app: while one moves the engine answers here, and when it rests the page's own runs take over.

import { element } from "../../player/assets/layout.js";
import { Stage } from "../../stage/controller.js";
import { Exchange } from "./exchange.js";
import { Quiet } from "./quiet.js";
import { filmWords, opinionOf, progressWords, waitingWords } from "./sentences.js";
import { Still } from "./still.js";
import { Strip } from "./strip.js";
import { say } from "../../words/say.js";

const SEEDS = 20;

export class Live {
  constructor(shared, key) {
    Object.assign(this, { shared, key, facts: null, sides: [], values: {}, seed: 0, begins: null, warmed: "", used: false });
    Object.assign(this, { draws: null, drawn: false, playhead: 0, weighed: false, watched: false }); // of a lesson, and whether one is in the picture
    this.exchange = new Exchange(this);
    this.strip = new Strip(this);
    const prices = element("div", { class: "live-prices" });
    this.stage = new Stage(this, shared.engines, { prices, dice: this.strip.seeds, choose: (seed) => this.chooseSeed(seed) });
    this.quiet = new Quiet(this);
    this.still = new Still(this.strip.node);
  }

  get player() { return this.stage.player; }
  get computes() { return this.sides.some((side) => side.computes); }
  get settings() { return { knobs: this.values, endsOf: (knob) => [knob.low, knob.high] }; }
  get film() { return this.sides.some((side) => side.film); }

  // --- the strip ---

  attach(player) {
    this.stage.player = player;
    player.knobs = this;
    this.still.follow(player);
    if (this.strip.node.parentNode !== player.slot) player.slot.append(this.strip.node);
    this.quiet.wrap(player);
  }

  // The player is gone from the page; if it comes back, it is another.
  left() {
    this.warmed = "";
    this.stage.dice.cancel(); // or its next row would begin Workers anew
    this.shared.left();
  }

  refresh() {
    if (!this.facts) return;
    this.strip.show(this);
    if (!this.film && !this.exchange.compared?.length) this.strip.say(opinionOf(this.shared.fault, this.sides));
    if (this.computes && this.player.root.isConnected) this.warm();
  }

  // Engines are compiled and run once before the first knob moves.
  warm() {
    const able = this.sides.filter((side) => side.computes);
    const name = able.map((side) => `${side.number} ${side.facts.points}`).join();
    if (this.warmed === name) return;
    this.warmed = name;
    setTimeout(() => this.player.root.isConnected && able.forEach((side) => {
      const config = side.configuration({ from: "start", search: false });
      side.engine.ask((engine) => engine.run(config, side.points)).catch((error) => this.failed(error));
    }), 0);
  }

  // A picture of the server's is what films begin with.
  take({ panels, colors }) {
    this.colors = colors;
    for (const side of this.sides) side.base = panels[side.number] ?? null;
    this.still.takeView();
    this.noteWatched();
    if (this.weighed) this.player.ghost.follow(true);
  }

  // A run is watched before it is counted in how many draws it is so.
  noteWatched() {
    if (this.watched || this.player.deck.frame === 0) return;
    this.watched = true;
    this.refresh();
  }

  // --- what the reader does ---

  // `name`: of a knob; none if runs begin elsewhere, or with another seed, among those that are thrown.
  turned(name = null, keepsDice = false) {
    if (this.drawn) {
      this.draws.close();
      this.endDraw();
    }
    if (!this.exchange.moving) this.still.hold(this.player.root);
    this.exchange.moved(name);
    this.stage.turn(keepsDice);
    if (!this.used) {
      this.used = true;
      this.refresh();
    }
    const knob = this.facts.knobs.find((one) => one.name === name);
    const turned = this.sides.filter((side) => side.computes && (!knob || knob.panels.includes(side.number)));
    if (turned.length === 0) this.strip.say(opinionOf(this.shared.fault, this.sides));
    else if (this.sides.every((side) => side.base)) turned.forEach((side) => this.stage.show([side.number], { quick: true }));
  }

  // The knob was let go.
  rest() {
    this.exchange.moved();
    const left = this.computes ? this.stage.finish() : [];
    if (left.some((number) => this.sides[number].searches)) this.exchange.wait("running"); // from now on, not only when the server is asked
    this.stage.rest();
  }

  begin(from) {
    this.begins = from;
    this.strip.showBegins(from);
    this.turned();
    this.rest();
  }

  chooseSeed(seed) {
    this.seed = seed;
    this.turned(null, true);
    this.rest();
  }

  throwDice() {
    const found = this.sides.filter((side) => side.computes && !side.facts.given).map((side) => side.number);
    if (this.draws) this.draws.turn();
    else if (found.length > 0) this.stage.roll(found, this.seed, SEEDS, { from: "start" });
  }

  // Draws of the lesson, for which the dice are then; null for none.
  offer(draws) {
    this.draws?.close();
    this.endDraw();
    this.draws = draws;
    this.refresh();
  }

  // A draw in place of the page's picture: a film for every side.
  showDraw(films) {
    clearTimeout(this.stage.resting);
    this.exchange.moving = false;
    if (!this.drawn) this.playhead = this.player.deck.frame;
    this.hush();
    this.stage.drop();
    this.stage.put(films);
    this.drawn = true;
    this.reopen();
  }

  // The page's own picture again.
  endDraw() {
    if (!this.drawn) return;
    const { player, exchange: { served, servedRun }, playhead } = this;
    this.drop();
    player.open({ ...served, start: "", sweep: playhead }, servedRun);
  }

  drop() {
    this.still.holdHead(false);
    this.stage.drop();
    for (const side of this.sides) side.anchor = null;
    this.drawn = false;
    this.hush();
  }

  // Take away what was said of a point here.
  hush() {
    this.stage.prices.clear();
    this.player?.why.untell();
  }

  // --- questions at the picture ---

  explains(number) {
    const side = this.sides[number];
    return Boolean(side?.computes && (side.film || (side.base && side.facts.has_nll)) && !this.player.deck.slow); // else the server draws distances
  }

  // Say why a point is where it is in the picture; false if that is for the server to say.
  explain(number, point) {
    if (!this.explains(number) || point >= this.stage.runAt(number).points.nPoints) return false;
    this.stage.explain(number, point);
    return true; // also of a draw of which only the server could say it
  }

  explained(point) { this.player.why.tell(this.stage.prices.node, point); }

  // Say how strongly clusters pull at the ghost point; false if that is for the server to say. `place`: null if it is gone.
  weigh(place) {
    const { weighed, stage } = this;
    this.weighed = place !== null && stage.weighs(place.panel) && !this.player.deck.slow;
    if (this.weighed) stage.weigh(place);
    return this.weighed || (place === null && Boolean(weighed));
  }

  // The playhead came to rest.
  watch() {
    this.stage.askAgain();
    this.noteWatched();
  }

  // --- as the host of a stage ---

  get count() { return this.sides.length; }
  asks(number, how) { return this.sides[number].asks(how); }

  base(number) {
    const side = this.sides[number], { base, points, facts } = side;
    return base && { config: side.computes ? side.configuration({ from: "start" }) : null, points, id: facts.points, still: base, title: base.title };
  }

  wants({ number, side, facts, base }) {
    return this.sides[number] === side && side.facts === facts && side.base === base && Boolean(this.player.run);
  }

  // The page's own picture may have come before a frame of ours.
  ready() { return Boolean(this.player?.run) && this.film; }

  opening() {
    this.still.holdHead(true);
    const { served } = this.exchange, placing = Boolean(served?.placing) && this.sides.every(({ number }) => this.stage.weighs(number));
    return { ...(this.player.opening ?? served), film: true, placing, ...(this.drawn ? { editable: false } : {}) };
  }

  reopen() {
    this.stage.open();
    this.still.takeView();
  }

  shown() {
    this.still.takeView();
    this.strip.say(filmWords(this.sides));
  }

  // The knob rests: the server is asked.
  rested() { this.exchange.send(); }

  // Said only while nothing else is.
  searching({ side }, told) {
    side.told = told;
    this.strip.add(waitingWords(this.sides, "running"), progressWords(this.sides));
  }

  failed(error) {
    if (error.name === "Refused") this.strip.say(say("strip.not_computed", { why: error.message }));
    else if (this.shared.engines.ended(error)) this.shared.fail(say("strip.stopped"));
    else this.strip.say(say("strip.stopped_once", { why: error.message }));
  }

  // Points are being moved or painted: runs go on from the clusters in the picture.
  edited(number, edits) {
    const [side] = this.sides;
    if (this.count !== 1 || !side.computes || side.points.nFeatures !== 2 || !side.base) return false;
    this.stage.show([number], { quick: true, edits });
    return true;
  }
}
