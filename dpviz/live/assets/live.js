// Knobs at a player: while one moves the engine answers here, and when it rests the page's own runs take over.

import { element } from "../../player/assets/layout.js";
import { Dice } from "../../stage/dice.js";
import { openFilm } from "../../stage/film.js";
import { EveryFrame } from "../../stage/frames.js";
import { pullsOf, spotOf } from "../../stage/layers.js";
import { editedPanel, nearestPoints, renumbered } from "../../stage/picture.js";
import { Prices } from "../../stage/prices.js";
import { Quiet } from "./quiet.js";
import { filmWords, opinionOf, verdictOn, waitingWords } from "./sentences.js";
import { Side } from "./side.js";
import { Still } from "./still.js";
import { Strip } from "./strip.js";
import { say } from "../../words/say.js";

const AT_REST = 350; // milliseconds without a change, before the server is asked
const SEEDS = 20;
const NEXT_TRY = 2; // failures of the engine, after which the server answers alone

export class Live {
  constructor(shared, key) {
    this.pictures = new EveryFrame(() => this.show());
    Object.assign(this, { shared, key, player: null, facts: null, sides: [], values: {}, seed: 0, begins: null, sent: 0 });
    Object.assign(this, { draws: null, drawn: false, playhead: 0, weighed: false, watched: false }); // of a lesson, and whether one is in the picture
    Object.assign(this, { moving: false, compared: null, resting: null, warmed: "", used: false, touched: new Set() });
    this.strip = new Strip({
      turned: (name) => this.turned(name), rested: () => this.rest(), begin: (from) => this.begin(from),
      dice: () => (this.draws ? this.draws.turn() : this.roll()),
    });
    this.quiet = new Quiet({
      answers: ({ panel, index }) => this.explain(panel, index), places: (place) => this.weigh(place),
      drawn: () => this.drawn, dismissed: () => this.hush(), rested: () => this.watch(),
    });
    this.still = new Still();
    this.height = 0;
    new ResizeObserver(() => this.fit()).observe(this.strip.node);
  }

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
      this.seeds?.cancel();
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

  // The words above the picture differ from run to run, and may need another line: the picture stays where it is.
  holdHead(holds) {
    const head = this.player?.root.querySelector(".tools");
    if (head) head.style.minHeight = holds ? head.style.minHeight || `${head.offsetHeight}px` : "";
  }

  drop() {
    this.holdHead(false);
    for (const side of this.sides) side.drop();
    this.drawn = false;
    this.hush();
  }

  // Take away what was said of a point here.
  hush() {
    this.prices?.clear();
    this.player?.why.untell();
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

  // The player has opened a picture of the server's.
  shown(player) {
    if (player.opening.film) return;
    this.servedRun = player.run;
    for (const side of this.sides) side.base = player.run.panels[side.number] ?? null;
    this.takeView();
    this.noteWatched();
    if (this.weighed) this.followGhost();
    const compared = (this.compared ?? []).map(([number, film]) => [this.sides[number], film]).filter(([side]) => side?.base);
    if (compared.length) this.strip.say(verdictOn(compared, player.run.panels, this.sides.length));
    this.compared = null;
  }

  say(state) {
    const words = waitingWords(this.sides, state);
    if (words) this.strip.say(words);
  }

  // --- what the reader does ---

  attach(player) {
    if (this.player && this.player !== player) this.left = this.player.panels[0]; // whose view the new one takes over
    this.player = player;
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

  // Say why a point is where it is in the picture; false if that is for the server to say.
  explain(number, point) {
    const { player } = this, side = this.sides[number];
    if (!side?.computes || !side.picture || player.deck.slow) return false;
    if (!side.film && !side.facts.has_nll) return false; // the server draws distances
    if (this.drawn && !side.film.config) return true; // of a draw, where only the server could say
    const points = side.film?.points ?? side.points;
    if (point >= points.nPoints) return false;
    this.prices ??= new Prices(element("div", { class: "live-prices" }), player, this.shared.engines.prices);
    this.prices.player = player;
    const { sweep, labels } = player.snapshots()[number];
    const partition = { slice: () => renumbered(labels) }; // of this sweep alone
    const title = side.picture.title.split(" · ").slice(0, 2).join(" · ");
    const config = side.film?.config ?? side.configuration({ from: "start" });
    this.asked = number;
    this.prices.ask({ config, points, title, answer: { sweeps: { labels: partition } } }, point, sweep, labels).then((told) => {
      if (told) player.why.tell(this.prices.node, point);
    });
    return true;
  }

  // Say how strongly clusters pull at the ghost point; false if that is for the server to say. `place`: null if it is gone.
  weigh(place) {
    const { player, weighed } = this, side = this.sides[place?.panel];
    this.weighed = place !== null && this.weighs(side) && !player.deck.slow;
    if (!this.weighed) return place === null && Boolean(weighed);
    const { config, points } = side.film ?? { config: side.configuration({ from: "start" }), points: side.points };
    const { origin } = side.picture, { sweep, labels } = player.snapshots()[place.panel];
    const spot = spotOf(place.x + origin[0], place.y + origin[1], side.base.plane);
    const partition = renumbered(labels);
    const tell = (pulls) => player.ghost.at && player.ghost.tell({ sweep, pulls });
    this.shared.engines.places.ask((engine) => engine.places(config, points, partition, [spot]))
      .then((found) => found && tell(pullsOf(found, partition, labels)), () => tell([]));
    return true;
  }

  // Whether the engine knows how clusters pull at a place.
  weighs(side) {
    const known = side?.film ? Boolean(side.film.config) : side?.computes;
    return Boolean(known && side.facts.has_nll && side.base?.plane && side.points.nFeatures === 2);
  }

  followGhost() { if (this.player.ghost.at !== null && this.player.ghost.offered()) this.player.ghost.send(); }

  // The playhead came to rest.
  watch() {
    this.followPlayhead();
    this.noteWatched();
  }

  // A run is watched before it is counted in how many draws it is so.
  noteWatched() {
    if (this.watched || this.player.deck.frame === 0) return;
    this.watched = true;
    this.refresh();
  }

  followPlayhead() {
    const { chosen } = this.prices ?? {};
    if (chosen !== null && chosen !== undefined) this.explain(this.asked, chosen);
  }

  // `name`: of a knob; none if runs begin elsewhere, or with another seed.
  turned(name = null) {
    if (this.drawn) {
      this.draws.close();
      this.endDraw();
    }
    if (!this.moving) this.still.hold(this.player.root);
    this.moving = true;
    if (name !== null) this.touched.add(name);
    clearTimeout(this.resting);
    if (!this.used) {
      this.used = true;
      this.refresh();
    }
    const wanted = this.sidesOf(name);
    if (wanted.length > 0) this.run(wanted);
    else this.strip.say(opinionOf(this.shared.fault, this.sides));
  }

  // Those that a knob turns, or all, as far as they are computed here.
  sidesOf(name) {
    const knob = this.facts.knobs.find((one) => one.name === name);
    return this.sides.filter((side) => side.computes && (!knob || knob.panels.includes(side.number)));
  }

  // The knob was let go.
  rest() {
    this.moving = true;
    clearTimeout(this.resting);
    const reduced = this.sides.filter((side) => side.computes && side.reduced);
    if (reduced.length > 0) this.run(reduced, null, true);
    if (reduced.some((side) => side.searches)) this.say("running"); // from now on, not only when the server is asked
    this.resting = setTimeout(() => this.report(), AT_REST);
  }

  report() {
    if (!this.shared.send) { // the way to the server comes with the engine
      this.resting = setTimeout(() => this.report(), AT_REST);
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

  // Points are being moved or painted: runs go on from the clusters in the picture.
  edited(edits) {
    const [side] = this.sides;
    if (this.sides.length !== 1 || !side.computes || side.points.nFeatures !== 2 || !this.player.run) return;
    side.anchor ??= side.tracksNow(this.player);
    const panel = side.base, { origin } = panel;
    const added = edits.filter(({ point }) => point === undefined);
    const nearest = nearestPoints(panel, added);
    const values = new Float64Array(2 * (panel.n_points + added.length));
    values.set(side.points.values);
    let next = panel.n_points;
    for (const { point, x, y } of edits) values.set([x + origin[0], y + origin[1]], 2 * (point ?? next++));
    const before = Int32Array.from([...side.anchor, ...nearest.map((point) => side.anchor[point])]);
    const points = { values, nPoints: values.length / 2, nFeatures: 2 };
    this.run([side], { points, panel: editedPanel(panel, edits, nearest), before });
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
    clearTimeout(this.resting);
    this.moving = false;
    if (!this.drawn) this.playhead = this.player.deck.frame;
    this.hush();
    for (const side of this.sides) Object.assign(side, { film: films[side.number], drops: side.drops + 1 });
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

  begin(from) {
    this.begins = from;
    this.strip.showBegins(from);
    this.turned();
    this.rest();
  }

  chooseSeed(seed) {
    this.seed = seed;
    this.turned();
    this.rest();
  }

  // `edit`: { points, panel, before } after points were moved; `whole`: with all of several starts and the search.
  run(sides, edit = null, whole = false) {
    const { player } = this;
    if (!player.run || sides.some((side) => !side.base)) return;
    for (const side of sides) {
      side.run(player, edit, whole).then((made) => {
        if (!made) return;
        this.shared.failures = 0;
        this.pictures.ask();
      }).catch((error) => this.failed(error));
    }
  }

  failed(error) {
    if (error.name === "Refused") this.strip.say(say("strip.not_computed", { why: error.message }));
    else {
      this.shared.failures += 1;
      if (this.shared.failures >= NEXT_TRY) this.shared.fail(say("strip.stopped"));
      else this.strip.say(say("strip.stopped_once", { why: error.message }));
    }
  }

  show() {
    if (!this.player?.run || !this.film) return; // the page's own picture may have come before this frame
    this.reopen();
    this.strip.say(filmWords(this.sides));
    this.followPlayhead();
    this.followGhost();
  }

  reopen() {
    const { player } = this;
    const { colors } = this.sides.find((side) => side.film).film;
    this.holdHead(true);
    openFilm(player, this.sides.map((side) => side.picture), colors, { ...(player.opening ?? this.served), film: true,
      placing: this.placing, ...(this.drawn ? { editable: false } : {}) });
    this.takeView();
  }

  // Whether a ghost point in a film would be answered.
  get placing() { return Boolean(this.served?.placing) && this.sides.every((side) => this.weighs(side)); }

  takeView() {
    const [part] = this.player.panels;
    if (this.left?.view && !this.left.view.atHome && this.left.pointsId === part.pointsId) part.view.set(this.left.view.bounds);
    this.left = null;
  }

  roll() {
    const found = this.sides.filter((side) => side.computes && !side.facts.given);
    if (found.length === 0) return;
    this.seeds ??= new Dice(this.strip.seeds, this.shared.engines.aside, (seed) => this.chooseSeed(seed));
    const panels = found.map((side) => ({
      title: side.name, given: false, points: { ...side.points, nGroups: this.facts.n_groups },
      configuration: (seed) => side.configuration({ from: "start", seed: side.seedAt(seed) }),
    }));
    this.seeds.roll(panels, null, this.seed, SEEDS);
  }
}

// Tracks (N) as text: base 64 of two bytes each.
function written(tracks) {
  const bytes = new Uint8Array(Uint16Array.from(tracks).buffer);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
