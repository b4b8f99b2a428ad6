// Why a point is here: its price in every cluster, and in a new one.

import { element } from "../player/assets/layout.js";
import { formatFixed, formatNumber } from "../player/assets/format.js";
import { cssColor } from "../player/assets/theme.js";
import styles from "./prices.css";
import { say, sayCount } from "../words/say.js";

const WITHOUT_MODEL = { kmeans: "live.no_prices_of_kmeans", dpmeans: "live.no_prices_of_dpmeans" };
const MOST_BARS = 4;
const EDGE = 12; // nats at which bars end: what costs so much more has less than one in 100,000 of the share
const PARTS = ["place", "seat"];

export const hasModel = ({ algorithm }) => !(algorithm in WITHOUT_MODEL);

export class Prices {
  // `engines`: of the stage.
  constructor(node, engines) {
    Object.assign(this, { node, engines, theme: null, chosen: null, ticket: null });
  }

  clear() {
    Object.assign(this, { chosen: null, ticket: null });
    this.node.replaceChildren();
  }

  // Resolves to whether an answer is shown, which it is not if another question overtook this one.
  // `run`: { config, points, title }; `tracks` (N) and `labels` (N) of the sweep that is shown; `theme`: of the player.
  async ask(run, point, { sweep, tracks, labels }, theme) {
    const ticket = {};
    Object.assign(this, { chosen: point, theme, ticket });
    const { config, points } = run;
    const head = element("h2", { text: `${say("live.why", { point, cluster: tracks[point] + 1, sweep })} ${run.title.split(" · ").slice(0, 2).join(" · ")}` });
    if (!hasModel(config)) {
      this.node.replaceChildren(head, element("p", { text: say(WITHOUT_MODEL[config.algorithm]) }));
      return true;
    }
    const question = this.engines.prices.ask((engine) => engine.scores(config, points, labels, point));
    const told = await question.then((found) => found && [this.list(found, labels, tracks, tracks[point])],
      (error) => [element("p", { text: say("live.no_prices", { why: error.message }) })]);
    if (!told || this.ticket !== ticket) return false;
    this.node.replaceChildren(head, ...told);
    return true;
  }

  // What a cluster asks for the point's place and for its seat, each above the lowest, as the server's bars have it.
  list(found, labels, tracks, own) {
    const rows = ranked(found, new Map(Array.from(labels, (label, i) => [label, tracks[i]]))), left = rows.length - MOST_BARS;
    const looks = ["live.price_place", "live.price_seat"].map((key, part) => element("div", {}, element("i", { class: PARTS[part] }), say(key)));
    const more = left > 0 ? `${sayCount("live.cost_more", left)} ` : "";
    return element("div", { class: "contest" }, element("style", { text: styles }), ...rows.slice(0, MOST_BARS).flatMap((row) => this.row(row, own)),
      element("div", { class: "looks" }, ...looks), element("p", { class: "small", title: say("live.about_prices"), text: `${more}${say("live.shorter_wins")}` }));
  }

  row({ track, parts, share }, own) {
    const { theme } = this, total = parts[0] + parts[1], room = [Math.min(parts[0], EDGE), 0];
    room[1] = Math.min(parts[1], EDGE - room[0]);
    const name = track < 0 ? say("live.new_cluster") : say(track === own ? "live.cluster_here" : "live.cluster", { cluster: track + 1 });
    const bars = room.flatMap((length, part) => (length > 0 ? [bar(PARTS[part], length)] : []));
    const line = element("div", { class: "bars" }, ...bars, element("span", { text: `${total > EDGE ? "// " : ""}${formatFixed(total, total < 100 ? 2 : 0)}` }));
    line.style.color = cssColor(track < 0 ? theme.muted : theme.clusterColor(track));
    return [element("div", { class: "candidate" }, element("span", { text: name }), element("b", { text: percentage(share) })), line];
  }
}

// Who may have a point, as [place, seat] in nats: cluster k, whose track is `trackOf(k)`, or a new one, whose track is −1.
export function candidates({ log_predictive: places, log_weight: seats }, trackOf) {
  return Array.from(places, (place, k) => ({ track: trackOf(k) ?? -1, parts: [-place, -seats[k]] })).filter(({ parts }) => parts.every(Number.isFinite));
}

// The same, the cheapest first: { track, parts, share }, each part above the lowest.
export function ranked(found, tracks) {
  const all = candidates(found, (k) => tracks.get(k));
  for (const part of [0, 1]) {
    const lowest = Math.min(...all.map(({ parts }) => parts[part]));
    for (const { parts } of all) parts[part] -= lowest;
  }
  all.sort((a, b) => sum(a) - sum(b));
  const powers = all.map((row) => Math.exp(sum(all[0]) - sum(row))), total = powers.reduce((before, power) => before + power, 0);
  return all.map((row, k) => ({ ...row, share: powers[k] / total }));
}

function bar(part, nats) {
  const node = element("i", { class: part });
  node.style.width = `calc((100% - 4.5em) * ${(nats / EDGE).toFixed(4)})`;
  return node;
}

export const sum = ({ parts: [place, seat] }) => place + seat;

function percentage(share) {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  if (share >= 0.9995 && share < 1) return "> 99.9 %";
  return `${formatNumber(100 * share, 3)} %`;
}
