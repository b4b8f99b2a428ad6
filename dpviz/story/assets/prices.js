// One point, and its two prices in every cluster: the lowest sum takes it.

import { element, svg } from "../../player/assets/layout.js";
import { say } from "../../words/say.js";
import { configured } from "../../stage/knobs.js";
import { Figure } from "./figure.js";
import { Handle } from "../../stage/handle.js";
import { boxOf, Plate, table, two } from "../../stage/plate.js";

const CELLS = 240, NEW = 3, STEP = 0.5, MOST = 20; // prices beyond are cut at the end of the bar

// What a seat costs in clusters of these sizes, and in a new one, when N − 1 points have theirs.
export function seats(sizes, concentration) {
  const others = sizes.reduce((sum, size) => sum + size, 0);
  return [...sizes, concentration].map((weight) => -Math.log(weight / (others + concentration)));
}

export class Prices extends Figure {
  begin() {
    const { three, prices: { point }, knobs, n_wide: guests } = this.facts;
    this.turn = knobs.find(({ name }) => name === "concentration");
    this.plate = new Plate(this.stage, boxOf(three.rows), say("story.prices_label"));
    this.handle = new Handle(this.plate, { label: say("story.carried"), at: three.rows[point], color: three.groups[point], step: STEP, moved: () => this.show() });
    this.build();
    for (const turn of [this.turn, guests]) this.drag(turn, () => this.seat());
    this.seat();
  }

  // The other points sit at their tables, of the wide group as many as are left.
  seat() {
    const { three: { rows, groups }, prices: { config, point } } = this.facts, sizes = [0, 0, 0];
    const kept = rows.map((_, i) => i).filter((i) => {
      if (i === point || (groups[i] === 0 && sizes[0] === this.values.n_wide)) return false;
      sizes[groups[i]] += 1;
      return true;
    });
    const others = kept.map((i) => rows[i]), labels = kept.map((i) => groups[i]);
    this.seated = { config: configured(config, [this.turn], this.values), points: table(others), labels, seats: seats(sizes, this.values.concentration) };
    this.plate.dots(others, (i) => labels[i]);
    this.show();
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
  async survey(engine, { config, points, labels }) {
    const { plate } = this, [left, right, low, high] = plate.box;
    const down = Math.round((CELLS * plate.height) / plate.width), cell = [(right - left) / CELLS, (high - low) / down];
    const cells = Array.from({ length: CELLS * down }, (_, i) => [left + ((i % CELLS) + 0.5) * cell[0], low + (Math.floor(i / CELLS) + 0.5) * cell[1]]);
    const { centers } = await engine.shapes(config, points, labels, null), summits = table([0, 1, 2].map((k) => [centers[2 * k], centers[2 * k + 1]]));
    const { log_predictive: heights } = await engine.places(config, points, labels, summits);
    return { down, highest: Math.max(...heights), takers: (await engine.places(config, points, labels, table(cells))).takers };
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
    const { seated, handle } = this, { config, points, labels } = seated;
    const found = await this.ask("prices", async (engine) => ({
      surveyed: this.surveyed?.of === seated ? this.surveyed : { of: seated, ...(await this.survey(engine, seated)) },
      here: await engine.places(config, points, labels, table([handle.at])),
    }));
    if (!found) return;
    const { surveyed: { highest, takers, down }, here } = found;
    if (this.surveyed !== found.surveyed) this.plate.under.replaceChildren(...this.regions(takers, down));
    this.surveyed = found.surveyed;
    const prices = seated.seats.map((seat, k) => ({ seat, place: highest - here.log_predictive[k] }));
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
