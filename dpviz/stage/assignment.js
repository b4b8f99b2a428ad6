// Which row gets which column, each at most one, so that the sum of their weights is the greatest: shortest augmenting
// paths (Crouse 2016). Of equal sums it finds that of scipy's `linear_sum_assignment`, so that a page and Python give
// clusters the same colours.

// `weights`: nRows × nColumns, row by row. Returns pairs [row, column], as many as the shorter side has, rows in order.
export function assigned(weights, nRows, nColumns) {
  if (nRows > nColumns) {
    const turned = new Float64Array(weights.length);
    for (let i = 0; i < nRows; i += 1) for (let j = 0; j < nColumns; j += 1) turned[j * nRows + i] = weights[i * nColumns + j];
    return assigned(turned, nColumns, nRows).map(([j, i]) => [i, j]).sort(([a], [b]) => a - b);
  }
  const state = {
    weights, nColumns, ofRows: new Float64Array(nRows), ofColumns: new Float64Array(nColumns), shortest: new Float64Array(nColumns),
    from: new Int32Array(nColumns), rowAt: new Int32Array(nColumns).fill(-1), columnAt: new Int32Array(nRows).fill(-1),
    remaining: new Int32Array(nColumns), seen: new Uint8Array(nColumns),
  };
  for (let row = 0; row < nRows; row += 1) augment(state, row);
  return Array.from(state.columnAt, (column, row) => [row, column]);
}

// Give one more row a column, for which others may take other columns.
function augment(state, row) {
  const { ofRows, ofColumns, shortest, from, rowAt, columnAt, seen } = state;
  const { sink, length, rows } = pathFrom(state, row);
  ofRows[row] += length;
  for (const i of rows) if (i !== row) ofRows[i] += length - shortest[columnAt[i]];
  for (let j = 0; j < seen.length; j += 1) if (seen[j]) ofColumns[j] -= length - shortest[j];
  for (let [i, j] = [-1, sink]; i !== row;) {
    i = from[j];
    rowAt[j] = i;
    [columnAt[i], j] = [j, columnAt[i]];
  }
}

function pathFrom(state, row) {
  const { weights, nColumns, ofRows, ofColumns, shortest, from, rowAt, remaining, seen } = state;
  for (let k = 0; k < nColumns; k += 1) remaining[k] = nColumns - 1 - k; // so equal weights are the identity
  shortest.fill(Infinity);
  seen.fill(0);
  const rows = [];
  let [count, length, sink, i] = [nColumns, 0, -1, row];
  while (sink < 0) {
    let [nearest, lowest] = [-1, Infinity];
    rows.push(i);
    for (let k = 0; k < count; k += 1) {
      const j = remaining[k], reached = length - weights[i * nColumns + j] - ofRows[i] - ofColumns[j];
      if (reached < shortest[j]) {
        from[j] = i;
        shortest[j] = reached;
      }
      if (shortest[j] < lowest || (shortest[j] === lowest && rowAt[j] < 0)) [lowest, nearest] = [shortest[j], k];
    }
    length = lowest;
    const j = remaining[nearest];
    seen[j] = 1;
    remaining[nearest] = remaining[(count -= 1)];
    if (rowAt[j] < 0) sink = j;
    else i = rowAt[j];
  }
  return { sink, length, rows };
}
