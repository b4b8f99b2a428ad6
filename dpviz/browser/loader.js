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
     last(config, X): the same without sweeps.labels, and sooner.
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

  function writePrior(o, { nPoints: N, nFeatures: D }, numbers, block) {
    const sizes = { location: D, weight: 1, shape: 1, spread: D * D, between: D * D };
    const first = {};
    let place = 0;
    for (const name of tables.blocks) { first[name] = place; place += sizes[name]; }
    for (const [name, value] of Object.entries(o.prior ?? {})) {
      if (name === "width") { numbers.width = check.bounded('prior["width"]', value, tables.width); continue; }
      const known = PLACES[o.family];
      if (!Object.hasOwn(known, name)) refuse(`prior[${check.shown(name)}] is not a hyperparameter of ${o.family}.`);
      block.set(check.hyperparameter(name, value, known[name], N, D), first[known[name].block]);
    }
  }

  function writePartition({ kind, ...parameters }, N, numbers, block) {
    numbers.partition = check.code("partition", kind, "partition");
    numbers.concentration = parameters.concentration;
    numbers.second = parameters.discount ?? parameters.power ?? NaN;
    numbers.n_components = parameters.n_components ?? NaN;
    if (kind === "generalized") block.set(parameters.log_g.slice(0, N), 0);
  }

  function numbersOf(o, points, start, nClusters) {
    const hasModel = check.MODELS.includes(o.algorithm), temperature = o.temperature ?? 0;
    const once = start !== "auto" && !check.TEMPERED.includes(start) && o.order === "index" && !temperature;
    const [constant, slope, bend] = tables.operations[o.family] ?? [NaN, NaN, NaN], { nFeatures: D } = points;
    return {
      ...Object.fromEntries(NAMES.map((name) => [name, NaN])),
      algorithm: check.code("algorithm", o.algorithm, "algorithm"), n_points: points.nPoints, n_features: points.nFeatures,
      start: check.code("start", start, "init"), seed: o.seed, n_clusters: nClusters, n_starts: once ? 1 : o.n_init ?? 1,
      order: check.code("order", o.order, "order"), max_sweeps: o.algorithm === "gibbs" ? o.n_sweeps : o.max_sweeps,
      temperature, burn_in: o.burn_in, thin: o.thin,
      choice: check.code("choice", o.algorithm === "gibbs" ? "draws" : hasModel && temperature ? "states" : "final"),
      one_point: Number(o.first_sweep === "one_point"), penalty: o.penalty, until_birth: Number(o.sweep === "until_birth"),
      split_merge: o.split_merge ?? 0, effort: o.effort ?? 0, operations: constant + slope * D + bend * D * D,
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
    const prior = new Float64Array(D + 2 + 2 * D * D).fill(NaN), labels = new Float64Array(N), growth = new Float64Array(N);
    if (start === "labels") {
      const order = new Map([...new Set(o.init)].sort((a, b) => a - b).map((label, k) => [label, k]));
      labels.set(Array.from(o.init, (label) => order.get(label)));
    }
    if (hasModel) {
      writePrior(o, points, numbers, prior);
      writePartition(o.partition, N, numbers, growth);
      Object.assign(numbers, check.lawsOf(o, N));
    }
    const centres = start === "centres" ? Array.from(o.init, (centre) => Array.from(centre)).flat() : [];
    const whole = new Float64Array(values.length + prior.length + N + N + centres.length);
    let place = 0;
    for (const part of [values, prior, labels, growth, centres]) { whole.set(part, place); place += part.length; }
    return { N, D, family: o.family, of: hasModel ? o.family : tables.centres, rows: numbers.max_sweeps + 1, starts: numbers.n_starts, hasModel,
      given: [Float64Array.from(NAMES, (name) => numbers[name]), whole, ...(points.columns ? [points.columns] : [])] };
  }

  /* Every question lends its arrays the module's memory and takes them back; one that fails takes a new instance. A run
     is asked for in slices, between which `goesOn(arrays)` is waited for. */
  async function called(name, run, given, goesOn = null) {
    instance ??= new WebAssembly.Instance(compiled, {});
    const { memory, reserve, release } = instance.exports, taken = [];
    const lent = (content) => {
      const address = reserve(Math.max(8, content.byteLength));
      if (!address) throw new Error("the memory of the page does not suffice.");
      taken.push(address);
      if (!content.filled) new content.constructor(memory.buffer, address, content.length).set(content);
      const read = (from = 0, to = content.length) => new content.constructor(memory.buffer, address, content.length).slice(from, to);
      return { address, length: content.length, read };
    };
    try {
      const arrays = [...run.given, ...given].map((one) => (typeof one === "number" ? one : lent(one)));
      const numbers = arrays.flatMap((one) => (typeof one === "number" ? [one] : [one.address, one.length]));
      const ask = (...most) => instance.exports[`${name}_${run.of}`](...numbers, ...most);
      const filled = arrays.slice(run.given.length).filter((one) => typeof one !== "number");
      let status = goesOn ? ask(tables.slice) : ask();
      while (goesOn && status > 0) {
        const wanted = await goesOn(...filled);
        status = ask(wanted ? tables.slice : -1);
        if (!wanted) refuse("cancelled.");
      }
      if (status === tables.ended) refuse("the run ended before this sweep.");
      if (status < 0) throw new Error("the engine stopped.");
      return run.answer(status, ...filled);
    } catch (error) {
      if (!(error instanceof Refused)) instance = null;
      throw error;
    } finally {
      if (instance) taken.forEach(release);
    }
  }

  /* Room that the engine fills: nothing is copied there. */
  const room = (Type, length) => ({ constructor: Type, length, byteLength: length * Type.BYTES_PER_ELEMENT, filled: true });

  const numbersIn = (summary) => Object.fromEntries(Array.from(summary.read(), (value, place) => [SUMMARY[place], value]));

  function answerOf(run, withLabels) {
    return (_, labels, sizes, record, summary) => {
      const { N } = run, { n_rows: nRows, chosen_start: chosenStart, converged } = numbersIn(summary);
      const table = record.read(0, nRows * ROW.length), last = nRows - 1;
      const sweeps = Object.fromEntries(ROW.map((name, place) => [name, Float64Array.from({ length: nRows }, (_row, t) => table[t * ROW.length + place])]));
      if (run.hasModel && !sweeps.nll.every(Number.isFinite)) refuse("the nll of this run is no number: its hyperparameters and its data are too far apart.");
      if (withLabels) sweeps.labels = labels.read(0, nRows * N);
      sweeps.all_sizes = sizes.read(0, sweeps.first_size[last] + sweeps.n_sizes[last]);
      return { labels: labels.read(last * N, nRows * N), nll: sweeps.nll[last], n_clusters: sweeps.n_clusters[last],
        n_sweeps: last, chosen_start: chosenStart, converged: Boolean(converged), sweeps };
    };
  }

  async function whole(message, withLabels, goesOn) {
    const run = prepared(message), { rows, N } = run;
    if (rows * N > limits.most_labels) refuse(`${N} points over ${rows - 1} sweeps are more than a page keeps (${limits.most_labels} labels); run fewer sweeps.`);
    const rooms = [room(Int32Array, rows * N), room(Int32Array, rows * N), room(Float64Array, rows * ROW.length), new Float64Array(SUMMARY.length), room(Float64Array, tables.kept)];
    const answer = await called("run", { ...run, answer: answerOf(run, withLabels) }, rooms, (_labels, _sizes, _rows, summary) => goesOn(message, numbersIn(summary)));
    const { sweeps } = answer;
    if (withLabels && message.plane !== undefined) sweeps.shapes = await shapesOf(run, sweeps.labels, Array.from(sweeps.n_sizes), message.plane);
    return answer;
  }

  function scores(message) {
    const run = prepared(message), { N } = run, { point } = message;
    if (!run.hasModel) refuse("this algorithm has no model, so that it scores no point.");
    const { labels, counts: [K] } = check.labelsOf(message.labels, N, false);
    if (!(Number.isInteger(point) && point >= 0 && point < N)) refuse(`point = ${check.shown(point)} must be from 0 to ${N - 1}.`);
    const answer = (_, _labels, found) => ({ log_predictive: found.read(0, K + 1), log_weight: found.read(K + 1, 2 * K + 2) });
    return called("scores", { ...run, answer }, [labels, point, room(Float64Array, 2 * K + 2)]);
  }

  function places(message) {
    const run = prepared(message), { N, D, hasModel } = run, where = check.pointsOf(message.where);
    if (where.nFeatures !== D) refuse(`places have ${where.nFeatures} columns; they must have ${D}, as X has.`);
    const { labels, counts: [K] } = check.labelsOf(message.labels, N, !hasModel), P = where.nPoints;
    const answer = (count, _labels, _where, found, taken) => {
      const scores = found.read(0, (P + 1) * count), table = taken.read();
      const column = (Type, c) => {
        const part = new Type(P);
        for (let i = 0; i < P; i += 1) part[i] = table[3 * i + c];
        return part;
      };
      return { log_predictive: scores.slice(0, P * count), log_weight: scores.slice(P * count), takers: column(Int32Array, 0), margins: column(Float64Array, 1), costs: column(Float64Array, 2) };
    };
    return called("places", { ...run, answer }, [labels, where.values, room(Float64Array, (P + 1) * (K + 1)), room(Float64Array, 3 * P)]);
  }

  /* The shapes of rows of labels, of those with few enough clusters. */
  async function shapesOf(run, labels, counts, plane) {
    const { N, D, hasModel, family } = run, shown = counts.map((K) => K <= limits.most_shapes);
    const axes = check.axesOf(plane, D), rows = counts.map((_, row) => row).filter((row) => shown[row]);
    const chosen = rows.length === counts.length ? labels : new Int32Array(rows.length * N);
    if (chosen !== labels) rows.forEach((row, place) => chosen.set(labels.subarray(row * N, (row + 1) * N), place * N));
    const size = SHAPE.length * rows.reduce((sum, row) => sum + counts[row], 0);
    const radii = Float64Array.from(hasModel ? tables.radii[family] : []);
    const found = size === 0 ? [] : await called("shapes", { ...run, answer: (_, ...arrays) => arrays[3].read() }, [chosen, axes, radii, room(Float64Array, size)]);
    const [numbers, offsets] = [[], [0]];
    let first = 0;
    counts.forEach((K, row) => {
      for (let k = 0; shown[row] && k < K; k += 1, first += SHAPE.length) if (found[first] > 0) numbers.push([k, first]);
      offsets.push(numbers.length);
    });
    const part = (from, to) => {
      const taken = new Float64Array(numbers.length * (to - from));
      numbers.forEach(([, place], e) => { for (let c = from; c < to; c += 1) taken[e * (to - from) + c - from] = found[place + c]; });
      return taken;
    };
    return { offsets: Int32Array.from(offsets), labels: Int32Array.from(numbers, ([k]) => k), centers: part(1, 3), scales: part(3, 6), factors: part(6, 8) };
  }

  function shapes(message) {
    const run = prepared(message), { N } = run, rows = Math.max(1, Math.ceil((message.labels?.length ?? 0) / N));
    const { labels, counts } = check.labelsOf(message.labels, N, true, rows);
    return shapesOf(run, labels, counts, message.plane);
  }

  async function visits(message) {
    const run = prepared(message), { N, rows } = run, { start, sweep } = message;
    for (const [name, value, low, high] of [["start", start, 0, run.starts - 1], ["sweep", sweep, 1, rows - 1]]) {
      if (!(Number.isInteger(value) && value >= low && value <= high)) refuse(`${name} = ${check.shown(value)} must be a whole number from ${low} to ${high}.`);
    }
    const most = Math.min(N, limits.most_visits);
    const answer = (count, visited, candidates, costs, nll) => ({ count, visited: visited.read(), candidates: candidates.read(), costs: costs.read(), nll: nll.read() });
    const asked = (width) => called("visits", { ...run, answer }, [start, sweep, room(Int32Array, 3 * most), room(Int32Array, most * width), room(Float64Array, most * width), room(Float64Array, most)]);
    let width = 32, found = await asked(width);
    if (found.count * most > limits.most_costs) refuse(`${found.count} clusters are more than visits are shown of.`);
    if (found.count > width) found = await asked(width = found.count);
    let n = 0;
    while (n < most && found.visited[3 * n] !== tables.padding) n += 1;
    const column = (c) => Int32Array.from({ length: n }, (_, visit) => found.visited[3 * visit + c]);
    const narrow = (array) => array.constructor.from({ length: n * found.count }, (_, e) => array[Math.floor(e / found.count) * width + (e % found.count)]);
    return { points: column(0), from: column(1), to: column(2), width: found.count, candidates: narrow(found.candidates), costs: narrow(found.costs), nll: run.hasModel ? found.nll.slice(0, n) : null };
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
    const goesOn = async (_, { stage, share, score: nll }) => {
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

/* The bits of numbers: equal ones are equal numbers, of which no sign of a zero and no NaN is another. */
const dpvizBits = ({ buffer, byteOffset, length }) => new Int32Array(buffer, byteOffset, 2 * length);

/* What one Worker knows of points: the table that came last. Knobs turn while points stay, and then need not be sent. */
class DpvizTable {
  constructor() { Object.assign(this, { name: 0, size: "", bits: null }); }

  /* The part of a message that says which points are meant. Rows as arrays are sent every time. */
  written(X) {
    if (!(X?.values instanceof Float64Array)) return { X };
    const { values, nPoints, nFeatures } = X;
    const same = this.size === `${nPoints} ${nFeatures}` && this.holds(dpvizBits(values));
    return same ? { table: this.name } : { table: this.name + 1, X: { values, nPoints, nFeatures, columns: X.columns } };
  }

  /* They may have changed where they are: every bit is compared with what was sent. */
  holds(bits) {
    if (bits.length !== this.bits.length) return false;
    for (let place = 0; place < bits.length; place += 1) if (bits[place] !== this.bits[place]) return false;
    return true;
  }

  sent({ table, X }) {
    if (table === undefined || X === undefined) return;
    Object.assign(this, { name: table, size: `${X.nPoints} ${X.nFeatures}`, bits: dpvizBits(X.values).slice() });
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
    const { all_sizes: sizes, first_size: first, n_sizes: count, ...sweeps } = answer.sweeps;
    sweeps.sizes = (row) => sizes.subarray(first[row], first[row] + count[row]);
    return { ...answer, sweeps };
  };
  try { begin(); } catch { worker = null; }  // the first call says what is wrong
  return {
    run: (config, X, plane, told) => ask({ kind: "run", config, X, plane }, told).then(withSizes),
    last: (config, X) => ask({ kind: "last", config, X }).then(withSizes),
    scores: (config, X, labels, point) => ask({ kind: "scores", config, X, labels, point }),
    places: (config, X, labels, where) => ask({ kind: "places", config, X, labels, where }),
    shapes: (config, X, labels, plane) => ask({ kind: "shapes", config, X, labels, plane }),
    visits: (config, X, start, sweep) => ask({ kind: "visits", config, X, start, sweep }),
    cancel,
    close: () => { stop(); fail("cancelled", "the engine was closed."); },
  };
}
