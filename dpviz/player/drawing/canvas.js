// The drawing surface: pointer and keys in, dots out.

import { element } from "../assets/nodes.js";
import { takeTheme } from "../assets/surface.js";
import { cssColor } from "../assets/theme.js";
import { BRUSHES, Sketch } from "./sketch.js";
import { Tools } from "./tools.js";
import { say, sayCount } from "../../words/say.js";

const PAUSE = 350; // milliseconds without a change before the points are sent
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const LETTERS = { p: "point", b: "blob", d: "disc", e: "erase" };

export class DrawingCanvas {
  constructor(root, { points, palette, names, extent, most }) {
    const drawn = points.x.map((x, i) => ({ x, y: points.y[i], color: points.color[i] }));
    this.sketch = new Sketch(drawn, extent, most);
    this.palette = palette;
    this.extent = extent;
    this.cursor = null; // under the pointer, or moved with the arrow keys
    this.surface = element("canvas", {
      tabindex: "0", role: "application", "aria-roledescription": say("canvas.kind"),
      "aria-label": say("canvas.about"),
    });
    this.status = element("div", { class: "status", role: "status", "aria-live": "polite" });
    this.tools = new Tools(names, {
      undo: () => this.step(() => this.sketch.undo()),
      redo: () => this.step(() => this.sketch.redo()),
      clear: () => this.step(() => this.sketch.clear()),
      changed: () => this.tools && this.paint(),
    });
    root.append(this.tools.node, this.surface, this.status);
    this.root = root;
    const listen = (name, handler) => this.surface.addEventListener(name, handler.bind(this));
    listen("pointerdown", this.onDown);
    listen("pointermove", this.onMove);
    listen("pointerup", this.onUp);
    listen("pointercancel", this.onUp);
    listen("pointerleave", this.onLeave);
    listen("keydown", this.onKey);
    this.observer = new ResizeObserver(() => this.paint());
    this.observer.observe(this.surface);
  }

  place(event) {
    const box = this.surface.getBoundingClientRect();
    const [width, height] = this.extent;
    return {
      x: ((event.clientX - box.left) / box.width - 0.5) * width,
      y: (0.5 - (event.clientY - box.top) / box.height) * height,
    };
  }

  onDown(event) {
    if (event.button !== 0 || this.drawing) return;
    this.surface.setPointerCapture(event.pointerId);
    this.surface.focus({ preventScroll: true });
    this.drawing = true;
    this.sketch.begin();
    this.cursor = this.place(event);
    this.dab();
  }

  onMove(event) {
    this.cursor = this.place(event);
    const { tool, radius } = this.tools;
    const moved = this.last ? Math.hypot(this.cursor.x - this.last.x, this.cursor.y - this.last.y) : 0;
    const apart = tool === "point" ? 0.35 : tool === "erase" ? 0 : radius / 2;
    if (this.drawing && moved > apart) this.dab();
    else this.paint();
  }

  onUp() {
    if (!this.drawing) return;
    this.drawing = false;
    if (this.sketch.end()) this.sendSoon();
    this.paint();
  }

  onLeave() {
    if (!this.drawing) this.cursor = null;
    this.paint();
  }

  // Leave one dab of the present brush under the cursor.
  dab() {
    const { x, y } = this.cursor;
    const { tool, color, radius, density } = this.tools;
    this.last = { x, y };
    if (tool === "erase") this.sketch.erase(x, y, radius);
    else this.sketch.add(BRUSHES[tool](x, y, radius, Number(density.value)), color);
    this.paint();
  }

  step(change) {
    if (!this.drawing && change()) this.sendSoon();
    this.paint();
  }

  onKey(event) {
    const letter = event.key.toLowerCase();
    const arrow = ARROWS[event.key];
    const [width, height] = this.extent;
    if (event.ctrlKey || event.metaKey) {
      if (letter === "y" || (letter === "z" && event.shiftKey)) this.step(() => this.sketch.redo());
      else if (letter === "z") this.step(() => this.sketch.undo());
      else return;
    } else if (arrow) {
      const stride = event.shiftKey ? 1 : 0.25;
      const from = this.cursor ?? { x: 0, y: 0 };
      const within = (value, half) => Math.min(half, Math.max(-half, value));
      this.cursor = { x: within(from.x + stride * arrow[0], width / 2), y: within(from.y + stride * arrow[1], height / 2) };
    } else if (event.key === " " || event.key === "Enter") {
      this.cursor ??= { x: 0, y: 0 };
      this.sketch.begin();
      this.dab();
      if (this.sketch.end()) this.sendSoon();
    } else if (LETTERS[letter]) this.tools.choose(LETTERS[letter]);
    else if (/^[1-9]$/.test(letter) && Number(letter) <= this.tools.colors.length) this.tools.paint(Number(letter) - 1);
    else if (letter === "[" || letter === "]") this.tools.resize(letter === "[" ? -0.2 : 0.2);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.paint();
  }

  sendSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), PAUSE);
  }

  send() {
    const { points } = this.sketch;
    const column = (name) => points.map((point) => point[name]);
    this.channel.setStateValue("points", { x: column("x"), y: column("y"), color: column("color") });
  }

  paint() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  draw() {
    const box = this.surface.getBoundingClientRect();
    if (box.width < 1) return; // on the way out of the page
    const sharpness = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(box.width * sharpness), Math.round(box.height * sharpness)];
    if (this.surface.width !== width || this.surface.height !== height) Object.assign(this.surface, { width, height });
    const theme = takeTheme(this.root, this.palette);
    const context = this.surface.getContext("2d");
    const scale = width / this.extent[0];
    const across = (x) => width / 2 + x * scale;
    const down = (y) => height / 2 - y * scale;
    context.clearRect(0, 0, width, height);
    context.fillStyle = cssColor(theme.grid);
    for (let x = -6; x <= 6; x += 2) context.fillRect(Math.round(across(x)), 0, sharpness, height);
    for (let y = -4; y <= 4; y += 2) context.fillRect(0, Math.round(down(y)), width, sharpness);
    for (const { x, y, color } of this.sketch.points) {
      context.fillStyle = cssColor(theme.clusterColor(color), 0.85);
      context.beginPath();
      context.arc(across(x), down(y), 3.2 * sharpness, 0, 2 * Math.PI);
      context.fill();
    }
    if (this.cursor) this.drawCursor(context, theme, across(this.cursor.x), down(this.cursor.y), sharpness, scale);
    this.tools.show(this.sketch, theme.clusters.map((color) => cssColor(color)));
    this.report();
  }

  drawCursor(context, theme, x, y, sharpness, scale) {
    const { tool, color, radius } = this.tools;
    context.strokeStyle = cssColor(tool === "erase" ? theme.text : theme.clusterColor(color));
    context.lineWidth = 1.5 * sharpness;
    context.setLineDash(tool === "erase" ? [4 * sharpness, 3 * sharpness] : []);
    context.beginPath();
    context.arc(x, y, Math.max(radius * scale, 5 * sharpness), 0, 2 * Math.PI);
    context.stroke();
    context.setLineDash([]);
  }

  report() {
    const count = this.sketch.points.length;
    const hint = count === 0 ? `${say("canvas.draw_here")} ` : "";
    const limit = this.sketch.full ? ` ${say("canvas.full")}` : "";
    const text = `${hint}${sayCount("canvas.points", count)}${limit}`;
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  close() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.waiting);
    this.observer.disconnect();
  }
}
