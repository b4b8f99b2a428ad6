import assert from "node:assert/strict";
import { test } from "node:test";

import "./words.js";
import { fragmentOf, settingsOf } from "../../dpviz/laboratory/assets/address.js";
import { Settings } from "../../dpviz/laboratory/assets/settings.js";

const method = (name, ...knobs) => ({ name, title: name, knobs, config: { algorithm: name }, objective: "E", meanings: [] });
const FACTS = {
  sets: [{ name: "rings", title: "Rings", axes: ["x", "y"], draws: [{ rows: [[1, 2], [3, 5]], groups: [0, 1], penalty: 4 }, { rows: [[0, 0], [9, 9]], groups: [0, 1], penalty: 2 }] }],
  methods: [method("kmeans", "n_clusters"), method("mapdp", "concentration", "penalty")],
  knobs: [
    { name: "n_clusters", path: ["n_clusters"], low: 1, high: 30, usual: 3, step: 1, symbol: "K" },
    { name: "concentration", path: ["partition", "concentration"], low: 0.01, high: 100, usual: 3, step: 0, positions: 200, symbol: "N0" },
    { name: "penalty", path: ["penalty"], low: null, high: null, usual: null, step: 0, positions: 200, symbol: "λ" },
  ],
  first: ["kmeans", "mapdp"],
  limits: { panels: 3, address: 200, points: 100, columns: 5, shown: 1e30, largest: 1e6 },
};
const told = ({ data, draw, table, axes, methods, seed, from, knobs }) => ({ data, draw, table, axes, methods, seed, from, knobs });
const changed = (changes) => Object.assign(new Settings(FACTS), changes);

const KEPT = {
  "the beginning": {},
  "a scenario": { draw: 1, methods: ["mapdp"], seed: 2 ** 32 - 1 },
  "a table whose names have signs of addresses": {
    data: "table", axes: [2, 0], table: { rows: [[1, -2.5, 1e-7], [300, 0, 4]], names: ["a~b", "5%&=", "ü"], groups: [0, 40], rowNats: 1.5 },
  },
  "clusters that runs go on from": { from: [[0, 1], [0, 0]] },
};

for (const [name, changes] of Object.entries(KEPT)) {
  test(`an address opens ${name}`, () => {
    const settings = changed(changes);
    if (changes.table) settings.takePenalty();
    const found = settingsOf(fragmentOf(settings), FACTS);
    assert.equal(found.fault, "");
    assert.deepEqual(told(found.settings), told(settings));
  });
}

test("a knob is in an address unless it stands where it begins", () => {
  const settings = changed({});
  settings.knobs.concentration = 0.25;
  assert.match(fragmentOf(settings), /concentration=0\.25/);
  assert.doesNotMatch(fragmentOf(settings), /n_clusters/);
  assert.equal(settingsOf(fragmentOf(settings), FACTS).settings.knobs.concentration, 0.25);
});

test("a table that is too long for an address is said to be left out", () => {
  const rows = Array.from({ length: 90 }, (_, i) => [i, i]);
  const fragment = fragmentOf(changed({ data: "table", table: { rows, names: ["x", "y"], groups: null } }));
  assert.match(fragment, /rows=long/);
  assert.notEqual(settingsOf(fragment, FACTS).fault, "");
});

test("what is damaged is said, and the rest is opened", () => {
  for (const damage of ["seed=nine", "concentration=1e9", "methods=magic", "x=%E0%A4%A", "from=3zz", "axes=0~0", "draw=7", "v=9", "columns=["]) {
    const { settings, fault } = settingsOf(`v=1&data=rings&n_clusters=5&${damage}`, FACTS);
    assert.equal(settings.knobs.n_clusters, 5);
    if (damage !== "columns=[") assert.notEqual(fault, "", damage); // names are read with their table
  }
});

test("columns of their own kinds bring their methods, and others are left out", () => {
  const [rings] = FACTS.sets, own = { methods: [method("mapdp", "concentration"), method("gibbs", "concentration")], periods: [24, 0] };
  const facts = { ...FACTS, sets: [{ ...rings, name: "given", own }, rings] }, begun = new Settings(facts);
  assert.deepEqual(begun.methods, ["mapdp"]);
  assert.equal(begun.points().own, own);
  assert.deepEqual(begun.points().periods, [24, 0]);
  const others = settingsOf("v=1&data=rings&methods=kmeans", facts).settings;
  assert.deepEqual([others.methods, others.points().own], [["kmeans"], undefined]);
  others.data = "given";
  others.fitMethods();
  assert.deepEqual(others.methods, ["mapdp"]);
  for (const [methods, kept] of [["gibbs", ["gibbs"]], ["kmeans", ["mapdp"]]]) {
    const { settings, fault } = settingsOf(`v=1&data=given&methods=${methods}`, facts);
    assert.deepEqual(settings.methods, kept);
    assert.equal(fault === "", methods === "gibbs");
  }
});
