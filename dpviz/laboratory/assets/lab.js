// The lab: settings come from its controls and its address, and everything runs in the browser.

import { dpvizEngine } from "../../browser/loader.js";
import { contentOf, inflate } from "../../player/assets/decode.js";
import { DrawingCanvas } from "../../player/drawing/canvas.js";
import { element } from "../../player/assets/layout.js";
import { standalonePlayer, USUAL_OPENING } from "../../player/assets/mount.js";
import { Stage } from "../../stage/controller.js";
import { spotsOf } from "../../stage/edits.js";
import { Engines } from "../../stage/engines.js";
import { stillOf, unclustered } from "../../stage/film.js";
import { fragmentOf, settingsOf } from "./address.js";
import { Controls } from "./controls.js";
import { PointsChooser } from "./points.js";
import { eitherEngine, placedIn } from "./own.js";
import { say } from "../../words/say.js";

const NARROW = 700; // pixels of width, below which the picture is low enough for knobs under it
const LOW_PICTURE = 280; // pixels

const part = (id) => document.getElementById(id);

class LiveCanvas extends DrawingCanvas {
  dab() {
    super.dab();
    this.sendSoon();
  }

  sendSoon() { this.send(); }
}

class Lab {
  // `begin()`: an engine.
  constructor(facts, begin) {
    Object.assign(this, { facts, colors: facts.colors, pointsId: 0, thrown: 0, faults: new Map() });
    this.engines = new Engines(begin);
    this.chooser = new PointsChooser(facts, () => this.settings, (what) => this.changed(what), (...given) => new LiveCanvas(...given));
    this.stage = new Stage(this, this.engines, { prices: part("why"), dice: part("dice"), choose: (seed) => this.setSeed(seed) });
    this.controls = new Controls(this);
    part("controls").append(this.chooser.node, ...this.controls.nodes);
    this.stage.player = standalonePlayer("player");
    this.stage.listen();
    addEventListener("hashchange", () => location.hash.slice(1) !== this.written && this.restore());
    this.restore();
  }

  // --- settings ---

  restore() {
    const { settings, fault } = settingsOf(location.hash.slice(1), this.facts);
    this.settings = settings;
    this.chooser.forget();
    this.changed("data");
    this.fault("address", fault);
  }

  turned() { this.changed("knobs"); }

  chooseMethods(methods) {
    Object.assign(this.settings, { methods, from: null });
    this.changed("methods");
  }

  setSeed(seed, shows = true) {
    this.settings.seed = seed;
    this.changed(shows ? "seed" : "typed");
  }

  // Runs go on from the clusters on the screen, or begin anew.
  begin(here) {
    if (here && !this.stage.numbers.every((number) => this.stage.films[number]?.points === this.points)) return; // not shown yet
    this.settings.from = here ? this.stage.numbers.map((number) => Array.from(this.stage.at(number).labels)) : null;
    this.changed("start");
  }

  // `what`: "data", "drawn", "axes", "methods", "knobs", "seed", "typed" or "start".
  changed(what) {
    const { stage, settings } = this;
    if (what === "data" || what === "drawn" || what === "axes") {
      this.points = settings.points();
      if (what !== "axes") this.pointsId += 1;
    }
    if (!["knobs", "drawn", "typed"].includes(what)) {
      this.chooser.show();
      this.controls.show(settings);
    }
    if (what === "data" || what === "drawn" || what === "methods") stage.prices.clear();
    part("player").hidden = this.points === null;
    this.fault("address", "");
    this.fault("empty", this.points === null ? say(`lab.nothing_${settings.data}`) : "");
    stage.films.length = Math.min(stage.films.length, this.count);
    stage.turn();
    stage.rest();
    if (this.points) for (const number of stage.numbers) stage.show([number], { quick: what === "knobs" });
  }

  write() {
    this.written = fragmentOf(this.settings);
    if (location.protocol !== "about:") { // in a notebook the frame has no address of its own
      try { history.replaceState(null, "", `#${this.written}`); } catch { location.replace(`#${this.written}`); }
    }
    return this.written;
  }

  // Sentences about what cannot be done, by what they are about.
  fault(about, sentence) {
    if (sentence) this.faults.set(about, sentence);
    else this.faults.delete(about);
    for (const key of this.faults.keys()) if (key >= this.count) this.faults.delete(key);
    part("notice").replaceChildren(...[...this.faults.values()].map((text) => element("p", { text })));
    part("notice").hidden = this.faults.size === 0;
  }

  // --- as the host of a stage ---

  get count() { return this.settings.methods.length; }

  asks(number, { seed } = {}) {
    const { points, settings, pointsId: id } = this, { name: method, objective, meanings } = settings.method(number);
    const config = settings.configuration(number, seed), name = settings.titleOf(number);
    const still = { ...stillOf(points, { id, objective, meanings }), scaling_nats: this.scalingNats(config, points) };
    const anew = settings.from?.[number] && !settings.goesOn(number) ? ` · ${say("lab.titled_from_start")}` : "";
    return {
      config, points, id, method, name, key: [id, points.axes], title: name + anew, shortened: ` · ${say("lab.titled_one_start")}`,
      still, given: method === "kmeans", nGroups: points.nGroups,
    };
  }

  // By how much costs are higher in the units of the table whose columns were divided to be clustered: those of a density, since
  // all others measure distances of the points.
  scalingNats({ algorithm }, { rowNats = 0, nPoints }) {
    return this.facts.densities.includes(algorithm) && rowNats ? rowNats * nPoints : 0;
  }

  wants({ points, number, method }) { return points === this.points && this.settings.methods[number] === method; }

  // The newest runs, once there is one of these points for every panel.
  ready() {
    return this.stage.numbers.every((number) => {
      const film = this.stage.films[number];
      return film?.id === this.pointsId && this.settings.methods[number] === film.method && film.points.axes.join() === this.points?.axes.join();
    });
  }

  opening() {
    const plane = this.points.nFeatures === 2 && !this.points.own;
    return { ...USUAL_OPENING, height: innerWidth < NARROW ? LOW_PICTURE : null, editable: plane, placing: plane };
  }

  shown() {
    for (const { number, refused } of this.stage.films) if (!refused) this.fault(number, "");
  }

  failed(error, runs) {
    for (const run of runs) this.fault(run.number, `${run.title}: ${error.message} ${error.name === "Failed" ? say("lab.not_lost") : ""}`);
    const refused = (run) => ({ ...run, refused: true, title: `${run.title} · ${say("lab.titled_not_computed")}`, answer: unclustered(run.points.nPoints) });
    this.stage.take(runs.map(refused));
  }

  further() {
    const { stage } = this;
    if (stage.drafts.size === 0) stage.map();
    if (this.thrown === stage.round) return;
    this.thrown = stage.round;
    stage.roll(stage.numbers.filter((number) => !this.faults.has(number)), this.settings.seed, this.facts.limits.seeds); // what a panel refuses is said already
  }

  rested() {
    this.write();
    if (this.points) this.stage.finish();
    else part("dice").replaceChildren();
  }

  edited(number, edits) {
    const { rows, ...about } = this.settings.rows(), table = { ...about, rows: [...rows] };
    spotsOf(this.stage.pictureAt(number), edits).forEach((spot, k) => (table.rows[edits[k].point ?? table.rows.length] = spot));
    this.chooser.take("edited", edits[0].point === undefined ? { ...table, groups: null } : table);
    return true;
  }
}

async function beginLab() {
  const there = ["engine", "lab-data", "columns", "own-columns"].filter((id) => document.getElementById(id));
  const [bytes, written, columns, numbers] = await Promise.all(there.map((id) => inflate(contentOf(id))));
  const facts = JSON.parse(new TextDecoder().decode(written)), { own } = facts.sets[0];
  if (own) Object.assign(own, placedIn(own, numbers));
  const ofNumbers = () => dpvizEngine(bytes), ofColumns = () => dpvizEngine(columns, { ...dpvizTables, ...own.tables });
  const lab = new Lab(facts, own ? () => eitherEngine((isOwn) => (isOwn ? ofColumns() : ofNumbers())) : ofNumbers);
  let engine = null;
  window.lab = { // for scripts
    // the last sweep of a configuration, of rows X or of those on the screen
    run: async (config, X = lab.points) => {
      if (X === null) throw new Error(say("lab.nothing_to_run"));
      const { labels, nll, n_clusters } = await (engine ??= lab.engines.make()).run(config, X);
      return { labels: Array.from(labels), nll: nll + lab.scalingNats(config, X), n_clusters };
    },
    configuration: (panel) => lab.settings.configuration(panel),
  };
}

beginLab().catch((error) => {
  part("notice").textContent = say("lab.cannot_open", { why: error.message });
  part("notice").hidden = false;
});
