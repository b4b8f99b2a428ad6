import assert from "node:assert/strict";
import { test } from "node:test";

import { listenToScrubs } from "../../dpviz/player/assets/scrub.js";

function axis() {
  const overlay = Object.assign(new EventTarget(), { getBoundingClientRect: () => ({ left: 100, top: 0 }), setPointerCapture: () => {} });
  const told = [];
  listenToScrubs(overlay, (x) => x / 10, { scrub: (frame, done) => told.push([frame, done]), hover: () => {} });
  const send = (type, clientX) => overlay.dispatchEvent(Object.assign(new Event(type), { clientX, clientY: 0, pointerId: 1, pointerType: "touch" }));
  return { told, send };
}

test("dragging scrubs, and ends where it is let go", () => {
  const { told, send } = axis();
  send("pointermove", 900);
  send("pointerdown", 130);
  send("pointermove", 140);
  send("pointerup", 150);
  send("pointermove", 900);
  assert.deepEqual(told, [[3, false], [4, false], [5, true]]);
});

test("a touch with which the page scrolls ends where it was seen last, for it has no place of its own", () => {
  const { told, send } = axis();
  send("pointerdown", 160);
  send("pointercancel", 0);
  assert.deepEqual(told, [[6, false], [6, true]]);
});
