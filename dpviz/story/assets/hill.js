// One cluster's hill: how high it is where a point lies, and how surprising the point is.

import { formatFixed } from "../../player/assets/format.js";
import { element, svg } from "../../player/assets/layout.js";
import { say } from "../../words/say.js";
import { Figure } from "./figure.js";
import { Handle } from "../../stage/handle.js";
import { Plate, two } from "../../stage/plate.js";

const ENDS = [-8, 8], WIDTHS = [0.8, 4], TOP = 0.52, MOST = 12; // surprises beyond fill the bar

// The density of a normal distribution around 0.
export const density = (x, width) => Math.exp(-0.5 * (x / width) ** 2) / (width * Math.sqrt(2 * Math.PI));
export const surprise = (x, width) => -Math.log(density(x, width) / density(0, width));

// The hill of this width around 0, from one end of a plate to the other.
export function hillPath(plate, width) {
  const [left, right] = plate.box, curve = Array.from({ length: 161 }, (_, i) => left + (i * (right - left)) / 160).map((at) => [at, density(at, width)]);
  return svg("path", { class: "hill", d: plate.path([[left, 0], ...curve, [right, 0]], true) });
}

export class Hill extends Figure {
  begin() {
    this.plate = new Plate(this.stage, [...ENDS, -0.05, TOP], say("story.hill_label"), 0.42);
    const { plate } = this, ends = (low, high) => [low, high, 0, TOP];
    this.width = new Handle(plate, { label: say("story.hill_width"), at: [1.2, 0], color: 5, level: true, step: 0.1, ends: ends(...WIDTHS), moved: () => this.show() });
    this.point = new Handle(plate, { label: say("story.hill_point"), at: [3.6, 0], color: 4, level: true, step: 0.1, ends: ends(...ENDS), moved: () => this.show() });
    this.bar = element("div", { class: "bar" }, element("span", { class: "place" }));
    this.sum = element("output");
    const named = element("div", { class: "price" }, element("span", { class: "name", text: say("story.surprise") }), this.bar, this.sum);
    this.stage.append(element("div", { class: "prices" }, named));
    this.show();
  }

  show() {
    const { plate } = this, [x] = this.point.at, [width] = this.width.at, here = density(x, width), top = density(0, width);
    this.width.put(width, density(width, width));
    plate.under.replaceChildren(
      hillPath(plate, width),
      svg("path", { class: "level", d: plate.path(ENDS.map((end) => [end, top])) }),
      svg("path", { class: "level", d: plate.path([[x, here], [x, top]]) }),
      svg("path", { class: "height", d: plate.path([[x, 0], [x, here]]) }),
    );
    const value = surprise(x, width);
    this.bar.firstChild.style.width = `${Math.min(100, (100 * value) / MOST)}%`;
    this.sum.textContent = two(value);
    this.tell({ widths: two(Math.abs(x) / width), share: shareOf(here / top), surprise: two(value) });
  }
}

function shareOf(share) {
  const percent = 100 * share;
  return percent < 0.1 ? say("story.hardly") : `${formatFixed(percent, percent < 10 ? 1 : 0)} %`;
}
