// The stage of a page: what runs in its panels, and what is asked about it. The lab, the app's pages and chapters are
// hosts of one.

import { Dice } from "./dice.js";
import { spotsOf } from "./edits.js";
import { answered, lastTracks, mapArrays, mapped, openFilm, pictureOf, pullsOf, renumbered } from "./film.js";
import { EveryFrame } from "./frames.js";
import { hasModel, Prices } from "./prices.js";
import { legendItems } from "../player/assets/legend.js";

const AT_REST = 350; // milliseconds without a change, after which the host goes on
const NEXT_CHANGE = 100; // milliseconds after a picture, in which a knob that moves has moved again
const MANY = 600; // points, from which only one of several starts answers while something moves
const MOST_MAPS = 8; // sweeps with a map

const same = (one, other) => one === other || (one?.length === other?.length && one.every((track, i) => track === other[i]));

export class Stage {
  // `host` has
  //   count                 panels in the picture
  //   colors                of clusters, { light, dark }
  //   asks(number, how)     the run of a panel: { config, points, id, still, title } (`id`: the same for the same points,
  //                         `still`: its panel without a run), and perhaps
  //                           reference, or else before    tracks (N) that colours agree with
  //                           key        for a run whose answer is kept until it or the configuration changes
  //                           draft      it is less than the whole run
  //                           shortened  words for its title, if it has only one of several starts
  //                           instead    a configuration that is shown in its place where it ends lower
  //                           name, given, nGroups         for twenty seeds
  //                         `how`: { quick, edit, seed, … }, as it is asked for
  //   base(number)          of a panel that has no film: the same, `still` being what is shown; or null
  //   wants(run)            whether a run that was made is still to be shown
  //   ready(), opening()    whether films are shown now, and how they are opened
  //   shown()               a film was opened
  //   searching(run, told)  how far its search is: { share, nll }
  //   failed(error, runs)   they were refused, or their engine failed
  //   further(), rested()   a picture is of what is set now, or nothing changed for a while: what takes longer can begin
  //   edited(number, edits) points were moved or painted; false if that is for the page to answer
  //   explains(number), explained(point)   whether questions about a panel are answered here; an answer is shown
  constructor(host, engines, { prices, dice, choose }) {
    Object.assign(this, { host, engines, player: null, page: null, films: [], known: [], drafts: new Set() });
    Object.assign(this, { era: 0, round: 0, mapping: 0, asked: 0, resting: null, later: null });
    this.pictures = new EveryFrame(() => this.draw());
    this.prices = new Prices(prices, engines);
    this.dice = dice ? new Dice(dice, engines, choose) : null;
  }

  get numbers() { return Array.from({ length: this.host.count }, (_, number) => number); }

  // --- runs ---

  // Something changes: what was begun for what it was before is of no use, unless it is a seed among those that are thrown.
  turn(keepsDice = false) {
    this.round += 1;
    clearTimeout(this.later);
    clearTimeout(this.resting);
    if (this.mapping > 0) this.engines.aside.cancel();
    if (!keepsDice) this.dice?.cancel();
  }

  rest() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.host.rested(), AT_REST);
  }

  // Show runs of panels as soon as they are made; those that are asked for together come together.
  async show(numbers, how = {}) {
    const made = await this.made(numbers, how);
    if (made) this.take(made);
  }

  // What was left out while something moved. Returns the panels.
  finish() {
    const left = [...this.drafts].filter((number) => number < this.host.count);
    for (const number of left) this.show([number], { long: true });
    return left;
  }

  // Resolves to runs with their answers, or to null if they are no longer wanted.
  async made(numbers, how = {}) {
    const runs = numbers.map((number) => this.wanted(number, how)), { era } = this;
    const wants = () => era === this.era && runs.every((run) => this.host.wants(run));
    try {
      const answers = await this.engines.run(numbers[0]).ask((engine) => this.answers(engine, runs), how.long);
      if (answers === null || !wants()) return null;
      this.engines.failures = 0;
      return runs.map((run, k) => ({ ...run, answer: answers[k] }));
    } catch (error) {
      if (wants()) this.host.failed(error, runs);
      return null;
    }
  }

  wanted(number, how) {
    const run = { number, round: this.round, ...this.host.asks(number, how) };
    if (how.quick && run.config.n_init > 1 && run.points.nPoints > MANY) {
      Object.assign(run, { draft: true, config: { ...run.config, n_init: 1 }, title: run.title + (run.shortened ?? "") });
    }
    if (run.draft) this.drafts.add(number);
    else this.drafts.delete(number);
    return run;
  }

  async answers(engine, runs) {
    const found = [];
    for (const run of runs) {
      const key = run.key && JSON.stringify([run.config, run.key]);
      if (!key || this.known[run.number]?.key !== key) {
        const answer = await answered(engine, run, (told) => this.host.searching?.(run, told));
        this.known[run.number] = { key, answer };
      }
      found.push(this.known[run.number].answer);
    }
    return found;
  }

  // No film is shown any more, nor are those that are on their way.
  drop() {
    Object.assign(this, { films: [], era: this.era + 1 });
    this.drafts.clear();
  }

  // --- the picture ---

  take(made) {
    this.put(made);
    this.pictures.ask();
  }

  put(made) {
    for (const film of made) {
      const shown = this.films[film.number];
      if (shown?.id === film.id) film.before = shown.tracks;
      this.compose(film);
      this.films[film.number] = film;
    }
  }

  // Tracks of the first panel, with which a film of the same points agrees.
  firstOf({ number, id }) {
    const first = number > 0 ? this.runAt(0) : null;
    return first?.id === id ? first.tracks ?? lastTracks(first.still) : null;
  }

  // Colours agree with those of the run before in this panel, and with those of the first panel.
  compose(film) {
    const { reference, before } = film;
    film.first = this.firstOf(film);
    const references = (reference ? [reference] : [before, film.first]).filter((tracks) => tracks?.length === film.still.n_points);
    film.panel = pictureOf(film, this.host.colors.light.length, references);
    film.tracks = lastTracks(film.panel);
  }

  // The film of a panel, or what is known of the picture in its place.
  runAt(number) { return this.films[number] ?? this.host.base?.(number) ?? null; }
  pictureAt(number) { return this.films[number]?.panel ?? this.host.base(number).still; }

  draw() {
    if (!this.host.ready()) return;
    this.open();
    this.host.shown?.();
    this.askAgain();
    if (this.player.ghost.offered()) this.player.ghost.follow(true);
    clearTimeout(this.later);
    if (this.films.every((film) => film.round === this.round)) this.later = setTimeout(() => this.host.further?.(), NEXT_CHANGE);
  }

  open() {
    for (const film of this.films) if (film && !film.reference && !same(film.first, this.firstOf(film))) this.compose(film); // it was made before
    openFilm(this.player, this.numbers.map((number) => this.pictureAt(number)), this.host.colors, this.host.opening());
  }

  // Behind the points: the cluster that would take a place, and the density. The film goes on.
  async map() {
    for (const film of this.films) {
      const { answer, points, number } = film;
      if (!answer.sweeps.shapes || answer.maps || points.nFeatures !== 2) continue;
      this.mapping += 1;
      const maps = await mapped(this.engines.aside, film, MOST_MAPS).catch(() => null);
      this.mapping -= 1;
      if (maps === null) return;
      answer.maps = maps;
      const { player } = this;
      if (this.films[number] !== film || player.run?.panels[number] !== film.panel) return;
      Object.assign(film.panel, mapArrays(maps, answer.sweeps, film.panel));
      player.open({ ...player.opening }, null);
      player.legend.show(legendItems(player.run, this.host.colors.light.length, true));
    }
  }

  // One sweep visit by visit, of the panel that was asked about last.
  async replay() {
    const film = this.films[this.asked] ?? this.films[0];
    if (!film || film.answer.n_sweeps === 0) return;
    const { config, points, answer, number } = film, sweep = Math.max(1, this.at(number).sweep);
    try {
      const found = await this.engines.run(number).ask((engine) => engine.visits(config, points, answer.chosen_start, sweep));
      if (found === null || this.films[number] !== film) return;
      for (const other of this.films) {
        const had = other.visits;
        other.visits = other === film ? { sweep, found } : undefined;
        if (had || other === film) this.compose(other);
      }
      this.open();
      this.player.deck.setSlow(true);
    } catch (error) {
      this.host.failed(error, [film]);
    }
  }

  // --- what is asked about the picture ---

  // A panel at the playhead: { sweep, tracks (N), labels (N) of the same partition, from 0 }.
  at(number) {
    const { run, deck } = this.player, film = this.films[number];
    const sweep = run.sweepAt(number, deck.frame), row = run.rowAt(number, sweep), tracks = run.labelsOfRow(number, row);
    const labels = film ? film.answer.sweeps.labels.slice(row * tracks.length, (row + 1) * tracks.length) : renumbered(tracks);
    return { sweep, tracks, labels };
  }

  // Say why a point is in its cluster. Resolves to whether an answer is shown.
  async explain(number, point) {
    const run = this.runAt(number);
    if (!run?.config || point >= run.points.nPoints || this.host.explains?.(number) === false) return false;
    this.asked = number;
    const told = await this.prices.ask(run, point, this.at(number), this.player.theme);
    if (told) this.host.explained?.(point);
    return told;
  }

  // At another sweep, or of other runs: the point that was asked about is asked about again.
  askAgain() {
    if (this.prices.chosen !== null) this.explain(this.asked, this.prices.chosen);
  }

  // Whether it is known here how clusters pull at a place of the plane.
  weighs(number) {
    const run = this.runAt(number);
    return Boolean(run?.config && hasModel(run.config) && run.still.plane && run.points.nFeatures === 2);
  }

  // Tell how strongly clusters pull at the ghost point.
  weigh({ panel: number, x, y }) {
    const { player } = this, { sweep, tracks, labels } = this.at(number);
    const tell = (pulls) => player.ghost.at && player.ghost.tell({ sweep, pulls });
    if (!this.weighs(number)) return tell([]);
    const { config, points, still } = this.runAt(number), [spot] = spotsOf(still, [{ x, y }]);
    return this.engines.places.ask((engine) => engine.places(config, points, labels, [spot]))
      .then((found) => found && tell(pullsOf(found, labels, tracks, points.rowNats)), () => tell([]));
  }

  // Throw twenty seeds for panels, of which the present one is among them. `how`: as of `asks`.
  roll(numbers, seed, count, how = {}) {
    const strips = numbers.map((number) => {
      const { name, given, points, nGroups } = this.host.asks(number, how);
      return { title: name, given, points, nGroups, configuration: (one) => this.host.asks(number, { ...how, seed: one }).config };
    });
    return this.dice.roll(strips, seed, count);
  }

  // Hear what the player tells; of a picture of the page's own the page hears it, too.
  listen() {
    const { player } = this;
    if (player.channel?.stage) return; // every message of a page brings its own channel again
    this.page = player.channel;
    const tells = (kind) => (name, value) => this.hear(name, value) || this.page?.[kind](name, value);
    player.channel = { stage: this, setStateValue: tells("setStateValue"), setTriggerValue: tells("setTriggerValue") };
  }

  hear(name, value) {
    if (name === "moved" || name === "painted") {
      const edits = name === "moved" ? [{ point: value.index, x: value.x, y: value.y }] : value.places.map(([x, y]) => ({ x, y }));
      if (this.host.edited(value.panel, edits)) return true;
    }
    if (this.films.length === 0) return false;
    if (name === "sweep") this.askAgain();
    if (name === "place" && value) this.weigh(value);
    if (name === "point") this.explain(value.panel, value.index);
    return true;
  }
}
