import assert from "node:assert/strict";
import { test } from "node:test";

import "./words.js";
import { configured, placeOf, placesOf, valueAt } from "../../dpviz/stage/knobs.js";

const KNOBS = [
  { low: 1, high: 20, step: 1 }, { low: 0, high: 1, step: 0.05 }, { low: 0.01, high: 100, step: 0, positions: 200 }, { low: 1e-3, high: 8, step: 0, positions: 200 },
];

test("a position is that of its value, and values rise from end to end", () => {
  for (const knob of KNOBS) {
    const ends = [knob.low, knob.high], last = placesOf(knob);
    const values = Array.from({ length: last + 1 }, (_, place) => valueAt(knob, place, ends));
    assert.deepEqual([values[0], values[last]], ends);
    values.forEach((value, place) => {
      assert.equal(Math.round(placeOf(knob, value, ends)), place);
      if (place > 0) assert.ok(value > values[place - 1]);
    });
  }
});

test("a configuration gets values where they belong, and stays as it was", () => {
  const config = { seed: 1, prior: { width: 1 }, partition: { kind: "crp", concentration: 3 } };
  const knobs = [{ name: "width", path: ["prior", "width"] }, { name: "seed", path: ["seed"] }];
  assert.deepEqual(configured(config, knobs, { width: 2, seed: 7, other: 3 }), { ...config, seed: 7, prior: { width: 2 } });
  assert.equal(config.prior.width, 1);
});
