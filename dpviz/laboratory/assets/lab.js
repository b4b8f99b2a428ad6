// The lab: what is set, what the engine answers, and what is shown of it.

import { dpvizEngine } from "../../browser/loader.js";
import { DrawingCanvas } from "../../player/drawing/canvas.js";
import { element } from "../../player/assets/layout.js";
import { contentOf, standalonePlayer, USUAL_OPENING } from "../../player/assets/mount.js";
import { inflate } from "../../player/assets/decode.js";
import { settingsOf, fragmentOf } from "./address.js";
import { lastTracks, openFilm, panelOf, planeOf, unclustered } from "../../stage/film.js";
import { legendItems } from "../../player/assets/legend.js";
import { mapArrays, mapsOf, pullsOf } from "../../stage/layers.js";
import { Engines } from "../../stage/engines.js";
import { Knobs } from "../../stage/knobs.js";
import { EveryFrame } from "../../stage/frames.js";
import { PointsChooser, select } from "./points.js";
import { Prices } from "../../stage/prices.js";
import { Dice } from "../../stage/dice.js";
import { inTableUnits } from "./units.js";
import { say } from "../../words/say.js";

const AT_REST = 350; // milliseconds without a change, before the address is written and all starts are made
const NEXT_CHANGE = 100; // milliseconds after a picture, in which a knob that moves has moved again
const MANY = 600; // points, from which only one of several starts answers while a knob moves
const NARROW = 700; // pixels of width, below which the picture is low enough for knobs under it
const LOW_PICTURE = 280; // pixels
const MAP_CELLS = 60; // along either side of a map of the plane
const MOST_MAPS = 8; // sweeps with a map
const NONE = "none";

class LiveCanvas extends DrawingCanvas {
  dab() {
    super.dab();
    this.sendSoon();
  }

  sendSoon() { this.send(); }
}

class Lab {
  constructor(facts, bytes) {
    Object.assign(this, { facts, runs: [], pointsId: 0, round: 0, thrown: 0, faults: new Map(), drafts: new Set() });
    this.pictures = new EveryFrame(() => this.draw());
    this.engines = new Engines(() => inTableUnits(dpvizEngine(bytes), facts.densities));
    const settings = () => this.settings;
    this.knobs = new Knobs(facts, settings, () => this.changed("knobs"));
    this.chooser = new PointsChooser(facts, settings, (what) => this.changed(what), (...given) => new LiveCanvas(...given));
    this.buildControls();
    this.player = standalonePlayer("player");
    this.player.channel = {
      setStateValue: (name, value) => (name === "place" ? this.pull(value) : name === "sweep" && this.follow()),
      setTriggerValue: (name, value) => this.triggered(name, value),
    };
    this.why = new Prices(document.getElementById("why"), this.player, this.engines.prices);
    this.dice = new Dice(document.getElementById("dice"), this.engines.aside, (seed) => this.setSeed(seed));
    addEventListener("hashchange", () => location.hash.slice(1) !== this.written && this.restore());
    this.restore();
  }

  buildControls() {
    const methods = this.facts.methods.map((method) => [method.name, method.title]);
    this.methods = Array.from({ length: this.facts.limits.panels }, (_, place) => {
      const offered = place === 0 ? methods : [[NONE, "–"], ...methods];
      return select(say(`lab.method_${place + 1}`), offered, () => this.chooseMethods());
    });
    this.seed = element("input", { type: "number", min: 0, max: 2 ** 32 - 1, step: 1, inputmode: "numeric" });
    this.seed.addEventListener("input", () => this.seed.checkValidity() && this.seed.value !== "" && this.setSeed(Number(this.seed.value), false));
    const button = (text, title, action) => {
      const node = element("button", { type: "button", text, title });
      node.addEventListener("click", action);
      return node;
    };
    this.start = button(say("live.from_start"), say("lab.about_start"), () => this.goOn(false));
    this.here = button(say("live.from_here"), say("lab.about_here"), () => this.goOn(true));
    this.slow = button(say("lab.slow_motion"), say("lab.about_slow_motion"), () => this.replay());
    this.link = button(say("lab.copy_link"), say("lab.about_copy_link"), () => this.copy());
    document.getElementById("controls").append(this.chooser.node,
      element("div", { class: "row methods" }, ...this.methods.map((method) => method.label)), this.knobs.node,
      element("div", { class: "row" }, element("label", {}, element("span", { text: say("lab.seed") }), this.seed),
        element("div", { class: "pair", role: "group", "aria-label": say("live.where_runs_begin") }, this.start, this.here), this.slow, ...(location.protocol === "about:" ? [] : [this.link]))); // a frame of a notebook, or of a page that waits, has no address
  }

  restore() {
    const { settings, fault } = settingsOf(location.hash.slice(1), this.facts);
    this.settings = settings;
    this.chooser.forget();
    this.changed("data");
    this.fault("address", fault);
  }

  chooseMethods() {
    this.settings.methods = this.methods.map(({ node }) => node.value).filter((name) => name !== NONE);
    this.settings.from = null;
    this.changed("methods");
  }

  setSeed(seed, shows = true) {
    this.settings.seed = seed;
    if (shows) this.seed.value = String(seed);
    this.changed("seed");
  }

  // `what`: "data", "drawn", "axes", "methods", "knobs", "seed" or "start".
  changed(what) {
    if (what === "data" || what === "drawn" || what === "axes") {
      this.points = this.settings.points();
      if (what !== "axes") this.pointsId += 1;
      if (this.points) this.points.id = this.pointsId;
    }
    if (what !== "knobs" && what !== "drawn") this.showControls();
    if (what === "data" || what === "drawn" || what === "methods") this.why.clear();
    document.getElementById("player").hidden = this.points === null;
    this.fault("address", "");
    this.fault("empty", this.points === null ? say(`lab.nothing_${this.settings.data}`) : "");
    this.dice.cancel(); // and with them maps, which the same engine computes
    this.round += 1;
    clearTimeout(this.further);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), AT_REST);
    if (this.points) this.settings.methods.forEach((_, panel) => this.run(panel, what === "knobs"));
  }

  showControls() {
    const { settings } = this;
    this.chooser.show();
    this.knobs.show();
    this.methods.forEach(({ node }, place) => (node.value = settings.methods[place] ?? NONE));
    this.seed.value = String(settings.seed);
    this.start.setAttribute("aria-pressed", String(settings.from === null));
    this.here.setAttribute("aria-pressed", String(settings.from !== null));
  }

  // `quick`: of many points one start is enough for now.
  async run(panel, quick = false) {
    const { points, settings } = this;
    const config = settings.configuration(panel);
    const draft = quick && config.n_init > 1 && points.nPoints > MANY;
    const atRest = !quick && this.drafts.has(panel);
    if (draft) this.drafts.add(panel);
    else this.drafts.delete(panel);
    if (draft) config.n_init = 1;
    const made = { config, points, round: this.round, axes: String(settings.axes), title: settings.titleOf(panel), method: settings.methods[panel] };
    if (settings.from?.[panel] && !settings.goesOn(panel)) made.title += ` · ${say("lab.titled_from_start")}`;
    if (draft) made.title += ` · ${say("lab.titled_one_start")}`;
    try {
      const answer = await this.engines.run(panel).ask((engine) => engine.run(config, points, undefined, planeOf(points)), atRest);
      if (answer === null || points !== this.points || settings.methods[panel] !== made.method) return;
      this.runs[panel] = { ...made, answer };
      this.fault(panel, "");
    } catch (error) {
      if (points !== this.points) return;
      this.runs[panel] = { ...made, title: `${made.title} · ${say("lab.titled_not_computed")}`, answer: unclustered(points.nPoints) };
      this.fault(panel, `${made.title}: ${error.message} ${error.name === "Failed" ? say("lab.not_lost") : ""}`);
    }
    this.pictures.ask();
  }

  // Sentences about what cannot be done, by what they are about.
  fault(about, sentence) {
    if (sentence) this.faults.set(about, sentence);
    else this.faults.delete(about);
    for (const key of this.faults.keys()) if (key >= this.settings.methods.length) this.faults.delete(key);
    const notice = document.getElementById("notice");
    notice.replaceChildren(...[...this.faults.values()].map((text) => element("p", { text })));
    notice.hidden = this.faults.size === 0;
  }

  // The newest runs, once there is one of these points for every panel.
  draw() {
    const { methods } = this.settings;
    this.runs.length = Math.min(this.runs.length, methods.length);
    const ready = methods.every((method, panel) => this.runs[panel]?.points.id === this.points?.id
      && this.runs[panel].method === method && this.runs[panel].axes === String(this.settings.axes));
    if (ready) this.show();
  }

  show() {
    const colors = this.facts.colors.light.length;
    const panels = [];
    this.runs.forEach((run, place) => {
      const known = this.shown?.id === this.points.id ? this.shown.tracks : null;
      const reference = place === 0 ? known : lastTracks(panels[0]);
      const { objective, meanings } = this.methodOf(run);
      const points = { ...run.points, axes: this.settings.axes };
      panels.push(panelOf(run, points, { title: run.title, objective, meanings, colors, reference }));
    });
    this.shown = { id: this.points.id, tracks: lastTracks(panels[0]) };
    this.shownRuns = [...this.runs];
    const height = innerWidth < NARROW ? LOW_PICTURE : null;
    const plane = this.points.nFeatures === 2;
    openFilm(this.player, panels, this.facts.colors, { ...USUAL_OPENING, height, editable: plane, placing: plane });
    this.follow();
    clearTimeout(this.further);
    if (this.runs.every((run) => run.round === this.round)) this.further = setTimeout(() => this.goFurther(), NEXT_CHANGE);
  }

  // The picture is of what is set now: what takes longer begins, until the next change.
  goFurther() {
    if (this.drafts.size === 0) this.map();
    if (this.thrown === this.round) return;
    this.thrown = this.round;
    const panels = this.settings.methods.map((method, panel) => ({
      title: this.settings.titleOf(panel), given: method === "kmeans",
      configuration: (seed) => this.settings.configuration(panel, seed),
    })).filter((_, panel) => !this.faults.has(panel)); // what a panel refuses is said already
    this.dice.roll(panels, this.points, this.settings.seed, this.facts.limits.seeds);
  }

  methodOf(run) { return this.facts.methods.find(({ name }) => name === run.method); }

  // Behind the points: the cluster that would take a place, and the density. The film goes on.
  map() {
    if (this.points.nFeatures !== 2) return;
    this.runs.forEach(async (run, panel) => {
      const shown = this.player.run?.panels[panel];
      if (!run.answer.sweeps.shapes || run.mapped || this.shownRuns?.[panel] !== run || !shown) return;
      run.mapped = true;
      const maps = await mapsOf(this.engines.aside, run, shown, planeOf(run.points), MAP_CELLS, MOST_MAPS).catch(() => null);
      run.mapped = maps !== null;
      if (maps === null || this.runs[panel] !== run) return;
      run.maps = maps;
      if (this.player.run?.panels[panel] !== shown) return;
      Object.assign(shown, mapArrays(maps, run.answer.sweeps, shown));
      this.player.open({ ...this.player.opening }, null);
      this.player.legend.show(legendItems(this.player.run, this.facts.colors.light.length, true));
    });
  }

  // One sweep visit by visit, of the panel that was asked last.
  async replay() {
    const panel = this.runs[this.asked] ? this.asked : 0;
    const run = this.runs[panel];
    if (!run?.answer.sweeps.shapes || run.answer.n_sweeps === 0) return;
    const sweep = Math.max(1, this.sweepOf(panel));
    try {
      const found = await this.engines.run(panel).ask((engine) => engine.visits(run.config, run.points, run.answer.chosen_start, sweep));
      if (found === null || this.runs[panel] !== run) return;
      for (const other of this.runs) delete other.visits;
      run.visits = { sweep, found };
      this.show();
      this.player.deck.setSlow(true);
    } catch (error) {
      this.fault(panel, `${run.title}: ${error.message}`);
    }
  }

  // The ghost point was put somewhere, or taken away.
  async pull(place) {
    const run = this.runs[place?.panel];
    if (!run?.answer.sweeps.labels) return;
    const { nPoints } = run.points;
    const { origin, labels } = this.player.run.panels[place.panel];
    const where = [];
    [place.x, place.y].forEach((value, k) => (where[this.settings.axes[k]] = value + origin[k]));
    const rows = [place.sweep * nPoints, (place.sweep + 1) * nPoints];
    const partition = run.answer.sweeps.labels.slice(...rows);
    const found = run.answer.sweeps.nll.every(Number.isFinite)
      && await this.engines.places.ask((engine) => engine.places(run.config, run.points, partition, [where])).catch(() => null);
    const pulls = found ? pullsOf(found, partition, labels.subarray(...rows)) : [];
    this.player.ghost.tell({ sweep: place.sweep, pulls });
  }

  // Another sweep, or other runs: the point that was asked about is asked about again.
  follow() {
    if (this.why.chosen !== null && this.runs[this.asked]) this.ask(this.asked, this.why.chosen);
  }

  sweepOf(panel) { return this.player.run.sweepAt(panel, this.player.deck.frame); }

  ask(panel, point) {
    this.asked = panel;
    const sweep = this.sweepOf(panel);
    this.why.ask(this.runs[panel], point, sweep, this.player.run.labelsOfRow(panel, sweep));
  }

  triggered(name, value) {
    if (name === "point") this.ask(value.panel, value.index);
    if (name !== "moved" && name !== "painted") return;
    const { origin } = this.player.run.panels[value.panel];
    const place = ([x, y]) => (this.settings.axes[0] === 0 ? [x + origin[0], y + origin[1]] : [y + origin[1], x + origin[0]]);
    const { rows, ...about } = this.rows();
    const table = { ...about, rows: [...rows] };
    if (name === "moved") table.rows[value.index] = place([value.x, value.y]);
    else Object.assign(table, { rows: [...rows, ...value.places.map(place)], groups: null });
    this.chooser.take("edited", table);
  }

  // The rows on the screen, as they are.
  rows() {
    const { settings } = this;
    const set = settings.set();
    if (!set) return settings.table;
    const { rows, groups, rowNats } = set.draws[settings.draw];
    return { rows, names: set.axes, groups, rowNats };
  }

  goOn(fromHere) {
    if (fromHere && !this.player.run) return;
    this.settings.from = fromHere
      ? this.runs.map((run, panel) => {
        const start = this.sweepOf(panel) * run.points.nPoints;
        return Array.from(run.answer.sweeps.labels.slice(start, start + run.points.nPoints));
      })
      : null;
    this.changed("start");
  }

  rest() {
    this.written = fragmentOf(this.settings);
    if (location.protocol !== "about:") {  // in a notebook the frame has no address of its own
      try { history.replaceState(null, "", `#${this.written}`); } catch { location.replace(`#${this.written}`); }
    }
    if (!this.points) this.dice.node.replaceChildren();
    else for (const panel of this.drafts) this.run(panel);
  }

  async copy() {
    this.rest();
    try {
      await navigator.clipboard.writeText(location.href);
      this.link.textContent = say(this.written.includes("rows=long") ? "lab.copied_without_table" : "lab.copied");
    } catch {
      this.link.textContent = say("lab.address_is_link");
    }
    setTimeout(() => (this.link.textContent = say("lab.copy_link")), 2500);
  }

  // For scripts: the last sweep of a configuration, of rows X or of those on the screen.
  async answer(config, X = this.points) {
    if (X === null) throw new Error(say("lab.nothing_to_run"));
    const { labels, nll, n_clusters } = await (this.scripted ??= this.engines.make()).run(config, X);
    return { labels: Array.from(labels), nll, n_clusters };
  }
}

async function beginLab() {
  const [bytes, facts] = await Promise.all(["engine", "lab-data"].map((id) => inflate(contentOf(id))));
  const lab = new Lab(JSON.parse(new TextDecoder().decode(facts)), bytes);
  window.lab = { run: (config, X) => lab.answer(config, X), configuration: (panel) => lab.settings.configuration(panel) };
}

beginLab().catch((error) => {
  const notice = document.getElementById("notice");
  notice.textContent = say("lab.cannot_open", { why: error.message });
  notice.hidden = false;
});
