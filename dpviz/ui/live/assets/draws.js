// Twenty draws of a lesson at its picture: in how many its sentence is right, and each on the stage when it is pressed.

import { Tally } from "../../../course/assets/tally.js";
import { formatFixed } from "../../../player/assets/format.js";
import { answered } from "../../../stage/film.js";
import { say, sayCount } from "../../../words/say.js";

export class LessonDraws {
  // `live`: at whose picture they are; `trial`: { facts, draws }; `found()`: resolves to the labels that the server found.
  constructor(live, { facts, draws }, found) {
    Object.assign(this, { live, facts, draws, found });
    this.unit = draws.length > 1 ? "draw" : "start";
    this.tally = new Tally(facts, (number) => this.runsOf(number), (number) => this.choose(number), () => true, this.unit);
  }

  get title() { return this.facts.title; }
  get words() { return sayCount(`bench.n_${this.unit}s`, this.facts.seeds); }
  get about() { return say(`lesson_draws.about_${this.unit}s`, { all: this.words }); }

  // Count, or take the count away and with it the draw in the picture.
  turn() {
    const { live, tally, facts } = this;
    if (tally.node.childElementCount > 0) {
      this.close();
      live.endDraw();
      return;
    }
    live.strip.seeds.replaceChildren(tally.node);
    const served = facts.runs.filter((run) => run.served);
    if (served.length > 0) {
      live.shared.send?.("dice", { player: live.key, lesson: facts.title });
      live.strip.say(say(`lesson_draws.served_${this.unit}s`, { methods: served.map((run) => run.title).join(", ") }));
    }
    tally.roll(-1); // none of them is in the picture yet
  }

  close() {
    this.tally.clear();
  }

  points(number) { return this.draws[number] ?? this.draws[0]; }

  configuration(place, number) {
    const { config } = this.facts.runs[place];
    return { ...config, seed: config.seed + this.facts.seeds * number };
  }

  // A run { config, answer } of what the stage asks for, which has no configuration if the server makes it.
  async run(engine, asked, place, number) {
    if (this.facts.runs[place].served) return { ...asked, config: null, answer: servedAnswer((await this.found())(place, number)) };
    const run = { ...asked, config: this.configuration(place, number), points: this.points(number) };
    return { ...run, answer: await answered(engine, run) };
  }

  // What the server computes comes last: it may have to be waited for.
  async runsOf(number) {
    const runs = [];
    const places = [...this.facts.runs.keys()].sort((a, b) => Number(Boolean(this.facts.runs[a].served)) - Number(Boolean(this.facts.runs[b].served)));
    for (const place of places) runs[place] = withResult(await this.run(this.live.shared.engines.aside, { still: {} }, place, number));
    return { points: this.points(number), runs };
  }

  async choose(number) {
    const { live, tally } = this;
    this.chosen = number;
    tally.mark(number);
    const made = await Promise.all(live.sides.map((side) => side.engine.ask((engine) => this.film(engine, side, number)))).catch((error) => error);
    if (this.chosen !== number || tally.node.childElementCount === 0 || made === null) return;
    if (made instanceof Error) live.strip.say(say("lesson_draws.not_computed", { why: made.message }));
    else if (!made.includes(null)) {
      live.showDraw(made);
      live.strip.say(this.said(number));
    }
  }

  said(number) {
    const { nPoints } = this.points(number);
    const what = say(`bench.this_${this.unit}`, { number: number + 1, all: this.facts.seeds });
    if (nPoints >= this.facts.n_points) return say("lesson_draws.shown", { what, all: this.words });
    const [n, whole] = [nPoints, this.facts.n_points].map((count) => formatFixed(count, 0));
    return say("lesson_draws.shown_smaller", { what, n, whole, all: this.words });
  }

  async film(engine, side, number) {
    const points = this.points(number), { base, name } = side;
    const still = this.draws.length > 1 ? drawnPanel(base, points, number) : base;
    const title = `${name} · ${say(`bench.one_${this.unit}`, { number: number + 1 })}`;
    const asked = { number: side.number, id: `draw ${number}`, points, still, title, reference: still.true_tracks ?? null, values: {} };
    return this.run(engine, asked, side.number, number);
  }
}

// The panel with another draw's points in the plane, in the colours of the same groups.
function drawnPanel(base, { values, nPoints, groups }, number) {
  const [x, y] = [0, 1].map((axis) => Float32Array.from({ length: nPoints }, (_, i) => values[2 * i + axis] - base.origin[axis]));
  const panel = { ...base, x, y, n_points: nPoints, points_id: `draw-${number}`, values: undefined };
  if (!groups || !base.true_tracks) return { ...panel, true_labels: undefined, true_tracks: undefined };
  const tracks = new Map(Array.from(base.true_labels, (group, i) => [group, base.true_tracks[i]]));
  return { ...panel, true_labels: Int32Array.from(groups), true_tracks: Int32Array.from(groups, (group) => tracks.get(group) ?? 0) };
}

// Of a run of which the server sent only where it ended.
function servedAnswer(labels) {
  const sweeps = { labels, n_clusters: [new Set(labels).size], nll: [NaN], objective: [NaN], n_moved: [0], n_born: [0], n_died: [0] };
  return { labels, n_clusters: sweeps.n_clusters[0], n_sweeps: 0, sweeps };
}

// The result of a chain is its kept draw of lowest nll, as in the server's traces.
function withResult({ config, answer }) {
  if (config?.algorithm !== "gibbs") return { config, answer };
  const { sweeps, n_sweeps: last } = answer, nPoints = answer.labels.length;
  let best = last;
  for (let sweep = last; sweep > config.burn_in; sweep -= 1) if ((sweep - config.burn_in) % config.thin === 0 && sweeps.nll[sweep] <= sweeps.nll[best]) best = sweep;
  return { config, answer: { ...answer, labels: sweeps.labels.subarray(best * nPoints, (best + 1) * nPoints), n_clusters: sweeps.n_clusters[best] } };
}
