// Several restaurants under one playhead: panels, the curve of their numbers of tables, the transport bar.

import { fitted, takeTheme } from "../../../player/assets/surface.js";
import { cssColor, paintSwatch, PANEL_DASHES, panelColor } from "../../../player/assets/theme.js";
import { formatNumber, niceTicks } from "../../../player/assets/format.js";
import { element, lineSample } from "../../../player/assets/layout.js";
import { listenToScrubs } from "../../../player/assets/scrub.js";
import { Transport } from "../../../player/assets/controls.js";
import { Deck } from "../../../player/assets/deck.js";
import { drawFloor, drawShares, Restaurant } from "./tables.js";

const REST = 250; // milliseconds at rest before the playhead is reported
const CALM_FPS = 3; // for those who prefer reduced motion
const MARGIN = { left: 30, right: 10, top: 8, bottom: 18 };

export class Evening {
  constructor(root, customer) {
    this.root = root;
    this.opening = customer;
    this.deck = new Deck((settled) => this.moved(settled));
    this.transport = new Transport(this.deck);
    this.transport.offerSlow(null);
    this.transport.range.setAttribute("aria-label", "Customers");
    this.grid = element("div", { class: "panels" });
    this.curve = element("canvas", { class: "counts", role: "img", tabindex: "-1" });
    this.title = element("div", { class: "counts-title" });
    this.root.append(this.grid, element("div", { class: "tables-open" }, this.title, this.curve), this.transport.node);
    root.addEventListener("keydown", (event) => this.transport.onKey(event));
    listenToScrubs(this.curve, (x) => this.customerAt(x), {
      scrub: (customer, done) => this.deck.moveTo(customer, done),
      hover: () => {},
    });
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.observer = new ResizeObserver(() => this.invalidate());
    this.observer.observe(root);
  }

  openAt(customer) { this.deck.moveTo(Math.min(customer, this.n), true); }

  open({ panels, palette, n }) {
    this.palette = palette;
    this.n = n;
    this.panels = panels.map((panel) => this.panelOf(panel));
    this.grid.replaceChildren(...this.panels.map(({ node }) => node));
    this.root.classList.toggle("alone", panels.length === 1);
    const dotted = panels.some(({ expected }) => expected) ? "; dotted: expected on average" : "";
    this.title.textContent = `Tables open after so many customers${dotted}`;
    this.curve.setAttribute("aria-label", this.title.textContent); // until the first picture says how many
    this.deck.load({ last: n, partial: false, slowPanel: () => -1 }, this.opening);
    this.invalidate();
  }

  panelOf(panel) {
    const row = (name, text) => {
      const canvas = element("canvas", { class: `bar ${name}`, role: "img", "aria-label": `${text}, ${panel.title}` });
      return { canvas, node: element("div", { class: "bar-row" }, element("span", { text }), canvas) };
    };
    const swatch = lineSample();
    const status = element("span", { class: "panel-status" });
    const floor = element("canvas", { class: "floor", role: "img", "aria-label": panel.title });
    const next = panel.join || panel.seats ? row("next", "Next seat") : null;
    const shares = panel.shares ? row("stick", "In the long run") : null;
    const header = element("header", {}, swatch, element("span", { class: "panel-title", text: panel.title }), status);
    const note = element("div", { class: "panel-note", text: panel.note });
    const node = element("section", { class: "panel" }, header, floor);
    for (const bar of [next, shares]) if (bar) node.append(bar.node);
    node.append(note);
    return { node, swatch, status, floor, next, shares, given: panel, restaurant: new Restaurant(panel) };
  }

  moved(settled) {
    this.invalidate();
    clearTimeout(this.timer);
    if (settled) this.timer = setTimeout(() => this.channel?.setStateValue("customer", this.deck.position), REST);
  }

  invalidate() {
    this.dirty = true;
    this.wake();
  }

  wake() {
    this.request ??= requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.request = null;
    if (!this.panels || this.root.clientWidth === 0) return;
    const advanced = this.deck.advance(now);
    const waits = this.calm.matches && this.deck.playing && now - this.painted < 1000 / CALM_FPS;
    if (this.dirty || (advanced && !waits)) this.paint(now);
    if (this.deck.playing) this.wake();
  }

  paint(now) {
    this.dirty = false;
    this.painted = now;
    const theme = takeTheme(this.root, this.palette);
    const seated = this.deck.position;
    this.panels.forEach((panel, number) => this.paintPanel(theme, panel, number, seated));
    this.paintCurve(theme, seated);
    const written = `${seated} of ${this.n}`;
    this.transport.show({ playing: this.deck.playing, slow: false, spoken: `${written} customers`, written });
  }

  paintPanel(theme, panel, number, seated) {
    const { restaurant } = panel;
    paintSwatch(panel.swatch, theme, number, this.panels.length);
    const sizes = restaurant.sizesAt(seated);
    const next = restaurant.nextSeat(sizes);
    const words = [`${sizes.length} table${sizes.length === 1 ? "" : "s"}`];
    if (next) {
      const share = next[next.length - 1];
      panel.node.dataset.new = share.toFixed(6);
      words.push(`a new one next: ${formatNumber(100 * share, 2)} %`);
    }
    panel.node.dataset.sizes = sizes.join(" ");
    panel.status.textContent = words.join(" · ");
    fitted(panel.floor, (context, width, height) => drawFloor(context, theme, restaurant, seated, width, height));
    const bar = (part, shares) => fitted(part.canvas, (context, width, height) => {
      drawShares(context, theme, shares, width, height);
    });
    if (panel.next) bar(panel.next, next);
    if (panel.shares) bar(panel.shares, restaurant.shares);
  }

  span() {
    const width = this.curve.clientWidth;
    return [MARGIN.left * this.scale(), width - MARGIN.right];
  }

  scale() { return Number(this.root.style.getPropertyValue("--scale")) || 1; }

  customerAt(x) {
    const [left, right] = this.span();
    return Math.round(((x - left) / (right - left)) * this.n);
  }

  paintCurve(theme, seated) {
    const most = Math.max(...this.panels.map(({ restaurant, given }) => {
      return Math.max(restaurant.counts[this.n], ...(given.expected ?? [0]));
    }), 1);
    this.curve.setAttribute("aria-label", this.panels.map(({ given, restaurant }) => {
      return `${given.title}: ${restaurant.counts[seated]} tables`;
    }).join(", "));
    fitted(this.curve, (context, width, height) => {
      const [left, right] = this.span();
      const bottom = height - MARGIN.bottom * theme.scale;
      const across = (m) => left + ((right - left) * m) / this.n;
      const down = (k) => bottom - ((bottom - MARGIN.top) * k) / most;
      frame(context, theme, { left, right, bottom, across, down, most, n: this.n });
      const line = (values, last, dash, color, alpha, steps = false) => { // counts stay until the next customer
        context.beginPath();
        for (let m = 0; m <= last; m += 1) {
          if (steps && m > 0) context.lineTo(across(m), down(values[m - 1]));
          context.lineTo(across(m), down(values[m]));
        }
        context.setLineDash(dash);
        context.strokeStyle = cssColor(color, alpha);
        context.stroke();
        context.setLineDash([]);
      };
      this.panels.forEach(({ restaurant, given }, number) => {
        const color = panelColor(theme, number, this.panels.length);
        context.lineWidth = 1;
        if (given.expected) line(given.expected, this.n, [1, 3], color, 0.9);
        line(restaurant.counts, this.n, [], color, 0.45, true);
        context.lineWidth = 2;
        line(restaurant.counts, seated, PANEL_DASHES[number % PANEL_DASHES.length], color, 1, true);
      });
      context.fillStyle = cssColor(theme.text);
      context.fillRect(across(seated) - 0.5, MARGIN.top, 1, bottom - MARGIN.top);
    });
  }

  close() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.request);
    this.observer.disconnect();
  }
}

function frame(context, theme, { left, right, bottom, across, down, most, n }) {
  context.font = theme.type(12);
  context.fillStyle = cssColor(theme.muted);
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const k of niceTicks(0, most, 3, true)) context.fillText(String(k), left - 5, down(k));
  context.textBaseline = "top";
  for (const m of niceTicks(0, n, 3, true)) {
    context.textAlign = m === 0 ? "left" : m === n ? "right" : "center";
    context.fillText(String(m), across(m), bottom + 4);
  }
  context.fillStyle = cssColor(theme.grid);
  context.fillRect(left, bottom, right - left, 1);
}
