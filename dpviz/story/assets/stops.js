// From drawing to K-means in three steps: four methods on the same points.

import { element } from "../../player/assets/layout.js";
import { say, sayCount } from "../../words/say.js";
import { Figure } from "./figure.js";
import { boxOf, matched, table, thumb } from "../../stage/plate.js";

export class Stops extends Figure {
  begin() {
    const { rows } = this.facts.three;
    this.points = table(rows);
    this.seed = 0;
    const grid = this.stage.appendChild(element("div", { class: "thumbs stops" }));
    this.stops = this.facts.stops.map(({ name, config }) => ({ name, config, ...thumb(grid, boxOf(rows), name) }));
    this.button(say("story.run_again"), () => { this.seed += 1; this.show(); });
    this.show();
  }

  async show() {
    const { rows, groups } = this.facts.three;
    for (const { name, config, caption, plate } of this.stops) {
      const found = await this.ask("stops", (engine) => engine.last({ ...config, seed: this.seed }, this.points));
      if (!found) return;
      const { colors } = matched(found.labels, groups);
      plate.dots(rows, (i) => colors[found.labels[i]]);
      caption.textContent = `${name}: ${sayCount("story.clusters", found.n_clusters)}`;
    }
  }
}
