// Colours that stay: a cluster keeps its track from sweep to sweep, and from one run to the next. The greedy matching
// here may differ from the exact one of films that Python makes, where several clusters split and merge at once.

const TABLE = 250_000; // cells up to which pairs are counted in a table

function countsOf(labels) {
  let [counts, width] = [new Int32Array(64), 0];
  for (let i = 0; i < labels.length; i += 1) {
    const label = labels[i];
    if (label >= width) {
      width = label + 1;
      if (width > counts.length) {
        const more = new Int32Array(2 * width);
        more.set(counts);
        counts = more;
      }
    }
    counts[label] += 1;
  }
  return counts.subarray(0, width);
}

// How many points each pair old * width + new has, of the pairs that have any.
function sharedPoints(before, after, nBefore, width) {
  const table = nBefore * width <= TABLE ? new Int32Array(nBefore * width) : new Map();
  if (table instanceof Map) {
    for (let i = 0; i < before.length; i += 1) {
      const pair = before[i] * width + after[i];
      table.set(pair, (table.get(pair) ?? 0) + 1);
    }
    return [...table];
  }
  for (let i = 0; i < before.length; i += 1) table[before[i] * width + after[i]] += 1;
  const found = [];
  for (let pair = 0; pair < table.length; pair += 1) if (table[pair] > 0) found.push([pair, table[pair]]);
  return found;
}

// Pairs [old, new] of clusters that share points, each in one pair at most, those that share the most first. There are
// `nBefore` numbers of old ones and `width` of new ones. `trackOf`: by which old ones are called; without, as they are.
function matched(before, after, nBefore, width, trackOf = null) {
  const shared = sharedPoints(before, after, nBefore, width).map(([pair, count]) => {
    const old = Math.floor(pair / width);
    return [trackOf ? trackOf[old] : old, pair % width, count];
  });
  const [olds, news, pairs] = [new Set(), new Set(), []];
  for (const [old, now] of shared.sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1])) {
    if (olds.has(old) || news.has(now)) continue;
    olds.add(old);
    news.add(now);
    pairs.push([old, now]);
  }
  return pairs;
}

function bySize(counts) {
  const used = [...counts.entries()].filter(([, count]) => count > 0);
  return used.sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([label]) => label);
}

// The same as `continued`, with points counted already: `before` has the { labels, counts } of old clusters, their tracks
// (null: labels are tracks), and the `sizes` of those.
function continuedFrom(before, labels, counts, colors) {
  const used = bySize(counts);
  const limit = Math.max(colors, used.length);
  const tracks = new Map(), { sizes } = before;
  const pairs = matched(before.labels, labels, before.counts.length, counts.length, before.tracks);
  for (const [old, now] of pairs) if (old < limit) tracks.set(now, old);
  const taken = new Set(tracks.values());
  const recent = (track) => Number(sizes[track] > 0);
  const free = Array.from({ length: limit }, (_, track) => track).filter((track) => !taken.has(track));
  free.sort((a, b) => recent(a) - recent(b) || a - b);
  for (const label of used) if (!tracks.has(label)) tracks.set(label, free.shift());
  return tracks;
}

// The track of every label in use, given every point's track before; new clusters take colours that were free.
export function continued(before, labels, colors) {
  const counts = countsOf(before);
  return continuedFrom({ labels: before, counts, tracks: null, sizes: counts }, labels, countsOf(labels), colors);
}

// New numbers for the tracks that have a colour of their own, so that the last sweep agrees with a reference.
function alignment(last, sizes, reference, colors) {
  const slots = new Map();
  const pairs = matched(reference, last, countsOf(reference).length, sizes.length);
  for (const [wanted, own] of pairs) if (wanted < colors && own < colors) slots.set(own, wanted);
  const taken = new Set(slots.values());
  const others = Array.from({ length: colors }, (_, own) => own).filter((own) => !slots.has(own));
  for (const own of others) {
    if (taken.has(own)) continue;
    slots.set(own, own);
    taken.add(own);
  }
  const free = Array.from({ length: colors }, (_, slot) => slot).filter((slot) => !taken.has(slot));
  for (const own of others) if (!slots.has(own)) slots.set(own, free.shift());
  return slots;
}

// Tracks of all sweeps: `labels` row after row, `reference` the tracks of the same points in another run, or null. Every
// point of every row is looked at as few times as this takes, since knobs wait for it.
export function tracksOf(labels, nPoints, colors, reference) {
  const rows = [];
  let [before, top] = [{ labels: [], counts: [], tracks: null, sizes: [] }, 0];
  for (let start = 0; start < labels.length; start += nPoints) {
    const row = labels.subarray(start, start + nPoints), counts = countsOf(row);
    const tracks = new Int32Array(counts.length);
    for (const [label, own] of continuedFrom(before, row, counts, colors)) tracks[label] = own;
    before = { labels: row, counts, tracks, sizes: sizesByTrack(tracks, counts) };
    top = Math.max(top, before.sizes.length);
    rows.push(before);
  }
  if (reference !== null) {
    const slots = alignment(before.labels.map((label) => before.tracks[label]), before.sizes, reference, colors);
    const renamed = Int32Array.from({ length: top }, (_, track) => slots.get(track) ?? track);
    for (const { tracks } of rows) tracks.forEach((track, label) => (tracks[label] = renamed[track]));
  }
  const found = new Int32Array(labels.length);
  rows.forEach(({ labels: row, tracks }, k) => {
    for (let i = 0; i < nPoints; i += 1) found[k * nPoints + i] = tracks[row[i]];
  });
  return found;
}

// Points of every track, from those of every label.
function sizesByTrack(track, counts) {
  let top = 0;
  for (let label = 0; label < counts.length; label += 1) if (counts[label] > 0 && track[label] >= top) top = track[label] + 1;
  const sizes = new Int32Array(top);
  for (let label = 0; label < counts.length; label += 1) if (counts[label] > 0) sizes[track[label]] = counts[label];
  return sizes;
}
