// Colours that stay: a cluster keeps its track from sweep to sweep, and from one run to the next, as in the films that
// Python makes (dpviz/player/tracking.py and alignment.py), and by the same assignments.

const DENSE = 40_000; // cells of a table, beyond which clusters are matched greedily
const MOST_MATCHED = 512; // tracks beyond keep their number
const PATTERNS = 4; // with which clusters of one colour are told apart

const highest = (numbers) => {
  let most = -1;
  for (let i = 0; i < numbers.length; i += 1) if (numbers[i] > most) most = numbers[i];
  return most;
};

function countsOf(numbers) {
  const counts = new Int32Array(highest(numbers) + 1);
  for (let i = 0; i < numbers.length; i += 1) counts[numbers[i]] += 1;
  return counts;
}

const present = (counts) => [...counts.keys()].filter((number) => counts[number] > 0);

// The same with the largest first.
const bySize = (counts) => present(counts).sort((a, b) => counts[b] - counts[a]);

// Pairs [track, label] of clusters of two sweeps that share points, each in one pair at most, so that as many points as
// possible are in pairs. Sweeps are { row, counts } of labels, the one before with its { tracks } by label.
function pairsOf(before, after) {
  const { tracks } = before, olds = present(before.counts).sort((a, b) => tracks[a] - tracks[b]), news = present(after.counts);
  const place = (numbers, counts) => {
    const places = new Int32Array(counts.length);
    numbers.forEach((number, k) => (places[number] = k));
    return places;
  };
  const ofOld = place(olds, before.counts), ofNew = place(news, after.counts), width = news.length;
  const named = ([old, now]) => [tracks[olds[old]], news[now]];
  if (olds.length * width > DENSE) return greedy(before.row, after.row, ofOld, ofNew, width).map(named);
  const shared = new Float64Array(olds.length * width);
  for (let i = 0; i < after.row.length; i += 1) shared[ofOld[before.row[i]] * width + ofNew[after.row[i]]] += 1;
  return assigned(shared, olds.length, width).filter(([old, now]) => shared[old * width + now] > 0).map(named);
}

function greedy(before, after, ofOld, ofNew, width) {
  const shared = new Map(), taken = [new Set(), new Set()], pairs = [];
  for (let i = 0; i < after.length; i += 1) {
    const pair = ofOld[before[i]] * width + ofNew[after[i]];
    shared.set(pair, (shared.get(pair) ?? 0) + 1);
  }
  for (const [pair] of [...shared].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
    const [old, now] = [Math.floor(pair / width), pair % width];
    if (taken[0].has(old) || taken[1].has(now)) continue;
    taken[0].add(old);
    taken[1].add(now);
    pairs.push([old, now]);
  }
  return pairs;
}

// The track of each label of a row, given the row before with its { tracks }, or null.
function continued(before, after, colors) {
  const tracks = new Int32Array(after.counts.length).fill(-1), used = bySize(after.counts);
  const limit = Math.max(colors, used.length), recent = new Set();
  if (before) {
    for (const label of present(before.counts)) recent.add(before.tracks[label]);
    for (const [track, label] of pairsOf(before, after)) if (track < limit) tracks[label] = track;
  }
  const taken = new Set(tracks);
  const free = Array.from({ length: limit }, (_, track) => track).filter((track) => !taken.has(track));
  free.sort((a, b) => Number(recent.has(a)) - Number(recent.has(b)));
  for (const label of used) if (tracks[label] < 0) tracks[label] = free.shift();
  return tracks;
}

const same = (one, other) => {
  for (let i = 0; i < one.length; i += 1) if (one[i] !== other[i]) return false;
  return true;
};

// Tracks of all sweeps: `labels` row after row; `references`: tracks of the same points in other pictures, with which
// the last sweep agrees as far as it can.
export function tracksOf(labels, nPoints, colors, references = []) {
  const rows = [];
  let [before, top] = [null, 0];
  for (let start = 0; start < labels.length; start += nPoints) {
    const row = labels.subarray(start, start + nPoints);
    if (!before || !same(row, before.row)) { // else it keeps its tracks
      const after = { row, counts: countsOf(row) };
      after.tracks = continued(before, after, colors);
      top = Math.max(top, highest(after.tracks));
      before = after;
    }
    rows.push(before);
  }
  const slots = references.length > 0 ? slotsOf(before.row.map((label) => before.tracks[label]), references, top, colors) : null;
  const found = new Int32Array(labels.length);
  rows.forEach(({ row, tracks }, k) => {
    const named = slots ? tracks.map((track) => (track < slots.length ? slots[track] : track)) : tracks;
    for (let i = 0; i < nPoints; i += 1) found[k * nPoints + i] = named[row[i]];
  });
  return found;
}

// New numbers for tracks. What tells clusters apart stays: numbers with a colour of their own are exchanged among each
// other, and so are those with a colour and a pattern, and the rest.
function slotsOf(last, references, top, colors) {
  const width = Math.min(Math.max(top + 1, colors, ...references.map((reference) => highest(reference) + 1)), MOST_MATCHED);
  const gain = new Float64Array(width * width), wanted = new Float64Array(width);
  for (const reference of references) {
    for (let i = 0; i < last.length; i += 1) {
      if (last[i] >= width || reference[i] >= width) continue;
      gain[last[i] * width + reference[i]] += 1;
      wanted[reference[i]] += 1;
    }
  }
  const slots = Array.from({ length: width }, (_, track) => track);
  for (const [from, to] of [[0, colors], [colors, PATTERNS * colors], [PATTERNS * colors, width]]) {
    exchange(slots, from, Math.min(to, width), gain, wanted);
  }
  return slots;
}

// Among equals a track keeps its number, or takes one that no reference has.
function exchange(slots, from, to, gain, wanted) {
  const size = to - from, width = wanted.length;
  const weights = new Float64Array(Math.max(0, size) ** 2);
  let shares = false;
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1) {
      const points = gain[(from + i) * width + from + j];
      shares ||= points > 0;
      weights[i * size + j] = points * (3 * width + 1) + Number(wanted[from + j] === 0) + Number(i === j);
    }
  }
  if (shares) for (const [i, j] of assigned(weights, size, size)) slots[from + i] = from + j;
}

// Numbers for groups (N), equal to the tracks (N) of the same points as far as possible.
export function matchedGroups(groups, tracks, colors) {
  const row = { row: groups, counts: countsOf(groups) };
  const codes = continued(null, row, colors), own = groups.map((group) => codes[group]);
  const nGroups = highest(own) + 1, width = Math.max(highest(tracks) + 1, nGroups, colors);
  if (width > MOST_MATCHED) return Int32Array.from(own);
  const used = countsOf(tracks), weights = new Float64Array(nGroups * width);
  for (let i = 0; i < own.length; i += 1) weights[own[i] * width + tracks[i]] += 3 * width + 1;
  for (let k = 0; k < weights.length; k += 1) {
    const track = k % width; // below one point: those with a colour, and among them those that are free
    weights[k] += 2 * Number(track < Math.max(colors, nGroups)) + Number(!used[track]);
  }
  const slots = assigned(weights, nGroups, width);
  return Int32Array.from(own, (code) => slots[code][1]);
}

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
