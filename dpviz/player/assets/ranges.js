// Which values a chart shows: all, or all but a steep start that would flatten everything after it.

const START_SHARE = 0.05; // of a line's sweeps, at least one
const STEEP = 2; // a start that adds this many times the later range is let run off

// { all, later, cut }: `cut` says whether the start would flatten the rest.
export function chartRanges(lines, fromZero) {
  const all = rangeOf(lines, () => 0);
  const later = rangeOf(lines, (line) => Math.max(1, Math.ceil(START_SHARE * line.y.length)));
  const height = later[1] - (fromZero ? 0 : later[0]);
  const cut = height > 0 && all[1] - later[1] > STEEP * height;
  return { all, later: [Math.min(all[0], later[0]), later[1]], cut };
}

// Smallest and largest finite value from an index on; [0, 1] without any.
function rangeOf(lines, startOf) {
  let low = Infinity;
  let high = -Infinity;
  for (const line of lines) {
    for (let k = startOf(line); k < line.y.length; k += 1) {
      if (!Number.isFinite(line.y[k])) continue;
      low = Math.min(low, line.y[k]);
      high = Math.max(high, line.y[k]);
    }
  }
  return high >= low ? [low, high] : [0, 1];
}
