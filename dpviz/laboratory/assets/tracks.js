// Colours that stay: a cluster keeps its track from sweep to sweep, and from one run to the next. The greedy matching
// here may differ from the exact one of films that Python makes, where several clusters split and merge at once.

// Pairs [old, new] of clusters that share points, each in one pair at most, those that share the most first.
function matched(before, after) {
  const width = 1 + after.reduce((most, label) => Math.max(most, label), 0);
  const shared = new Map();
  for (let i = 0; i < before.length; i += 1) {
    const pair = before[i] * width + after[i];
    shared.set(pair, (shared.get(pair) ?? 0) + 1);
  }
  const [olds, news, pairs] = [new Set(), new Set(), []];
  for (const [pair] of [...shared].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
    const [old, now] = [Math.floor(pair / width), pair % width];
    if (olds.has(old) || news.has(now)) continue;
    olds.add(old);
    news.add(now);
    pairs.push([old, now]);
  }
  return pairs;
}

function labelsBySize(labels) {
  const sizes = new Map();
  for (const label of labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  return [...sizes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([label]) => label);
}

// The track of every label in use, given every point's track before; new clusters take colours that were free.
export function continued(before, labels, colors) {
  const used = labelsBySize(labels);
  const limit = Math.max(colors, used.length);
  const tracks = new Map();
  for (const [old, now] of matched(before, labels)) if (old < limit) tracks.set(now, old);
  const [taken, recent] = [new Set(tracks.values()), new Set(before)];
  const free = Array.from({ length: limit }, (_, track) => track).filter((track) => !taken.has(track));
  free.sort((a, b) => recent.has(a) - recent.has(b) || a - b);
  for (const label of used) if (!tracks.has(label)) tracks.set(label, free.shift());
  return tracks;
}

// New numbers for the tracks that have a colour of their own, so that the last sweep agrees with a reference.
function alignment(last, reference, colors) {
  const slots = new Map();
  for (const [wanted, own] of matched(reference, last)) if (wanted < colors && own < colors) slots.set(own, wanted);
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

// Tracks of all sweeps: `labels` row after row, `reference` the tracks of the same points in another run, or null.
export function tracksOf(labels, nPoints, colors, reference) {
  const tracks = new Int32Array(labels.length);
  let before = [];
  for (let start = 0; start < labels.length; start += nPoints) {
    const row = labels.subarray(start, start + nPoints);
    const track = continued(before, row, colors);
    for (let i = 0; i < nPoints; i += 1) tracks[start + i] = track.get(row[i]);
    before = tracks.subarray(start, start + nPoints);
  }
  if (reference === null) return tracks;
  const slots = alignment(before, reference, colors);
  return tracks.map((track) => slots.get(track) ?? track);
}
