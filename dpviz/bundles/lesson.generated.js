// words/say.js
var fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
var thousands = new Intl.NumberFormat("en");
var fillForm = (forms, n, values = {}) => fill(forms[formOf(n)], { n: thousands.format(n), ...values });
function say(key, values) {
  return values ? fill(dpvizWords[key], values) : dpvizWords[key];
}
function sayCount(key, n, values) {
  return fillForm(dpvizWords[key], n, values);
}

// player/assets/decode.js
async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
function splitHeader(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { header, rest: bytes.subarray(4 + length) };
}
function openEnvelope(bytes) {
  const { header, rest } = splitHeader(bytes);
  return { opening: header, payload: rest };
}

// player/assets/nodes.js
var element = (tag, ...content) => filled(document.createElement(tag), ...content);
function filled(node, attributes = {}, ...children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// player/assets/layout.js
var KEYS = [
  [say("player.key_space"), say("player.keys_play")],
  ["← →", say("player.keys_step")],
  ["[ ]", say("player.keys_ten")],
  [say("player.key_home_end"), say("player.keys_ends")],
  ["f, v", say("player.keys_full")],
  [say("player.keys_focused"), ""],
  ["+ − 0", say("player.keys_zoom")],
  [say("player.key_shift_arrows"), say("player.keys_pan")],
  [say("player.key_walk"), say("player.keys_walk")],
  ["g", say("player.keys_ghost")],
  [say("player.key_alt_arrows"), say("player.keys_nudge")],
  [say("player.key_box"), say("player.keys_box")]
];
function hide({ host }) {
  const box = host?.closest('[data-testid="stElementContainer"]');
  if (box) box.style.display = "none";
}

// course/assets/trial.js
function trialOf(bytes) {
  const { opening: facts, payload } = openEnvelope(bytes);
  const nFeatures = facts.features.length;
  let at = 0;
  const draws = facts.draws.map(({ n, low, step, per }) => {
    const levels = new Uint16Array(payload.slice(at, at += 2 * n * nFeatures).buffer);
    const values = Float64Array.from(levels, (level, i) => (low[i % nFeatures] + step[i % nFeatures] * level) / per[i % nFeatures]);
    return { values, nPoints: n, nFeatures, groups: null };
  });
  if (facts.grouped) for (const draw of draws) draw.groups = payload.slice(at, at += draw.nPoints);
  return { facts, draws };
}

// stage/agreement.js
var entropy = (counts, total) => counts.reduce((sum, count) => count > 0 ? sum - count / total * Math.log(count / total) : sum, 0);
var pairs = (counts) => counts.reduce((sum, count) => sum + count * (count - 1) / 2, 0);
function agreementCurves(tracks, groups) {
  const nPoints = groups.length;
  const nGroups = groups.reduce((most, group2) => Math.max(most, group2), 0) + 1;
  const curves = { agreement: [], adjusted_rand: [] };
  for (let start = 0; start < tracks.length; start += nPoints) {
    const row = tracks.subarray(start, start + nPoints);
    const nClusters = row.reduce((most, track) => Math.max(most, track), 0) + 1;
    const table = new Float64Array(nClusters * nGroups);
    const [ofClusters, ofGroups] = [new Float64Array(nClusters), new Float64Array(nGroups)];
    for (let i = 0; i < nPoints; i += 1) {
      table[row[i] * nGroups + groups[i]] += 1;
      ofClusters[row[i]] += 1;
      ofGroups[groups[i]] += 1;
    }
    curves.agreement.push(nmi(table, ofClusters, ofGroups, nPoints));
    curves.adjusted_rand.push(ari(table, ofClusters, ofGroups, nPoints));
  }
  return curves;
}
function nmi(table, ofClusters, ofGroups, total) {
  const both = entropy(ofClusters, total) + entropy(ofGroups, total);
  return both === 0 ? 1 : Math.min(1, Math.max(0, 2 * (both - entropy(table, total)) / both));
}
function ari(table, ofClusters, ofGroups, total) {
  const [joint, clusters, groups] = [table, ofClusters, ofGroups].map(pairs);
  if (joint === clusters && joint === groups) return 1;
  const expected = clusters * groups / (total * (total - 1) / 2);
  return (joint - expected) / ((clusters + groups) / 2 - expected);
}

// player/assets/format.js
function group(digits) {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}
function formatFixed(value, decimals) {
  if (!Number.isFinite(value)) return "–";
  const [whole, fraction] = Math.abs(value).toFixed(decimals).split(".");
  const sign = value < 0 && Number(Math.abs(value).toFixed(decimals)) !== 0 ? "−" : "";
  return sign + group(whole) + (fraction ? `.${fraction}` : "");
}
function formatNumber(value, digits = 5) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return powerOfTen(value);
  const decimals = size === 0 ? 0 : Math.max(0, Math.min(8, digits - 1 - Math.floor(Math.log10(size))));
  const text = formatFixed(value, decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
var SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
function powerOfTen(value) {
  const [digits, power] = value.toExponential(2).replace("-", "−").split("e");
  const raised2 = power.replace(/^\+/, "").replace(/^[-−]/, "⁻").replace(/\d/g, (digit) => SUPERSCRIPTS[digit]);
  return `${digits} × 10${raised2}`;
}

// course/assets/measures.js
var CRUMB = 10;
var [EARLY, LATE] = [20, 100];
function sizesOf(labels) {
  const sizes = [];
  for (const label of labels) sizes[label] = (sizes[label] ?? 0) + 1;
  return sizes.filter((size) => size > 0);
}
var visited = ({ answer, config }) => Array.from(answer.sweeps.n_clusters.subarray((config.burn_in ?? 0) + 1));
var mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
var scores = (labels, groups) => groups ? agreementCurves(labels, groups) : { agreement: [NaN], adjusted_rand: [NaN] };
function mostVisited(run) {
  const times = [];
  for (const k of visited(run)) times[k] = (times[k] ?? 0) + 1;
  return times.reduce((best, count, k) => count > (times[best] ?? 0) ? k : best, 0);
}
function shareInOne(labels, groups, wanted) {
  const sizes = sizesOf(labels.filter((_, i) => groups[i] === wanted));
  return Math.max(...sizes) / sizes.reduce((sum, size) => sum + size, 0);
}
function groupWithMost({ nPoints, groups }, value) {
  const rows = [];
  for (let i = 0; i < nPoints; i += 1) (rows[groups[i]] ??= []).push(i);
  const values = rows.map(value);
  return values.indexOf(Math.max(...values));
}
function spread({ nFeatures, values }, rows) {
  const column = (d) => {
    const own = rows.map((i) => values[i * nFeatures + d]);
    const middle = mean(own);
    return Math.sqrt(mean(own.map((value) => (value - middle) ** 2)));
  };
  return mean(Array.from({ length: nFeatures }, (_, d) => column(d)));
}
var wholeness = (run, { groups }, group2) => groups ? shareInOne(run.answer.labels, groups, group2()) : NaN;
var MEASURES = {
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
  above: ({ answer }, _, other) => Math.max(0, answer.nll - other.answer.nll),
  // rounding aside
  alike: (run, _, first) => agreementCurves(run.answer.labels, first.answer.labels).adjusted_rand[0]
};
var places = (count) => (value) => formatFixed(value, count);
var ofHundred = (value) => formatFixed(value < 1 ? Math.min(99, 100 * value) : 100, 0);
var WRITTEN = {
  ari: places(2),
  alike: places(2),
  widest_whole: ofHundred,
  largest_whole: ofHundred,
  mean_k: places(1),
  above: places(1),
  births: places(2),
  extra: places(1),
  nll: (value) => formatNumber(value, 6),
  n_clusters: (value) => sayCount("bench.clusters", value)
};
function written(ways, quantity, runs, [first = 0, second = first], points) {
  const value = MEASURES[quantity](runs[first], points, runs[second]);
  return Number.isFinite(value) ? (ways[quantity] ?? places(0))(value) : "–";
}
var plainly = (...asked) => written({ ...WRITTEN, n_clusters: places(0) }, ...asked);
function boundedValue({ quantity, run, per, than, beside }, runs, points) {
  const of = (place) => MEASURES[quantity](runs[place], points, runs[beside ?? place]);
  if (per === null && than === null) return { value: of(run), words: plainly(quantity, runs, [run, beside ?? run], points) };
  const more = of(run) - (than === null ? 0 : of(than));
  return per === null ? { value: more, words: formatFixed(more, 0) } : { value: more / of(per), words: formatFixed(more / of(per), 1) };
}
function within(bounds, runs, points) {
  return bounds.every((bound) => {
    const { value } = boundedValue(bound, runs, points);
    return (bound.least === null || value >= bound.least) && (bound.most === null || value <= bound.most);
  });
}

// course/assets/tally.js
var Tally = class {
  // `make(number)`: { points, runs } of a draw, in time; `choose(number)`: a draw was pressed; `isUsual()`: whether all
  // numbers stand where the text has them.
  constructor(facts, make, choose, isUsual, unit) {
    Object.assign(this, { facts, make, choose, isUsual, unit, round: 0 });
    this.node = element("div", { class: "tally" });
  }
  clear() {
    this.round += 1;
    this.node.replaceChildren();
  }
  // What was told goes away, or is told again.
  turn(shown) {
    if (this.node.childElementCount > 0) this.clear();
    else this.roll(shown);
  }
  async roll(shown) {
    this.round += 1;
    const { round, facts: { seeds, claims, counted: { quantity, run, beside, words: label } } } = this;
    const found = [];
    const buttons = Array.from({ length: seeds }, (_, number) => this.button(number, number === shown));
    const lines = claims.map(({ says }) => element("p", { text: capital(says) }));
    const ranges = claims.map(({ bounds }) => bounds.map(() => []));
    const place = [run, beside ?? run];
    const sum = element("p", { role: "status", text: sayCount(`bench.counting_${this.unit}s`, seeds) });
    this.node.replaceChildren(sum, element("p", { text: capital(say("bench.told_of_each", { what: label })) }), element("div", { class: "draws", role: "group", "aria-label": say(`bench.all_${this.unit}s`) }, ...buttons), ...lines);
    for (const [number, button] of buttons.entries()) {
      const { points, runs, message } = await this.make(number).catch((error) => error);
      if (round !== this.round) return;
      if (!runs) {
        sum.textContent = say("bench.counting_ended", { done: found.length, all: sayCount(`bench.n_${this.unit}s`, seeds), why: message });
        return;
      }
      const held = claims.map(({ bounds }) => within(bounds, runs, points));
      const all = held.length > 0 && held.every(Boolean);
      const words = plainly(quantity, runs, place, points);
      found.push({ held, words, value: MEASURES[quantity](runs[run], points, runs[place[1]]) });
      button.textContent = words;
      button.classList.toggle("right", all);
      button.setAttribute("aria-label", say(all ? "bench.found_as_said" : "bench.found", { name: this.name(number), words }));
      claims.forEach(({ says, bounds }, k) => {
        bounds.forEach((bound, j) => ranges[k][j].push(boundedValue(bound, runs, points)));
        const told2 = bounds.map((bound, j) => say("bench.bound", { bound: bound.words, range: foundRange(ranges[k][j]) }));
        lines[k].textContent = say("bench.claim", { claim: capital(says), right: found.filter((one) => one.held[k]).length, all: found.length, told: told2.join("; ") });
      });
    }
    const told = this.sum(found);
    sum.textContent = capital(shown === null ? say("bench.of_chapter", { told }) : told);
  }
  // The draw that is shown.
  mark(number) {
    for (const [k, button] of this.node.querySelectorAll("button").entries()) {
      if (k === number) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }
  name(number) {
    return say(`bench.one_${this.unit}`, { number: number + 1 });
  }
  button(number, current) {
    const node = element("button", { type: "button", text: "·", "aria-label": this.name(number), title: this.name(number) });
    if (current) node.setAttribute("aria-current", "true");
    node.addEventListener("click", () => this.choose(number));
    return node;
  }
  sum(found) {
    const all = sayCount(`bench.n_${this.unit}s`, found.length);
    if (this.facts.claims.length === 0) return say("bench.range_in", { range: foundRange(found), all });
    const right = found.filter(({ held }) => held.every(Boolean)).length;
    return say(this.isUsual() ? "bench.holds_in" : "bench.holds_in_with_these", { right, all });
  }
};
function foundRange(found) {
  const [low, high] = [Math.min, Math.max].map((end) => found.find(({ value }) => value === end(...found.map((one) => one.value))));
  if (!low) return "–";
  return low.words === high.words ? low.words : say("bench.range", { low: low.words, high: high.words });
}
var capital = (text) => text[0].toUpperCase() + text.slice(1);

// stage/film.js
var NOISE = 1e-9;
var CELLS = 60;
var MOST_CLUSTERS = 40;
var AROUND = 0.15;
var SQUEEZED = 4;
async function answered(engine, run, searching) {
  const { points, still } = run;
  const more = still.scaling_nats ?? 0, told = ({ share, nll }) => searching?.({ share, nll: nll + more });
  let found = await engine.run(run.config, points, still.plane, told);
  if (run.instead && isLower((await engine.last(run.instead, points)).nll, found.nll)) {
    run.config = run.instead;
    found = await engine.run(run.config, points, still.plane);
  }
  const answer = raised(found, more);
  if (still.region_image && still.plane && points.nFeatures === 2) answer.maps = await mapped(engine, { ...run, answer }, 1);
  return answer;
}
var isLower = (nll, other) => nll < other - NOISE * Math.abs(other);
var mapped = (engine, run, most) => mapsOf(engine, run, run.still, run.still.plane, CELLS, most);
var rowOf = (array, row, width) => array.subarray(row * width, (row + 1) * width);
function raised(answer, more) {
  if (!more) return answer;
  const sweeps = { ...answer.sweeps };
  for (const name of ["nll", "objective"]) sweeps[name] = sweeps[name].map((cost) => cost + more);
  return { ...answer, nll: answer.nll + more, sweeps };
}
function extentOf(x, y) {
  const ends = [x, y].map((values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]));
  let sizes = ends.map(([low, high]) => Math.max(high - low, 1e-9) * (1 + 2 * AROUND));
  const ratio = sizes[0] / sizes[1];
  if (ratio <= SQUEEZED && ratio >= 1 / SQUEEZED) sizes = [Math.max(sizes[0], 2 * sizes[1]), Math.max(sizes[1], sizes[0] / 2)];
  return ends.flatMap(([low, high], k) => [(low + high - sizes[k]) / 2, (low + high + sizes[k]) / 2]);
}
function spotOf(x, y, { directions: [[a, b], [c, d]], origin }) {
  const determinant = a * d - b * c;
  return [origin[0] + (d * x - b * y) / determinant, origin[1] + (a * y - c * x) / determinant];
}
function gridOf([left, right, low, high], cells, plane) {
  const values = new Float64Array(2 * cells * cells);
  for (let k = 0; k < cells * cells; k += 1) {
    const x = left + (k % cells + 0.5) / cells * (right - left);
    const y = low + (Math.floor(k / cells) + 0.5) / cells * (high - low);
    values.set(spotOf(x, y, plane), 2 * k);
  }
  return { values, nPoints: cells * cells, nFeatures: 2 };
}
function mappedRows({ n_clusters: counts }, most) {
  const few = Array.from(counts.keys()).filter((row) => counts[row] <= MOST_CLUSTERS);
  const count = Math.min(few.length, most);
  return Array.from({ length: count }, (_, k) => few[count === 1 ? few.length - 1 : Math.round(k * (few.length - 1) / (count - 1))]);
}
async function mapsOf(engine, { config, points, answer }, panel, plane, cells, most) {
  const extent = extentOf(panel.x, panel.y).map((end, k) => end + panel.origin[k < 2 ? 0 : 1]);
  const where = gridOf(extent, cells, plane);
  const frames = [];
  for (const row of mappedRows(answer.sweeps, most)) {
    const labels = rowOf(answer.sweeps.labels, row, points.nPoints);
    frames.push({ row, ...await engine.places(config, points, labels, where) });
  }
  return { extent, cells, frames };
}

// ui/live/assets/draws.js
var LessonDraws = class {
  // `live`: at whose picture they are; `trial`: { facts, draws }; `found()`: resolves to the labels that the server found.
  constructor(live, { facts, draws }, found) {
    Object.assign(this, { live, facts, draws, found });
    this.unit = draws.length > 1 ? "draw" : "start";
    this.tally = new Tally(facts, (number) => this.runsOf(number), (number) => this.choose(number), () => true, this.unit);
  }
  get title() {
    return this.facts.title;
  }
  get words() {
    return sayCount(`bench.n_${this.unit}s`, this.facts.seeds);
  }
  get about() {
    return say(`lesson_draws.about_${this.unit}s`, { all: this.words });
  }
  // Count, or take the count away and with it the draw in the picture.
  turn() {
    const { live, tally, facts } = this;
    if (tally.node.childElementCount > 0) {
      this.close();
      live.endDraw();
      return;
    }
    live.strip.seeds.replaceChildren(tally.node);
    const served = facts.runs.filter((run) => run.served);
    if (served.length > 0) {
      live.shared.send?.("dice", { player: live.key, lesson: facts.title });
      live.strip.say(say(`lesson_draws.served_${this.unit}s`, { methods: served.map((run) => run.title).join(", ") }));
    }
    tally.roll(-1);
  }
  close() {
    this.tally.clear();
  }
  points(number) {
    return this.draws[number] ?? this.draws[0];
  }
  configuration(place, number) {
    const { config } = this.facts.runs[place];
    return { ...config, seed: config.seed + this.facts.seeds * number };
  }
  // A run { config, answer } of what the stage asks for, which has no configuration if the server makes it.
  async run(engine, asked, place, number) {
    if (this.facts.runs[place].served) return { ...asked, config: null, answer: servedAnswer((await this.found())(place, number)) };
    const run = { ...asked, config: this.configuration(place, number), points: this.points(number) };
    return { ...run, answer: await answered(engine, run) };
  }
  // What the server computes comes last: it may have to be waited for.
  async runsOf(number) {
    const runs = [];
    const places2 = [...this.facts.runs.keys()].sort((a, b) => Number(Boolean(this.facts.runs[a].served)) - Number(Boolean(this.facts.runs[b].served)));
    for (const place of places2) runs[place] = withResult(await this.run(this.live.shared.engines.aside, { still: {} }, place, number));
    return { points: this.points(number), runs };
  }
  async choose(number) {
    const { live, tally } = this;
    this.chosen = number;
    tally.mark(number);
    const made = await Promise.all(live.sides.map((side) => side.engine.ask((engine) => this.film(engine, side, number)))).catch((error) => error);
    if (this.chosen !== number || tally.node.childElementCount === 0 || made === null) return;
    if (made instanceof Error) live.strip.say(say("lesson_draws.not_computed", { why: made.message }));
    else if (!made.includes(null)) {
      live.showDraw(made);
      live.strip.say(this.said(number));
    }
  }
  said(number) {
    const { nPoints } = this.points(number);
    const what = say(`bench.this_${this.unit}`, { number: number + 1, all: this.facts.seeds });
    if (nPoints >= this.facts.n_points) return say("lesson_draws.shown", { what, all: this.words });
    const [n, whole] = [nPoints, this.facts.n_points].map((count) => formatFixed(count, 0));
    return say("lesson_draws.shown_smaller", { what, n, whole, all: this.words });
  }
  async film(engine, side, number) {
    const points = this.points(number), { base, name } = side;
    const still = this.draws.length > 1 ? drawnPanel(base, points, number) : base;
    const title = `${name} · ${say(`bench.one_${this.unit}`, { number: number + 1 })}`;
    const asked = { number: side.number, id: `draw ${number}`, points, still, title, reference: still.true_tracks ?? null, values: {} };
    return this.run(engine, asked, side.number, number);
  }
};
function drawnPanel(base, { values, nPoints, groups }, number) {
  const [x, y] = [0, 1].map((axis) => Float32Array.from({ length: nPoints }, (_, i) => values[2 * i + axis] - base.origin[axis]));
  const panel = { ...base, x, y, n_points: nPoints, points_id: `draw-${number}`, values: void 0 };
  if (!groups || !base.true_tracks) return { ...panel, true_labels: void 0, true_tracks: void 0 };
  const tracks = new Map(Array.from(base.true_labels, (group2, i) => [group2, base.true_tracks[i]]));
  return { ...panel, true_labels: Int32Array.from(groups), true_tracks: Int32Array.from(groups, (group2) => tracks.get(group2) ?? 0) };
}
function servedAnswer(labels) {
  const sweeps = { labels, n_clusters: [new Set(labels).size], nll: [NaN], objective: [NaN], n_moved: [0], n_born: [0], n_died: [0] };
  return { labels, n_clusters: sweeps.n_clusters[0], n_sweeps: 0, sweeps };
}
function withResult({ config, answer }) {
  if (config?.algorithm !== "gibbs") return { config, answer };
  const { sweeps, n_sweeps: last } = answer, nPoints = answer.labels.length;
  let best = last;
  for (let sweep = last; sweep > config.burn_in; sweep -= 1) if ((sweep - config.burn_in) % config.thin === 0 && sweeps.nll[sweep] <= sweeps.nll[best]) best = sweep;
  return { config, answer: { ...answer, labels: sweeps.labels.subarray(best * nPoints, (best + 1) * nPoints), n_clusters: sweeps.n_clusters[best] } };
}

// ui/live/assets/draws_mount.js
var SOON = 100;
var findings = /* @__PURE__ */ new Map();
function findingOf(lesson) {
  if (!findings.has(lesson)) {
    let settle = null;
    const come = new Promise((resolve) => settle = resolve);
    findings.set(lesson, { come, settle });
  }
  return findings.get(lesson);
}
function received({ lesson, fault, runs, draws, n_points: nPoints }, bytes) {
  const { settle } = findingOf(lesson);
  if (fault) findings.delete(lesson);
  settle((place, number) => {
    if (fault) throw new Error(fault);
    const from = (runs.indexOf(place) * draws + number) * nPoints;
    return Int32Array.from(bytes.subarray(from, from + nPoints));
  });
}
function mountLesson({ data, parentElement }) {
  hide(parentElement);
  const { opening: header, payload } = openEnvelope(data);
  const live = () => globalThis.dpvizLive?.lives.get(header.player);
  if (header.kind === "found") {
    inflate(payload).then((bytes) => received(header, bytes));
    return () => {
    };
  }
  let closed = false;
  inflate(payload).then((bytes) => {
    const attach = () => {
      if (closed || live()?.draws?.title === header.lesson) return;
      if (!live()?.facts) setTimeout(attach, SOON);
      else live().offer(new LessonDraws(live(), trialOf(bytes), () => findingOf(header.lesson).come));
    };
    attach();
  });
  return () => {
    closed = true;
    if (live()?.draws?.title === header.lesson) live().offer(null);
  };
}
export {
  mountLesson as default
};
