// Twenty starts of one search, as thumbnails that fill in.

import { formatFixed } from "../../player/assets/format.js";
import { element } from "../../player/assets/layout.js";
import { say, sayCount } from "../../words/say.js";
import { Figure } from "./figure.js";
import { boxOf, matched, table, thumb } from "../../stage/plate.js";

const SAME = 1e-9; // relative difference up to which two costs are one

export class Starts extends Figure {
  begin() {
    const { rows } = this.facts.nine;
    this.points = table(rows);
    this.grid = this.stage.appendChild(element("div", { class: "thumbs" }));
    this.thumbs = Array.from({ length: this.facts.n_starts }, (_, number) => thumb(this.grid, boxOf(rows), say("story.start", { number: number + 1 })));
    for (const { node, plate, caption } of this.thumbs) {
      plate.dots(rows, () => 0);
      caption.textContent = "–";
      node.classList.add("empty");
    }
    this.first = 0;
    this.again = this.button(say("story.start_all"), () => this.run());
    const all = this.thumbs.length;
    this.tell({ lowest: "–", highest: "–", found: sayCount("story.of_starts", 0, { all }) });
  }

  async run() {
    const { rows, groups } = this.facts.nine, costs = [], round = (this.round = (this.round ?? 0) + 1);
    for (const [number, thumb] of this.thumbs.entries()) {
      const seed = this.first + number;
      const found = await this.ask("starts", (engine) => engine.last({ ...this.facts.starts, seed }, this.points));
      if (!found || round !== this.round) return;
      costs.push(found.sweeps.objective.at(-1));
      const { colors } = matched(found.labels, groups);
      thumb.plate.dots(rows, (i) => colors[found.labels[i]]);
      thumb.node.classList.remove("empty");
      thumb.caption.textContent = formatFixed(costs[number], 0);
      this.mark(costs);
    }
    this.first += this.thumbs.length;
    this.again.textContent = say("story.start_others");
  }

  mark(costs) {
    const lowest = Math.min(...costs), isLowest = costs.map((cost) => cost <= lowest * (1 + SAME));
    this.thumbs.forEach(({ node }, number) => node.classList.toggle("lowest", Boolean(isLowest[number])));
    const all = costs.length, found = isLowest.filter(Boolean).length;
    this.tell({ lowest: formatFixed(lowest, 0), highest: formatFixed(Math.max(...costs), 0), found: sayCount("story.of_starts", found, { all }) });
  }
}
