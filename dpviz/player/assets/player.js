// One player: the elements, what they show, and what is reported back.

import { decodePayload } from "./decode.js";
import { cssColor, panelColor, readTheme } from "./theme.js";
import { Run } from "./run.js";
import { View } from "./view.js";
import { Scatter } from "./scatter.js";
import { Pointer } from "./pointer.js";
import { Chart } from "./charts.js";
import { Ribbon } from "./ribbon.js";
import { chartData, hasNll } from "./curves.js";
import { Bars } from "./bars.js";
import { Deck } from "./deck.js";
import { Transport } from "./controls.js";
import { Toolbar } from "./toolbar.js";
import { chartBlock, element, panelBlock, showStatus, toggle } from "./layout.js";
import { positionText, spokenText, statusText } from "./texts.js";
import { Reader } from "./reader.js";
import { Hints } from "./hints.js";
import { Legend, legendItems } from "./legend.js";
import { Ghost } from "./ghost.js";
import { Editor } from "./editor.js";
import { Recorder } from "./recorder.js";

const REPORT_DELAY = 150; // milliseconds at rest before Python hears of it
const REDUCED_MOTION_FPS = 3;
const CHARTS = [["nll", "NLL"], ["k", "Clusters"], ["moved", "Moved points"], ["agreement", "Agreement (NMI)"]];
const RIBBON_HEIGHT = 60; // pixels

export class Player {
  constructor(root) {
    this.root = root;
    root.className = "dpviz-player";
    this.channel = null;
    this.opening = null;
    this.loads = 0;
    this.fitted = false; // every part has the size of its place
    this.unpainted = []; // parts not in view yet
    this.options = { clusters: true, moved: true, ribbon: true, objective: false, logarithmic: false };
    this.reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
    this.reader = new Reader(this);
    this.hints = new Hints(this);
    this.ghost = new Ghost(this);
    this.editor = new Editor(this);
    this.recorder = new Recorder(this);
    this.deck = new Deck((settled) => this.moved(settled));
    this.build();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(root);
    this.colorScheme = matchMedia("(prefers-color-scheme: dark)");
    this.schemeChanged = () => this.refreshTheme();
    this.colorScheme.addEventListener("change", this.schemeChanged);
  }

  build() {
    this.toolbar = new Toolbar(this.options, {
      optionsChanged: () => this.resize(),
      setSync: (name) => this.setSync(name),
      reset: () => this.resetViews(),
      save: (kind) => this.recorder.save(kind),
      showLegend: (shown) => (this.legend.node.hidden = !shown),
    });
    this.transport = new Transport(this.deck);
    this.legend = new Legend();
    this.panelGrid = element("div", { class: "panels" });
    this.charts = {};
    const blocks = CHARTS.map(([name, title]) => {
      const parts = chartBlock(name, title);
      const block = { ...parts, chart: null };
      block.chart = new Chart(parts.canvas, parts.overlay, {
        scrub: (frame, done) => this.scrub(frame, done, block.chart.byVisit),
        hover: (frame, x, y) => this.hints.chart(block, frame, x, y),
      });
      block.full = this.chartChip(parts.head, `full_${name}`, "full range", "Show all values, also the steep start");
      this.charts[name] = block;
      return parts.block;
    });
    this.sizes = chartBlock("sizes", "Cluster sizes");
    this.bars = new Bars(this.sizes.canvas);
    this.objectiveChip = this.chartChip(this.charts.nll.head, "objective", "E", "Also draw the method's own objective");
    this.chartChip(this.sizes.head, "logarithmic", "log", "Logarithmic scale");
    this.live = element("div", { class: "live", "aria-live": "polite", role: "status" });
    this.message = element("div", { class: "message", hidden: true });
    const charts = element("div", { class: "charts" }, ...blocks, this.sizes.block);
    const plots = element("div", { class: "plots" }, this.panelGrid, charts);
    this.root.append(element("div", { class: "body" }, this.toolbar.node, this.legend.node, this.message, plots,
      this.transport.node, this.live));
    for (const node of [this.toolbar.node, plots, this.transport.node]) this.hold(node);
    this.root.addEventListener("keydown", (event) => this.transport.onKey(event));
    this.panels = [];
  }

  // Keeps its room, but no pointer and no key reaches it before it is painted for the first time.
  hold(node) {
    node.style.visibility = "hidden";
    this.unpainted.push(node);
  }

  chartChip(head, option, text, title) {
    const chip = toggle(option, text, title);
    chip.addEventListener("click", () => {
      this.options[option] = !this.options[option];
      chip.setAttribute("aria-pressed", String(this.options[option]));
      this.invalidate();
    });
    head.append(chip);
    return chip;
  }

  // `opening`: { id, command, sweep, start, height }. Called for every message, also when only the theme changed.
  async open(opening, payload) {
    const before = this.opening;
    this.opening = opening;
    const commanded = before === null || before.command !== opening.command;
    if (commanded) this.believed = opening.sweep;
    if (before !== null && before.id === opening.id) {
      if (this.run) this.toolbar.offer(this.run, opening);
      this.refreshTheme();
      this.resize();
      if (commanded) this.deck.moveTo(opening.sweep, false);
      this.begin();
      return;
    }
    if (!this.run) this.refreshTheme(); // for what is said if it cannot be read
    this.loads += 1;
    const load = this.loads;
    try {
      const decoded = await decodePayload(payload);
      if (load === this.loads) this.show(new Run(decoded), commanded && before !== null);
    } catch (error) {
      this.say(`This run could not be read (${error.message}). Run it again.`);
    }
  }

  // Once per command, start what Python asked for.
  begin() {
    const { start, command } = this.opening;
    if (!start || !this.run || this.begun === command) return;
    this.begun = command;
    if (start === "slow" && this.run.slowPanel() >= 0) this.deck.setSlow(true);
    else if (start === "play" && !this.deck.playing) this.deck.toggle();
  }

  say(text) {
    this.message.textContent = text;
    this.message.hidden = text === "";
  }

  show(run, commanded) {
    this.say("");
    if (this.run && this.run.panels.length === run.panels.length && run.panels.length > 1) run.setSync(this.run.sync);
    this.run = run;
    this.deck.load(run, this.opening.sweep);
    if (commanded) this.deck.moveTo(this.opening.sweep, false);
    this.matchPanels();
    this.toolbar.offer(run, this.opening);
    this.legend.show(legendItems(run, run.colors.light.length, this.opening.placing));
    this.objectiveChip.textContent = run.panels[0].objective_name;
    this.objectiveChip.hidden = !hasNll(run);
    const nllTitle = hasNll(run) ? "NLL (nats)" : run.panels[0].objective_name;
    this.charts.nll.head.querySelector(".chart-title").textContent = nllTitle;
    const slow = run.slowPanel();
    this.transport.offerSlow(slow < 0 ? null : `sweep ${run.panels[slow].events_sweep} in slow motion`);
    this.refreshTheme();
    this.resize();
    if (!run.partial) this.settle();
    this.begin();
  }

  // One plot per panel; a plot keeps its view while its points stay the same, and equal points share a view.
  matchPanels() {
    while (this.panels.length > this.run.panels.length) this.panels.pop().block.remove();
    while (this.panels.length < this.run.panels.length) this.panels.push(this.addPanel(this.panels.length));
    const views = new Map(this.panels.filter((part) => part.view).map((part) => [part.pointsId, part.view]));
    this.run.panels.forEach((panel, number) => {
      const part = this.panels[number];
      if (!views.has(panel.points_id) || !this.run.partial) {
        const view = views.get(panel.points_id) ?? new View(panel);
        view.include(this.run.panels.filter((other) => other.points_id === panel.points_id));
        views.set(panel.points_id, view);
      }
      if (part.pointsId !== panel.points_id) this.editor.clear();
      part.view = views.get(panel.points_id);
      part.pointsId = panel.points_id;
      part.scatter.setData(panel, part.view);
      part.title.textContent = panel.title;
      part.overlay.setAttribute("aria-label", `Points of ${panel.title || "the run"}; n and p walk through them`);
    });
    const judged = this.run.panels.some((panel) => panel.agreement !== undefined);
    this.root.classList.toggle("judged", judged);
    this.charts.agreement.block.hidden = !judged;
    this.root.classList.toggle("single", this.run.panels.length === 1);
    this.reader.applySelection();
  }

  addPanel(number) {
    const part = panelBlock(number);
    this.hold(part.block);
    this.panelGrid.append(part.block);
    part.scatter = new Scatter(part.canvas, part.overlay);
    part.scatter.drawGuests = (context, projection) => {
      this.ghost.draw(context, number, part.scatter, projection);
      this.editor.draw(context, number, part.scatter, projection);
    };
    part.ribbon = new Ribbon(part.ribbonBlock.canvas, part.ribbonBlock.overlay, {
      scrub: (frame, done) => this.scrub(frame, done),
      hover: (frame, x, y) => this.hints.ribbon(number, part, frame, x, y),
    });
    part.pointer = new Pointer(part.scatter, part.overlay, {
      viewChanged: () => this.redraw(),
      selecting: () => this.options.selecting,
      hover: (point, x, y, aloud) => this.reader.hover(number, point, x, y, aloud),
      choose: (point) => this.reader.choose(number, point),
      select: (box) => this.reader.select(number, box),
      editing: () => this.editor.mode(),
      drag: (point, x, y) => this.editor.drag(number, point, x, y),
      drop: () => this.editor.drop(),
      paint: (x, y, projection, first) => this.editor.paint(number, x, y, projection, first),
      lift: () => this.editor.lift(number),
      place: (x, y, projection) => this.ghost.offered() && this.ghost.click(number, x, y, projection),
      nudge: (point, dx, dy) => this.nudge(number, point, dx, dy),
      hint: (text) => this.reader.hint(part, text),
    });
    return part;
  }

  // Alt and arrows: the point under the cursor if points may be moved, else the ghost.
  nudge(number, point, dx, dy) {
    if (point >= 0 && this.editor.mode() === "move") this.editor.step(number, point, dx, dy);
    else if (this.ghost.offered()) this.ghost.step(number, dx, dy);
  }

  refreshTheme() {
    const theme = readTheme(this.root, this.run?.colors, this.opening.scale ?? 1);
    theme.stamp = JSON.stringify([theme.background, theme.text, theme.font, theme.scale, theme.clusters[0]]);
    this.theme = theme;
    this.root.classList.toggle("dark", theme.dark);
    for (const name of ["text", "muted", "grid", "background", "accent"]) {
      this.root.style.setProperty(`--${name}`, cssColor(theme[name]));
    }
    this.root.style.setProperty("--face", theme.font);
    this.root.style.setProperty("--scale", theme.scale);
    if (!this.run) return;
    this.root.style.setProperty("--cluster-a", cssColor(theme.clusterColor(0)));
    this.root.style.setProperty("--cluster-b", cssColor(theme.clusterColor(1)));
    this.panels.forEach((part, number) => {
      part.swatch.style.background = cssColor(panelColor(theme, number, this.panels.length));
    });
    this.invalidate();
  }

  // `ratio`: device pixels per CSS pixel; exports ask for more than the screen has.
  resize(ratio = Math.min(2, window.devicePixelRatio || 1)) {
    const width = this.root.clientWidth;
    this.fitted = width > 0 && Boolean(this.run);
    if (!this.fitted) return;
    const count = this.panels.length;
    const { scale } = this.theme;
    const inThrees = (count === 3 || count > 4) && width >= 860 * scale;
    const columns = count === 1 || width < 640 * scale ? 1 : inThrees ? 3 : 2;
    const share = count === 1 ? 0.95 : 0.72 / columns;
    const ribbon = this.options.ribbon && this.run.last > 0 ? RIBBON_HEIGHT * scale : 0;
    const height = Math.min(this.opening.height * scale - ribbon, width * share);
    this.root.style.setProperty("--ribbon-height", `${ribbon}px`);
    this.root.style.setProperty("--columns", columns);
    this.root.style.setProperty("--stage-height", `${Math.round(height)}px`);
    const fit = (part, stage) => part.resize(stage.clientWidth, stage.clientHeight, ratio, scale);
    for (const part of this.panels) {
      fit(part.scatter, part.stage);
      if (ribbon > 0) fit(part.ribbon, part.ribbonBlock.stage);
    }
    for (const { chart, stage } of Object.values(this.charts)) fit(chart, stage);
    fit(this.bars, this.sizes.stage);
    this.invalidate();
  }

  // Something besides the playhead and the view changed: redraw the charts, too.
  invalidate() {
    this.stale = true;
    this.redraw();
  }

  redraw() {
    this.dirty = true;
    this.wake();
  }

  wake() {
    this.frameRequest ??= requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.frameRequest = null;
    if (!this.run || this.root.clientWidth === 0) return;
    if (!this.fitted) this.resize(); // frames come before observers in the frame that shows a hidden player
    const advanced = this.deck.advance(now);
    const calm = this.reducedMotion.matches && this.deck.playing && now - this.painted < 1000 / REDUCED_MOTION_FPS;
    if (this.dirty || (advanced && !calm)) this.paint(now);
    if (this.deck.playing) this.wake();
  }

  snapshots() {
    const { deck, run } = this;
    const slow = deck.slow ? run.slowPanel() : -1;
    return run.panels.map((_, number) => {
      return number === slow ? run.slowSnapshot(number, deck.step) : run.snapshot(number, deck.frame);
    });
  }

  paint(now) {
    const { run, theme, options } = this;
    this.painted = now;
    const snapshots = this.snapshots();
    this.current = snapshots;
    this.panels.forEach((part, number) => {
      part.scatter.draw(snapshots[number], options, theme);
      showStatus(part.status, statusText(run, number, snapshots[number]));
    });
    this.paintCharts(snapshots);
    this.sizes.head.querySelector(".chart-title").textContent =
      snapshots.some((snapshot) => snapshot.visit?.candidates.length > 0) ? "Cost of each choice" : "Cluster sizes";
    this.bars.draw(run, snapshots, options.logarithmic, theme);
    this.root.classList.toggle("slow-motion", this.deck.slow);
    const { playing, slow } = this.deck;
    this.transport.show({ playing, slow, spoken: spokenText(run, snapshots), written: positionText(run, this.deck) });
    this.stale = false;
    this.dirty = false;
    for (const node of this.unpainted.splice(0)) node.style.visibility = "";
    this.recorder.painted();
  }

  paintCharts(snapshots) {
    if (this.stale) this.prepareCharts();
    const frame = this.playheadFrame();
    const withRibbon = this.options.ribbon && this.run.last > 0;
    this.panels.forEach((part, number) => {
      if (!withRibbon) return;
      if (this.stale) part.ribbon.drawStatic(this.run, number, part.scatter.plot, this.theme);
      part.ribbon.drawPlayhead(frame);
    });
    for (const { chart, readout } of Object.values(this.charts)) {
      const at = chart.lines.map((line) => {
        if (chart.byVisit) return this.deck.step;
        const { sweep } = snapshots[line.panel];
        const unfinished = this.deck.slow && this.deck.step < this.deck.length && line.panel === this.run.slowPanel();
        return Math.min(unfinished ? sweep - 1 : sweep, line.y.length - 1);
      });
      chart.drawPlayhead(chart.byVisit ? this.deck.step : frame, at);
      readout.textContent = this.panels.length === 1 ? chart.readout(at, 6) : "";
    }
  }

  prepareCharts() {
    const data = chartData(this.run, this.theme, this.options, this.deck.slow);
    const room = Object.entries(this.charts).map(([name, { chart }]) => {
      chart.setData(data[name].lines, data[name].settings);
      this.charts[name].full.hidden = !chart.steep;
      this.charts[name].block.classList.toggle("by-visit", chart.byVisit);
      return chart.prepare(this.theme);
    });
    for (const { chart } of Object.values(this.charts)) chart.drawStatic(Math.max(...room));
  }

  playheadFrame() {
    const { deck, run } = this;
    if (!deck.slow) return deck.frame;
    return run.panels[run.slowPanel()].events_sweep - 1 + deck.step / Math.max(1, deck.length);
  }

  moved(settled) {
    if (settled) this.settle();
    if (this.paintedSlow !== this.deck.slow) this.stale = true; // charts by visit, or by sweep again
    this.paintedSlow = this.deck.slow;
    this.redraw();
  }

  scrub(frame, done, byVisit = false) {
    if (this.deck.slow && !byVisit) this.deck.setSlow(false);
    this.deck.moveTo(frame, done);
  }

  // The playhead came to rest: say so, and tell Python after a moment.
  settle() {
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => this.report(), REPORT_DELAY);
  }

  report() {
    clearTimeout(this.reporting);
    if (!this.run || this.deck.playing) return;
    this.live.textContent = spokenText(this.run, this.snapshots());
    this.ghost.follow();
    const { frame } = this.deck;
    if (this.deck.following || frame === Math.min(this.believed, this.run.last)) return;
    this.believed = frame;
    this.channel?.setStateValue("sweep", { sweep: frame, command: this.opening.command });
  }

  setSync(name) {
    this.run.setSync(name);
    this.invalidate();
  }

  resetViews() {
    for (const part of this.panels) part.view.atHome = true;
    this.redraw();
  }

  close() {
    this.observer.disconnect();
    this.ghost.close();
    clearTimeout(this.reporting);
    cancelAnimationFrame(this.frameRequest);
    this.colorScheme.removeEventListener("change", this.schemeChanged);
    this.run = null;
  }
}
