// Where the points come from: a scenario, a drawing, a table that is pasted.

import { element } from "../../player/assets/layout.js";
import { OWN_DATA } from "./settings.js";
import { tableOf } from "./table.js";
import { say } from "../../words/say.js";

const DRAWN_NAMES = ["x", "y"];
const LONG_TEXT = 200_000; // letters that a box still shows at once

export const option = (value, text) => element("option", { value, text });

export function select(label, options, chosen) {
  const node = element("select", {}, ...options.map(([value, text]) => option(value, text)));
  node.addEventListener("change", () => chosen(node.value));
  return { node, label: element("label", {}, element("span", { text: label }), node) };
}

export class PointsChooser {
  // `settings()`: those of now; `changed(what)`: after "data", or "axes" alone; `canvas(root, options)` makes a canvas.
  constructor(facts, settings, changed, canvas) {
    Object.assign(this, { facts, settings, changed, makeCanvas: canvas, kept: {} });
    const sets = facts.sets.map((set) => [set.name, set.title]);
    this.data = select(say("lab.data"), [...sets, ...OWN_DATA.map((name) => [name, say(`lab.data_${name}`)])], (name) => this.choose(name));
    this.draw = element("button", { type: "button", text: say("lab.another_draw") });
    this.draw.addEventListener("click", () => {
      const settings = this.settings();
      settings.draw = (settings.draw + 1) % settings.set().draws.length;
      settings.takePenalty();
      this.changed("data");
    });
    this.axes = ["across", "up"].map((axis, place) => select(say(`lab.axis_${axis}`), [], (value) => this.turn(place, Number(value))));
    this.axisRow = element("div", { class: "row" }, ...this.axes.map((axis) => axis.label));
    this.kinds = element("p", { class: "small" });
    this.drawing = element("div", { class: "drawing" });
    this.pasted = this.pasteBox();
    this.node = element("div", { class: "points" }, element("div", { class: "row" }, this.data.label, this.draw),
      this.axisRow, this.kinds, this.drawing, this.pasted);
  }

  pasteBox() {
    this.text = element("textarea", { rows: 6, spellcheck: "false", "aria-label": say("lab.rows_of_numbers"),
      placeholder: say("lab.paste_here") });
    this.text.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (text.length <= LONG_TEXT) return;
      event.preventDefault();
      this.read(text);
    });
    this.fault = element("p", { class: "fault", role: "alert", hidden: true });
    this.reading = element("p", { class: "small", role: "status", hidden: true });
    const read = element("button", { type: "button", text: say("lab.cluster_rows") });
    read.addEventListener("click", () => this.read(this.text.value));
    return element("div", { class: "paste" }, this.text, this.fault, this.reading, read, element("p", { class: "small",
      text: say("lab.about_pasting") }));
  }

  // What was drawn, pasted or edited stays while others are looked at.
  keep() {
    const { data, table } = this.settings();
    if (table) this.kept[data] = table;
  }

  choose(name) {
    const settings = this.settings();
    this.keep();
    Object.assign(settings, { data: name, draw: 0, axes: [0, 1], from: null, table: this.kept[name] ?? null });
    settings.fitMethods();
    settings.takePenalty();
    this.changed("data");
  }

  read(text) {
    try {
      const { said, ...table } = tableOf(text, this.facts);
      this.take("table", table);
      this.say("", said);
    } catch (error) {
      this.say(`${error.message} ${say("lab.still_there")}`);
    }
  }

  // What is wrong with a text, or how it was read.
  say(fault, reading = "") {
    for (const [node, sentence] of [[this.fault, fault], [this.reading, reading]]) {
      node.textContent = sentence;
      node.hidden = sentence === "";
    }
  }

  take(data, table) {
    this.keep();
    Object.assign(this.settings(), { data, table, axes: [0, 1], from: null });
    this.settings().takePenalty();
    this.changed("data");
  }

  turn(place, axis) {
    const { axes } = this.settings();
    const other = axes[1 - place] === axis ? axes[place] : axes[1 - place];
    this.settings().axes = place === 0 ? [axis, other] : [other, axis];
    this.changed("axes");
  }

  // The canvas speaks with every dab.
  drawn({ x, y, color }) {
    const groups = new Set(color).size > 1 ? color : null;
    const table = { rows: x.map((value, i) => [value, y[i]]), names: DRAWN_NAMES, groups };
    const penalty = this.settings().table?.rows.length > 0;
    Object.assign(this.settings(), { data: "drawn", table, from: null });
    if (!penalty) this.settings().takePenalty();
    this.changed("drawn");
  }

  show() {
    const settings = this.settings();
    const set = settings.set();
    this.data.node.value = settings.data;
    this.draw.hidden = !(set?.draws.length > 1);
    this.kinds.hidden = !set?.own;
    this.kinds.textContent = set?.own?.said ?? "";
    this.pasted.hidden = settings.data !== "table";
    this.drawing.hidden = settings.data !== "drawn";
    if (settings.data === "drawn") this.showCanvas();
    const names = settings.points()?.names ?? [];
    this.axisRow.hidden = names.length <= 2;
    this.axes.forEach((axis, place) => {
      axis.node.replaceChildren(...names.map((name, d) => option(d, name)));
      axis.node.value = String(settings.axes[place]);
    });
  }

  showCanvas() {
    const { table } = this.settings();
    if (this.canvas && this.canvasTable === undefined) return;
    this.canvasTable = undefined;
    this.canvas?.close();
    const rows = table?.rows ?? [];
    const points = { x: rows.map(([x]) => x), y: rows.map(([, y]) => y), color: table?.groups ?? rows.map(() => 0) };
    const root = element("div", { class: "dpviz-draw" });
    this.drawing.replaceChildren(root);
    const { names } = this.facts.canvas;
    const colors = (dark) => this.facts.colors[dark].slice(0, names.length);
    this.canvas = this.makeCanvas(root, { ...this.facts.canvas, points, palette: { light: colors("light"), dark: colors("dark") } });
    this.canvas.channel = { setStateValue: (_, drawn) => this.drawn(drawn) };
    this.canvas.paint();
  }

  // Settings came from elsewhere: the canvas begins anew with them.
  forget() {
    this.canvasTable = null;
    this.say("");
  }
}
