// What is set on the page: data, methods, knobs, seed; and the configurations that this means.

import { shortNumber } from "../../player/assets/format.js";
import { configured } from "../../stage/knobs.js";

// Names of data that are no scenarios.
export const OWN_DATA = ["drawn", "table", "edited"];

export class Settings {
  constructor(facts) {
    this.facts = facts;
    this.data = facts.sets[0].name;
    Object.assign(this, { draw: 0, table: null, axes: [0, 1], methods: [...facts.first], seed: 0, from: null });
    this.fitMethods();
    this.knobs = Object.fromEntries(facts.knobs.map((knob) => [knob.name, knob.usual]));
    this.takePenalty();
  }

  // Methods that the data can have: those of columns that are each of its own kind come with them.
  get offers() { return this.set()?.own?.methods ?? this.facts.methods; }

  method(panel) { return this.offers.find((method) => method.name === this.methods[panel]); }

  // Leave out what the data cannot have, unless nothing else is left.
  fitMethods() {
    const names = this.offers.map(({ name }) => name), left = this.methods.filter((name) => names.includes(name));
    this.methods = left.length > 0 ? left : names.slice(0, 1);
  }

  set() { return this.facts.sets.find((set) => set.name === this.data); }

  // Knobs that the chosen methods have, in their order.
  offered() {
    const wanted = new Set(this.methods.flatMap((_, panel) => this.method(panel).knobs));
    return this.facts.knobs.filter((knob) => wanted.has(knob.name));
  }

  // Where a slider ends. The penalty has the units of the data, which say where it begins.
  endsOf(knob) {
    if (knob.low !== null) return [knob.low, knob.high];
    const middle = this.suggestedPenalty();
    return [middle / 100, middle * 100];
  }

  suggestedPenalty() {
    return this.set()?.draws[this.draw].penalty ?? spread(this.table?.rows ?? []);
  }

  takePenalty() { this.knobs.penalty = Number(this.suggestedPenalty().toPrecision(3)); }

  // The rows on the screen: { rows, names, groups, rowNats }.
  rows() {
    const set = this.set();
    if (!set) return this.table ?? { rows: [] };
    const { rows, groups, rowNats } = set.draws[this.draw];
    return { rows, names: set.axes, groups, rowNats };
  }

  // The same for the engine, with columns that are each of its own kind; null if nothing was drawn yet.
  points() {
    const { rows, names, groups, rowNats } = this.rows();
    if (rows.length === 0) return null;
    const nFeatures = rows[0].length, own = this.set()?.own;
    return {
      values: Float64Array.from(rows.flat()), nPoints: rows.length, nFeatures, names, axes: this.axes, rowNats: rowNats ?? 0,
      groups: groups ?? null, nGroups: groups ? new Set(groups).size : null, own, periods: own?.periods,
    };
  }

  // The configuration of a panel. Chosen labels are the start, except of K-means if their number is another one.
  configuration(panel, seed = this.seed) {
    const method = this.method(panel);
    const knobs = this.facts.knobs.filter(({ name }) => method.knobs.includes(name));
    const config = configured(method.config, knobs, this.knobs);
    if (this.goesOn(panel)) config.init = [...this.from[panel]];
    return { ...config, seed };
  }

  goesOn(panel) {
    const labels = this.from?.[panel];
    return Boolean(labels) && (this.methods[panel] !== "kmeans" || new Set(labels).size === this.knobs.n_clusters);
  }

  titleOf(panel) {
    const { title, knobs } = this.method(panel);
    const { name, symbol } = this.facts.knobs.find((knob) => knob.name === knobs[0]);
    return `${title} · ${symbol} = ${shortNumber(this.knobs[name])}`;
  }
}

// Mean squared distance of rows from their middle: the order of magnitude of a penalty.
function spread(rows) {
  if (rows.length === 0) return 1;
  const middle = rows[0].map((_, d) => rows.reduce((sum, row) => sum + row[d], 0) / rows.length);
  const squares = rows.map((row) => row.reduce((sum, cell, d) => sum + (cell - middle[d]) ** 2, 0));
  return squares.reduce((sum, square) => sum + square, 0) / rows.length || 1;
}
