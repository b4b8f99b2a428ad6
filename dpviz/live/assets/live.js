// Knobs at a player: while one moves the engine answers here, and when it rests the page's own run takes over.

import { countOf, formatNumber } from "../../player/assets/format.js";
import { Dice } from "./dice.js";
import { shortNumber } from "./knobs.js";
import { Newest } from "./newest.js";
import { answered, editedPanel, nearestPoints, pictureOf, renumbered } from "./picture.js";
import { Prices } from "./prices.js";
import { Strip } from "./strip.js";

const AT_REST = 350; // milliseconds without a change, before the server is asked
const MANY = 1500; // points, from which only one of several starts answers
const SEEDS = 20;
const END = 1e9; // a sweep that no run has
const NEXT_TRY = 2; // failures of the engine, after which the server answers alone
const SAME = 0.5; // nats

const HINT = "Drag a knob: the clusters answer while it moves.";
const FOLLOWS = { search: "Let go, and the search goes on.", sweeps: "Let go, and the whole chain runs.", "": "" };
const ON_SERVER = "A knob answers when you let go.";

// What all players of a page share: the engine's bytes, points, and the way to the server.
class Shared {
  constructor() {
    Object.assign(this, { bytes: null, points: new Map(), lives: new Map(), send: null, failures: 0, fault: "" });
    if (typeof WebAssembly !== "object" || typeof Worker !== "function") this.fail("This browser computes nothing itself.");
  }

  takeEngine(bytes) {
    if (this.bytes !== null) return;
    this.bytes = bytes;
    this.refresh();
  }

  takePoints(id, points) {
    if (this.points.has(id)) return;
    this.points.clear();
    this.points.set(id, points);
    this.refresh();
  }

  refresh() { for (const live of this.lives.values()) live.refresh(); }

  engine() {
    this.running ??= new Newest(dpvizEngine(this.bytes));
    return this.running;
  }

  // Another one, so that twenty seeds keep no knob waiting.
  second() {
    this.aside ??= dpvizEngine(this.bytes);
    return this.aside;
  }

  fail(reason) {
    this.fault = reason;
    this.refresh();
  }

  liveOf(key) {
    if (!this.lives.has(key)) this.lives.set(key, new Live(this, key));
    return this.lives.get(key);
  }

  // Whether a picture from the server has to wait, since a newer one is made here. Players ask before they open one.
  keeps(player, opening, payload) {
    if (opening.film || opening.key === undefined) return false;
    if (!opening.live && !this.lives.has(opening.key)) return false;
    return this.liveOf(opening.key).keeps(player, opening, payload);
  }

  // Players that were there before this script.
  greet(players) {
    for (const player of players) {
      if (!player.opening?.live || this.lives.has(player.opening.key)) continue;
      this.keeps(player, player.opening);
      if (player.run) this.shown(player);
    }
  }

  shown(player) { this.lives.get(player.opening.key)?.shown(player); }
}

class Live {
  constructor(shared, key) {
    Object.assign(this, { shared, key, player: null, facts: null, values: {}, seed: 0, begins: "start", sent: 0 });
    Object.assign(this, { moving: false, film: null, films: 0, base: null, anchor: null, resting: null, warmed: null, used: false, touched: new Set() });
    this.strip = new Strip({
      turned: (name) => this.turned(name), rested: () => this.rest(), begin: (from) => this.begin(from), dice: () => this.roll(),
    });
    this.height = 0;
    new ResizeObserver(() => this.fit()).observe(this.strip.node);
  }

  get points() { return this.shared.points.get(this.facts?.points); }
  get computes() { return Boolean(this.facts) && !this.shared.fault && !this.facts.why && this.shared.bytes !== null && Boolean(this.points); }

  // --- what comes from the server ---

  keeps(player, opening, payload) {
    const { live: facts } = opening;
    this.attach(player);
    this.strip.node.hidden = !facts;
    if (!facts) {
      this.drop();
      this.facts = null;
      return false;
    }
    const another = this.facts?.points !== facts.points || this.facts.method !== facts.method;
    const current = facts.state === "done" && facts.answered >= this.sent && !this.moving;
    if (this.film && !another && !current) {
      this.facts = { ...this.facts, state: facts.state };
      this.served = { opening, payload };
      if (!this.moving && facts.answered >= this.sent) this.say(facts.state);
      if (!player.run) this.reopen();
      return true;
    }
    this.accept(player, opening, another);
    return false;
  }

  accept(player, opening, another) {
    const facts = opening.live;
    if (another || !this.facts) this.begins = facts.begins;
    this.compared = another ? null : this.film;
    if (this.film && player.opening) { // the playhead stays where it is
      player.opening = { ...player.opening, command: opening.command };
      player.believed = opening.sweep;
    }
    if (another) this.seeds?.cancel();
    if (another) this.strip.seeds.replaceChildren();
    this.drop();
    if (!this.moving) {
      Object.assign(this, { values: { ...facts.values }, seed: facts.seed });
      this.touched.clear();
    }
    this.facts = facts;
    this.sent = Math.max(this.sent, facts.answered);
    this.refresh();
  }

  // The words above the picture differ from run to run, and may need another line: the picture stays where it is.
  holdHead(holds) {
    const head = this.player?.root.querySelector(".tools");
    if (head) head.style.minHeight = holds ? head.style.minHeight || `${head.offsetHeight}px` : "";
  }

  drop() {
    this.holdHead(false);
    this.film = null;
    this.anchor = null;
    this.prices?.clear();
  }

  refresh() {
    if (!this.facts) return;
    this.strip.show(this.facts, this.values, this.computes, this.begins, this.used);
    if (this.film === null && !this.compared) this.strip.say(this.opinion());
    if (this.computes) this.warm();
  }

  opinion() {
    if (this.computes) return HINT;
    const why = this.shared.fault || this.facts.why;
    return why ? `${why} ${ON_SERVER}` : ON_SERVER;
  }

  // The engine is compiled and run once before the first knob moves.
  warm() {
    if (this.warmed === this.facts.points) return;
    this.warmed = this.facts.points;
    const config = this.configuration("start");
    setTimeout(() => this.shared.engine().ask((engine) => engine.run(config, this.points)).catch((error) => this.failed(error)), 0);
  }

  // The player has opened a picture of the server's.
  shown(player) {
    if (player.opening.film) return;
    const panel = player.run.panels[0];
    this.base = panel;
    this.takeView();
    if (this.compared) this.strip.say(this.verdict(this.compared, panel));
    this.compared = null;
  }

  // What the server's run has found, compared with the one here.
  verdict(film, panel) {
    const { left_out: left, has_nll: has, config, values } = this.facts;
    const last = panel.n_sweeps;
    const others = config.family !== film.config.family || Object.keys(values).some((name) => values[name] !== film.values[name]);
    const gain = film.answer.nll - panel.nll[last];
    const clusters = countOf(panel.n_clusters[last], "cluster");
    if (has && others) return `The server's run, for which the width was chosen anew: ${clusters}.`;
    if (left === "search" && Number.isFinite(gain)) {
      if (gain > SAME) return `Search: ${formatNumber(gain, 3)} nats lower, with ${clusters}.`;
      return gain < -SAME ? `The search found ${clusters}; the quick run was ${formatNumber(-gain, 3)} nats lower.` : `The search agrees: ${clusters}.`;
    }
    if (left !== "") return `The server's whole chain ends with ${clusters}.`;
    const rows = [panel.labels.subarray(last * panel.n_points), film.tracks].map(renumbered);
    const same = rows[0].length === rows[1].length && rows[0].every((label, i) => label === rows[1][i]);
    if (same) return `The server agrees: ${clusters}.`;
    return has && Number.isFinite(gain) ? `The server's run: ${clusters}, ${formatNumber(Math.abs(gain), 3)} nats ${gain > 0 ? "lower" : "higher"}.` : `The server's run: ${clusters}.`;
  }

  say(state) {
    if (state === "waiting") this.strip.say("This is a quick run; the server's takes longer and waits for Run.");
    else if (state === "running") this.strip.say(this.facts.left_out === "search" ? "The search goes on …" : "The server runs it …");
  }

  // --- what the reader does ---

  attach(player) {
    if (this.player && this.player !== player) this.left = this.player.panels[0]; // whose view the new one takes over
    this.player = player;
    player.knobs = this;
    if (this.strip.node.parentNode !== player.slot) player.slot.append(this.strip.node);
    const { channel } = player;
    if (!channel || channel.film) return;
    // the server knows nothing of a film: a point of one is explained here
    const film = { ...channel, film: true };
    film.setTriggerValue = (name, value) => (name === "point" && this.film ? this.explain(value.index) : channel.setTriggerValue(name, value));
    film.setStateValue = (name, value) => {
      if (name === "selection" && value === null) this.prices?.clear();
      channel.setStateValue(name, value);
    };
    player.channel = film;
  }

  // The picture has the room that the strip leaves.
  fit() {
    const height = this.strip.node.offsetHeight;
    if (!this.player?.run || height === 0 || height === this.height) return;
    this.height = height;
    this.player.placed.key = null;
    this.player.resize();
  }

  // Why a point of the film is where it is.
  explain(point) {
    const { player, film } = this;
    this.prices ??= new Prices(this.strip.prices, player, new Newest(this.shared.second()));
    this.prices.player = player;
    const { sweep, labels } = player.snapshots()[0];
    const partition = { slice: () => renumbered(labels) }; // of this sweep alone
    const title = film.panel.title.split(" · ").slice(0, 2).join(" · ");
    this.prices.ask({ config: film.config, points: film.points, title, answer: { sweeps: { labels: partition } } }, point, sweep, labels);
  }

  // `name`: of a knob; none if runs begin elsewhere, or with another seed.
  turned(name = null) {
    this.moving = true;
    if (name !== null) this.touched.add(name);
    clearTimeout(this.resting);
    if (!this.used) {
      this.used = true;
      this.refresh();
    }
    if (this.computes) this.run();
    else this.strip.say(this.opinion());
  }

  // The knob was let go.
  rest() {
    this.moving = true;
    clearTimeout(this.resting);
    if (this.computes && this.reduced) this.run(null, true);
    this.resting = setTimeout(() => this.report(), AT_REST);
  }

  report() {
    this.moving = false;
    this.sent += 1;
    const values = Object.fromEntries([...this.touched].map((name) => [name, this.values[name]]));
    this.shared.send?.("rest", { player: this.key, points: this.facts.points, number: this.sent, values,
      seed: this.seed, tracks: this.film ? written(this.film.tracks) : "", start: this.start() });
    this.say("running");
  }

  // Points are being moved or painted: runs go on from the clusters in the picture.
  edited(edits) {
    if (!this.computes || this.points.nFeatures !== 2 || !this.player.run) return;
    this.anchor ??= this.tracksNow();
    const panel = this.base, { origin } = panel;
    const added = edits.filter(({ point }) => point === undefined);
    const nearest = nearestPoints(panel, added);
    const values = new Float64Array(2 * (panel.n_points + added.length));
    values.set(this.points.values);
    let next = panel.n_points;
    for (const { point, x, y } of edits) values.set([x + origin[0], y + origin[1]], 2 * (point ?? next++));
    const before = Int32Array.from([...this.anchor, ...nearest.map((point) => this.anchor[point])]);
    const points = { values, nPoints: values.length / 2, nFeatures: 2 };
    this.run({ points, panel: editedPanel(panel, edits, nearest), before });
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

  // `from`: "here" or "start". K-means goes on only from as many clusters as it is to make.
  configuration(from = this.begins, seed = this.seed, whole = true, anchor = this.anchor) {
    const { config: plain, knobs, given } = this.facts;
    const config = structuredClone(plain);
    for (const { name, path: [first, second] } of knobs) {
      if (second) config[first] = { ...config[first], [second]: this.values[name] };
      else config[first] = this.values[name];
    }
    this.reduced = !whole && config.n_init > 1 && this.points.nPoints > MANY;
    if (this.reduced) config.n_init = 1;
    if (from === "here" && anchor) {
      const labels = renumbered(anchor);
      const fits = !given || new Set(labels).size === config.n_clusters;
      if (fits) Object.assign(config, { init: Array.from(labels), n_init: 1 });
    }
    return { ...config, seed };
  }

  // The clusters that the film goes on from, for the server to go on from them, too; empty for a start of the method.
  start() {
    const { film, facts } = this;
    return film && facts.left_out !== "search" && Array.isArray(film.config.init) ? written(film.config.init) : "";
  }

  // `edit`: { points, panel, before } after points were moved; `whole`: with all of several starts, also of many points.
  async run(edit = null, whole = false) {
    const { player, facts } = this;
    if (!player.run || !this.base) return;
    this.anchor ??= this.tracksNow();
    const { points, panel, before } = edit ?? { points: this.points, panel: this.base, before: this.anchor };
    const config = this.configuration(edit ? "here" : this.begins, this.seed, whole, before);
    const [title, values] = [this.title(), { ...this.values }];
    try {
      const answer = await this.shared.engine().ask((engine) => answered(engine, config, points, panel));
      if (answer === null || this.facts.points !== facts.points || this.facts.method !== facts.method) return;
      this.shared.failures = 0;
      this.show({ answer, title, config, values, points, panel, before });
    } catch (error) {
      this.failed(error);
    }
  }

  failed(error) {
    if (error.name === "Refused") this.strip.say(`Not computed here: ${error.message}`);
    else {
      this.shared.failures += 1;
      if (this.shared.failures >= NEXT_TRY) this.shared.fail("The engine of this page stopped.");
      else this.strip.say(`The engine of this page stopped (${error.message}); nothing is lost.`);
    }
  }

  // Tracks of the clusters at the playhead.
  tracksNow() {
    const { run, deck } = this.player;
    return run.labelsOfRow(0, run.rowAt(0, run.sweepAt(0, deck.frame === 0 ? run.last : deck.frame))).slice();
  }

  title() {
    const [knob] = this.facts.knobs;
    return `${this.facts.title} · ${knob.symbol} = ${shortNumber(this.values[knob.name])} · seed ${this.seed}`;
  }

  show({ answer, title, config, values, points, panel: base, before }) {
    const { player } = this;
    if (!player?.run || !this.base) return;
    const { colors } = player.run;
    const known = this.film?.tracks.length === base.n_points ? this.film.tracks : before;
    const panel = pictureOf(base, answer, { title, colors: colors.light.length, reference: known });
    const tracks = panel.labels.subarray(panel.n_sweeps * panel.n_points);
    this.film = { answer, config, points, tracks, panel, colors, values };
    this.reopen();
    this.strip.say(`${countOf(answer.n_clusters, "cluster")} in a quick run. ${FOLLOWS[this.facts.left_out]}`.trim());
    if (this.prices && this.prices.chosen !== null && this.prices.chosen < base.n_points) this.explain(this.prices.chosen);
  }

  reopen() {
    const { player, film } = this;
    this.holdHead(true);
    this.films += 1;
    const opening = { ...(player.opening ?? this.served.opening), id: `film ${this.films}`, command: `film ${this.films}`,
      sweep: END, start: "", film: true, placing: false };
    player.open(opening, { sync: "sweep", partial: false, progress: "", colors: film.colors, panels: [film.panel] });
    this.takeView();
  }

  takeView() {
    const [part] = this.player.panels;
    if (this.left?.view && !this.left.view.atHome && this.left.pointsId === part.pointsId) part.view.set(this.left.view.bounds);
    this.left = null;
  }

  roll() {
    const { values, facts } = this;
    this.seeds ??= new Dice(this.strip.seeds, this.shared.second(), (seed) => this.chooseSeed(seed));
    const points = { ...this.points, nGroups: facts.n_groups };
    const panel = { title: facts.title, given: facts.given, configuration: (seed) => this.configuration("start", seed) };
    if (values) this.seeds.roll([panel], points, this.seed, SEEDS);
  }
}

// Tracks (N) as text: base 64 of two bytes each.
function written(tracks) {
  const bytes = new Uint8Array(Uint16Array.from(tracks).buffer);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

export const liveShared = (globalThis.dpvizLive ??= new Shared());
