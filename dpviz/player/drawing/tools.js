// The buttons and sliders around the canvas. All text is set as text.

import { element } from "../assets/nodes.js";
import { say } from "../../words/say.js";

const TOOL_BUTTONS = [
  ["point", say("canvas.point"), say("canvas.about_point")],
  ["blob", say("canvas.blob"), say("canvas.about_blob")],
  ["disc", say("canvas.disc"), say("canvas.about_disc")],
  ["erase", say("canvas.erase"), say("canvas.about_erase")],
];

export class Tools {
  // `actions`: undo(), redo(), clear(), changed().
  constructor(names, actions) {
    this.tool = "point";
    this.color = 0;
    this.actions = actions;
    this.tools = TOOL_BUTTONS.map(([name, text, title]) => this.button(text, title, { "data-tool": name, "aria-pressed": "false" }, () => this.choose(name)));
    this.colors = names.map((name, number) => {
      const label = say("canvas.brush_colour", { colour: say(`canvas.colour_${name}`) });
      const attributes = { class: "color", "data-color": number, "aria-label": label, "aria-pressed": "false" };
      return this.button("", `${label} (${number + 1})`, attributes, () => this.paint(number));
    });
    this.undo = this.button(say("canvas.undo"), say("canvas.about_undo"), { "data-do": "undo" }, actions.undo);
    this.redo = this.button(say("canvas.redo"), say("canvas.about_redo"), { "data-do": "redo" }, actions.redo);
    this.clear = this.button(say("canvas.clear"), say("canvas.about_clear"), { "data-do": "clear" }, actions.clear);
    this.size = this.slider(say("canvas.size"), 0.2, 3, 0.1, 1);
    this.density = this.slider(say("canvas.density"), 1, 60, 1, 15);
    this.node = element("div", { class: "tools" },
      element("div", { class: "row", role: "toolbar", "aria-label": say("canvas.brush") }, ...this.tools),
      element("div", { class: "row", role: "toolbar", "aria-label": say("canvas.brush_colours") }, ...this.colors),
      element("div", { class: "row", role: "toolbar", "aria-label": say("canvas.history") }, this.undo, this.redo, this.clear),
      element("div", { class: "row" }, this.size.parentNode, this.density.parentNode));
    this.choose("point");
    this.paint(0);
  }

  button(text, title, attributes, action) {
    const node = element("button", { type: "button", text, title, ...attributes });
    node.addEventListener("click", action);
    return node;
  }

  slider(text, min, max, step, value) {
    const input = element("input", { type: "range", min, max, step, value, "aria-label": text });
    input.addEventListener("input", () => this.actions.changed());
    element("label", {}, element("span", { text }), input);
    return input;
  }

  choose(tool) {
    this.tool = tool;
    for (const node of this.tools) node.setAttribute("aria-pressed", String(node.dataset.tool === tool));
    this.size.disabled = tool === "point";
    this.density.disabled = tool === "point" || tool === "erase";
    this.actions.changed();
  }

  paint(color) {
    this.color = color;
    for (const node of this.colors) node.setAttribute("aria-pressed", String(Number(node.dataset.color) === color));
    this.actions.changed();
  }

  resize(change) {
    this.size.value = String(Number(this.size.value) + change);
    this.actions.changed();
  }

  get radius() {
    return this.tool === "point" ? 0.15 : Number(this.size.value);
  }

  show(sketch, palette) {
    this.undo.disabled = sketch.past.length === 0;
    this.redo.disabled = sketch.future.length === 0;
    this.clear.disabled = sketch.points.length === 0;
    this.colors.forEach((node, number) => node.style.setProperty("--brush", palette[number]));
  }
}
