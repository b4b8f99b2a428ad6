// K-means by hand: each point belongs to the nearest centre, so that borders are halfway.

import { formatFixed } from "../../player/assets/format.js";
import { svg } from "../../player/assets/layout.js";
import { say } from "../../words/say.js";
import { dice } from "./dice.js";
import { Figure } from "./figure.js";
import { Handle } from "../../stage/handle.js";
import { boxOf, matched, Plate } from "../../stage/plate.js";

const PAUSE = 260; // milliseconds that a step of settling is seen
const STEP = 0.5;

const squared = ([a, b], [c, d]) => (a - c) ** 2 + (b - d) ** 2;

// The centre that is nearest to each point, and what all squared distances add up to.
export function nearest(rows, centres) {
  let cost = 0;
  const labels = rows.map((row) => {
    const far = centres.map((centre) => squared(row, centre)), least = Math.min(...far);
    cost += least;
    return far.indexOf(least);
  });
  return { labels, cost };
}

// The middle of each cluster's points; a cluster without any keeps its centre.
export function middles(rows, labels, centres) {
  return centres.map((centre, k) => {
    const own = rows.filter((_, i) => labels[i] === k);
    return own.length === 0 ? centre : [0, 1].map((d) => own.reduce((sum, row) => sum + row[d], 0) / own.length);
  });
}

// The corners of the part of a box that is nearer to a centre than to any other.
export function cellOf(k, centres, [left, right, low, high]) {
  let corners = [[left, low], [right, low], [right, high], [left, high]];
  centres.forEach((other, j) => {
    if (j === k) return;
    const beyond = (place) => squared(place, centres[k]) - squared(place, other); // a plane: linear in the place
    corners = corners.flatMap((place, i) => {
      const next = corners[(i + 1) % corners.length], [here, there] = [beyond(place), beyond(next)];
      const kept = here <= 0 ? [place] : [];
      if ((here <= 0) === (there <= 0)) return kept;
      const share = here / (here - there);
      return [...kept, [0, 1].map((d) => place[d] + share * (next[d] - place[d]))];
    });
  });
  return corners;
}

export class Borders extends Figure {
  begin() {
    const { rows, centres } = this.facts.three;
    this.centres = structuredClone(centres);
    this.plate = new Plate(this.stage, boxOf(rows), say("story.borders_label"));
    this.handles = centres.map((at, k) => {
      const color = say(`story.color_${k}`);
      return new Handle(this.plate, { label: say("story.centre", { color }), at, color: k, step: STEP, moved: (...place) => this.moved(k, place) });
    });
    this.settle = this.button(say("story.settle"), () => this.run());
    this.elsewhere = this.button(say("story.elsewhere"), () => this.anywhere());
    this.show();
  }

  moved(k, place) {
    clearTimeout(this.waiting);
    this.centres[k] = place;
    this.show();
  }

  show() {
    const { plate, centres } = this, { rows, groups } = this.facts.three;
    const { labels, cost } = nearest(rows, centres), { colors, wrong } = matched(labels, groups);
    plate.under.replaceChildren(...centres.map((_, k) => svg("path", { class: `cell k${k}`, d: plate.path(cellOf(k, centres, plate.box), true) })));
    plate.dots(rows, (i) => labels[i], (i) => colors[labels[i]] !== groups[i]);
    this.tell({ wrong, cost: formatFixed(cost, 0) });
    return labels;
  }

  // From three of the points, and on from there.
  anywhere() {
    const { rows } = this.facts.three;
    this.random ??= dice(1);
    this.centres.forEach((_, k) => this.place(k, rows[Math.floor(this.random() * rows.length)]));
    this.run();
  }

  place(k, at) {
    this.centres[k] = at;
    this.handles[k].put(...at);
  }

  // To the middle of their points, again and again until nothing changes.
  run() {
    clearTimeout(this.waiting);
    const { rows } = this.facts.three, calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const before = nearest(rows, this.centres).labels;
    middles(rows, before, this.centres).forEach((middle, k) => this.place(k, middle));
    const after = this.show();
    if (after.every((label, i) => label === before[i])) return;
    if (calm) this.run();
    else this.waiting = setTimeout(() => this.run(), PAUSE);
  }
}
