// Two groups whose distance is dragged: the best partition beside draws of it and the law of the number of clusters.

import { element, svg } from "../../player/assets/layout.js";
import { say, sayCount } from "../../words/say.js";
import { Figure } from "./figure.js";
import { matched, Plate, table, thumb } from "../../stage/plate.js";

const SHOWN = 4, MOST = 5, BOX = [-6.5, 6.5, -3.6, 3.6], CHART = [0.4, MOST + 0.6, -0.4, 1.2];

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

// A few sweeps of a chain after the first ones, as far apart as they can be.
export function someOf({ labels, n_clusters: counts }, burnIn, many) {
  const last = counts.length - 1, nPoints = labels.length / counts.length;
  const sweeps = Array.from({ length: many }, (_, k) => Math.round(burnIn + ((k + 1) * (last - burnIn)) / many));
  return sweeps.map((sweep) => ({ count: counts[sweep], labels: labels.subarray(sweep * nPoints, (sweep + 1) * nPoints) }));
}

export class Overlap extends Figure {
  begin() {
    this.plate = new Plate(this.stage, BOX, say("story.clusters_label"));
    const grid = this.stage.appendChild(element("div", { class: "thumbs drawn" }));
    this.drawn = Array.from({ length: SHOWN }, (_, k) => thumb(grid, BOX, say("story.drawn", { number: k + 1 })));
    this.chart = new Plate(this.stage, CHART, say("story.law_label"), 0.34);
    this.chart.node.classList.add("chart");
    this.drag(this.facts.gap, () => this.show());
    this.show();
  }

  async show() {
    const { pair, best, chain } = this.facts, rows = apart(pair.rows, pair.groups, this.values.gap), points = table(rows);
    const drawing = this.ask("chain", (engine) => engine.run(chain, points));
    const found = await this.ask("best", (engine) => engine.last(best, points));
    if (!found) return;
    const { colors } = matched(found.labels, pair.groups);
    this.plate.dots(rows, (i) => colors[found.labels[i]]);
    this.tell({ best: sayCount("story.clusters", found.n_clusters) });
    const drawn = await drawing;
    if (!drawn) return;
    const law = lawOf(drawn.sweeps.n_clusters, chain.burn_in, MOST), total = chain.n_sweeps - chain.burn_in;
    this.bars(law, found.n_clusters);
    someOf(drawn.sweeps, chain.burn_in, SHOWN).forEach((one, k) => this.showDraw(this.drawn[k], one, rows));
    this.tell({ drawn: total, one: law[0], two: law[1], more: total - law[0] - law[1] });
  }

  showDraw({ plate, caption }, { labels, count }, rows) {
    const { colors } = matched(labels, this.facts.pair.groups);
    plate.dots(rows, (i) => colors[labels[i]]);
    caption.textContent = sayCount("story.clusters", count);
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
