// A stick that is broken again and again: the shares of infinitely many clusters, and where their centres are.

import { formatFixed } from "../../player/assets/format.js";
import { element, svg } from "../../player/assets/layout.js";
import { say, sayCount } from "../../words/say.js";
import { dice } from "./dice.js";
import { hillPath } from "./hill.js";
import { Figure } from "./figure.js";
import { COLORS, Plate } from "../../stage/plate.js";

const ENDS = [-3.5, 3.5], REST = 1e-4, MOST = 0.95; // of the stick: the rest that is not broken any more, and what is counted

// Shares of a stick of which each time a piece is broken off: Beta(1, N0) of what is left, as 1 − u^(1/N0).
export function broken(concentration, random) {
  const pieces = [];
  for (let left = 1; left > REST;) {
    const rest = left * random() ** (1 / concentration);
    pieces.push(left - rest);
    left = rest;
  }
  return pieces;
}

export class Sticks extends Figure {
  begin() {
    this.seed = 1;
    this.stick = this.stage.appendChild(element("div", { class: "stick", role: "img", "aria-label": say("story.stick_label") }));
    this.plate = new Plate(this.stage, [...ENDS, 0, 1], say("story.measure_label"), 0.3);
    this.drag(this.facts.stick, () => this.show());
    this.button(say("story.break_again"), () => { this.seed += 1; this.show(); });
    this.show();
  }

  show() {
    const random = dice(this.seed), places = dice(1000 + this.seed), pieces = broken(this.values.concentration, random), { plate } = this;
    this.stick.replaceChildren(...pieces.map((share, k) => {
      const piece = element("span", { class: `k${k % COLORS}` });
      piece.style.width = `${100 * share}%`;
      return piece;
    }));
    const normal = () => Math.sqrt(-2 * Math.log(1 - places())) * Math.cos(2 * Math.PI * places());
    plate.under.replaceChildren(hillPath(plate, 1),
      ...pieces.map((share, k) => [normal(), share, k]).map(([x, share, k]) => svg("path", { class: `spike k${k % COLORS}`, d: plate.path([[x, 0], [x, share]]) })));
    const sorted = [...pieces].sort((a, b) => b - a);
    let held = 0, count = 0;
    while (held < MOST && count < sorted.length) { held += sorted[count]; count += 1; }
    this.tell({ longest: `${formatFixed(100 * sorted[0], 0)} %`, pieces: sayCount("story.pieces", count) });
  }
}
