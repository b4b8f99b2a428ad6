import assert from "node:assert/strict";
import { test } from "node:test";

import { eitherEngine, placedIn } from "../../dpviz/laboratory/assets/own.js";

test("numbers are coordinates, then the table, wherever their bytes begin", () => {
  const whole = new Uint8Array(8 + 5 * 8);
  const bytes = whole.subarray(8);
  bytes.set(new Uint8Array(Float64Array.of(1, 2, 3, 4, NaN).buffer));
  const { placed } = placedIn({ nPoints: 2, nCoordinates: 2 }, bytes);
  assert.deepEqual(placed, { values: Float64Array.of(1, 2, 3, 4), nPoints: 2, nFeatures: 2, columns: Float64Array.of(NaN) });
});

test("each engine is begun when it is asked, with points as it takes them", () => {
  const told = [];
  const engine = eitherEngine((isOwn) => {
    told.push(`begun ${isOwn}`);
    const asked = (name) => [name, (config, points) => { told.push(`${name} ${isOwn} ${points}`); return name; }];
    return Object.fromEntries(["run", "scores", "cancel"].map(asked));
  });
  engine.cancel();
  assert.deepEqual(told, []);
  const plain = { toString: () => "plain" }, own = { own: { placed: "placed" } };
  assert.equal(engine.run({}, own), "run");
  engine.scores({}, plain);
  engine.run({}, own);
  engine.cancel();
  const asked = ["begun true", "run true placed", "begun false", "scores false plain", "run true placed"];
  assert.deepEqual(told, [...asked, "cancel true undefined", "cancel false undefined"]);
});
