import assert from "node:assert/strict";
import { test } from "node:test";

import "./words.js";
import { Editor } from "../../dpviz/player/assets/editor.js";
import { Pointer } from "../../dpviz/player/assets/pointer.js";

function painter(stage) {
  const told = [], channel = { stage, setTriggerValue: (name, value) => told.push([name, value.points, value.places?.length ?? [value.index, value.x]]) };
  const player = { channel, panels: [{ pointsId: "a", view: { bounds: [0, 10, 0, 10] } }], run: { panels: [{ n_points: 50, x: [1, 2], y: [1, 2] }] }, opening: { editable: true }, options: { painting: true }, redraw() {} };
  const editor = new Editor(player);
  const stroke = (...places) => {
    places.forEach(([x, y], k) => editor.paint(0, x, y, { scaleX: 100, scaleY: 100 }, k === 0));
    editor.lift(0);
  };
  const drag = (point, x) => {
    editor.drag(0, point, x, 0);
    editor.drop();
  };
  const answer = (pointsId, more) => {
    player.panels[0].pointsId = pointsId;
    player.run.panels[0].n_points += more;
    editor.answered();
    editor.clear();
  };
  return { told, editor, stroke, drag, answer };
}

test("strokes that follow each other quickly are told one by one, each among the points that the one before has made", () => {
  const { told, editor, stroke, answer } = painter(undefined);
  stroke([0, 0], [1, 1]);
  stroke([2, 2]);
  stroke([3, 3], [4, 4], [5, 5]);
  assert.deepEqual(told, [["painted", "a", 2]]);
  answer("b", 2);
  assert.equal(editor.painted.length, 4); // those that are not answered stay in sight
  answer("c", 1);
  answer("d", 3);
  assert.deepEqual(told, [["painted", "a", 2], ["painted", "b", 1], ["painted", "c", 3]]);
  assert.equal(editor.painted.length, 0);
  stroke([6, 6]);
  assert.deepEqual(told.at(-1), ["painted", "d", 1]);
});

test("what waits is not done to other data", () => {
  const { told, drag, answer } = painter(undefined);
  drag(3, 1);
  drag(5, 2);
  answer("other data", -20);
  assert.deepEqual(told, [["moved", "a", [3, 1]]]);
  drag(7, 3);
  assert.deepEqual(told.at(-1), ["moved", "other data", [7, 3]]);
});

test("of a point that moves again and again only the newest place waits, and it stays there", () => {
  const { told, editor, answer } = painter(undefined);
  for (let k = 0; k < 30; k += 1) editor.step(0, 1, 1, 0);
  assert.equal(told.length, 1);
  const { x } = editor.dragged;
  answer("b", 0);
  assert.equal(editor.dragged.x, x);
  assert.deepEqual(told.slice(1), [["moved", "b", [1, x]]]);
  answer("c", 0);
  assert.equal(told.length, 2);
});

test("a page that does not answer is told the next edit after a while, in their order", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { told, drag } = painter(undefined);
  drag(3, 0.1);
  drag(4, 0.2);
  drag(5, 0.3);
  t.mock.timers.tick(10_000);
  drag(6, 0.4);
  t.mock.timers.tick(10_000);
  t.mock.timers.tick(10_000);
  assert.deepEqual(told.map(([, , [point]]) => point), [3, 4, 5, 6]);
});

test("a point that is let go when other points are there moves none of them", () => {
  const { told, editor } = painter(undefined);
  editor.drag(0, 3, 1, 1);
  editor.clear();
  editor.drop();
  assert.deepEqual(told, []);
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
  for (const name of ["paint", "unpaint", "lift", "drag", "drop", "choose", "select", "place"]) actions[name] = note(name);
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

test("two fingers zoom where one paints", () => {
  const { done, send } = pressed("paint");
  send("pointerdown", 10);
  send("pointerdown", 30, 2);
  send("pointermove", 40, 2);
  assert.deepEqual(done, [["paint", 10, 0, true], ["unpaint"], "zoom"]);
});
