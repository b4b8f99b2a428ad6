// Which cluster would take a point, as a picture with smooth edges: the map has few cells, the plot many pixels.

const FACTOR = 6; // pixels of the picture per cell of the map
const CHECK = 2; // cells of a check

// Weights of the cells before, at and after a place inside a cell (−1/2 … 1/2 from its middle): a quadratic B-spline.
const WEIGHTS = Array.from({ length: FACTOR }, (_, k) => {
  const t = (k + 0.5) / FACTOR - 0.5;
  return [0.5 * (0.5 - t) ** 2, 0.75 - t ** 2, 0.5 * (0.5 + t) ** 2];
});

// The label that most of the nine cells around a place have, by their weights and margins: where two are equal, the
// margin between the two clusters vanishes.
function strongest(labels, margins, across, up) {
  const sums = new Map();
  labels.forEach((label, k) => {
    const weight = margins[k] * across[k % 3] * up[Math.floor(k / 3)];
    sums.set(label, (sums.get(label) ?? 0) + weight);
  });
  let best = labels[4];
  for (const [label, sum] of sums) if (sum > sums.get(best)) best = label;
  return best;
}

// Labels and margins (ny × nx, row 0 at the bottom) as FACTOR times as many labels a side, row 0 on top.
function smoothLabels(values, margins, nx, ny) {
  const width = nx * FACTOR;
  const pixels = new Int32Array(width * ny * FACTOR);
  const at = (row, column) => Math.min(ny - 1, Math.max(0, row)) * nx + Math.min(nx - 1, Math.max(0, column));
  for (let row = 0; row < ny; row += 1) {
    for (let column = 0; column < nx; column += 1) {
      const cells = Array.from({ length: 9 }, (_, k) => at(row + Math.floor(k / 3) - 1, column + (k % 3) - 1));
      const around = cells.map((cell) => values[cell]);
      const leads = cells.map((cell) => margins?.[cell] ?? 1);
      const uniform = around.every((label) => label === around[4]);
      for (let y = 0; y < FACTOR; y += 1) {
        const start = ((ny - row) * FACTOR - 1 - y) * width + column * FACTOR;
        for (let x = 0; x < FACTOR; x += 1) {
          pixels[start + x] = uniform ? around[4] : strongest(around, leads, WEIGHTS[x], WEIGHTS[y]);
        }
      }
    }
  }
  return { pixels, width, height: ny * FACTOR };
}

export function regionCanvas(values, margins, nx, ny, theme) {
  const { pixels, width, height } = smoothLabels(values, margins, nx, ny);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const image = new ImageData(width, height);
  pixels.forEach((label, k) => {
    const isNew = label < 0;
    // Checkered where the cluster repeats the colour of another.
    const check = Math.floor(k / width / FACTOR / CHECK) + Math.floor((k % width) / FACTOR / CHECK);
    const plain = isNew || theme.clusterVariant(label) === 0 || check % 2 === 0;
    image.data.set(isNew ? theme.muted : theme.clusterColor(label), 4 * k);
    image.data[4 * k + 3] = isNew ? 20 : plain ? 46 : 12;
  });
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}
