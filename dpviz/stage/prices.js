// Why a point is here: its price in every cluster, and in a new one.

import { element } from "../player/assets/layout.js";
import { formatNumber } from "../player/assets/format.js";
import { cssColor } from "../player/assets/theme.js";
import { say } from "../words/say.js";

const WITHOUT_MODEL = { kmeans: "live.no_prices_of_kmeans", dpmeans: "live.no_prices_of_dpmeans" };
const MOST_PRICES = 12;

export const hasModel = ({ algorithm }) => !(algorithm in WITHOUT_MODEL);

export class Prices {
  // `engines`: of the stage.
  constructor(node, engines) {
    Object.assign(this, { node, engines, theme: null, chosen: null });
  }

  clear() {
    this.chosen = null;
    this.node.replaceChildren();
  }

  // Resolves to whether an answer is shown, which it is not if another question overtook this one.
  // `run`: { config, points, title }; `tracks` (N) and `labels` (N) of the sweep that is shown; `theme`: of the player.
  async ask(run, point, { sweep, tracks, labels }, theme) {
    Object.assign(this, { chosen: point, theme });
    const { config, points } = run;
    const head = element("h2", { text: `${say("live.why", { point, cluster: tracks[point] + 1, sweep })} ${run.title.split(" · ").slice(0, 2).join(" · ")}` });
    if (!hasModel(config)) {
      this.node.replaceChildren(head, element("p", { text: say(WITHOUT_MODEL[config.algorithm]) }));
      return true;
    }
    const question = this.engines.prices.ask((engine) => engine.scores(config, points, labels, point));
    const told = await question.then((found) => found && [this.list(found, labels, tracks), element("p", { class: "small", text: say("live.about_prices") })],
      (error) => [element("p", { text: say("live.no_prices", { why: error.message }) })]);
    if (!told || this.chosen !== point) return false;
    this.node.replaceChildren(head, ...told);
    return true;
  }

  list(found, labels, tracks) {
    const place = new Map(Array.from(labels, (label, i) => [label, tracks[i]]));
    const rows = Array.from(found.log_predictive, (value, k) => ({ track: place.get(k) ?? -1, price: -value - found.log_weight[k] }));
    const lowest = Math.min(...rows.map((row) => row.price));
    const powers = rows.map((row) => Math.exp(lowest - row.price));
    const total = powers.reduce((sum, power) => sum + power, 0);
    rows.forEach((row, k) => (row.share = powers[k] / total));
    rows.sort((a, b) => a.price - b.price);
    const shown = rows.filter((row, k) => k < MOST_PRICES || row.track < 0);
    return element("table", {}, element("thead", {}, element("tr", {}, ...["cluster", "price", "share"].map((name) => element("th", { scope: "col", text: say(`live.column_${name}`) })))),
      element("tbody", {}, ...shown.map((row) => this.row(row))));
  }

  row({ track, price, share }) {
    const { theme } = this;
    const swatch = element("span", { class: "dot", "aria-hidden": "true" });
    const bar = element("span", { class: "bar", "aria-hidden": "true" });
    const color = cssColor(track < 0 ? theme.muted : theme.clusterColor(track));
    swatch.style.background = color;
    bar.style.background = color;
    bar.style.width = `${(100 * share).toFixed(1)}%`;
    const name = track < 0 ? say("live.new_cluster") : say("live.cluster", { cluster: track + 1 });
    return element("tr", {}, element("th", { scope: "row" }, swatch, name), element("td", { text: formatNumber(price, 5) }),
      element("td", { class: "share" }, bar, element("span", { text: percentage(share) })));
  }
}

function percentage(share) {
  if (share > 0 && share < 0.001) return "< 0.1 %";
  return `${formatNumber(100 * share, 3)} %`;
}
