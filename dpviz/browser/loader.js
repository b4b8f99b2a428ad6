/* The engine in a page: a Worker around the compiled module. It moves numbers; kernels do the mathematics.

   const engine = dpvizEngine(bytes);                    // of engine.wasm, an ArrayBuffer or a typed array
   const done = await engine.run(config, X);             // config: text or object as RunConfig.to_json writes it
   const seen = await engine.scores(config, X, labels, point);
   engine.cancel();                                      // what was asked is rejected, and ends with its slice, or with its Worker
   engine.close();

   const more = await engine.shapes(config, X, labels, plane);   // and places(…, where), visits(config, X, start, sweep)

   X is an array of rows, or {values: Float64Array, nPoints, nFeatures}, with columns: Float64Array for columns.wasm, which
   answers run, last, scores and visits; labels (N) are a partition 0 … K − 1. An answer is an object:
     run:     {labels, nll, n_clusters, n_sweeps, chosen_start, converged, sweeps}; labels (N) are those of the last
              sweep, sweeps.labels those of all (n_sweeps + 1, N), row 0 the start; sweeps.n_clusters, n_moved, n_born,
              n_died, nll, objective have an entry per row, and so have concentration and second (discount or power),
              which a chain with hyperpriors draws; what is asked of a sweep of it needs a config with its values.
              sweeps.sizes(row) are the clusters' sizes in it. run(config, X, plane, told) gives sweeps.shapes as below,
              and tells {share, nll} between slices of a search: its progress from 0 to 1, and the lowest nll so far.
     last(config, X): the same without sweeps.labels and sizes, and sooner.
     scores:  {log_predictive, log_weight}, an entry per cluster and last that of a new one.
     places:  {log_predictive (P, C), log_weight (C), takers, margins, costs (P)} of places, rows like X; C candidates,
              the last a new cluster (none of K-means), whose taker is −1. Costs are −ln of the mixture's density.
     shapes:  {offsets, labels, centers, scales, factors} of partitions (R, N): cluster labels[e] of row r, for e from
              offsets[r] to offsets[r + 1], has its centre at 2 e, its scale matrix (xx, xy, yy) at 3 e, and the radii
              of its inner and outer ellipse at 2 e; rows of more than `most` clusters have none. plane is
              {directions: two rows of D numbers, origin: D numbers}, or null for the first two columns.
     visits:  {points, from, to (V), candidates, costs (V, width), nll (V)} of a sweep from 1 on of a start, as that
              which was chosen; unused candidates are −2, and a new cluster is −1. Without a model nll is null.
   A promise is rejected with an Error whose name is "Refused" (the message says what this engine does not know, must be
   chosen first, or is out of range), "Cancelled" or "Failed" (the Worker died, memory could not grow).

   Messages are tagged: to the Worker {kind: "load" | "run" | "cancel" | …, …}, from it {kind: "done" | "refused" |
   "failed" | "searching", id, …}. It answers one after the other, and hears others between slices of a run. Points in a
   Float64Array come with the name of a table, which the next message has alone if it is about the same ones. A page
   needs script-src 'wasm-unsafe-eval' and worker-src blob:. */

import { dpvizChecks } from "./checks.js";

function dpvizWorker(tables, checksOf) {
  const { settings: NAMES, places: PLACES, row: ROW, summary: SUMMARY, shape: SHAPE, limits } = tables;
  let compiled = null, instance = null;
  let kept = null; // the table of the message before, which the next one may mean: { table, X, points }

  class Refused extends Error {}
  const refuse = (sentence) => { throw new Refused(sentence); };
  const check = checksOf(tables, refuse);

  function writePrior(o, { nPoints: N, nFeatures: D }, numbers, blocks) {
    const known = PLACES[o.family];
    for (const [name, value] of Object.entries(o.prior ?? {})) {
      if (name === "width") { numbers.width = check.bounded('prior["width"]', value, tables.width); continue; }
      if (!Object.hasOwn(known, name)) refuse(`prior[${check.shown(name)}] is not a hyperparameter of ${o.family}.`);
      blocks[known[name].block].set(check.hyperparameter(name, value, known[name], N, D));
    }
  }

  function numbersOf(o, points, start, nClusters) {
    const { partition: law, algorithm, temperature } = o, { nPoints, nFeatures: D } = points, given = { ...o, ...law };
    const once = start !== "auto" && !check.TEMPERED.includes(start) && o.order === "index" && !temperature;
    const [constant, slope, bend] = tables.operations[o.family] ?? [NaN, NaN, NaN];
    return {
      ...Object.fromEntries(NAMES.map((name) => [name, typeof given[name] === "number" ? given[name] : NaN])),
      algorithm: check.code("algorithm", algorithm), n_points: nPoints, n_features: D,
      start: check.code("start", start, "init"), n_clusters: nClusters, n_starts: once ? 1 : o.n_init ?? 1,
      order: check.code("order", o.order), max_sweeps: algorithm === "gibbs" ? o.n_sweeps : o.max_sweeps, temperature: temperature ?? 0,
      one_point: Number(o.first_sweep === "one_point"), until_birth: Number(o.sweep === "until_birth"),
      split_merge: o.split_merge ?? 0, effort: o.effort ?? 0, operations: constant + slope * D + bend * D * D,
      partition: check.MODELS.includes(algorithm) ? check.code("partition", law.kind) : NaN, second: law?.discount ?? law?.power ?? NaN,
    };
  }

  /* The points of a message, or those that a message before it brought under this name, and no others. */
  function pointsIn({ X, table }) {
    if (table === undefined) return check.pointsOf(X);
    if (kept?.table !== table) throw new Error("the points are no longer here.");
    return (kept.points ??= check.pointsOf(kept.X));
  }

  function prepared(message) {
    const o = check.optionsOf(message.config), points = pointsIn(message), { values, nPoints: N, nFeatures: D } = points;
    const hasModel = check.MODELS.includes(o.algorithm);
    if (hasModel) check.checkModel(o, N);
    else if (points.columns) refuse(`${o.algorithm} takes distances, and has no use for columns that are each of its own kind; take mapdp or gibbs.`);
    const nClusters = (o.algorithm === "kmeans" ? o.n_clusters : o.init_clusters) ?? NaN;
    const start = check.startOf(o, points, nClusters), numbers = numbersOf(o, points, start, nClusters);
    const empty = (length) => new Float64Array(length).fill(NaN);
    const parts = { X: values, location: empty(D), weight: empty(1), shape: empty(1), spread: empty(D * D), between: empty(D * D), labels: empty(N), growth: empty(N), centres: [] };
    if (start === "labels") {
      const order = new Map([...new Set(o.init)].sort((a, b) => a - b).map((label, k) => [label, k]));
      parts.labels.set(Array.from(o.init, (label) => order.get(label)));
    }
    if (start === "centres") parts.centres = Array.from(o.init, (centre) => Array.from(centre)).flat();
    if (hasModel) {
      writePrior(o, points, numbers, parts);
      if (o.partition.kind === "generalized") parts.growth.set(o.partition.log_g.slice(0, N));
      Object.assign(numbers, check.lawsOf(o, N));
    }
    const written = Object.values(parts), whole = new Float64Array(written.reduce((sum, { length }) => sum + length, 0));
    let place = 0;
    for (const part of written) { whole.set(part, place); place += part.length; }
    return { N, D, of: hasModel ? o.family : tables.centres, rows: numbers.max_sweeps + 1, starts: numbers.n_starts, hasModel,
      given: [Float64Array.from(NAMES, (name) => numbers[name]), whole, ...(points.columns ? [points.columns] : [])] };
  }

  /* Every question lends its arrays the module's memory and takes them back; one that fails takes a new instance. What
     `answer` makes of the status and of the arrays is returned. A run is asked for in slices, between which
     `goesOn(arrays)` is waited for. */
  async function called(name, run, given, answer, goesOn = null) {
    instance ??= new WebAssembly.Instance(compiled, {});
    const { memory, reserve, release } = instance.exports, taken = [], filled = [];
    const lent = (content) => {
      const address = reserve(Math.max(8, content.byteLength));
      if (!address) throw new Error("the memory of the page does not suffice.");
      taken.push(address);
      const own = () => new content.constructor(memory.buffer, address, content.length);
      if (!content.filled) own().set(content);
      filled.push({ read: (from = 0, to = content.length) => own().slice(from, to) });
      return [address, content.length];
    };
    try {
      const numbers = [...run.given, ...given].flatMap((one) => (typeof one === "number" ? one : lent(one)));
      const ask = (...most) => instance.exports[`${name}_${run.of}`](...numbers, ...most);
      const arrays = filled.slice(run.given.length);
      let status = goesOn ? ask(tables.slice) : ask();
      while (goesOn && status > 0) {
        const wanted = await goesOn(...arrays);
        status = ask(wanted ? tables.slice : -1);
        if (!wanted) refuse("cancelled.");
      }
      if (status === tables.ended) refuse("the run ended before this sweep.");
      if (status < 0) throw new Error("the engine stopped.");
      return answer(status, ...arrays);
    } catch (error) {
      if (!(error instanceof Refused)) instance = null;
      throw error;
    } finally {
      if (instance) taken.forEach(release);
    }
  }

  /* Room that the engine fills: nothing is copied there. */
  const room = (Type, length) => ({ constructor: Type, length, byteLength: length * Type.BYTES_PER_ELEMENT, filled: true });

  /* Some columns of a table of so many, from one to another. */
  function columns(table, width, from, to = from + 1, Type = Float64Array) {
    const taken = new Type((table.length / width) * (to - from));
    for (let row = 0, place = 0; row < table.length; row += width) for (let c = from; c < to; c += 1) taken[place++] = table[row + c];
    return taken;
  }

  const numbersIn = (summary) => Object.fromEntries(Array.from(summary.read(), (value, place) => [SUMMARY[place], value]));

  async function whole(message, withLabels, goesOn) {
    const run = prepared(message), { rows, N, starts } = run, halves = Math.min(starts, 2);
    if (rows * N > limits.most_labels) refuse(`${N} points over ${rows - 1} sweeps are more than a page keeps (${limits.most_labels} labels); run fewer sweeps.`);
    const rooms = [room(Int32Array, halves * rows * N), room(Float64Array, halves * rows * ROW.length), new Float64Array(SUMMARY.length), room(Float64Array, tables.kept)];
    const answer = await called("run", run, rooms, (_, labels, record, summary) => {
      const { n_rows: n, chosen_start: chosenStart, converged, writing } = numbersIn(summary), first = (1 - writing) * rows, last = n - 1;
      const table = record.read(first * ROW.length, (first + n) * ROW.length), partitions = (row) => labels.read((first + row) * N, (first + n) * N);
      const sweeps = Object.fromEntries(ROW.map((name, place) => [name, columns(table, ROW.length, place)]));
      if (run.hasModel && !sweeps.nll.every(Number.isFinite)) refuse("the nll of this run is no number: its hyperparameters and its data are too far apart.");
      if (withLabels) sweeps.labels = partitions(0);
      return { labels: partitions(last), nll: sweeps.nll[last], n_clusters: sweeps.n_clusters[last],
        n_sweeps: last, chosen_start: chosenStart, converged: Boolean(converged), sweeps };
    }, (_labels, _rows, summary) => goesOn(numbersIn(summary)));
    const { sweeps } = answer;
    if (withLabels && message.plane !== undefined) sweeps.shapes = await shapesOf(run, sweeps.labels, sweeps.n_sizes, message.plane);
    return answer;
  }

  function scores(message) {
    const run = prepared(message), { N } = run, { point } = message;
    if (!run.hasModel) refuse("this algorithm has no model, so that it scores no point.");
    const { labels, counts: [K] } = check.labelsOf(message.labels, N, false);
    check.between("point", point, 0, N - 1, "");
    return called("scores", run, [labels, point, room(Float64Array, 2 * K + 2)],
      (_, _labels, found) => ({ log_predictive: found.read(0, K + 1), log_weight: found.read(K + 1) }));
  }

  function places(message) {
    const run = prepared(message), { N, D, hasModel } = run, where = check.pointsOf(message.where);
    if (where.nFeatures !== D) refuse(`places have ${where.nFeatures} columns; they must have ${D}, as X has.`);
    const { labels, counts: [K] } = check.labelsOf(message.labels, N, !hasModel), P = where.nPoints;
    return called("places", run, [labels, where.values, room(Float64Array, (P + 1) * (K + 1)), room(Float64Array, 3 * P)], (count, _labels, _where, found, taken) => {
      const table = taken.read(), [takers, margins, costs] = [Int32Array, Float64Array, Float64Array].map((Type, c) => columns(table, 3, c, c + 1, Type));
      return { log_predictive: found.read(0, P * count), log_weight: found.read(P * count, (P + 1) * count), takers, margins, costs };
    });
  }

  /* The shapes of rows of labels, of those with few enough clusters. */
  function shapesOf(run, labels, counts, plane) {
    const size = counts.reduce((sum, K) => sum + Math.min(K, limits.most_shapes), 0), width = SHAPE.length;
    return called("shapes", run, [labels, check.axesOf(plane, run.D), room(Float64Array, size * width), new Int32Array(counts.length + 1)], (count, _labels, _plane, found, offsets) => {
      const table = found.read(0, count * width), part = (from, to, Type) => columns(table, width, from, to, Type);
      return { offsets: offsets.read(), labels: part(0, 1, Int32Array), centers: part(1, 3), scales: part(3, 6), factors: part(6, 8) };
    });
  }

  function shapes(message) {
    const run = prepared(message), { N } = run, rows = Math.max(1, Math.ceil((message.labels?.length ?? 0) / N));
    const { labels, counts } = check.labelsOf(message.labels, N, true, rows);
    return shapesOf(run, labels, counts, message.plane);
  }

  async function visits(message) {
    const run = prepared(message), { N, rows, starts } = run, { start, sweep } = message;
    check.between("start", start, 0, starts - 1);
    check.between("sweep", sweep, 1, rows - 1);
    const most = Math.min(N, limits.most_visits);
    const asked = (width) => called("visits", run, [start, sweep, room(Int32Array, 3 * most), room(Int32Array, most * width), room(Float64Array, most * width), room(Float64Array, most)],
      (count, ...filled) => [count, ...filled.map((array) => array.read())]);
    let width = 32, [count, ...found] = await asked(width);
    if (count * most > limits.most_costs) refuse(`${count} clusters are more than visits are shown of.`);
    if (count > width) [count, ...found] = await asked(width = count);
    const [visited, candidates, costs, nll] = found, end = visited.indexOf(tables.padding), n = end < 0 ? most : end / 3;
    const [points, from, to] = [0, 1, 2].map((c) => columns(visited.subarray(0, 3 * n), 3, c, c + 1, Int32Array));
    const narrow = (array) => columns(array.subarray(0, n * width), width, 0, count, array.constructor);
    return { points, from, to, width: count, candidates: narrow(candidates), costs: narrow(costs), nll: run.hasModel ? nll.slice(0, n) : null };
  }

  const answers = { run: (message, goesOn) => whole(message, true, goesOn), last: (message, goesOn) => whole(message, false, goesOn), scores, places, shapes, visits };

  async function load({ compiled: given }) {
    compiled = given;
    const X = Array.from({ length: 40 }, (_, i) => [i % 7, (i * i) % 11]);  // browsers compile on the first calls
    for (const config of tables.first) await whole({ config, X }, false, () => true);
  }

  const buffers = (value) => (ArrayBuffer.isView(value) ? [value.buffer] : value && typeof value === "object" ? Object.values(value).flatMap(buffers) : []);
  const { port1: here, port2: there } = new MessageChannel();
  const others = () => new Promise((heard) => { here.onmessage = heard; there.postMessage(null); });  // that have come are heard before
  let cancelled = 0, last = Promise.resolve();  // the last of the messages that are not answered, and the present one's end

  async function answer(message, send) {
    const { kind, id, table, X } = message;
    if (table !== undefined && X !== undefined) kept = { table, X };
    const goesOn = async ({ stage, share, score: nll }) => {
      if (stage === tables.searches) send({ kind: "searching", id, told: { share, nll } });
      await others();
      return id > cancelled;
    };
    try {
      if (kind === "load") {
        await load(message);
        send({ kind: "ready" });
      }
      else if (id > cancelled) { const found = await answers[kind](message, goesOn); send({ kind: "done", id, answer: found }, buffers(found)); }
    } catch (error) {
      send({ kind: error instanceof Refused ? "refused" : "failed", id, reason: String(error.message ?? error) });
    }
  }

  return (message, send) => {
    if (message.kind === "cancel") {
      cancelled = message.id;
      send({ kind: "heard" });
    } else last = last.then(() => answer(message, send));
    return last;
  };
}

const dpvizCompiled = new WeakMap();  // engines of the same bytes share what browsers make of them
const dpvizSources = new WeakMap();   // and those of the same tables the address of what their Workers run

function dpvizSourceOf(tables) {
  if (!dpvizSources.has(tables)) {
    const source = `const answer = (${dpvizWorker})(${JSON.stringify(tables)}, ${dpvizChecks});onmessage = ({ data }) => answer(data, (...reply) => postMessage(...reply));`;
    dpvizSources.set(tables, URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  }
  return dpvizSources.get(tables);
}

/* What one Worker knows of points: the table that came last. Knobs turn while points stay, and then need not be sent. */
class DpvizTable {
  name = 0;
  X = null;

  /* The part of a message that says which points are meant. Rows as arrays are sent every time. */
  written(X) {
    if (!(X?.values instanceof Float64Array)) return { X };
    const { values, nPoints, nFeatures, columns } = X;
    return this.holds(X) ? { table: this.name } : { table: this.name + 1, X: { values, nPoints, nFeatures, columns } };
  }

  /* They may have changed where they are: every number is compared with what was sent. */
  holds(X) {
    const { values, nPoints, nFeatures } = this.X ?? {};
    return values?.length === X.values.length && nPoints === X.nPoints && nFeatures === X.nFeatures && values.every((x, place) => Object.is(x, X.values[place]));
  }

  sent({ table, X }) {
    if (table !== undefined && X !== undefined) Object.assign(this, { name: table, X: { ...X, values: X.values.slice() } });
  }
}

const dpvizPatience = 1500;  // milliseconds in which a Worker hears that it is to stop; what has no slices may take longer

export function dpvizEngine(bytes, tables = dpvizTables) {
  const names = { refused: "Refused", failed: "Failed", cancelled: "Cancelled" };
  const waiting = new Map();
  let worker = null, loaded = null, table = null, last = 0, ready = false, hearing = null;
  const named = (kind, reason) => Object.assign(new Error(reason), { name: names[kind] });
  const fail = (kind, reason) => {
    for (const { reject } of waiting.values()) reject(named(kind, reason));
    waiting.clear();
  };
  const stop = () => { clearTimeout(hearing); worker?.terminate(); worker = loaded = hearing = null; };
  function begin() {
    if (typeof WebAssembly !== "object") throw named("failed", "this browser has no WebAssembly.");
    const begun = new Worker(dpvizSourceOf(tables));
    worker = begun;
    ready = false;
    table = new DpvizTable();
    begun.onmessage = ({ data }) => {
      if (data.kind === "ready") ready = true;
      if (data.kind === "heard") { clearTimeout(hearing); hearing = null; }
      if (data.id === undefined) {
        if (data.reason !== undefined) ended(data.reason);  // it could not even begin
        return;
      }
      const { resolve, reject, told } = waiting.get(data.id) ?? {};
      if (data.kind === "searching") { told?.(data.told); return; }
      waiting.delete(data.id);
      if (data.kind === "done") resolve?.(data.answer);
      else reject?.(named(data.kind, data.reason));
    };
    const ended = (reason) => { if (worker === begun) { stop(); fail("failed", reason); } };  // not of one that was left
    begun.onerror = (event) => ended(event.message ?? "the Worker died.");
    begun.onmessageerror = () => ended("an answer could not be read.");
    if (!dpvizCompiled.has(bytes)) dpvizCompiled.set(bytes, WebAssembly.compile(bytes));
    loaded = dpvizCompiled.get(bytes).then((compiled) => begun.postMessage({ kind: "load", compiled }));
    loaded.catch((error) => {
      dpvizCompiled.delete(bytes);  // it may have been for want of memory
      ended(String(error.message));
    });
  }
  function post(id) {
    const asked = worker, known = table;
    loaded.then(() => {
      if (!waiting.has(id) || worker !== asked) return;
      const { message, reject } = waiting.get(id);
      try {
        const points = known.written(message.X);
        asked.postMessage({ ...message, X: undefined, ...points, id });
        known.sent(points);
      } catch (error) {  // what no message can hold, such as a function
        waiting.delete(id);
        reject(named("refused", String(error.message)));
      }
    }, () => {});
  }
  const ask = (message, told) => new Promise((resolve, reject) => {
    try { if (!worker) begin(); } catch (error) { reject(error); return; }
    waiting.set(++last, { resolve, reject, told, message });
    post(last);
  });
  /* What is asked of a Worker that does not hear is asked of another. */
  function replace() {
    stop();
    begin();
    for (const id of waiting.keys()) post(id);
  }
  function cancel() {
    if (waiting.size > 0 && worker) {
      worker.postMessage({ kind: "cancel", id: last });
      if (ready) hearing ??= setTimeout(replace, dpvizPatience);  // what browsers compile may take long, too, and then is there
    }
    fail("cancelled", "the run was cancelled.");
  }
  const withSizes = (answer) => {  // no function passes between threads
    const { labels: { length: N }, sweeps } = answer;
    sweeps.sizes = (row) => sweeps.labels.subarray(row * N, (row + 1) * N).reduce((sizes, label) => {
      sizes[label] += 1;
      return sizes;
    }, new Int32Array(sweeps.n_sizes[row]));
    return answer;
  };
  const asking = (kind, ...names) => (config, X, ...given) => ask({ kind, config, X, ...Object.fromEntries(names.map((name, place) => [name, given[place]])) });
  try { begin(); } catch { worker = null; }  // the first call says what is wrong
  return {
    run: (config, X, plane, told) => ask({ kind: "run", config, X, plane }, told).then(withSizes),
    last: asking("last"),
    scores: asking("scores", "labels", "point"),
    places: asking("places", "labels", "where"),
    shapes: asking("shapes", "labels", "plane"),
    visits: asking("visits", "start", "sweep"),
    cancel,
    close: () => { stop(); fail("cancelled", "the engine was closed."); },
  };
}
