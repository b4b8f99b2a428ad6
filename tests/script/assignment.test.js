import assert from "node:assert/strict";
import { test } from "node:test";

import { assigned } from "../../dpviz/stage/tracks.js";

// Numbers from 0 to below `most`, always the same for a seed.
function* draws(seed, most) {
  for (let state = seed + 1; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield Math.floor((state / 2 ** 32) * most);
  }
}

function greatestSum(weights, nRows, nColumns, row = 0, taken = new Set()) {
  if (row === nRows) return 0;
  const left = nRows - row, free = nColumns - taken.size;
  let best = left > free ? greatestSum(weights, nRows, nColumns, row + 1, taken) : -Infinity;
  for (let column = 0; column < nColumns; column += 1) {
    if (taken.has(column)) continue;
    const with_ = new Set([...taken, column]);
    best = Math.max(best, weights[row * nColumns + column] + greatestSum(weights, nRows, nColumns, row + 1, with_));
  }
  return best;
}

for (const [nRows, nColumns] of [[1, 1], [3, 3], [5, 5], [2, 5], [5, 2], [4, 6]]) {
  test(`the sum of ${nRows} × ${nColumns} weights is the greatest of all assignments`, () => {
    for (let seed = 0; seed < 20; seed += 1) {
      for (const most of [2, 4, 1000]) { // few values have many ties
        const drawn = draws(seed, most), weights = Float64Array.from({ length: nRows * nColumns }, () => drawn.next().value);
        const pairs = assigned(weights, nRows, nColumns);
        assert.equal(pairs.length, Math.min(nRows, nColumns));
        for (const side of [0, 1]) assert.equal(new Set(pairs.map((pair) => pair[side])).size, pairs.length);
        const sum = pairs.reduce((total, [i, j]) => total + weights[i * nColumns + j], 0);
        assert.equal(sum, greatestSum(weights, nRows, nColumns));
      }
    }
  });
}

test("equal weights are the identity", () => {
  assert.deepEqual(assigned(new Float64Array(16).fill(3), 4, 4), [[0, 0], [1, 1], [2, 2], [3, 3]]);
});
