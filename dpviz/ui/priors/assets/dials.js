// Sliders above the restaurants: each position has its panels ready, and the page hears where a slider rests.

import { element } from "../../../player/assets/layout.js";

const AT_REST = 350; // milliseconds without a change, before the page is told

export class Dials {
  // `shown(panels)`: a position's, null where a panel stays; `rested({ name, place })`.
  constructor(shown, rested) {
    Object.assign(this, { shown, rested, films: {}, names: "", sliders: new Map(), moving: false, touched: null });
    this.node = element("section", { class: "dials", "aria-label": "Knobs" });
    this.node.addEventListener("keydown", (event) => event.stopPropagation()); // arrows move a slider, not the playhead
  }

  show(dials) {
    const names = JSON.stringify(dials.map(({ name }) => name));
    if (names !== this.names) {
      this.names = names;
      this.sliders = new Map(dials.map((dial) => [dial.name, this.slider(dial)]));
      this.node.replaceChildren(...[...this.sliders.values()].map(({ node }) => node));
    }
    for (const dial of dials) this.sliders.get(dial.name).set(dial);
  }

  slider({ name, words, explanation }) {
    const id = `dial-${name}`;
    const range = element("input", { type: "range", id, min: 0, step: 1, title: explanation });
    const output = element("output", { for: id });
    const node = element("div", { class: "dial" }, element("label", { for: id, text: words, title: explanation }), output, range);
    let values = [];
    const say = () => {
      output.textContent = String(values[range.value]);
      range.setAttribute("aria-valuetext", `${words} ${values[range.value]}`);
    };
    range.addEventListener("input", () => {
      say();
      this.moving = true;
      clearTimeout(this.resting);
      const panels = this.films[name]?.[range.value];
      if (panels) this.shown(panels);
    });
    range.addEventListener("change", () => {
      clearTimeout(this.resting);
      this.resting = setTimeout(() => {
        this.moving = false;
        this.rested({ name, place: Number(range.value) });
      }, AT_REST);
    });
    const set = (dial) => {
      values = dial.values;
      range.max = values.length - 1;
      range.value = dial.place;
      say();
    };
    return { node, set };
  }
}
