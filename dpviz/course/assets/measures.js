// What is said of a run that was computed here. Those that claims are about are as in dpviz/course/claims.py.

import { agreementCurves } from "../../stage/agreement.js";
import { formatFixed, formatNumber } from "../../player/assets/format.js";
import { sayCount } from "../../words/say.js";

const CRUMB = 10; // clusters of fewer points count as crumbs
const [EARLY, LATE] = [20, 100]; // sweeps of a run that are its first, and its last

// Sizes of groups 0, 1, … in labels that may leave numbers out.
function sizesOf(labels) {
  const sizes = [];
  for (const label of labels) sizes[label] = (sizes[label] ?? 0) + 1;
  return sizes.filter((size) => size > 0);
}

// K in every sweep of a chain after its burn-in.
const visited = ({ answer, config }) => Array.from(answer.sweeps.n_clusters.subarray((config.burn_in ?? 0) + 1));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const scores = (labels, groups) => (groups ? agreementCurves(labels, groups) : { agreement: [NaN], adjusted_rand: [NaN] });

function mostVisited(run) {
  const times = [];
  for (const k of visited(run)) times[k] = (times[k] ?? 0) + 1;
  return times.reduce((best, count, k) => (count > (times[best] ?? 0) ? k : best), 0);
}

// Largest share of a group that lies in one cluster.
function shareInOne(labels, groups, wanted) {
  const sizes = sizesOf(labels.filter((_, i) => groups[i] === wanted));
  return Math.max(...sizes) / sizes.reduce((sum, size) => sum + size, 0);
}

// The group with the largest `value(its rows)`, the first of equals.
function groupWithMost({ nPoints, groups }, value) {
  const rows = [];
  for (let i = 0; i < nPoints; i += 1) (rows[groups[i]] ??= []).push(i);
  const values = rows.map(value);
  return values.indexOf(Math.max(...values));
}

// Mean over the columns of the standard deviation of these rows.
function spread({ nFeatures, values }, rows) {
  const column = (d) => {
    const own = rows.map((i) => values[i * nFeatures + d]);
    const middle = mean(own);
    return Math.sqrt(mean(own.map((value) => (value - middle) ** 2)));
  };
  return mean(Array.from({ length: nFeatures }, (_, d) => column(d)));
}

// `group()`: which of them.
const wholeness = (run, { groups }, group) => (groups ? shareInOne(run.answer.labels, groups, group()) : NaN);

// `others`: all runs, for what is said of two.
export const MEASURES = {
  n_clusters: ({ answer }) => answer.n_clusters,
  n_large: ({ answer }) => sizesOf(answer.labels).filter((size) => size >= CRUMB).length,
  n_small: ({ answer }) => sizesOf(answer.labels).filter((size) => size < CRUMB).length,
  alone: ({ answer }) => sizesOf(answer.labels).filter((size) => size === 1).length,
  smallest: ({ answer }) => Math.min(...sizesOf(answer.labels)),
  ari: ({ answer }, { groups }) => scores(answer.labels, groups).adjusted_rand[0],
  nmi: ({ answer }, { groups }) => 100 * scores(answer.labels, groups).agreement[0],
  widest_whole: (run, points) => wholeness(run, points, () => points.stretched ?? groupWithMost(points, (rows) => spread(points, rows))),
  largest_whole: (run, points) => wholeness(run, points, () => groupWithMost(points, (rows) => rows.length)),
  first_moved: ({ answer }) => answer.sweeps.n_moved[1],
  nll: ({ answer }) => answer.nll,
  objective: ({ answer }) => answer.sweeps.objective[answer.n_sweeps],
  usual: mostVisited,
  mean_k: (run) => mean(visited(run)),
  n_visited: (run) => new Set(visited(run)).size,
  extra: (run, { groups }) => mean(visited(run)) - sizesOf(groups).length,
  births: ({ answer, config }) => mean(Array.from(answer.sweeps.n_born.subarray((config.burn_in ?? 0) + 1), (born) => Number(born > 0))),
  least_early: ({ answer }) => Math.min(...answer.sweeps.n_clusters.subarray(0, EARLY + 1)),
  n_late_costs: ({ answer }) => new Set(answer.sweeps.nll.slice(-LATE)).size,
  n_sweeps: ({ answer }) => answer.n_sweeps,
  converged: ({ answer }) => Number(answer.converged),
  least_k: (run) => Math.min(...visited(run)),
  most_k: (run) => Math.max(...visited(run)),
  share_of_usual: (run, _, first) => 100 * mean(visited(run).map((k) => Number(k === mostVisited(first)))),
  sweeps_as: (run, _, other) => visited(run).filter((k) => k === other.answer.n_clusters).length,
  above: ({ answer }, _, other) => Math.max(0, answer.nll - other.answer.nll), // rounding aside
  alike: (run, _, first) => agreementCurves(run.answer.labels, first.answer.labels).adjusted_rand[0],
};

const places = (count) => (value) => formatFixed(value, count);
const ofHundred = (value) => formatFixed(value < 1 ? Math.min(99, 100 * value) : 100, 0); // all only if it is all
const WRITTEN = {
  ari: places(2), alike: places(2), widest_whole: ofHundred, largest_whole: ofHundred, mean_k: places(1),
  above: places(1), births: places(2), extra: places(1), nll: (value) => formatNumber(value, 6), n_clusters: (value) => sayCount("bench.clusters", value),
};

function written(ways, quantity, runs, [first = 0, second = first], points) {
  const value = MEASURES[quantity](runs[first], points, runs[second]);
  return Number.isFinite(value) ? (ways[quantity] ?? places(0))(value) : "–";
}

// A quantity in words; a dash where there is none, as of points that were drawn without groups.
export const measured = (...asked) => written(WRITTEN, ...asked);

// The same as a number alone.
export const plainly = (...asked) => written({ ...WRITTEN, n_clusters: places(0) }, ...asked);

// What a bound { quantity, run, least, most, per, than, beside } is about, as { value, words }; `per`: how many times as
// much, `than`: how much more.
export function boundedValue({ quantity, run, per, than, beside }, runs, points) {
  const of = (place) => MEASURES[quantity](runs[place], points, runs[beside ?? place]);
  if (per === null && than === null) return { value: of(run), words: plainly(quantity, runs, [run, beside ?? run], points) };
  const more = of(run) - (than === null ? 0 : of(than));
  return per === null ? { value: more, words: formatFixed(more, 0) } : { value: more / of(per), words: formatFixed(more / of(per), 1) };
}

// Whether bounds hold of runs.
export function within(bounds, runs, points) {
  return bounds.every((bound) => {
    const { value } = boundedValue(bound, runs, points);
    return (bound.least === null || value >= bound.least) && (bound.most === null || value <= bound.most);
  });
}
