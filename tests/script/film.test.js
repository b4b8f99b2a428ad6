import assert from "node:assert/strict";
import { test } from "node:test";

import { answered, pullsOf, visitArrays } from "../../dpviz/stage/film.js";

test("a run takes the configuration that ends lower, in whatever units its costs are", async () => {
  for (const more of [0, 1000, -1000]) {
    for (const [lower, taken] of [[4, "instead"], [6, "own"]]) {
      const ends = { own: 5, instead: lower };
      const engine = {
        run: async ({ name }) => ({ name, nll: ends[name], sweeps: { nll: [9, ends[name]], objective: [9, ends[name]] } }),
        last: async ({ name }) => ({ nll: ends[name] }),
      };
      const run = { config: { name: "own" }, instead: { name: "instead" }, points: { nFeatures: 1 }, still: { scaling_nats: more } };
      const answer = await answered(engine, run);
      assert.deepEqual([answer.name, run.config.name], [taken, taken]);
      assert.deepEqual([answer.nll, ...answer.sweeps.nll], [ends[taken] + more, 9 + more, ends[taken] + more]);
    }
  }
});

test("what is asked about a table whose columns were divided is answered in its units", () => {
  const pulls = pullsOf({ log_predictive: [-1, -2, -9], log_weight: [Math.log(2), 0, Math.log(3)] }, [0, 0, 1], [4, 4, 0], 0.5);
  assert.deepEqual(pulls.map(([track, weight, fit]) => [track, Math.round(weight), fit]), [[4, 2, -1.5], [0, 1, -2.5], [-1, 3, -9.5]]);
  const found = { points: [2, 0], from: [1, 0], to: [0, 0], candidates: [0, 1, 0, -1], costs: [1, 2, 3, 4], width: 2, nll: [7, 6] };
  const labels = Int32Array.of(0, 0, 1, 0, 0, 0);
  const { event_nll: nll, event_costs: costs } = visitArrays(found, 1, labels, { n_points: 3, labels, shapes: {} }, 6);
  assert.deepEqual([Array.from(nll), Array.from(costs)], [[13, 12], [3, 4, 5, 6]]); // a row's share is 6 / 3
});
