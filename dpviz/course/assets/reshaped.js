// Points as numbers in the text change them.

const FAR = 4; // points that are put far away

const copy = (points, values) => ({ ...points, values });

const CHANGES = {
  // A group about its mean, `value / usual` times as wide.
  spread(points, value, { usual, path: [, , group] }) {
    const { groups, nFeatures } = points;
    const values = points.values.slice();
    const rows = Array.from(groups.keys()).filter((i) => groups[i] === Number(group));
    for (let d = 0; d < nFeatures; d += 1) {
      const middle = rows.reduce((sum, i) => sum + values[i * nFeatures + d], 0) / rows.length;
      for (const i of rows) values[i * nFeatures + d] = middle + (value / usual) * (values[i * nFeatures + d] - middle);
    }
    return { ...copy(points, values), stretched: Number(group) };
  },

  // The means of the groups, `value / usual` times as far from the mean of all.
  apart(points, value, { usual }) {
    const { groups, nFeatures, nPoints } = points;
    const values = points.values.slice();
    for (let d = 0; d < nFeatures; d += 1) {
      const [sums, sizes] = [[], []];
      let all = 0;
      for (let i = 0; i < nPoints; i += 1) {
        sums[groups[i]] = (sums[groups[i]] ?? 0) + values[i * nFeatures + d];
        sizes[groups[i]] = (sizes[groups[i]] ?? 0) + 1;
        all += values[i * nFeatures + d] / nPoints;
      }
      for (let i = 0; i < nPoints; i += 1) values[i * nFeatures + d] += (value / usual - 1) * (sums[groups[i]] / sizes[groups[i]] - all);
    }
    return copy(points, values);
  },

  // The first so many of points that come in no order.
  points(points, value) {
    const { values, groups, nFeatures } = points;
    return { ...points, nPoints: value, values: values.slice(0, value * nFeatures), groups: groups?.slice(0, value) ?? null };
  },

  // Of every group but one only one point in so many.
  thin(points, value, { path: [, , group] }) {
    const { values, groups, nFeatures, nPoints } = points, [all, seen] = [[], []];
    for (const own of groups) all[own] = (all[own] ?? 0) + 1;
    const kept = Array.from({ length: nPoints }, (_, i) => i).filter((i) => {
      seen[groups[i]] = (seen[groups[i]] ?? 0) + 1;
      return groups[i] === Number(group) || (seen[groups[i]] - 1) * value < all[groups[i]];
    });
    const cells = kept.flatMap((i) => Array.from(values.subarray(i * nFeatures, (i + 1) * nFeatures)));
    return { ...points, nPoints: kept.length, values: Float64Array.from(cells), groups: Uint8Array.from(kept, (i) => groups[i]) };
  },

  // The last points beside each other, so far from the mean of all in every direction of the axes.
  far(points, value) {
    if (value === 0) return points;
    const { nFeatures, nPoints } = points, values = points.values.slice(), from = (nPoints - FAR) * nFeatures;
    for (let d = 0; d < nFeatures; d += 1) {
      let middle = 0;
      for (let at = d; at < values.length; at += nFeatures) middle += values[at] / nPoints;
      for (let at = from + d; at < values.length; at += nFeatures) values[at] = middle + value + (at - from - d) / nFeatures;
    }
    return copy(points, values);
  },

  // One column in another unit.
  divide(points, value, { path: [, , column] }) {
    const values = points.values.slice();
    for (let at = Number(column); at < values.length; at += points.nFeatures) values[at] /= value;
    return copy(points, values);
  },

  // A share of the cells, the mean of their column in place of each; more of them include those before.
  fill(points, value, turn, number) {
    const { values: own, nPoints, nFeatures } = points;
    const values = own.slice();
    const hidden = Array.from(own, (_, at) => chance(number * own.length + at) < value);
    for (let d = 0; d < nFeatures; d += 1) {
      let [sum, count] = [0, 0];
      for (let at = d; at < own.length; at += nFeatures) if (!hidden[at]) [sum, count] = [sum + own[at], count + 1];
      for (let at = d; at < nPoints * nFeatures; at += nFeatures) if (hidden[at]) values[at] = sum / count;
    }
    return copy(points, values);
  },
};

// A number from 0 to 1 for each cell, always the same.
function chance(at) {
  let bits = Math.imul(at + 1, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

// `turns`: all numbers in the text; `values`: where they stand; `number`: of the draw.
export function reshaped(points, turns, values, number = 0) {
  const changing = turns.filter(({ path }) => path[0] === "data");
  return changing.reduce((changed, turn) => CHANGES[turn.path[1]](changed, values[turn.name], turn, number), points);
}
