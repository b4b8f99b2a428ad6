import assert from "node:assert/strict";
import { test } from "node:test";

import { Projection, View } from "../../dpviz/player/assets/view.js";

const PANEL = { one_column: false, n_points: 3, x: [0, 4, 2], y: [-1, 1, 0] };

test("a view can be asked before the first picture, and has the picture's bounds after it", () => {
  const view = new View(PANEL);
  const early = new Projection(view.bounds, { x: 0, y: 0, width: 300, height: 200 });
  for (const i of [0, 1, 2]) assert.ok(Number.isFinite(early.x(PANEL.x[i])) && Number.isFinite(early.y(PANEL.y[i])));
  view.fit(300, 200, 0);
  assert.deepEqual(view.bounds, view.home(300, 200, 0));
  assert.equal(view.closeness(), 1);
});

test("a view that was moved keeps its place when it is painted again", () => {
  const view = new View(PANEL);
  view.fit(300, 200, 0);
  view.zoom(2, 2, 0);
  const moved = [...view.bounds];
  view.fit(500, 100, 0);
  assert.deepEqual(view.bounds, moved);
  assert.equal(view.closeness(), 2);
});
