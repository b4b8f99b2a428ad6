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
  // `host`: has `settings` of now, and hears that the knob `turned(name)`.
  constructor(knob, host) {
    Object.assign(this, { knob, host });
    const name = `knob-${knob.name}`;
    this.range = element("input", { type: "range", id: name, min: 0, max: placesOf(knob), step: 1, "aria-describedby": `${name}-why` });
    this.output = element("output", { for: name });
    this.range.addEventListener("input", () => {
      host.settings.knobs[knob.name] = valueAt(knob, Number(this.range.value), this.ends);
      this.show();
      host.turned(knob.name);
    });
    this.node = element("div", { class: "knob" }, element("label", { for: name, text: knob.words, title: knob.explanation }),
      this.output, this.range, element("p", { id: `${name}-why`, class: "small", text: knob.explanation }));
  }

  get ends() { return this.host.settings.endsOf(this.knob); }

  show() {
    const { knob, range } = this, value = this.host.settings.knobs[knob.name];
    range.value = String(Math.round(placeOf(knob, value, this.ends)));
    this.output.textContent = shortNumber(value);
    range.setAttribute("aria-valuetext", `${knob.words} ${shortNumber(value)}`);
  }
}
