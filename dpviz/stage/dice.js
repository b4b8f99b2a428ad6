// Twenty seeds: how many clusters each finds, and how often that is the number of true groups.

import { element } from "../player/assets/layout.js";
import { say, sayCount } from "../words/say.js";

export class Dice {
  // `engines`: of the stage; `choose(seed)`: a seed was pressed.
  constructor(node, engines, choose) {
    Object.assign(this, { node, engines, choose, round: 0, rolling: false });
  }

  // The twenty seeds among which the present one is.
  seedsAround(seed, count) {
    const first = Math.min(Math.floor(seed / count) * count, 2 ** 32 - count);
    return Array.from({ length: count }, (_, k) => first + k);
  }

  // Throw for every panel: [{ title, given, points, nGroups, configuration(seed) }]; `given`: the number of clusters is not
  // found; `nGroups`: of the data, or null.
  async roll(panels, seed, count) {
    this.round += 1;
    this.rolling = true;
    const round = this.round;
    const seeds = this.seedsAround(seed, count);
    const rows = panels.map((panel) => this.strip(panel, seeds, seed));
    this.node.classList.remove("old");
    this.node.replaceChildren(element("h2", { text: sayCount("live.n_seeds", count) }), ...rows.map((row) => row.node));
    for (const row of rows) {
      const { points, nGroups, given, configuration } = row.panel;
      for (const [k, one] of seeds.entries()) {
        const found = await this.engines.aside.last(configuration(one), points).catch((error) => error);
        if (round !== this.round) return;
        if (found instanceof Error) {
          row.words.textContent = found.name === "Cancelled" ? "" : found.message;
          break;
        }
        row.show(k, found.n_clusters, given ? null : nGroups);
      }
    }
    this.rolling = false;
  }

  // What is said of other settings than those of now steps back.
  cancel() {
    if (this.rolling) this.engines.aside.cancel();
    this.round += 1;
    this.rolling = false;
    this.node.classList.add("old");
  }

  strip(panel, seeds, seed) {
    const words = element("span", { class: "words" });
    const counts = [], chance = drawsNothing(panel.configuration(seed)) ? ` (${say("live.no_chance")})` : "";
    const buttons = seeds.map((one) => {
      const button = element("button", { type: "button", text: "·", "aria-label": say("live.seed", { seed: one }), title: say("live.seed", { seed: one }) });
      if (one === seed) button.setAttribute("aria-current", "true");
      button.addEventListener("click", () => this.choose(one));
      return button;
    });
    const show = (k, n, nGroups) => {
      counts.push(n);
      buttons[k].textContent = n;
      buttons[k].setAttribute("aria-label", sayCount("live.seed_found", n, { seed: seeds[k] }));
      buttons[k].classList.toggle("right", n === nGroups);
      words.textContent = panel.given ? say("live.given") : sayCounts(counts, nGroups) + chance;
    };
    const node = element("div", { class: "strip" }, element("p", {}, `${panel.title}: `, words),
      element("div", { class: "seeds", role: "group", "aria-label": say("live.seeds_of", { title: panel.title }) }, ...buttons));
    return { panel, node, words, show };
  }
}

// Whether DP-means visits the rows in their order, from clusters that no chance decides: all seeds are one run then.
function drawsNothing({ algorithm, init = "single", order = "index" }) {
  return algorithm === "dpmeans" && order === "index" && ["single", "singletons", "sequential"].includes(init);
}

function sayCounts(counts, nGroups) {
  if (nGroups !== null) {
    const right = counts.filter((n) => n === nGroups).length;
    return say("live.right_number", { groups: nGroups, right, all: counts.length });
  }
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return low === high ? say("live.same_k", { k: low, all: counts.length }) : say("live.k_range", { low, high, all: counts.length });
}
