// How opaque each point is: alone it is plain to see, and where points lie on each other they add up to a shade that
// grows with their density instead of to a blob.

const CELL = 12; // pixels of the grid on which points are counted
const [FAINTEST, STRONGEST] = [0.07, 0.78];
export const OPACITIES = Array.from({ length: 12 }, (_, k) => FAINTEST * (STRONGEST / FAINTEST) ** (k / 11));
const [SHADE_ALONE, SHADE_DENSEST] = [0.7, 0.97];

// Sums over the 3 × 3 cells around each, over nine.
function blurred(counts, columns, rows) {
  const result = new Float32Array(counts.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      let sum = 0;
      for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r += 1) {
        for (let c = Math.max(0, column - 1); c <= Math.min(columns - 1, column + 1); c += 1) {
          sum += counts[r * columns + c];
        }
      }
      result[row * columns + column] = sum / 9;
    }
  }
  return result;
}

// The number in OPACITIES of each point at device pixels (xs, ys) of a plot, for markers of this radius.
export function opacityLevels(xs, ys, width, height, radius, ratio) {
  const cell = CELL * ratio;
  const columns = Math.ceil(width / cell) + 1;
  const rows = Math.ceil(height / cell) + 1;
  const counts = new Float32Array(columns * rows);
  const place = (i) => {
    const column = Math.floor(xs[i] / cell);
    const row = Math.floor(ys[i] / cell);
    return column < 0 || row < 0 || column >= columns || row >= rows ? -1 : row * columns + column;
  };
  for (let i = 0; i < xs.length; i += 1) {
    const at = place(i);
    if (at >= 0) counts[at] += 1;
  }
  const layers = blurred(counts, columns, rows).map((count) => (count * Math.PI * radius ** 2) / cell ** 2);
  const densest = Math.log1p(layers.reduce((most, count) => Math.max(most, count), 4));
  const levels = layers.map((count) => {
    const shade = SHADE_ALONE + ((SHADE_DENSEST - SHADE_ALONE) * Math.log1p(count)) / densest;
    return levelOf(1 - (1 - shade) ** (1 / Math.max(1, count)));
  });
  return Uint8Array.from(xs, (_, i) => levels[Math.max(0, place(i))]);
}

// The number in OPACITIES that is nearest to an opacity.
export function levelOf(opacity) {
  const share = Math.log(opacity / FAINTEST) / Math.log(STRONGEST / FAINTEST);
  return Math.round((OPACITIES.length - 1) * Math.min(1, Math.max(0, share)));
}
