// The points that were drawn, and the way back. Coordinates are those of the data, y upwards.

const MOST_STEPS = 200;

export class Sketch {
  constructor(points, extent, most) {
    this.points = points;
    this.extent = extent;
    this.most = most;
    this.past = [];
    this.future = [];
    this.before = null;
  }

  // One gesture is one step back: everything between begin() and end().
  begin() {
    this.before = this.points;
  }

  end() {
    const before = this.before;
    this.before = null;
    if (before === null || before === this.points) return false;
    this.past.push(before);
    if (this.past.length > MOST_STEPS) this.past.shift();
    this.future = [];
    return true;
  }

  get full() {
    return this.points.length >= this.most;
  }

  add(places, color) {
    const [halfWidth, halfHeight] = this.extent.map((length) => length / 2);
    const inside = places.filter(([x, y]) => Math.abs(x) <= halfWidth && Math.abs(y) <= halfHeight);
    const room = inside.slice(0, this.most - this.points.length);
    if (room.length === 0) return;
    const rounded = (number) => Math.round(number * 1000) / 1000;
    this.points = this.points.concat(room.map(([x, y]) => ({ x: rounded(x), y: rounded(y), color })));
  }

  erase(x, y, radius) {
    const kept = this.points.filter((point) => Math.hypot(point.x - x, point.y - y) > radius);
    if (kept.length < this.points.length) this.points = kept;
  }

  clear() {
    this.begin();
    if (this.points.length > 0) this.points = [];
    return this.end();
  }

  undo() {
    return this.travel(this.past, this.future);
  }

  redo() {
    return this.travel(this.future, this.past);
  }

  travel(from, to) {
    if (from.length === 0) return false;
    to.push(this.points);
    this.points = from.pop();
    return true;
  }
}

function normal() {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

// What each brush leaves at one dab: a point, a Gaussian blob, or an evenly filled disc.
export const BRUSHES = {
  point: (x, y) => [[x, y]],
  blob: (x, y, radius, count) => Array.from({ length: count }, () => [x + (radius / 2) * normal(), y + (radius / 2) * normal()]),
  disc: (x, y, radius, count) => Array.from({ length: count }, () => {
    const distance = radius * Math.sqrt(Math.random());
    const angle = 2 * Math.PI * Math.random();
    return [x + distance * Math.cos(angle), y + distance * Math.sin(angle)];
  }),
};
