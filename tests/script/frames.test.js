import assert from "node:assert/strict";
import { test } from "node:test";

import { EveryFrame } from "../../dpviz/stage/frames.js";

test("several answers in a frame are one picture at once and one in the next", () => {
  const requests = [], drawn = [];
  globalThis.requestAnimationFrame = (action) => requests.push(action);
  const frame = () => requests.splice(0).forEach((action) => action());
  let number = 0;
  const pictures = new EveryFrame(() => drawn.push(number));
  for (number = 1; number < 4; number += 1) pictures.ask();
  assert.deepEqual(drawn, [1]);
  frame();
  frame();
  assert.deepEqual(drawn, [1, 4]);
  pictures.ask();
  assert.equal(drawn.length, 3);
});
