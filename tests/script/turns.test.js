import assert from "node:assert/strict";
import { test } from "node:test";

import { clusterMeans } from "../../dpviz/player/assets/overlay.js";
import { tickLabels } from "../../dpviz/player/assets/format.js";
import { drawAround, drawInTurns, ownPlace, shownPlace, ticksOfTurn, turnTo, wholeTurn } from "../../dpviz/player/assets/turns.js";
import { Projection, View } from "../../dpviz/player/assets/view.js";

const hours = () => ({
  one_column: false, n_points: 4, periods: [24, 0], origin: [10, 0], x: Float32Array.of(-9, 13, -8, 1), y: Float32Array.of(0, 1, 2, 3),
}); // 1, 23, 2 and 11 h

test("a view of hours shows a whole turn, and points leave it on one side and come in on the other", () => {
  const panel = hours();
  const view = new View(panel);
  assert.deepEqual(view.extent.slice(0, 2), [-10, 14]);
  assert.deepEqual(wholeTurn(panel, 0), [-10, 14]);
  turnTo(panel, view);
  assert.deepEqual([...panel.x], [-9, 13, -8, 1]);
  view.pan(-6 / (view.bounds[1] - view.bounds[0]), 0); // by six hours to earlier ones
  turnTo(panel, view);
  assert.deepEqual([...panel.x], [-9, -11, -8, 1]);
  assert.deepEqual([...panel.x].map((x) => ownPlace(panel, 0, x)), [-9, 13, -8, 1]);
  view.pan(24 / (view.bounds[1] - view.bounds[0]), 0);
  turnTo(panel, view);
  assert.deepEqual([...panel.x], [15, 13, 16, 25]);
  view.set(view.home(100, 100, 0), true);
  turnTo(panel, view);
  assert.deepEqual([...panel.x], [-9, 13, -8, 1]);
});

test("a group about midnight has its mean there, wherever the seam is", () => {
  const panel = hours();
  const view = new View(panel);
  const labels = Int32Array.of(0, 0, 0, 1);
  turnTo(panel, view);
  const [night, noon] = clusterMeans(panel, labels);
  const expected = ((Math.atan2(...[1, 23, 2].reduce(([s, c], h) => [s + Math.sin((h * Math.PI) / 12), c + Math.cos((h * Math.PI) / 12)], [0, 0])) * 12) / Math.PI) - 10;
  assert.ok(Math.abs(ownPlace(panel, 0, night.x) - expected) < 1e-5);
  assert.ok(Math.abs(noon.x - 1) < 1e-5);
  assert.equal(night.y, 1);
});

test("ticks divide a turn, and axes without a period have none of their own", () => {
  const panel = hours();
  assert.deepEqual(ticksOfTurn(panel, 0, -7, 19, 5), { at: [-6, 0, 6, 12, 18], step: 6 });
  assert.equal(ticksOfTurn(panel, 1, 0, 10, 5), null);
  assert.deepEqual(ticksOfTurn({ ...panel, periods: [7] }, 0, 0, 7, 5).at, [0, 1, 2, 3, 4, 5, 6, 7]);
});

test("numbers of an axis that turns are those of the data, however near or far it is seen", () => {
  const panel = (period) => ({ periods: [period], origin: [0], x: Float32Array.of(0.5, period / 2), y: new Float32Array(2) });
  const labels = (period, low, high) => {
    const { at, step } = ticksOfTurn(panel(period), 0, low, high, 6);
    return tickLabels(at.map((tick) => ownPlace(panel(period), 0, tick)), step);
  };
  assert.deepEqual(labels(360, 201, 209), ["201", "202", "203", "204", "205", "206", "207", "208", "209"]);
  assert.deepEqual(labels(24, 23.6, 24.4), ["23.6", "23.7", "23.8", "23.9", "0.0", "0.1", "0.2", "0.3", "0.4"]);
  assert.deepEqual(labels(2 * Math.PI, 3, 3 + 2 * Math.PI), ["3", "4", "5", "0", "1", "2", "3"]);
  assert.deepEqual(labels(360, -3600, 3600), Array(7).fill("0"));
});

test("curves go on beyond the end of a turn up to the seam", () => {
  const panel = hours();
  const view = new View(panel);
  view.moved = [-6, 0];
  const drawn = [];
  const clips = [];
  const context = { save() {}, restore() {}, beginPath() {}, clip() {}, rect: (...box) => clips.push(box) };
  drawInTurns(context, panel, view, new Projection([-16, 8, 0, 1], { x: 0, y: 0, width: 240, height: 10 }), (map) => drawn.push(map.x(-10)));
  assert.deepEqual(drawn, [-180, 60]);
  assert.deepEqual([clips[0][0], clips[0][2]], [0, 240]);
});

// Where a ring about a place is drawn on a view, pixels being data units: its middles, and from where to where it is seen.
const around = (panel, moved, ring) => {
  const view = new View(panel);
  view.moved = moved;
  const seen = [];
  let box = null;
  const context = { save() {}, restore: () => (box = null), beginPath() {}, clip() {}, rect: (...own) => (box = own) };
  const same = { x: (value) => value, y: (value) => -value };
  drawAround(context, panel, view, same, { bent: true, ...ring }, (middle) => seen.push([middle, box && [box[0], box[0] + box[2]], box && [-box[1] - box[3], -box[1]]]));
  return seen;
};

test("a ring that leaves the turn on one side comes in on the other, and follows the seam", () => {
  const ring = { place: [13, 2], reach: [3, 1] }; // 23 h, to 2 h; the turn of the data is from −10 to 14
  const far = [-1e4, 1e4];
  assert.deepEqual(around(hours(), [0, 0], ring), [[[-11, 2], [-10, 1], far], [[13, 2], [1, 14], far]]);
  assert.deepEqual(around(hours(), [-6, 0], ring), [[[-11, 2], null, null]]);
  assert.deepEqual(around(hours(), [30, 0], ring), [[[37, 2], null, null]]);
  assert.deepEqual(around(hours(), [0, 0], { ...ring, bent: false }), [[[13, 2], [-10, 14], far]]);
  assert.deepEqual(around(hours(), [-6, 0], { ...ring, bent: false }), [[[-11, 2], [-16, -10], far]]);
  assert.deepEqual(around({ ...hours(), periods: [0, 0] }, [5, 5], ring), [[[13, 2], null, null]]);
  const view = new View(hours());
  view.moved = [-6, 3];
  assert.deepEqual(shownPlace(hours(), view, [13, 2]), [-11, 2]);
});

test("a ring that is longer than a turn ends where it meets itself", () => {
  const band = { place: [1, 0], reach: [15, 1] };
  assert.deepEqual(around(hours(), [0, 0], band).map(([[x], ends]) => [x, ends]), [[1, [-10, 13]], [25, [13, 14]]]);
  const seen = around(hours(), [-5, 0], band).map(([[x], ends]) => [x, ends]);
  assert.deepEqual(seen, [[-23, [-15, -11]], [1, [-11, 9]]]);
});

test("a ring on two circles comes in at every side that it leaves", () => {
  const panel = { ...hours(), periods: [24, 8], origin: [10, 0] };
  const seen = around(panel, [0, 0], { place: [13, 0.5], reach: [3, 1] });
  assert.deepEqual(seen.map(([middle]) => middle), [[-11, 0.5], [-11, 8.5], [13, 0.5], [13, 8.5]]);
  assert.deepEqual(seen[0].slice(1), [[-10, 1], [0, 4.5]]);
  assert.deepEqual(seen[3].slice(1), [[1, 14], [4.5, 8]]);
});
