// Sliders that speak while they move.

import { shortNumber } from "../player/assets/format.js";
import { element } from "../player/assets/layout.js";

// Positions of a knob, 0 … placesOf(knob), between the ends of its values.
export const placesOf = (knob) => (knob.step > 0 ? Math.round((knob.high - knob.low) / knob.step) : knob.positions);

export function placeOf(knob, value, [low, high]) {
  return knob.step > 0 ? (value - low) / knob.step : (knob.positions * Math.log(value / low)) / Math.log(high / low);
}

export function valueAt(knob, place, [low, high]) {
  if (knob.step > 0) return Number((low + place * knob.step).toFixed(6));
  return Number((low * (high / low) ** (place / knob.positions)).toPrecision(3));
}

// A configuration with the values of knobs in their places.
export function configured(config, knobs, values) {
  const whole = structuredClone(config);
  for (const { name, path: [first, second] } of knobs) {
    if (second) whole[first] = { ...whole[first], [second]: values[name] };
    else whole[first] = values[name];
  }
  return whole;
}

export class Slider {
  constructor(knob, settings, changed) {
    Object.assign(this, { knob, settings });
    const name = `knob-${knob.name}`;
    this.range = element("input", { type: "range", id: name, min: 0, max: placesOf(knob), step: 1, "aria-describedby": `${name}-why` });
    this.output = element("output", { for: name });
    this.range.addEventListener("input", () => {
      settings().knobs[knob.name] = this.value();
      this.show();
      changed();
    });
    this.node = element("div", { class: "knob" }, element("label", { for: name, text: knob.words, title: knob.explanation }),
      this.output, this.range, element("p", { id: `${name}-why`, class: "small", text: knob.explanation }));
  }

  value() {
    return valueAt(this.knob, Number(this.range.value), this.settings().endsOf(this.knob));
  }

  show() {
    const { knob, range } = this;
    const value = this.settings().knobs[knob.name];
    range.value = String(Math.round(placeOf(knob, value, this.settings().endsOf(knob))));
    this.output.textContent = shortNumber(value);
    range.setAttribute("aria-valuetext", `${knob.words} ${shortNumber(value)}`);
  }
}

export class Knobs {
  // `settings()`: those of now; `changed()`: a slider moved.
  constructor(facts, settings, changed) {
    this.settings = settings;
    this.sliders = facts.knobs.map((knob) => new Slider(knob, settings, changed));
    this.node = element("div", { class: "knobs" }, ...this.sliders.map((slider) => slider.node));
  }

  show() {
    const offered = new Set(this.settings().offered().map((knob) => knob.name));
    for (const slider of this.sliders) {
      slider.node.hidden = !offered.has(slider.knob.name);
      if (!slider.node.hidden) slider.show();
    }
  }
}
