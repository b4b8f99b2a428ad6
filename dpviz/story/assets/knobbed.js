// Clusters anew while a number of the sentence is dragged.

import { svg } from "../../player/assets/layout.js";
import { sayCount, say } from "../../words/say.js";
import { configured } from "../../stage/knobs.js";
import { Figure } from "./figure.js";
import { boxOf, COLORS, matched, Plate, table } from "../../stage/plate.js";

const CORNERS = 96, MOST_RINGS = 40;

// The places of an ellipse: those at `radius` standard deviations of a scale matrix from a centre.
export function ringOf([x, y], [xx, xy, yy], radius) {
  const across = Math.sqrt(xx), slant = xy / across, up = Math.sqrt(Math.max(0, yy - slant * slant));
  return Array.from({ length: CORNERS }, (_, i) => {
    const angle = (2 * Math.PI * i) / CORNERS, [c, s] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    return [x + across * c, y + slant * c + up * s];
  });
}

export class Knobbed extends Figure {
  // `knob`: the name of the number that is dragged.
  constructor(name, story, knob) {
    super(name, story);
    this.turn = this.facts.knobs.find((one) => one.name === knob);
  }

  begin() {
    this.points = table(this.facts.three.rows);
    this.plate = new Plate(this.stage, boxOf(this.facts.three.rows), say("story.clusters_label"));
    this.plate.node.classList.add("cut"); // rings of single points are as wide as is expected of a cluster
    this.drag(this.turn, () => this.show());
    this.show();
  }

  async show() {
    const { rows, groups } = this.facts.three, config = configured(this.facts.mapdp, [this.turn], this.values);
    const found = await this.ask(this.turn.name, async (engine) => {
      const { labels, n_clusters: count } = await engine.last(config, this.points);
      return { labels, count, shapes: count > MOST_RINGS ? null : await engine.shapes(config, this.points, labels, null) };
    });
    if (!found) return;
    const { labels, count, shapes } = found, { colors, wrong } = matched(labels, groups);
    this.plate.under.replaceChildren(...(shapes ? this.rings(shapes, colors) : []));
    this.plate.dots(rows, (i) => colors[labels[i]], (i) => colors[labels[i]] !== groups[i]);
    this.tell({ clusters: sayCount("story.clusters", count), wrong });
  }

  rings({ labels, centers, scales, factors }, colors) {
    return Array.from(labels, (label, e) => {
      const ring = ringOf(centers.subarray(2 * e, 2 * e + 2), scales.subarray(3 * e, 3 * e + 3), factors[2 * e + 1]);
      return svg("path", { class: `ring k${colors[label] % COLORS}`, d: this.plate.path(ring, true) });
    });
  }
}
