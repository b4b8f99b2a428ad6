// Axes that begin again after a turn, as those of hours do: who moves the view moves the seam, and no point leaves it.

import { nearestStep, niceStep } from "./format.js";

const NAMES = ["x", "y"];
const PARTS = [1, 2, 3, 4, 6, 7, 8, 12, 24]; // into which ticks divide a turn
const EVERYWHERE = [-Infinity, Infinity];
const FAR = [-1e4, 1e4]; // in pixels
const OWN = new WeakMap(); // by panel: of each axis where its points are in the data, and whether they know numbers below 0

// The period of an axis; 0 if it has none.
export const periodOf = (panel, axis) => panel.periods?.[axis] ?? 0;

function own(panel, axis) {
  if (!OWN.has(panel)) OWN.set(panel, [panel.x, panel.y].map((places, k) => ({ places, isBelow: places.some((value) => value + panel.origin[k] < 0) })));
  return OWN.get(panel)[axis];
}

// The ends of a whole turn as the data have it: about 0 if they know numbers below.
export function wholeTurn(panel, axis) {
  const period = periodOf(panel, axis);
  const first = (own(panel, axis).isBelow ? -period / 2 : 0) - panel.origin[axis];
  return [first, first + period];
}

const within = (value, low, period) => value - period * Math.floor((value - low) / period);

// Where a place, which may be turns away, is in the data.
export function ownPlace(panel, axis, value) {
  const period = periodOf(panel, axis);
  return period > 0 ? within(value, wholeTurn(panel, axis)[0], period) : value;
}

// Ticks that are the same in every turn, and their step: if whole numbers divide the turn, one of these as long as the view
// is not narrower, else a round one, from the beginning of a turn on; far out, one tick in some turns. Null without a period.
export function ticksOfTurn(panel, axis, low, high, count) {
  const period = periodOf(panel, axis);
  if (period === 0) return null;
  const first = wholeTurn(panel, axis)[0] + panel.origin[axis];
  const rough = (high - low) / count;
  const steps = PARTS.map((parts) => period / parts).filter(Number.isInteger);
  const whole = rough >= period ? period : rough >= Math.min(...steps) / 2 ? nearestStep(steps, rough) : 0;
  const step = whole || niceStep(rough);
  const end = first + period - (whole ? 1e-9 * period : step / 2); // the next turn's first tick needs room
  const apart = Math.max(1, Math.round(rough / period));
  const at = [];
  for (let turn = apart * Math.floor((low - first) / period / apart); first + turn * period <= high; turn += apart) {
    const start = turn * period;
    for (let k = Math.ceil(Math.max(first, low - start) / step - 1e-9); k * step < end && start + k * step <= high + 1e-9 * step; k += 1) at.push(start + k * step);
  }
  return { at, step };
}

// The ends of the turn that is shown: the view moves its seam.
const shownTurn = (panel, view, axis) => wholeTurn(panel, axis).map((end) => end + view.moved[axis]);

// Moves the points by whole turns into the one that is shown.
export function turnTo(panel, view) {
  for (const axis of [0, 1]) {
    const period = periodOf(panel, axis);
    if (period === 0) continue;
    const [low] = shownTurn(panel, view, axis);
    panel[NAMES[axis]] = own(panel, axis).places.map((value) => within(value, low, period));
  }
}

// Mean directions of clusters on an axis with a period, by track, in the turn that is shown.
export function meanPlaces(panel, labels, axis) {
  const period = periodOf(panel, axis);
  const unit = (2 * Math.PI) / period;
  const sums = new Map();
  const places = panel[NAMES[axis]];
  let low = Infinity;
  places.forEach((place, i) => {
    if (!sums.has(labels[i])) sums.set(labels[i], [0, 0]);
    const sum = sums.get(labels[i]);
    sum[0] += Math.sin(unit * place);
    sum[1] += Math.cos(unit * place);
    low = Math.min(low, place);
  });
  return new Map(Array.from(sums, ([track, [sine, cosine]]) => [track, within(Math.atan2(sine, cosine) / unit, low, period)]));
}

// Where a place is in the turns that are shown.
export function shownPlace(panel, view, place) {
  return place.map((value, axis) => (periodOf(panel, axis) ? within(value, shownTurn(panel, view, axis)[0], periodOf(panel, axis)) : value));
}

// Draws what goes on from turn to turn, up to the seam: `draw` gets the map of each turn.
export function drawInTurns(context, panel, view, projection, draw) {
  const period = periodOf(panel, 0);
  if (period === 0) return draw(projection);
  const [first] = wholeTurn(panel, 0);
  const [low, high] = shownTurn(panel, view, 0);
  const begun = period * Math.floor((low - first) / period);
  drawWithin(context, projection, [[low, high], EVERYWHERE], () => {
    for (const shift of [begun, begun + period]) draw({ x: (value) => projection.x(value + shift), y: (value) => projection.y(value) });
  });
}

// Draws what reaches as far as `reach` about a place, up to the seams. If it is `bent`, what leaves the turn that is
// shown comes in on the other side, and what is longer than a turn ends where it meets itself; else it ends with the turn
// of the data. `draw` gets each place about which there is a part of it.
export function drawAround(context, panel, view, projection, { place, reach, bent }, draw) {
  const [across, up] = place.map((at, axis) => partsInTurn(panel, view, axis, at, reach[axis], bent));
  for (const x of across) {
    for (const y of up) drawWithin(context, projection, [x.ends, y.ends], () => draw([x.at, y.at]));
  }
}

// Places in the turn that is shown and beside it, and from where to where a part about them is to be seen.
function partsInTurn(panel, view, axis, at, reach, bent) {
  const period = periodOf(panel, axis);
  if (period === 0) return [{ at, ends: EVERYWHERE }];
  const [low, high] = shownTurn(panel, view, axis);
  return [-period, 0, period].map((shift) => within(at, low, period) + shift).flatMap((middle) => {
    const [first, last] = bent ? [middle - period / 2, middle + period / 2] : wholeTurn(panel, axis).map((end) => end + middle - at);
    const ends = [Math.max(low, first), Math.min(high, last)];
    const [from, to] = [middle - reach, middle + reach];
    if (Math.max(from, ends[0]) >= Math.min(to, ends[1])) return [];
    return [{ at: middle, ends: ends[0] <= from && to <= ends[1] ? EVERYWHERE : ends }];
  });
}

function drawWithin(context, projection, [across, up], draw) {
  if (across === EVERYWHERE && up === EVERYWHERE) return draw();
  const [left, right] = across === EVERYWHERE ? FAR : across.map((value) => projection.x(value));
  const [bottom, top] = up === EVERYWHERE ? FAR : up.map((value) => projection.y(value));
  context.save();
  context.beginPath();
  context.rect(left, Math.min(bottom, top), right - left, Math.abs(top - bottom));
  context.clip();
  draw();
  context.restore();
}
