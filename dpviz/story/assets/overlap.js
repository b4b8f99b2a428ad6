// Two groups whose distance is dragged: the best partition beside the law of the number of clusters.

import { svg } from "../../player/assets/layout.js";
import { say, sayCount } from "../../words/say.js";
import { Figure } from "./figure.js";
import { matched, Plate, table } from "../../stage/plate.js";

const MOST = 5, BOX = [-6.5, 6.5, -4, 4], CHART = [0.4, MOST + 0.6, -0.4, 1.2];

// Both groups at this distance from each other, each as it was drawn around its own middle.
export function apart(rows, groups, gap) {
  return rows.map(([x, y], i) => [x + gap * (groups[i] - 0.5), y]);
}

// How many sweeps of a chain after the first ones had 1, 2, … clusters; the last number is of `most` and more.
export function lawOf(counts, burnIn, most) {
  const law = new Array(most).fill(0);
  for (const count of counts.subarray(burnIn + 1)) law[Math.min(most, count) - 1] += 1;
  return law;
}

export class Overlap extends Figure {
  begin() {
    this.plate = new Plate(this.stage, BOX, say("story.clusters_label"));
    this.chart = new Plate(this.stage, CHART, say("story.law_label"), 0.42);
    this.chart.node.classList.add("chart");
    this.drag(this.facts.gap, () => this.show());
    this.show();
  }

  async show() {
    const { pair, best, chain } = this.facts, rows = apart(pair.rows, pair.groups, this.values.gap), points = table(rows);
    const drawing = this.ask("chain", (engine) => engine.last(chain, points));
    const found = await this.ask("best", (engine) => engine.last(best, points));
    if (!found) return;
    const { colors } = matched(found.labels, pair.groups);
    this.plate.dots(rows, (i) => colors[found.labels[i]]);
    this.tell({ best: sayCount("story.clusters", found.n_clusters) });
    const drawn = await drawing;
    if (!drawn) return;
    const law = lawOf(drawn.sweeps.n_clusters, chain.burn_in, MOST);
    this.bars(law, found.n_clusters);
    this.tell({ drawn: chain.n_sweeps - chain.burn_in, as_best: law[Math.min(MOST, found.n_clusters) - 1], two: law[1] });
  }

  bars(law, best) {
    const drawn = law.reduce((sum, count) => sum + count, 0), said = law.map((count, k) => `${k + 1}: ${count}`);
    this.chart.under.replaceChildren(...law.flatMap((count, k) => this.bar(k + 1, count, count / drawn, best)));
    this.chart.node.setAttribute("aria-label", `${say("story.law_label")}: ${said.join(", ")}`);
  }

  // How many of the drawn groupings have so many groups, and whether the best one has.
  bar(groups, count, share, best) {
    const { chart } = this, left = chart.x(groups - 0.3), right = chart.x(groups + 0.3), top = chart.y(share);
    const word = (y, text) => svg("text", { x: chart.x(groups), y: chart.y(y), "text-anchor": "middle" }, text);
    const name = groups === MOST ? say("story.or_more", { most: MOST }) : String(groups), isBest = groups === Math.min(MOST, best);
    return [
      svg("rect", { class: isBest ? "best" : "share", x: left, y: top, width: right - left, height: chart.y(0) - top }),
      word(share + 0.04, String(count)), word(-0.14, name), ...(isBest ? [word(-0.34, say("story.best"))] : []),
    ];
  }
}
