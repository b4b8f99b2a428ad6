// Sizes of the clusters of a panel at every recorded sweep.

const MOST_BANDS = 400; // clusters too thin to distinguish are counted together
export const OTHERS = MOST_BANDS;

// Clusters by decreasing size: [{ track, size }].
export function clusterSizes(labels) {
  const counts = [];
  for (let i = 0; i < labels.length; i += 1) counts[labels[i]] = (counts[labels[i]] ?? 0) + 1;
  const clusters = [];
  counts.forEach((size, track) => clusters.push({ track, size }));
  return clusters.sort((a, b) => b.size - a.size || a.track - b.track);
}

// One entry per row: tracks in increasing order, their sizes, and how many points lie below each in the stack.
export function sizeHistory(panel) {
  const { labels, n_points: count } = panel;
  let top = 0;
  for (let i = 0; i < labels.length; i += 1) if (labels[i] > top) top = labels[i];
  const counts = new Int32Array(top + 1);
  let largest = 0;
  const rows = Array.from({ length: labels.length / count }, (_, row) => {
    counts.fill(0);
    for (let i = row * count; i < (row + 1) * count; i += 1) counts[labels[i]] += 1;
    const entry = { tracks: [], sizes: [], starts: [] };
    let below = 0;
    for (let track = 0; track <= top; track += 1) {
      const size = counts[track];
      if (size === 0) continue;
      if (size > largest) largest = size;
      if (track <= OTHERS || entry.tracks.at(-1) !== OTHERS) {
        entry.tracks.push(Math.min(track, OTHERS));
        entry.sizes.push(size);
        entry.starts.push(below);
      } else entry.sizes[entry.sizes.length - 1] += size;
      below += size;
    }
    return entry;
  });
  return { rows, largest, count };
}

// Points below a track in the stack of a row, also if the track is not alive there.
function startOf(history, row, track) {
  const { tracks, starts } = history.rows[row];
  const next = tracks.findIndex((other) => other >= track);
  return next < 0 ? history.count : starts[next];
}

// Lifetimes as outlines of the stack: [{ track, rows, low, high }], each closing to nothing before and after.
export function sizeBands(history) {
  const open = new Map();
  const bands = [];
  const last = history.rows.length - 1;
  const close = (band, row) => {
    open.delete(band.track);
    if (row > last) return;
    const at = startOf(history, row, band.track);
    band.rows.push(row);
    band.low.push(at);
    band.high.push(at);
  };
  history.rows.forEach(({ tracks, sizes, starts }, row) => {
    const alive = new Set(tracks);
    for (const band of [...open.values()]) if (!alive.has(band.track)) close(band, row);
    tracks.forEach((track, k) => {
      let band = open.get(track);
      if (!band) {
        const before = row === 0 ? [] : [startOf(history, row - 1, track)];
        band = { track, rows: row === 0 ? [] : [row - 1], low: [...before], high: [...before] };
        open.set(track, band);
        bands.push(band);
      }
      band.rows.push(row);
      band.low.push(starts[k]);
      band.high.push(starts[k] + sizes[k]);
    });
  });
  return bands;
}

// The track at a height (in points) of a row's stack, and its size.
export function bandAt(history, row, points) {
  const { tracks, sizes, starts } = history.rows[row];
  const k = starts.findLastIndex((start) => start <= points);
  return { track: tracks[Math.max(0, k)], size: sizes[Math.max(0, k)] };
}
