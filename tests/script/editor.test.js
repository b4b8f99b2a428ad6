import assert from "node:assert/strict";
import { test } from "node:test";

import "./words.js";
import { Editor } from "../../dpviz/player/assets/editor.js";
import { Pointer } from "../../dpviz/player/assets/pointer.js";

function painter(stage) {
  const told = [], channel = { stage, setTriggerValue: (name, value) => told.push([name, value.points, value.places?.length ?? value.index]) };
  const player = { channel, panels: [{ pointsId: "a" }], opening: { editable: true }, options: { painting: true } };
  const editor = new Editor(player);
  const stroke = (...places) => {
    places.forEach(([x, y], k) => editor.paint(0, x, y, { scaleX: 100, scaleY: 100 }, k === 0));
    editor.lift(0);
  };
  const answer = (pointsId) => {
    player.panels[0].pointsId = pointsId;
    editor.clear();
    editor.answered();
  };
  return { told, editor, stroke, answer };
}

test("strokes that follow each other quickly are told one by one, each among the points that the one before has made", () => {
  const { told, stroke, answer } = painter(undefined);
  stroke([0, 0], [1, 1]);
  stroke([2, 2]);
  stroke([3, 3], [4, 4], [5, 5]);
  assert.deepEqual(told, [["painted", "a", 2]]);
  answer("b");
  answer("c");
  answer("d");
  assert.deepEqual(told, [["painted", "a", 2], ["painted", "b", 1], ["painted", "c", 3]]);
  stroke([6, 6]);
  assert.deepEqual(told.at(-1), ["painted", "d", 1]);
});

test("a page that computes by itself hears of every stroke at once", () => {
  const { told, stroke } = painter({});
  stroke([0, 0]);
  stroke([1, 1]);
  assert.equal(told.length, 2);
});

// Presses on a plot whose pixels are its data, with what they do.
function pressed(editing, nearest = -1) {
  const done = [], element = Object.assign(new EventTarget(), { getBoundingClientRect: () => ({ left: 0, top: 0 }), setPointerCapture() {}, focus() {} });
  const same = { dataX: (x) => x, dataY: (y) => y };
  const scatter = { projection: () => same, view: { pan: () => done.push("pan"), zoom: () => done.push("zoom") }, plot: { width: 1, height: 1 } };
  const note = (name) => (...values) => done.push([name, ...values.filter((value) => typeof value !== "object")]);
  const actions = { viewChanged() {}, hover() {}, selecting: () => false, editing: () => editing, hint() {} };
  for (const name of ["paint", "lift", "drag", "drop", "choose", "select", "place"]) actions[name] = note(name);
  Object.assign(new Pointer(scatter, element, actions), { nearest: () => nearest });
  const send = (type, clientX, pointerId = 1) => element.dispatchEvent(Object.assign(new Event(type), { clientX, clientY: 0, pointerId, button: 0, pointerType: "touch" }));
  return { done, send };
}

test("what was painted or moved stays when the browser takes the touch away, or a second finger comes", () => {
  for (const end of [(send) => send("pointercancel", 0), (send) => send("pointerdown", 30, 2)]) {
    const painted = pressed("paint"), moved = pressed("move", 7);
    for (const { send } of [painted, moved]) {
      send("pointerdown", 10);
      send("pointermove", 20);
      end(send);
    }
    assert.deepEqual(painted.done, [["paint", 10, 0, true], ["paint", 20, 0, false], ["lift"]]);
    assert.deepEqual(moved.done, [["drag", 7, 20, 0], ["drop"]]);
  }
});

test("a press on a point that may be moved but was not is a click", () => {
  const { done, send } = pressed("move", 7);
  send("pointerdown", 10);
  send("pointerup", 11);
  assert.deepEqual(done, [["choose", 7]]);
});
