// A point of the film that is carried by hand: what each method asks for it in each of its clusters, while the others stay.

import { candidates, sum } from "../../stage/prices.js";

export class Carried {
  // `engine()`: whom to ask; `panels`: { x, y, labels, config } of the methods, whose labels (N) are tracks and whose places
  // are written to; `changed()`: it is elsewhere, or has other prices.
  constructor(engine, panels, point, changed) {
    const [{ x, y }] = panels, others = Array.from(x.keys()).filter((i) => i !== point);
    const values = Float64Array.from(others.flatMap((i) => [x[i], y[i]])), table = { values, nPoints: others.length, nFeatures: 2 };
    Object.assign(this, { engine, panels, point, changed, away: false, costs: panels.map(() => []), home: [x[point], y[point]] });
    this.questions = panels.map(({ labels, config }) => {
      const tracks = [...new Set(others.map((i) => labels[i]))];
      return { tracks, config, table, labels: Int32Array.from(others, (i) => tracks.indexOf(labels[i])) };
    });
  }

  // Its cluster in the picture of a method: that which takes it, −1 if a new one does.
  taker(number) { return this.costs[number][0]?.[0] ?? this.panels[number].labels[this.point]; }

  put([left, top]) {
    for (const { x, y } of this.panels) [x[this.point], y[this.point]] = [left, top];
  }

  // Resolves to whether there is an answer, which none is that was overtaken. Costs are as those of visits: squared distances, or −ln of what the model expects.
  async move(place) {
    this.away = true;
    this.put(place);
    this.changed();
    const where = { values: Float64Array.from(place), nPoints: 1, nFeatures: 2 }, found = [];
    const answered = await this.engine().ask(async (engine) => {
      for (const { config, table, labels } of this.questions) found.push(await engine.places(config, table, labels, where));
      return found;
    });
    if (!answered || !this.away) return false;
    this.costs = found.map((one, number) => {
      const all = candidates(one, (k) => this.questions[number].tracks[k]).map((candidate) => [candidate.track, sum(candidate)]);
      return all.sort(([, one], [, other]) => one - other);
    });
    this.changed();
    return true;
  }

  back() {
    this.away = false;
    this.costs = this.panels.map(() => []);
    this.put(this.home);
  }
}
