// What is one run's alone on a page with knobs: its facts, the page's own picture, and what the stage asks for.

import { shortNumber } from "../../player/assets/format.js";
import { editedPanel, editedPoints, nearestPoints } from "../../stage/edits.js";
import { renumbered } from "../../stage/film.js";
import { configured } from "../../stage/knobs.js";
import { say } from "../../words/say.js";

const SEEDS_END = 2 ** 32;

export class Side {
  // `live`: has the knobs of all runs.
  constructor(live, number, facts) {
    Object.assign(this, { live, number, facts, base: null, anchor: null, told: null }); // `told`: of its search
  }

  get points() { return this.live.shared.points.get(this.facts.points); }
  get computes() { return !this.facts.why && this.live.shared.ready && Boolean(this.points); }
  get engine() { return this.live.shared.engines.run(this.number); }
  get knobs() {
    const own = this.live.facts.knobs.filter((knob) => knob.panels.includes(this.number));
    return own.map((knob) => ({ ...knob, path: knob.paths[knob.panels.indexOf(this.number)] }));
  }
  get seed() { return this.seedAt(this.live.seed); }
  get film() { return this.live.stage.films[this.number] ?? null; }
  get searches() { return this.facts.left_out === "search"; }

  // As its panel is called.
  get name() { return this.live.sides.length > 1 ? `${this.number + 1} ${this.facts.title}` : this.facts.title; }

  // Seeds of all runs move together, by as much as the first one's does.
  seedAt(seed) { return (this.facts.seed + seed - this.live.facts.seed + SEEDS_END) % SEEDS_END; }

  // `from`: "here" or "start". K-means goes on only from as many clusters as it is to make. `search`: where there is one.
  configuration({ from, seed = this.seed, search = true, anchor = this.anchor }) {
    const config = configured(this.facts.config, this.knobs, this.live.values);
    if (this.searches && !search) Object.assign(config, { init: "single", n_init: 1 });
    if (from === "here" && anchor) {
      const labels = renumbered(anchor);
      const fits = !this.facts.given || new Set(labels).size === config.n_clusters;
      if (fits) Object.assign(config, { init: Array.from(labels), n_init: 1 });
    }
    return { ...config, seed };
  }

  // As the stage asks for it. In place of a search that goes on from here it shows a run from one cluster that ends lower.
  asks({ quick = false, edits = null, from, seed }) {
    const { facts, base, live, points } = this, searched = this.searches && !quick;
    this.told = null;
    const asked = {
      side: this, facts, base, points, searched, id: facts.points, still: base, name: this.name, title: this.title(), draft: this.searches && quick,
      given: facts.given, nGroups: live.facts.n_groups, values: Object.fromEntries(this.knobs.map((knob) => [knob.parameter, live.values[knob.name]])),
    };
    if (from) return { ...asked, config: this.configuration({ from, seed: seed === undefined ? this.seed : this.seedAt(seed) }) };
    this.anchor ??= this.tracksNow();
    Object.assign(asked, { before: this.anchor }, edits ? this.edited(edits) : {});
    const begins = edits ? "here" : searched ? "start" : live.begins ?? facts.begins;
    const config = this.configuration({ from: begins, search: !quick, anchor: asked.before });
    return { ...asked, config, instead: this.searches && Array.isArray(config.init) ? { ...config, init: "single" } : null };
  }

  edited(edits) {
    const { base, points, anchor } = this, nearest = nearestPoints(base, edits), moved = editedPoints(points, base, edits);
    const before = Int32Array.from([...anchor, ...nearest.map((point) => anchor[point])]);
    return { points: moved, still: editedPanel(base, edits, nearest), before, id: `edited ${moved.nPoints}` };
  }

  // Tracks of the clusters at the playhead.
  tracksNow() {
    const { number, live: { player: { run, deck } } } = this;
    const sweep = run.sweepAt(number, deck.frame === 0 ? run.last : deck.frame);
    return run.labelsOfRow(number, run.rowAt(number, sweep)).slice();
  }

  title() {
    const { live, knobs: [knob] } = this, several = live.sides.length > 1;
    const parts = [this.name];
    if (knob) parts.push(`${knob.symbol} = ${shortNumber(live.values[knob.name])}`);
    if (!several || new Set(live.sides.map((side) => side.seed)).size > 1) parts.push(say("live.seed", { seed: this.seed }));
    return parts.join(" · ");
  }

  // The clusters that the film goes on from, for the server to go on from them, too; null for a start of the method.
  start() {
    const { film } = this;
    return film && !this.searches && Array.isArray(film.config.init) ? film.config.init : null;
  }
}
