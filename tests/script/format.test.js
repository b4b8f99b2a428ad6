import assert from "node:assert/strict";
import { test } from "node:test";

import { distinctParts, formatBeside, formatFixed, formatNumber, formatSeconds, niceTicks, shortNumber, tickLabels } from "../../dpviz/player/assets/format.js";

const says = (format, cases) => () => {
  for (const [given, text] of cases) assert.deepEqual(format(...[given].flat()), text);
};

test("so many decimals, thousands apart", says(formatFixed, [
  [[1234567, 0], "1,234,567"], [[-1234.5, 1], "−1,234.5"], [[-0.04, 1], "0.0"], [[NaN, 2], "–"], [[0.005, 2], "0.01"], [[999.999, 2], "1,000.00"],
]));

test("about so many digits", says(formatNumber, [
  [[1234.5678, 5], "1,234.6"], [[0.00012345, 3], "0.000123"], [[9.36e-9, 3], "9.36 × 10⁻⁹"], [[-2e12, 3], "−2.00 × 10¹²"], [[0, 3], "0"],
]));

test("the value of a knob", says(shortNumber, [[0.12345, "0.123"], [1234, "1230"], [-2, "−2"], [100000, "100000"]]));

test("what is far smaller is nearly nothing", says(formatBeside, [
  [[9.9e-5, 1, 2], "≈ 0"], [[1.1e-4, 1, 2], "0.00011"], [[3e-300, 2e-300, 2], "3.00 × 10⁻³⁰⁰"], [[0, 1, 2], "0"],
]));

test("time in its unit", says(formatSeconds, [[2.5e-5, "25 µs"], [0.02, "20 ms"], [1.5, "1.5 s"]]));

test("titles are cut down to what differs", () => {
  const cut = [
    [["MAP-DP · N0 = 3 · seed 1", "MAP-DP · N0 = 5 · seed 1"], ["N0 = 3", "N0 = 5"]],
    [["K-means · seed 1", "MAP-DP · N0 = 3 · seed 1"], ["K-means", "MAP-DP · N0 = 3"]],
  ];
  const kept = [["MAP-DP · seed 1", "MAP-DP · seed 1"], ["MAP-DP", "MAP-DP · seed 1"], ["MAP-DP · seed 1"]]; // nothing differs, or nothing is left
  for (const [titles, shown] of [...cut, ...kept.map((titles) => [titles, titles])]) assert.deepEqual(distinctParts(titles), shown);
});

test("ticks are round and stay within their ends", () => {
  for (const [low, high] of [[0, 1], [-3, 17], [2602, 2605], [1e-6, 5e-6], [0, 2e8]]) {
    const ticks = niceTicks(low, high, 5), labels = tickLabels(ticks);
    assert.ok(ticks.length >= 3 && ticks.length <= 12 && ticks[0] >= low - 1e-9 * (high - low) && ticks.at(-1) <= high + 1e-9 * (high - low));
    assert.equal(new Set(labels).size, ticks.length);
  }
  assert.deepEqual(niceTicks(1, 3, 5, true), [1, 2, 3]);
});
