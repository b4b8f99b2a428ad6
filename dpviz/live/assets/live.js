// Knobs at a player of the app: while one moves the engine answers here, and when it rests the page's own runs take over.

import { element } from "../../player/assets/layout.js";
import { Stage } from "../../stage/controller.js";
import { Quiet } from "./quiet.js";
import { filmWords, opinionOf, verdictOn, waitingWords } from "./sentences.js";
import { Side } from "./side.js";
import { Still } from "./still.js";
import { Strip } from "./strip.js";
import { say } from "../../words/say.js";

const SEEDS = 20;

export class Live {
  constructor(shared, key) {
    Object.assign(this, { shared, key, facts: null, sides: [], values: {}, seed: 0, begins: null, sent: 0, height: 0 });
    Object.assign(this, { draws: null, drawn: false, playhead: 0, weighed: false, watched: false }); // of a lesson, and whether one is in the picture
    Object.assign(this, { moving: false, compared: null, warmed: "", used: false, touched: new Set() });
    this.strip = new Strip(this);
    const prices = element("div", { class: "live-prices" });
    this.stage = new Stage(this, shared.engines, { prices, dice: this.strip.seeds, choose: (seed) => this.chooseSeed(seed) });
    this.quiet = new Quiet(this);
    this.still = new Still();
    new ResizeObserver(() => this.fit()).observe(this.strip.node);
  }

  get player() { return this.stage.player; }
  get computes() { return this.sides.some((side) => side.computes); }
  get film() { return this.sides.some((side) => side.film); }

  // --- what comes from the server ---

  keeps(player, opening) {
    const { live: facts } = opening;
    this.attach(player);
    this.strip.node.hidden = !facts;
    if (!facts) {
      this.drop();
      Object.assign(this, { facts: null, sides: [] });
      return false;
    }
    const another = !this.isOf(facts);
    const current = facts.state === "done" && facts.answered >= this.sent && !this.moving;
    const same = this.drawn && this.served.id === opening.id; // only the page around it changed
    if (this.film && !another && (same || !current)) {
      this.facts.state = facts.state;
      this.served = opening;
      if (!this.moving && facts.answered >= this.sent) this.say(facts.state);
      if (player.run) player.refreshTheme(); // films of the same runs leave it as it is
      else this.reopen();
      return true;
    }
    this.accept(player, opening, another);
    this.served = opening;
    return false;
  }

  // Whether facts are of the runs that are shown, perhaps with other values.
  isOf(facts) {
    const known = this.facts?.panels ?? [];
    return known.length === facts.panels.length && known.every((panel, k) => {
      return panel.points === facts.panels[k].points && panel.method === facts.panels[k].method;
    });
  }

  accept(player, opening, another) {
    const facts = opening.live;
    this.compared = another ? null : this.sides.filter((side) => side.film).map((side) => [side.number, side.film]);
    if (this.film && player.opening) { // the playhead stays where it is
      player.opening = { ...player.opening, command: opening.command };
      player.believed = opening.sweep;
    }
    if (another) {
      Object.assign(this, { begins: null, watched: false });
      this.stage.dice.cancel();
      this.strip.seeds.replaceChildren();
    }
    this.drop();
    this.facts = facts;
    this.sides = facts.panels.map((panel, number) => {
      return another ? new Side(this, number, panel) : Object.assign(this.sides[number], { facts: panel });
    });
    if (!this.moving) {
      Object.assign(this, { values: { ...facts.values }, seed: facts.seed });
      this.touched.clear();
    }
    this.sent = Math.max(this.sent, facts.answered);
    if (facts.state === "done") this.still.release();
    this.refresh();
  }

  // The player has opened a picture of the server's.
  pictured(player) {
    if (player.opening.film) return;
    Object.assign(this, { servedRun: player.run, colors: player.run.colors });
    for (const side of this.sides) side.base = player.run.panels[side.number] ?? null;
    this.takeView();
    this.noteWatched();
    if (this.weighed) player.ghost.follow(true);
    const compared = (this.compared ?? []).map(([number, film]) => [this.sides[number], film]).filter(([side]) => side?.base);
    if (compared.length) this.strip.say(verdictOn(compared, player.run.panels, this.sides.length));
    this.compared = null;
  }

  // The knob rests: the server is asked.
  rested() {
    if (!this.shared.send) { // the way to the server comes with the engine
      this.stage.rest();
      return;
    }
    this.moving = false;
    this.sent += 1;
    const values = Object.fromEntries([...this.touched].map((name) => [name, this.values[name]]));
    const [only] = this.sides.length === 1 ? this.sides : [];
    const start = only?.start();
    this.quiet.forget();
    this.shared.send("rest", { player: this.key, points: this.facts.points, number: this.sent, values,
      seed: this.seed, tracks: only?.film ? written(only.film.tracks) : "", start: start ? written(start) : "" });
    this.say("running");
  }

  say(state) {
    const words = waitingWords(this.sides, state);
    if (words) this.strip.say(words);
  }

  // --- the strip, and the room that it takes ---

  attach(player) {
    if (this.player && this.player !== player) this.left = this.player.panels[0]; // whose view the new one takes over
    this.stage.player = player;
    player.knobs = this;
    this.still.follow(player.root);
    if (this.strip.node.parentNode !== player.slot) player.slot.append(this.strip.node);
    this.quiet.wrap(player);
  }

  // The picture has the room that the strip leaves.
  fit() {
    const height = this.strip.node.offsetHeight;
    if (!this.player?.run || height === 0 || height === this.height) return;
    this.height = height;
    this.player.placed.key = null;
    this.player.resize();
  }

  // The words above the picture differ from run to run, and may need another line: the picture stays where it is.
  holdHead(holds) {
    const head = this.player?.root.querySelector(".tools");
    if (head) head.style.minHeight = holds ? head.style.minHeight || `${head.offsetHeight}px` : "";
  }

  refresh() {
    if (!this.facts) return;
    this.strip.show(this);
    if (!this.film && !this.compared?.length) this.strip.say(opinionOf(this.shared.fault, this.sides));
    if (this.computes) this.warm();
  }

  // Engines are compiled and run once before the first knob moves.
  warm() {
    const able = this.sides.filter((side) => side.computes);
    const name = able.map((side) => `${side.number} ${side.facts.points}`).join();
    if (this.warmed === name) return;
    this.warmed = name;
    setTimeout(() => able.forEach((side) => {
      const config = side.configuration({ from: "start", search: false });
      side.engine.ask((engine) => engine.run(config, side.points)).catch((error) => this.failed(error));
    }), 0);
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
    if (!this.moving) this.still.hold(this.player.root);
    this.moving = true;
    if (name !== null) this.touched.add(name);
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
    this.moving = true;
    const left = this.computes ? this.stage.finish() : [];
    if (left.some((number) => this.sides[number].searches)) this.say("running"); // from now on, not only when the server is asked
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
    this.moving = false;
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
    const { player, served, servedRun, playhead } = this;
    this.drop();
    player.open({ ...served, start: "", sweep: playhead }, servedRun);
  }

  drop() {
    this.holdHead(false);
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
    this.holdHead(true);
    const placing = Boolean(this.served?.placing) && this.sides.every(({ number }) => this.stage.weighs(number));
    return { ...(this.player.opening ?? this.served), film: true, placing, ...(this.drawn ? { editable: false } : {}) };
  }

  reopen() {
    this.stage.open();
    this.takeView();
  }

  shown() {
    this.takeView();
    this.strip.say(filmWords(this.sides));
  }

  takeView() {
    const [part] = this.player.panels;
    if (this.left?.view && !this.left.view.atHome && this.left.pointsId === part.pointsId) part.view.set(this.left.view.bounds);
    this.left = null;
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

// Tracks (N) as text: base 64 of two bytes each.
function written(tracks) {
  const bytes = new Uint8Array(Uint16Array.from(tracks).buffer);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
