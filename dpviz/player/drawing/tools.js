// The buttons and sliders around the canvas. All text is set as text.

export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

const TOOLS = [
  ["point", "Point", "One point per click (P)"],
  ["blob", "Blob", "Sprays a Gaussian cloud (B)"],
  ["disc", "Disc", "Sprays an evenly filled disc (D)"],
  ["erase", "Erase", "Removes points under the ring (E)"],
];

export class Tools {
  // `actions`: undo(), redo(), clear(), changed().
  constructor(names, actions) {
    this.tool = "point";
    this.color = 0;
    this.actions = actions;
    this.tools = TOOLS.map(([name, text, title]) => this.button(text, title, { "data-tool": name, "aria-pressed": "false" }, () => this.choose(name)));
    this.colors = names.map((name, number) => this.button("", `Brush colour ${name} (${number + 1})`, {
      class: "color", "data-color": number, "aria-label": `Brush colour ${name}`, "aria-pressed": "false",
    }, () => this.paint(number)));
    this.undo = this.button("Undo", "Undo (Ctrl+Z)", { "data-do": "undo" }, actions.undo);
    this.redo = this.button("Redo", "Redo (Ctrl+Y)", { "data-do": "redo" }, actions.redo);
    this.clear = this.button("Clear", "Remove every point", { "data-do": "clear" }, actions.clear);
    this.size = this.slider("Size", 0.2, 3, 0.1, 1);
    this.density = this.slider("Points per dab", 1, 60, 1, 15);
    this.node = make("div", { class: "tools" },
      make("div", { class: "row", role: "toolbar", "aria-label": "Brush" }, ...this.tools),
      make("div", { class: "row", role: "toolbar", "aria-label": "Brush colour" }, ...this.colors),
      make("div", { class: "row", role: "toolbar", "aria-label": "History" }, this.undo, this.redo, this.clear),
      make("div", { class: "row" }, this.size.parentNode, this.density.parentNode));
    this.choose("point");
    this.paint(0);
  }

  button(text, title, attributes, action) {
    const node = make("button", { type: "button", text, title, ...attributes });
    node.addEventListener("click", action);
    return node;
  }

  slider(text, min, max, step, value) {
    const input = make("input", { type: "range", min, max, step, value, "aria-label": text });
    input.addEventListener("input", () => this.actions.changed());
    make("label", {}, make("span", { text }), input);
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
