// Two runs on the same points under one button: the first visits one by one with their costs, then all faster. At the end
// a point can be carried.

import { decodePayload } from "../../player/assets/decode.js";
import { drawBoxed, takeTheme } from "../../player/assets/surface.js";
import { cssColor } from "../../player/assets/theme.js";
import { formatFixed, formatNumber } from "../../player/assets/format.js";
import { Run } from "../../player/assets/run.js";
import { View } from "../../player/assets/view.js";
import { Scatter } from "../../player/assets/scatter.js";
import { clusterMeans, drawHalo } from "../../player/assets/overlay.js";
import { copyOf, Film, filmType } from "../../player/assets/export.js";
import { element, icon, iconButton } from "../../player/assets/layout.js";
import { Handle } from "../../stage/handle.js";
import grip from "../../stage/handle.css";
import { Plate, UNITS } from "../../stage/plate.js";
import { Carried } from "./carried.js";
import styles from "./hero.css";
import { say, sayCount } from "../../words/say.js";

const OPTIONS = { clusters: true, region: true, moved: false };
const CALM_MILLISECONDS = 700; // a frame for those who prefer reduced motion: sweeps only
const MOST_WRITTEN = 4; // costs beside their clusters; the dearest are left out
const BOX = 1.7, EDGE = 2; // height of a box in that of its words, and pixels that it is from the picture's edge
const NEAR = 14, STEP = 0.02; // pixels around a point in which it is pressed; share of a picture by which a key moves it
const MARGIN = 8; // of a film that is saved

const clustersOf = (n) => sayCount("film.clusters", n);
const faultOf = ({ pieces }) => (pieces === 0 ? say("film.merged") : pieces === 2 ? say("film.cut_in_two") : sayCount("film.cut", pieces));

export class Hero {
  // `scored`: whether the end says how far the clusters are the true groups.
  constructor(root, scored = true) {
    Object.assign(this, { root, scored });
    this.frame = 0;
    this.playing = this.played = false;
    this.fitted = false;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.schemeChanged = () => this.refresh();
    this.scheme.addEventListener("change", this.schemeChanged);
    this.build();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(root);
  }

  build() {
    this.parts = [0, 1].map((number) => {
      const canvas = element("canvas", { "aria-hidden": "true" });
      const overlay = element("canvas", { class: "overlay", role: "img", "data-panel": number });
      const stage = element("div", { class: "stage" }, canvas, overlay);
      const title = element("span", { class: "panel-title" });
      const status = element("span", { class: "panel-status" });
      const scatter = new Scatter(canvas, overlay);
      return { stage, title, status, scatter, overlay,
        node: element("section", { class: "panel" }, element("header", {}, title, status), stage) };
    });
    this.word = element("span", { text: say("film.play") });
    this.symbol = element("span", { class: "symbol" }, icon("play"));
    this.play = element("button", { type: "button", class: "go" }, this.symbol, this.word);
    this.play.addEventListener("click", () => this.toggle());
    this.range = element("input", { type: "range", min: "0", step: "1", value: "0", "aria-label": say("film.position") });
    this.range.addEventListener("input", () => this.moveTo(Number(this.range.value)));
    this.live = element("div", { class: "live", "aria-live": "polite", role: "status" });
    const panels = element("div", { class: "panels" }, ...this.parts.map(({ node }) => node));
    const transport = element("div", { class: "transport" }, this.play, this.range, ...(filmType() ? [this.saver = this.saveButton()] : []));
    this.grey = element("span", {}, element("i", { class: "dot" }), say("film.to_come"));
    this.offer = element("span", { text: say("film.carry") });
    const rings = ["half", "most"].map((share) => element("span", {}, element("i", { class: `ring-${share}` }), say(`film.ring_${share}`)));
    const key = this.key = element("p", { class: "key", role: "img", "aria-label": say("film.key"), title: say("film.key") }, ...rings, this.grey);
    this.root.append(element("style", { text: styles + grip }), panels, transport, key, this.live);
  }

  saveButton() {
    const button = iconButton("save", say("film.save"));
    button.addEventListener("click", () => this.save());
    return button;
  }

  async open(script, payload) {
    const run = new Run(await decodePayload(payload));
    if (this.closed) return;
    this.script = script;
    this.run = run;
    const view = new View(run.panels[0]);
    this.parts.forEach((part, number) => {
      part.scatter.setData(run.panels[number], view);
      part.scatter.backdropLayer.drawAxes = () => {}; // where the points are has no meaning here
      part.scatter.backdropLayer.drawGrid = () => {};
      part.scatter.drawGuests = (context, projection) => {
        this.drawVisit(context, number, projection);
        return true;
      };
      part.title.textContent = say(`film.${script.panels[number].name}`);
    });
    this.range.max = String(run.last);
    const { panels } = run;
    this.panels = panels.map(({ x, y }, number) => ({ x, y, labels: run.labelsOfRow(number, run.rowAt(number, run.last)), config: script.panels[number].config }));
    this.frame = run.last; // at rest it shows what is said of it; it plays from its beginning
    this.refresh();
    this.resize();
  }

  // `engine()`: whom a point that is carried asks for its prices.
  takeEngine(engine) {
    if (!globalThis.WebAssembly) return; // nothing is offered then
    this.engine = engine;
    this.resize();
  }

  // Whether a point is elsewhere than where it was drawn.
  get away() { return Boolean(this.carried?.away); }

  // A handle on the point in both pictures; another point is taken by pressing it.
  carry(point) {
    this.carried?.back();
    this.carried = new Carried(this.engine, this.panels, point, () => this.show());
    this.parts[0].scatter.projection(); // which fits the view
    const { bounds } = this.parts[0].scatter.view, at = this.carried.home;
    for (const part of this.parts) {
      const { scatter: { width, height }, stage } = part, isHeld = part.handle?.node.matches(":focus");
      part.plate?.node.remove();
      part.plate = new Plate(stage, bounds, part.title.textContent, height / width);
      part.plate.node.style.setProperty("--unit", UNITS / width);
      part.plate.node.addEventListener("pointerdown", (event) => this.press(part, event));
      part.handle = new Handle(part.plate, { label: say("film.point"), at, color: 0, step: STEP * (bounds[1] - bounds[0]), moved: (...place) => this.move(place) });
      if (isHeld) part.handle.node.focus({ preventScroll: true });
    }
  }

  // A press on another point takes that; a finger on it scrolls the page.
  press(part, event) {
    if (event.pointerType === "touch" || part.handle.node.contains(event.target)) return;
    const [x, y] = part.plate.pointed(event), { scaleX } = part.scatter.projection();
    const { x: xs, y: ys } = this.panels[0], far = Array.from(xs, (_, i) => Math.hypot(xs[i] - x, ys[i] - y));
    const least = Math.min(...far);
    if (least * scaleX > NEAR) return;
    this.carry(far.indexOf(least));
    this.show();
    part.handle.take(event);
  }

  move(place) {
    for (const { handle } of this.parts) handle.put(...place);
    this.carried.move(place).then((answered) => {
      if (!answered) return;
      this.offer.textContent = say("film.carry");
      this.tell();
    }, (error) => { this.offer.textContent = this.live.textContent = say("story.computes_nothing", { why: error.message }); });
  }

  // The points are where they are now.
  show() {
    for (const { scatter } of this.parts) scatter.computePositions(scatter.projection());
    this.paint();
  }

  // Before another frame is shown the point is where it was drawn.
  home() {
    if (!this.away) return;
    this.carried.back();
    for (const { handle } of this.parts) handle.put(...this.carried.home);
    this.show();
  }

  refresh() {
    if (!this.run) return;
    this.theme = takeTheme(this.root, this.run.colors);
    this.paint();
  }

  resize() {
    if (!this.run || this.root.clientWidth === 0) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    for (const { scatter, stage } of this.parts) {
      scatter.resize(stage.clientWidth, stage.clientHeight, ratio, this.theme.scale);
      scatter.plot = { x: 0, y: 0, width: stage.clientWidth, height: stage.clientHeight };
    }
    this.fitted = true; // every picture has the size of its place
    const at = this.away && this.parts[0].handle.at;
    if (this.engine) this.carry(this.carried?.point ?? this.script.point);
    if (at) this.move(at);
    else this.paint();
  }

  toggle() {
    if (!this.run) return;
    this.home();
    if (!this.playing && this.frame === this.run.last) this.frame = 0;
    this.playing = !this.playing;
    this.played = true;
    this.due = null;
    if (this.playing) requestAnimationFrame((now) => this.tick(now));
    this.paint();
  }

  // It plays from its beginning, and what is seen is recorded; a pause ends it early.
  async save() {
    if (!this.run || this.film) return;
    this.moveTo(0);
    this.film = new Film(this.scene());
    this.saver.setAttribute("aria-pressed", "true");
    this.toggle();
    while (this.playing) await new Promise(requestAnimationFrame);
    await this.film.save("dpviz", () => !this.closed);
    this.film = null;
    this.saver.removeAttribute("aria-pressed");
  }

  // Both pictures where they are on the page.
  scene() {
    const origin = this.root.getBoundingClientRect(), parts = this.parts.map(({ stage, scatter, overlay, title, status }) => {
      const { left, top, bottom } = stage.getBoundingClientRect();
      return { x: left - origin.left + MARGIN, y: top - origin.top, bottom: bottom - origin.top, title: title.textContent, note: status.textContent,
        draw: copyOf(scatter.canvas, overlay) };
    });
    return { theme: this.theme, width: origin.width + 2 * MARGIN, height: Math.max(...parts.map(({ bottom }) => bottom)) + MARGIN, parts };
  }

  moveTo(frame) {
    this.home();
    this.playing = false;
    this.frame = Math.min(this.run.last, Math.max(0, frame));
    this.paint();
    this.tell();
  }

  // How long the present frame is seen.
  pause() {
    return this.calm.matches ? CALM_MILLISECONDS : this.script.pace[this.frame] ?? 0;
  }

  following() {
    return this.calm.matches ? Math.max(this.frame + 1, this.script.first_sweep) : this.frame + 1;
  }

  tick(now) {
    if (!this.playing || this.closed) return;
    this.due ??= now + this.pause();
    const before = this.frame;
    while (this.frame < this.run.last && now >= this.due) { // a busy machine leaves frames out, it is not slower
      this.frame = this.following();
      this.due += this.pause();
    }
    if (this.frame === this.run.last) this.playing = false;
    if (this.frame !== before) this.paint();
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
    else this.tell();
  }

  // The visit that a panel shows: that whose result the frame has; null once there are several in a frame.
  visit(number) {
    if (this.away) return this.carried.costs[number].length > 0 ? { point: this.carried.point, costs: this.carried.costs[number] } : null;
    const visits = this.script.panels[number].visits;
    return this.costed(number) ? visits[this.frame - 1] : null;
  }

  // By point, whether its first visit is still to come, where only centres count before; null once all had theirs.
  waiting(number) {
    const { unseen, made } = this.script.panels[number];
    if (unseen.length === 0 || this.frame >= this.script.first_sweep) return null;
    return Uint8Array.from(unseen, (visit) => visit >= made[this.frame]);
  }

  ended(number) { return this.frame >= this.run.panels[number].n_sweeps; }

  // What the result has wrong, at the end of the whole film.
  faults(number) { return this.frame === this.run.last && !this.away ? this.script.panels[number].verdict.faults : []; }

  paint() {
    if (!this.fitted) return;
    this.parts.forEach((part, number) => {
      const waiting = this.waiting(number);
      part.scatter.blank = waiting;
      const options = { ...OPTIONS, bare: waiting !== null, region: waiting === null || this.frame > 0 };
      part.scatter.draw(this.run.snapshot(number, this.frame), options, this.theme);
      // without marks it is not seen at all: some browsers show for a while what was cleared
      part.overlay.style.opacity = this.visit(number) || this.faults(number).length > 0 ? 1 : 0;
      part.plate?.node.classList.toggle("off", this.playing || this.frame < this.run.last);
      part.handle?.node.style.setProperty("--ink", cssColor(this.theme.clusterColor(this.trackOf(this.carried.taker(number)))));
      part.status.textContent = this.statusOf(number);
      part.status.title = this.meaningOf(number);
      const said = this.faults(number).map((fault) => `, ${faultOf(fault)}`).join("");
      part.overlay.setAttribute("aria-label", `${part.title.textContent}: ${part.status.textContent}${said}`);
    });
    if (this.engine && !this.playing && this.frame === this.run.last) this.key.append(this.offer);
    else this.offer.remove();
    this.grey.hidden = !this.parts.some((_, number) => this.waiting(number));
    this.range.value = String(this.frame);
    this.range.style.setProperty("--done", `${(100 * this.frame) / this.run.last}%`);
    this.film?.add(this.scene());
    this.range.setAttribute("aria-valuetext", this.parts.map((part) => part.status.textContent).join("; "));
    const act = this.playing ? "pause" : this.played && this.frame === this.run.last ? "again" : "play", word = say(`film.${act}`);
    if (this.word.textContent === word) return;
    this.word.textContent = word;
    this.symbol.replaceChildren(icon(this.playing ? "pause" : "play"));
  }

  // The colour of a new cluster is the next one.
  trackOf(track) { return track < 0 ? Math.max(...this.run.panels.map((panel) => panel.n_clusters.at(-1))) : track; }

  costed(number) { return this.away || (this.frame >= 1 && this.frame <= this.script.panels[number].visits.length); }

  // What the numbers of a panel mean.
  meaningOf(number) {
    if (this.ended(number) && !this.away) return this.scored ? say("film.about_agreement") : "";
    return this.costed(number) ? say(`film.about_${this.script.panels[number].name}`) : "";
  }

  statusOf(number) {
    const { panels } = this.run;
    const { name, visits, verdict } = this.script.panels[number];
    const sweep = Math.min(this.frame, panels[number].n_sweeps);
    const clusters = clustersOf(panels[number].n_clusters[sweep]);
    if (this.ended(number) && !this.away) {
      if (!this.scored) return clustersOf(verdict.clusters);
      const scores = Object.entries(verdict.agreement).map(([name, value]) => `${name} ${formatFixed(value, 2)}`);
      return `${clustersOf(verdict.clusters)}, ${scores.join(", ")}`;
    }
    if (this.costed(number)) return say(`film.cost_${name}`);
    return this.frame === 0 && visits.length > 0 && this.waiting(number) ? sayCount("film.centres", panels[number].n_clusters[sweep]) : clusters;
  }

  // The visited point, a line to every cluster, and what each costs; the cheapest has its point.
  drawVisit(context, number, projection) {
    const { theme } = this;
    const panel = this.run.panels[number];
    const size = theme.scale * (this.root.clientWidth < 620 ? 11 : 14);
    for (const fault of this.faults(number)) {
      const { x, y } = fault, at = { x: projection.x(x - panel.origin[0]), y: projection.y(y - panel.origin[1]) };
      const label = { x: at.x, y: at.y + 3.6 * size, text: faultOf(fault), color: theme.text, best: true };
      this.placeBox(context, label, 1.15 * size);
      this.drawBox(context, label, 1.15 * size);
    }
    const visit = this.visit(number);
    if (visit === null) return;
    const { away } = this, before = this.run.snapshot(number, this.frame - (away ? 0 : 1));
    const means = new Map((before.shapes ?? clusterMeans(panel, before.labels)).map((mean) => [mean.track, mean]));
    const at = { x: projection.x(panel.x[visit.point]), y: projection.y(panel.y[visit.point]) };
    const costs = [...visit.costs].sort((one, other) => one[1] - other[1]);
    const taken = away ? this.trackOf(this.carried.taker(number)) : this.run.snapshot(number, this.frame).labels[visit.point];
    const labels = [];
    costs.slice(0, MOST_WRITTEN).forEach(([track, cost], place) => {
      const best = place === 0;
      const mean = means.get(track);
      const color = theme.clusterColor(track < 0 ? taken : track);
      const price = formatNumber(cost, 3), text = track < 0 ? say("film.new", { price }) : price;
      if (!mean) {
        labels.push({ x: at.x, y: at.y + (best ? -2.2 : 2.2) * size, text, color, best });
        return;
      }
      const to = { x: projection.x(mean.x), y: projection.y(mean.y) };
      context.beginPath();
      context.moveTo(at.x, at.y);
      context.lineTo(to.x, to.y);
      context.strokeStyle = cssColor(best ? color : theme.muted);
      context.lineWidth = best ? 3 : 1;
      context.setLineDash(best ? [] : [4, 4]);
      context.stroke();
      context.setLineDash([]);
      labels.push(away && best ? { x: at.x, y: at.y - 2.2 * size, text, color, best } : { ...to, text, color, best, beside: true });
    });
    if (!away) drawHalo(context, at.x, at.y, 10, theme.clusterColor(taken), theme);
    const placed = [];
    for (const label of labels) this.placeBox(context, label, size, placed);
    for (const label of labels.reverse()) this.drawBox(context, label, size);
  }

  // A box stays inside the picture, and above or below those that have their place.
  placeBox(context, label, size, others = []) {
    const { width, height } = this.parts[0].scatter, tall = BOX * size, room = 0.5 * tall + EDGE;
    this.write(context, label, size);
    const half = context.measureText(label.text).width / 2 + 0.5 * size, within = (value, low, high) => Math.min(high, Math.max(low, value));
    const left = within(label.beside ? label.x + half + 0.9 * size : label.x, half + EDGE, width - half - EDGE), top = within(label.y, room, height - room);
    const isFree = (at) => at >= room && at <= height - room && others.every((other) => Math.abs(other.left - left) >= other.half + half || Math.abs(other.top - at) >= tall);
    const steps = Array.from({ length: 2 * others.length + 1 }, (_, k) => top + tall * (k % 2 ? 1 : -1) * Math.ceil(k / 2));
    Object.assign(label, { half, left, top: steps.find(isFree) ?? top });
    others.push(label);
  }

  write(context, { best }, size) { context.font = `${best ? "700" : "500"} ${size}px ${this.theme.font}`; }

  // Words in a box: on a place, or beside it, with its colour at that edge.
  drawBox(context, label, size) {
    const { theme } = this, { text, color, best, beside, half, left, top } = label;
    this.write(context, label, size);
    const edge = best ? { color, width: 2.5 } : { color: theme.grid, width: 1 };
    drawBoxed(context, theme, text, { x: left, y: top }, { half, height: BOX * size, edge, ink: best ? theme.text : theme.muted });
    if (!beside) return;
    context.fillStyle = cssColor(color);
    context.fillRect(left - half, top - 0.55 * size, 4, 1.1 * size);
  }

  tell() {
    const least = (number) => {
      const [cheapest] = this.away ? this.carried.costs[number] : [];
      return cheapest ? ` ${formatNumber(cheapest[1], 3)}` : "";
    };
    this.live.textContent = this.parts.map((part, number) => `${part.title.textContent}: ${part.status.textContent}${least(number)}`).join("; ");
  }

  close() {
    this.closed = true;
    this.playing = false;
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.schemeChanged);
  }
}
