// One point, and its two prices in every cluster: the lowest sum takes it.

import { element, svg } from "../../player/assets/layout.js";
import { say } from "../../words/say.js";
import { Figure } from "./figure.js";
import { Handle } from "../../stage/handle.js";
import { boxOf, Plate, table, two } from "../../stage/plate.js";

const CELLS = 160, NEW = 3, STEP = 0.5, MOST = 20; // prices beyond are cut at the end of the bar

// What a seat costs in clusters of these sizes, and in a new one, when N − 1 points have theirs.
export function seats(sizes, concentration) {
  const others = sizes.reduce((sum, size) => sum + size, 0);
  return [...sizes, concentration].map((weight) => -Math.log(weight / (others + concentration)));
}

export class Prices extends Figure {
  async begin() {
    const { three, prices: { config, point } } = this.facts;
    const others = three.rows.filter((_, i) => i !== point);
    this.labels = three.groups.filter((_, i) => i !== point);
    this.sizes = this.labels.reduce((sizes, label) => { sizes[label] += 1; return sizes; }, [0, 0, 0]);
    Object.assign(this, { config, others, points: table(others), seats: seats(this.sizes, config.partition.concentration) });
    this.plate = new Plate(this.stage, boxOf(three.rows), say("story.prices_label"));
    this.plate.dots(others, (i) => this.labels[i]);
    this.handle = new Handle(this.plate, { label: say("story.carried"), at: three.rows[point], color: three.groups[point], step: STEP, moved: () => this.show() });
    this.build();
    if (await this.survey()) this.show();
  }

  build() {
    this.bars = [0, 1, 2, NEW].map((color) => {
      const seat = element("span", { class: "seat" }), place = element("span", { class: "place" }), sum = element("output");
      const name = element("span", { class: "name" }, element("i", { class: `dot k${color}` }), say(`story.color_${color}`));
      return { seat, place, sum, node: element("div", { class: "price" }, name, element("div", { class: "bar" }, seat, place), sum) };
    });
    this.stage.append(element("div", { class: "prices" }, ...this.bars.map(({ node }) => node)));
  }

  // The highest summit on the screen, and who would take a point where.
  async survey() {
    const { plate, labels, config, points } = this, [left, right, low, high] = plate.box;
    const down = Math.round((CELLS * plate.height) / plate.width), cell = [(right - left) / CELLS, (high - low) / down];
    const cells = Array.from({ length: CELLS * down }, (_, i) => [left + ((i % CELLS) + 0.5) * cell[0], low + (Math.floor(i / CELLS) + 0.5) * cell[1]]);
    const found = await this.ask("prices", async (engine) => {
      const { centers } = await engine.shapes(config, points, labels, null);
      const summits = table([0, 1, 2].map((k) => [centers[2 * k], centers[2 * k + 1]]));
      return { summits: await engine.places(config, points, labels, summits), map: await engine.places(config, points, labels, table(cells)) };
    });
    if (!found) return false;
    this.highest = Math.max(...found.summits.log_predictive);
    plate.under.replaceChildren(...this.regions(found.map.takers, down));
    return true;
  }

  // Rows of cells of one taker in one piece.
  regions(takers, down) {
    const { width, height } = this.plate, [across, tall] = [width / CELLS, height / down], paths = new Map();
    for (let row = 0; row < down; row += 1) {
      for (let from = 0, to = 0; from < CELLS; from = to) {
        const taker = takers[row * CELLS + from];
        while (to < CELLS && takers[row * CELLS + to] === taker) to += 1;
        const color = taker < 0 ? NEW : taker;
        const left = from * across, piece = `M${left} ${(height - row * tall).toFixed(1)}h${(to - from) * across}v${(-tall - 0.5).toFixed(1)}H${left}Z`;
        paths.set(color, (paths.get(color) ?? "") + piece);
      }
    }
    return Array.from(paths, ([color, d]) => svg("path", { class: `cell plain k${color}`, d }));
  }

  async show() {
    const { config, points, labels, handle } = this;
    if (this.highest === undefined) return; // the survey shows where the point is then
    const found = await this.ask("prices", (engine) => engine.places(config, points, labels, table([handle.at])));
    if (!found) return;
    const prices = this.seats.map((seat, k) => ({ seat, place: this.highest - found.log_predictive[k] }));
    const sums = prices.map(({ seat, place }) => seat + place), least = Math.min(...sums), taker = sums.indexOf(least);
    prices.forEach(({ seat, place }, k) => {
      const bar = this.bars[k];
      bar.seat.style.width = `${Math.min(100, (100 * seat) / MOST)}%`;
      bar.place.style.width = `${Math.min(100 - (100 * seat) / MOST, (100 * place) / MOST)}%`;
      bar.sum.textContent = two(seat + place);
      bar.sum.title = say("story.sum", { seat: two(seat), place: two(place) });
      bar.node.classList.toggle("lowest", k === taker);
      bar.node.classList.toggle("beyond", seat + place > MOST);
    });
    handle.node.setAttribute("class", `handle k${taker}`);
    this.prices = prices;
    this.tell({ taker: say(`story.color_${taker}`), seat: two(prices[taker].seat), place: two(prices[taker].place), sum: two(least) });
  }
}
