// One run of a picture: what the engine is asked of it, and the film that it answers with.

import { lastTracks } from "../../stage/film.js";
import { configured, shortNumber } from "../../stage/knobs.js";
import { answered, pictureOf, renumbered } from "../../stage/picture.js";
import { say } from "../../words/say.js";

const MANY = 1500; // points, from which only one of several starts answers
const NOISE = 1e-9; // relative difference of equal nll
const SEEDS_END = 2 ** 32;

export class Side {
  // `live`: has the knobs of all runs.
  constructor(live, number, facts) {
    Object.assign(this, { live, number, facts, base: null, anchor: null, film: null, reduced: false, drops: 0 });
  }

  get points() { return this.live.shared.points.get(this.facts.points); }
  get computes() { return !this.facts.why && this.live.shared.ready && Boolean(this.points); }
  get engine() { return this.live.shared.engines.run(this.number); }
  get knobs() { return this.live.facts.knobs.filter((knob) => knob.panels.includes(this.number)); }
  get seed() { return this.seedAt(this.live.seed); }
  get picture() { return this.film?.panel ?? this.base; }
  get begins() { return this.live.begins ?? this.facts.begins; }

  // As its panel is called.
  get name() { return this.live.sides.length > 1 ? `${this.number + 1} ${this.facts.title}` : this.facts.title; }

  // Seeds of all runs move together, by as much as the first one's does.
  seedAt(seed) { return (this.facts.seed + seed - this.live.facts.seed + SEEDS_END) % SEEDS_END; }

  // What is on its way is dropped, too.
  drop() { Object.assign(this, { film: null, anchor: null, drops: this.drops + 1 }); }

  get searches() { return this.facts.left_out === "search"; }

  // `from`: "here" or "start". K-means goes on only from as many clusters as it is to make. `search`: where there is one.
  configuration({ from = this.begins, seed = this.seed, whole = true, search = whole, anchor = this.anchor } = {}) {
    const config = configured(this.facts.config, this.knobs, this.live.values);
    if (this.searches && !search) Object.assign(config, { init: "single", n_init: 1 });
    else if (!whole && this.isLong(config)) config.n_init = 1;
    if (from === "here" && anchor) {
      const labels = renumbered(anchor);
      const fits = !this.facts.given || new Set(labels).size === config.n_clusters;
      if (fits) Object.assign(config, { init: Array.from(labels), n_init: 1 });
    }
    return { ...config, seed };
  }

  isLong({ n_init: starts }) { return starts > 1 && this.points.nPoints > MANY; }

  // `edit`: { points, panel, before } after points were moved; `whole`: with all of several starts and the search, which
  // may take long. Resolves to whether there is a new film.
  async run(player, edit, whole) {
    const { facts, base, live, drops } = this;
    this.anchor ??= this.tracksNow(player);
    const { points, panel, before } = edit ?? { points: this.points, panel: base, before: this.anchor };
    this.reduced = !whole && (this.searches || this.isLong(facts.config));
    const searched = whole && this.searches;
    const asked = this.configuration({ from: edit ? "here" : searched ? "start" : this.begins, whole, anchor: before });
    const [title, values] = [this.title(), Object.fromEntries(this.knobs.map((knob) => [knob.parameter, live.values[knob.name]]))];
    const found = await this.engine.ask((engine) => this.answer(engine, asked, points, panel), whole);
    const current = live.sides[this.number] === this && this.facts === facts && this.base === base && this.drops === drops;
    if (found === null || !current || !player.run) return false;
    const { answer, config } = found, { colors } = player.run;
    const known = this.film?.tracks.length === panel.n_points ? this.film.tracks : before;
    const made = pictureOf(panel, answer, { title, colors: colors.light.length, reference: known });
    this.film = { answer, config, points, tracks: lastTracks(made), panel: made, colors, values, searched };
    return true;
  }

  // A run { answer, config }. In place of a search it is one from one cluster where that ends lower than from here.
  async answer(engine, config, points, panel) {
    const answer = await answered(engine, config, points, panel);
    if (!this.searches || !Array.isArray(config.init)) return { answer, config };
    const alone = { ...config, init: "single" }, { nll } = await engine.last(alone, points);
    if (!(nll < answer.nll - NOISE * Math.abs(nll))) return { answer, config };
    return { answer: await answered(engine, alone, points, panel), config: alone };
  }

  // Tracks of the clusters at the playhead.
  tracksNow({ run, deck }) {
    const { number } = this;
    const sweep = run.sweepAt(number, deck.frame === 0 ? run.last : deck.frame);
    return run.labelsOfRow(number, run.rowAt(number, sweep)).slice();
  }

  title() {
    const { live, knobs: [knob] } = this;
    const several = live.sides.length > 1;
    const parts = [this.name];
    if (knob) parts.push(`${knob.symbol} = ${shortNumber(live.values[knob.name])}`);
    if (!several || new Set(live.sides.map((side) => side.seed)).size > 1) parts.push(say("live.seed", { seed: this.seed }));
    return parts.join(" · ");
  }

  // The clusters that the film goes on from, for the server to go on from them, too; null for a start of the method.
  start() {
    const { film, facts } = this;
    return film && facts.left_out !== "search" && Array.isArray(film.config.init) ? film.config.init : null;
  }
}
