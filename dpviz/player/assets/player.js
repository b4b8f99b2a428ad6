// One player: the elements, what they show, and what is reported back.

import { decodePayload } from "./decode.js";
import { takeTheme } from "./surface.js";
import { cssColor, paintSwatch } from "./theme.js";
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
import { chartBlock, element, panelBlock, showStatus, toggle, write } from "./layout.js";
import { costWords, positionText, spokenText, statusText, withoutCost } from "./texts.js";
import { Reader } from "./reader.js";
import { Hints } from "./hints.js";
import { Legend, legendItems } from "./legend.js";
import { Ghost } from "./ghost.js";
import { Why } from "./why.js";
import { Editor } from "./editor.js";
import { Recorder } from "./recorder.js";
import { arrangement, chartHeight, chartsBelow, stageHeight } from "./room.js";
import { FullScreen } from "./fullscreen.js";
import { Speaker } from "./speaker.js";
import { say } from "../../words/say.js";

const REPORT_DELAY = 150; // milliseconds at rest before Python hears of it
const REDUCED_MOTION_FPS = 3;
const CHARTS = ["nll", "k", "moved", "agreement"].map((name) => [name, say(`player.chart_${name}`)]);

export class Player {
  constructor(root) {
    this.root = root;
    root.className = "dpviz-player";
    this.channel = null;
    this.knobs = null; // those in the slot, which answer while points are moved
    this.bench = null; // what computes other runs than the page's in this picture
    this.opening = null;
    this.loads = 0;
    this.focuses = false; // takes the focus with the next paint
    this.leftAt = -Infinity; // when the focus went elsewhere; Infinity while it is here
    this.fitted = false; // every part has the size of its place
    this.owing = false; // points are painted, and charts come in the next frame
    this.likeness = ""; // of what is arranged for
    this.unpainted = []; // parts not in view yet
    this.options = { clusters: true, moved: true, ribbon: true, objective: false, logarithmic: false };
    this.reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
    this.reader = new Reader(this);
    this.hints = new Hints(this);
    this.ghost = new Ghost(this);
    this.why = new Why(this);
    this.editor = new Editor(this);
    this.recorder = new Recorder(this);
    this.chosenCharts = {}; // by name, whether the reader asked for it or put it away
    this.placed = { key: null, height: 0 }; // of the plots
    this.deck = new Deck((settled) => this.moved(settled));
    this.fullScreen = new FullScreen(root, () => this.resize());
    this.build();
    this.speaker = new Speaker(this);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(root);
    this.windowChanged = () => this.resize(); // its height alone changes nothing that is observed
    window.addEventListener("resize", this.windowChanged);
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
      showAll: (all) => {
        this.root.classList.toggle("few", !all);
        if (this.run) this.resize();
      },
      showLegend: (shown) => (this.legend.node.hidden = !shown),
      showChart: (name, shown) => this.showChart(name, shown),
      fullScreen: this.fullScreen.possible ? () => this.fullScreen.toggle() : null,
    }, [...CHARTS, ["sizes", say("player.chart_sizes")]]);
    this.transport = new Transport(this.deck, (on) => this.speaker.turn(on));
    if (this.fullScreen.possible) this.transport.fullScreen = () => this.fullScreen.toggle();
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
      block.full = this.chartChip(parts.head, `full_${name}`, say("player.full_range"), say("player.about_full_range"));
      this.charts[name] = block;
      return parts.block;
    });
    this.sizes = chartBlock("sizes", say("player.chart_sizes"));
    this.bars = new Bars(this.sizes.canvas);
    this.objectiveChip = this.chartChip(this.charts.nll.head, "objective", "E", say("player.about_objective"));
    this.chartChip(this.sizes.head, "logarithmic", say("player.log"), say("player.about_log"));
    this.live = element("div", { class: "live", "aria-live": "polite", role: "status" });
    this.message = element("div", { class: "message", hidden: true });
    this.slot = element("div", { class: "slot" }); // for knobs, where the page brings some
    this.chartGrid = element("div", { class: "charts" }, this.why.node, ...blocks, this.sizes.block);
    const plots = element("div", { class: "plots" }, this.panelGrid, this.chartGrid);
    this.root.append(element("div", { class: "body" }, this.toolbar.node, this.legend.node, this.message, this.slot, plots,
      this.transport.node, this.live));
    for (const node of [this.toolbar.node, plots, this.transport.node]) this.hold(node);
    this.root.addEventListener("focusin", () => (this.leftAt = Infinity));
    this.root.addEventListener("focusout", () => (this.leftAt = performance.now()));
    this.root.addEventListener("keydown", (event) => this.transport.onKey(event));
    this.panels = [];
    this.toolbar.begin();
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
  // `payload`: bytes, or what they decode to, where the page itself computes.
  async open(opening, payload) {
    if ((this.bench ?? globalThis.dpvizLive)?.keeps(this, opening, payload)) return; // a newer picture is made in this page
    const before = this.opening;
    this.opening = opening;
    const commanded = before === null || before.command !== opening.command;
    if (commanded) this.believed = opening.sweep;
    if (before !== null && before.id === opening.id) {
      if (this.run) this.toolbar.offer(this.run, opening);
      this.likeness = "";
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
      const decoded = payload instanceof Uint8Array ? await decodePayload(payload) : payload;
      if (load === this.loads) this.show(new Run(decoded), commanded && before !== null);
    } catch (error) {
      if (load === this.loads) this.say(say("player.unreadable", { why: error.message }));
    }
  }

  // Once per command, start what Python asked for.
  begin() {
    const { start, command } = this.opening;
    if (!start || !this.run || this.begun === command) return;
    this.begun = command;
    this.focuses = true; // once it can be seen
    if (start === "slow" && this.run.slowPanel() >= 0) this.deck.setSlow(true);
    else if (start === "play" && !this.deck.playing) this.deck.toggle();
  }

  // Also a moment after what had it was taken off the page.
  hasFocus() { return this.leftAt === Infinity || performance.now() - this.leftAt < 100; }

  // What was asked for plays here, so that keys work here; whoever is writing elsewhere goes on writing.
  takeFocus() {
    this.focuses = false;
    const { activeElement } = document;
    const writes = activeElement?.matches("input, textarea, select, [contenteditable]");
    if (!writes) this.panels[0].overlay.focus({ preventScroll: true });
  }

  say(text) {
    this.message.textContent = text;
    this.message.hidden = text === "";
  }

  show(run, commanded) {
    this.say("");
    this.slot.classList.toggle("kept", Boolean(this.opening.live)); // its room, also before the knobs are there
    if (this.run && this.run.panels.length === run.panels.length && run.panels.length > 1) run.setSync(this.run.sync);
    this.run = run;
    this.deck.load(run, this.opening.sweep);
    this.matchPanels(); // a playhead that moves lays them out
    if (commanded) this.deck.moveTo(this.opening.sweep, false);
    const slow = run.slowPanel();
    this.transport.offerSlow(slow < 0 ? null : say("player.slow_motion", { sweep: run.panels[slow].events_sweep }));
    const likeness = this.likenessOf(run);
    if (this.opening.quick && this.fitted && likeness === this.likeness) {
      this.invalidate();
      this.tick(document.timeline.currentTime); // the next frame shows it, and need not paint it first
    }
    else {
      this.toolbar.offer(run, this.opening);
      this.showLegend();
      this.objectiveChip.textContent = run.panels[0].objective_name;
      this.objectiveChip.hidden = !hasNll(run);
      this.explainCharts();
      this.refreshTheme();
      this.resize();
    }
    this.likeness = likeness;
    if (!run.partial) this.settle();
    this.why.receive(this.opening.key);
    globalThis.dpvizLive?.shown(this);
    this.begin();
  }

  // What else than the clusters themselves the words, colours and places around them depend on.
  likenessOf(run) {
    const { opening } = this;
    const about = run.panels.map((panel) => [panel.points_id, panel.objective_name, panel.cost_note, panel.ellipse_meanings,
      panel.ghosts.length, Object.keys(panel).filter((name) => panel[name] !== undefined)]);
    return JSON.stringify([about, run.last > 0, run.slowPanel(), hasNll(run), withoutCost(run), this.shownCharts(), run.colors,
      opening.height, opening.scale, opening.editable, opening.placing]);
  }

  showLegend() {
    this.legend.show(legendItems(this.run, this.run.colors.light.length, this.opening.placing));
  }

  // What the titles of charts say on hovering, and to those who hear them.
  explainCharts() {
    const [{ objective_name: objective, cost_note: note }] = this.run.panels;
    const about = costWords(hasNll(this.run), objective) + (note && this.panels.length === 1 ? ` ${note}` : "");
    const words = { nll: about, agreement: say("player.about_agreement") };
    for (const [name, text] of Object.entries(words)) {
      const { head, overlay } = this.charts[name];
      head.querySelector(".chart-title").title = text;
      const rand = this.panels.length > 1 && this.run.panels.some((panel) => panel.adjusted_rand);
      if (name === "agreement") head.querySelector(".chart-title").textContent = rand ? say("player.chart_agreement_ari") : say("player.chart_agreement");
      const without = name === "nll" ? withoutCost(this.run) : "";
      head.querySelector(".chart-note").textContent = without;
      overlay.setAttribute("aria-label", say("player.over_sweeps", { chart: head.querySelector(".chart-title").textContent, about: text }));
    }
  }

  judged() { return this.run.panels.some((panel) => panel.agreement !== undefined); }

  // Two charts teach: what a sweep costs, and what it did. The others come on demand.
  shownCharts() {
    const judged = this.judged();
    const second = this.panels.length === 1 ? "sizes" : judged ? "agreement" : "k";
    const offered = [...CHARTS.map(([name]) => name), "sizes"].filter((name) => judged || name !== "agreement");
    return offered.filter((name) => {
      return (name === "sizes" && this.deck.slow) || (this.chosenCharts[name] ?? (name === "nll" || name === second));
    });
  }

  showChart(name, shown) {
    this.chosenCharts[name] = shown;
    this.resize();
  }

  isFull() { return this.fullScreen.on; }

  // One plot per panel; a plot keeps its view while its points stay the same, and equal points share a view.
  matchPanels() {
    while (this.panels.length > this.run.panels.length) this.panels.pop().block.remove();
    while (this.panels.length < this.run.panels.length) this.panels.push(this.addPanel(this.panels.length));
    const views = new Map(this.panels.filter((part) => part.view).map((part) => [part.pointsId, part.view]));
    let changed = false;
    this.run.panels.forEach((panel, number) => {
      const part = this.panels[number];
      if (!views.has(panel.points_id) || !this.run.partial) {
        views.set(panel.points_id, views.get(panel.points_id) ?? new View(panel));
      }
      changed ||= part.pointsId !== panel.points_id;
      part.view = views.get(panel.points_id);
      part.pointsId = panel.points_id;
      part.scatter.setData(panel, part.view);
      write(part.title, panel.title);
      part.overlay.setAttribute("aria-label", say("player.points_of", { title: panel.title || say("player.the_run") }));
    });
    this.root.classList.toggle("single", this.run.panels.length === 1);
    this.reader.matchPanels();
    if (!changed) return;
    this.editor.answered();
    this.editor.clear();
  }

  addPanel(number) {
    const part = panelBlock(number);
    this.hold(part.block);
    this.panelGrid.append(part.block);
    part.home.addEventListener("click", () => {
      part.view.atHome = true;
      part.overlay.focus({ preventScroll: true }); // the button goes away
      this.redraw();
    });
    part.scatter = new Scatter(part.canvas, part.overlay);
    part.scatter.drawGuests = (context, projection) => {
      return [this.ghost, this.editor].map((guest) => guest.draw(context, number, part.scatter, projection)).includes(true);
    };
    part.ribbon = new Ribbon(part.ribbonBlock.canvas, part.ribbonBlock.overlay, {
      scrub: (frame, done) => this.scrub(frame, done),
      hover: (frame, x, y) => this.hints.ribbon(number, part, frame, x, y),
    });
    part.pointer = new Pointer(part.scatter, part.overlay, {
      viewChanged: () => this.redraw(),
      wheelIsFree: () => this.isFull(),
      selecting: () => this.options.selecting,
      hover: (point, x, y, aloud) => this.reader.hover(number, point, x, y, aloud),
      choose: (point) => this.reader.choose(number, point),
      select: (box) => this.reader.select(number, box),
      editing: () => this.editor.mode(),
      drag: (point, x, y) => this.editor.drag(number, point, x, y),
      drop: () => this.editor.drop(),
      paint: (x, y, projection, first) => this.editor.paint(number, x, y, projection, first),
      lift: () => this.editor.lift(number),
      unpaint: () => this.editor.unpaint(),
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
    const theme = takeTheme(this.root, this.run?.colors, this.opening.scale ?? 1);
    this.theme = theme;
    this.root.classList.toggle("large", theme.scale > 1);
    if (!this.run) return;
    this.root.style.setProperty("--cluster-a", cssColor(theme.clusterColor(0)));
    this.root.style.setProperty("--cluster-b", cssColor(theme.clusterColor(1)));
    this.panels.forEach((part, number) => {
      paintSwatch(part.swatch, theme, number, this.panels.length);
    });
    this.invalidate();
  }

  // `ratio`: device pixels per CSS pixel; exports ask for more than the screen has.
  resize(ratio = Math.min(2, window.devicePixelRatio || 1)) {
    const width = this.root.clientWidth;
    this.fitted = width > 0 && Boolean(this.run);
    if (!this.fitted) return;
    const room = arrangement(this, width);
    const { ribbon, scale, inset } = room;
    const { style } = this.root;
    this.arrange(room);
    const fit = (part, stage, reserved) => part.resize(stage.clientWidth, stage.clientHeight, ratio, scale, reserved);
    for (const part of this.panels) {
      fit(part.scatter, part.stage, inset > 0 ? inset + 24 * scale : 0);
      style.setProperty("--plot-left", `${part.scatter.plot.x}px`);
      if (ribbon > 0) fit(part.ribbon, part.ribbonBlock.stage);
    }
    for (const { chart, stage, block } of Object.values(this.charts)) if (!block.hidden) fit(chart, stage);
    if (!this.sizes.block.hidden) fit(this.bars, this.sizes.stage);
    this.invalidate();
  }

  // Give everything its place. The plots keep their height, whatever is said above them, while window and points do.
  arrange(room) {
    const { width, columns, ribbon, inset, folded, few, count } = room;
    const shown = this.shownCharts();
    const fits = inset > 0 ? chartsBelow(room, this.placed.height, this.why.node.offsetHeight) : shown.length;
    const seen = shown.slice(0, fits); // an answer comes before them
    for (const [name, { block }] of Object.entries(this.charts)) block.hidden = !seen.includes(name);
    this.sizes.block.hidden = !seen.includes("sizes");
    this.toolbar.showCharts(shown, this.judged());
    this.root.classList.toggle("inset", inset > 0);
    this.root.classList.toggle("drags", Boolean(this.options.selecting || this.editor.mode())); // also upwards, by a finger
    this.root.classList.toggle("folded", folded);
    this.root.classList.toggle("full", this.isFull());
    this.placeHead(count === 1 && (folded || few));
    const { style } = this.root;
    style.setProperty("--ribbon-height", `${ribbon}px`);
    style.setProperty("--columns", columns);
    style.setProperty("--chart-columns", Math.min(shown.length || 1, Math.max(1, Math.floor(width / (250 * room.scale)))));
    style.setProperty("--inset-width", `${inset}px`);
    const points = this.panels.map((part) => part.pointsId);
    const key = [innerWidth, innerHeight, this.isFull(), this.opening.height, ...Object.values({ ...room, charts: 0 }), ...points].join();
    if (key !== this.placed.key) this.placed = { key, height: stageHeight(this, room) };
    style.setProperty("--stage-height", `${this.placed.height}px`);
    this.root.classList.toggle("low", this.placed.height < 320 * room.scale);
    style.setProperty("--chart-height", `${chartHeight({ ...room, charts: seen.length }, this.placed.height, this.why.node.offsetHeight)}px`);
  }

  // Where there is little room, or little beside it, one run's title and state stand in the row of the buttons.
  placeHead(inRow) {
    const { header, block } = this.panels[0];
    if (inRow && header.parentNode === block) this.toolbar.node.prepend(header);
    else if (!inRow && header.parentNode !== block) block.prepend(header);
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
    cancelAnimationFrame(this.frameRequest);
    this.frameRequest = null;
    if (!this.run) return;
    if (!this.fitted) this.resize(); // frames come before observers in the frame that shows a hidden player
    if (!this.fitted) return;
    const advanced = this.deck.advance(now);
    const calm = this.reducedMotion.matches && this.deck.playing && now - this.painted < 1000 / REDUCED_MOTION_FPS;
    if (this.dirty || (advanced && !calm)) this.paint(now, Boolean(this.opening.quick));
    if (this.deck.playing) this.wake();
  }

  snapshots() {
    const { deck, run } = this;
    const slow = deck.slow ? run.slowPanel() : -1;
    return run.panels.map((_, number) => {
      return number === slow ? run.slowSnapshot(number, deck.step) : run.snapshot(number, deck.frame);
    });
  }

  // `quick`: points first, and what is around them when the frame with them is over, or with a newer run.
  paint(now, quick = false) {
    const { run, theme, options } = this;
    this.painted = now;
    const snapshots = this.snapshots();
    this.current = snapshots;
    this.panels.forEach((part, number) => {
      part.scatter.draw(snapshots[number], options, theme);
      showStatus(part.status, statusText(run, number, snapshots[number], this.charts.agreement.block.hidden));
      part.home.hidden = part.view.atHome;
    });
    this.dirty = false;
    this.owing = quick && this.stale && !this.owing && this.unpainted.length === 0;
    if (this.owing) requestAnimationFrame(() => setTimeout(() => this.owing && !this.dirty && this.paintAround(this.current)));
    else this.paintAround(snapshots);
  }

  // Everything but the points.
  paintAround(snapshots) {
    const { run, theme, options } = this;
    this.owing = false;
    const legend = this.opening.quick && this.stale;
    this.paintCharts(snapshots);
    if (!this.sizes.block.hidden) this.bars.draw(run, snapshots, options.logarithmic, theme);
    // words come after canvases, whose fonts otherwise ask for the styles of words that are about to change
    if (legend) this.showLegend();
    this.reader.showCard();
    this.why.painted(snapshots[0].sweep);
    this.speaker.painted(snapshots);
    write(this.sizes.head.querySelector(".chart-title"),
      snapshots.some((snapshot) => snapshot.visit?.candidates.length > 0) ? say("player.choices") : say("player.chart_sizes"));
    this.root.classList.toggle("slow-motion", this.deck.slow);
    const { playing, slow } = this.deck;
    this.transport.show({ playing, slow, spoken: spokenText(run, snapshots), written: positionText(run, this.deck) });
    this.stale = false;
    for (const node of this.unpainted.splice(0)) node.style.visibility = "";
    if (this.focuses) this.takeFocus();
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
    for (const { chart, readout, block } of Object.values(this.charts)) {
      if (block.hidden) continue;
      const at = chart.lines.map((line) => {
        if (chart.byVisit) return this.deck.step;
        const { sweep } = snapshots[line.panel];
        const unfinished = this.deck.slow && this.deck.step < this.deck.length && line.panel === this.run.slowPanel();
        return Math.min(unfinished ? sweep - 1 : sweep, line.y.length - 1);
      });
      chart.drawPlayhead(chart.byVisit ? this.deck.step : frame, at);
      write(readout, this.panels.length === 1 ? chart.readout(at, 6) : "");
    }
  }

  prepareCharts() {
    const data = chartData(this.run, this.theme, this.options, this.deck.slow);
    const shown = Object.entries(this.charts).filter(([, { block }]) => !block.hidden);
    const room = shown.map(([name, { chart }]) => {
      chart.setData(data[name].lines, data[name].settings);
      this.charts[name].full.hidden = !chart.steep;
      this.charts[name].block.classList.toggle("by-visit", chart.byVisit);
      return chart.prepare(this.theme);
    });
    for (const [, { chart }] of shown) chart.drawStatic(Math.max(...room));
  }

  playheadFrame() {
    const { deck, run } = this;
    if (!deck.slow) return deck.frame;
    return run.panels[run.slowPanel()].events_sweep - 1 + deck.step / Math.max(1, deck.length);
  }

  moved(settled) {
    if (settled) this.settle();
    if (this.paintedSlow !== this.deck.slow) this.resize(); // charts by visit, or by sweep again
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
    if (this.opening.film) { // made here: the server knows nothing of it
      this.ghost.follow();
      return;
    }
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
    this.owing = false;
    this.loads += 1; // what is still on its way is not shown
    this.knobs?.left();
    this.observer.disconnect();
    window.removeEventListener("resize", this.windowChanged);
    this.ghost.close();
    this.why.close();
    this.fullScreen.close();
    clearTimeout(this.reporting);
    cancelAnimationFrame(this.frameRequest);
    this.colorScheme.removeEventListener("change", this.schemeChanged);
    this.run = null;
  }
}
