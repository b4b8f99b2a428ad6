import assert from "node:assert/strict";
import { test } from "node:test";

import "./words.js";
import { Reader } from "../../dpviz/player/assets/reader.js";

const part = () => ({ tip: { hidden: false }, pointsId: "a", scatter: { hovered: -1, drawOverlay() {} } });

test("what is said of a point goes when its plot or the point does", () => {
  const gone = part(), kept = part(), player = { panels: [kept, gone], run: { panels: [{ n_points: 5 }, { n_points: 5 }] }, current: null };
  const reader = new Reader(player);
  reader.hover(1, 3, 10, 10);
  reader.matchPanels();
  assert.equal(reader.pointed.point, 3);
  player.run = { panels: [{ n_points: 5 }, { n_points: 2 }] };
  reader.matchPanels();
  assert.equal(reader.pointed, null);
  assert.ok(gone.tip.hidden);
  reader.hover(1, 1, 10, 10);
  Object.assign(player, { run: { panels: [{ n_points: 5 }] }, panels: [kept] });
  reader.matchPanels();
  assert.equal(reader.pointed, null);
});
