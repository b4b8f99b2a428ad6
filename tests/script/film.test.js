import assert from "node:assert/strict";
import { test } from "node:test";

import { answered } from "../../dpviz/stage/film.js";

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
