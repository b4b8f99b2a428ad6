/* The engine in a page: a Worker around the compiled module. It moves numbers and does no mathematics.

   const engine = dpvizEngine(bytes);                    // of engine.wasm, an ArrayBuffer or a typed array
   const done = await engine.run(config, X);             // config: text or object as RunConfig.to_json writes it
   const seen = await engine.scores(config, X, labels, point);
   engine.cancel();                                      // what is running is rejected; the next call begins anew
   engine.close();

   X is an array of rows, or {values: Float64Array, nPoints, nFeatures}. An answer is an object:
     run:    {labels, nll, n_clusters, n_sweeps, chosen_start, converged, sweeps}; labels (N) are those of the last
             sweep, sweeps.labels those of all (n_sweeps + 1, N), row 0 the start; sweeps.n_clusters, n_moved, n_born,
             n_died, nll, objective have an entry per row, sweeps.sizes(row) are the clusters' sizes in it.
     scores: {log_predictive, log_weight}, an entry per cluster and last that of a new one.
   A promise is rejected with an Error whose name is "Refused" (the message says which option this engine does not know,
   or must be chosen first), "Cancelled" or "Failed" (the Worker died, memory could not grow).

   Messages are tagged: to the Worker {kind: "load" | "run" | "scores", …}, from it {kind: "done" | "refused" |
   "failed", id, …}. A page needs script-src 'wasm-unsafe-eval' and worker-src blob:. */
"use strict";

function dpvizWorker(tables) {
  const { settings: NAMES, codes, places, row: ROW, summary: SUMMARY, defaults, limits } = tables;
  let bytes = null, instance = null;

  class Refused extends Error {}
  const refuse = (sentence) => { throw new Refused(sentence); };
  const shown = (value) => { const text = JSON.stringify(value); return text.length > 80 ? text.slice(0, 77) + "..." : text; };
  const code = (kind, name, what) => {
    const found = codes[kind].indexOf(name);
    if (found < 0) refuse(`${what} = ${shown(name)} is not computed in a browser; it must be one of ${codes[kind].join(", ")}.`);
    return found;
  };

  function optionsOf(given) {
    let config = given;
    if (typeof config === "string") {
      try { config = JSON.parse(config); } catch { refuse("the configuration is not JSON."); }
    }
    if (!config || typeof config !== "object" || Array.isArray(config)) refuse("a configuration must be a JSON object.");
    if (config.version !== tables.version) refuse(`version ${shown(config.version)} of the configuration must be ${tables.version}.`);
    const known = defaults[config.algorithm];
    if (!known) refuse(`algorithm = ${shown(config.algorithm)} is not computed in a browser; it must be one of ${codes.algorithm.join(", ")}.`);
    for (const name of Object.keys(config)) if (name !== "version" && !(name in known)) refuse(`option ${name} is unknown.`);
    return { ...known, ...config };
  }

  function checkModel(o) {
    if (o.family === "auto") refuse("family = 'auto' has to be chosen first: give a family, or the configuration that a run returned.");
    if (o.prior === "auto") refuse("prior = 'auto' has to be chosen first: give a prior, or the configuration that a run returned.");
    if (o.sampler !== "collapsed") refuse(`sampler = ${shown(o.sampler)} is not computed in a browser; use 'collapsed'.`);
    if (o.split_merge) refuse(`split_merge = ${shown(o.split_merge)} is not computed in a browser; use 0.`);
    if (o.hyperpriors) refuse("hyperpriors are not computed in a browser; leave them out.");
  }

  function startOf(o, hasModel) {
    if (typeof o.init !== "string") {
      if (!Array.isArray(o.init) || Array.isArray(o.init[0])) refuse("init = centres is not computed in a browser; give labels.");
      return "labels";
    }
    if (o.init !== "auto") return o.init;
    if (o.algorithm === "gibbs" && (o.n_init ?? 1) <= limits.auto_singles) return "single";
    return refuse("init = 'auto' is a search, which is not computed in a browser; name a start.");
  }

  function checkStart(o, start, N, nClusters) {
    const begins = start === "singletons" ? N : start === "labels" ? new Set(o.init).size : Number.isNaN(nClusters) ? 1 : nClusters;
    if (o.algorithm === "kmeans" && begins !== o.n_clusters) refuse(`init has ${begins} clusters, but n_clusters = ${o.n_clusters}.`);
    const most = o.partition.n_components ?? N;
    if (codes.algorithm.indexOf(o.algorithm) >= 2 && begins > most) refuse(`the start has ${begins} clusters, but the partition prior allows at most ${most}; raise n_components or start with fewer.`);
  }

  function pointsOf(X) {
    const flat = !Array.isArray(X) && X?.values !== undefined;
    const nPoints = flat ? X.nPoints : X?.length, nFeatures = flat ? X.nFeatures : X?.[0]?.length;
    if (!(nPoints >= 1) || !(nFeatures >= 1)) refuse("X is empty; it needs at least one point and one feature.");
    const values = flat ? Float64Array.from(X.values) : new Float64Array(nPoints * nFeatures);
    if (!flat) X.forEach((cells, i) => {
      if (cells.length !== nFeatures) refuse(`row ${i} of X has ${cells.length} cells; it must have ${nFeatures}.`);
      for (let d = 0; d < nFeatures; d++) values[i * nFeatures + d] = typeof cells[d] === "number" ? cells[d] : NaN;
    });
    if (values.length !== nPoints * nFeatures) refuse(`X has ${values.length} cells; it must have ${nPoints * nFeatures}.`);
    const wrong = values.findIndex((cell) => !(Math.abs(cell) <= limits.largest_value));
    if (wrong >= 0) refuse(`row ${Math.floor(wrong / nFeatures)}, column ${wrong % nFeatures} of X is missing or no number of at most ${limits.largest_value}.`);
    return { values, nPoints, nFeatures };
  }

  function writePrior(o, D, numbers, block) {
    const sizes = { location: D, weight: 1, shape: 1, spread: D * D, between: D * D };
    const first = {};
    let place = 0;
    for (const name of tables.blocks) { first[name] = place; place += sizes[name]; }
    for (const [name, value] of Object.entries(o.prior ?? {})) {
      if (name === "width") { numbers.width = value; continue; }
      const where = places[o.family][name];
      if (!where) refuse(`prior[${shown(name)}] is not a hyperparameter of ${o.family}.`);
      const vector = where.vector ? D : where.matrix ? D * D : 1;
      const given = [value].flat(2);
      if (given.length !== vector && !(where.vector && given.length === 1)) refuse(`prior[${shown(name)}] has ${given.length} numbers; it must have ${vector}.`);
      for (let j = 0; j < vector; j++) block[first[where.block] + j] = given.length === 1 ? given[0] : given[j];
    }
  }

  function writePartition(o, N, numbers, block, given) {
    const { kind, ...parameters } = o.partition;
    if (given) {
      numbers.partition = code("partition", "tables");
      block.set(given.log_join, 0); block.set(given.log_open, N + 1); block[2 * N + 2] = given.log_normaliser;
      if (Number.isNaN(numbers.n_clusters)) numbers.n_clusters = given.n_clusters ?? NaN;
      return;
    }
    numbers.partition = code("partition", kind, "partition");
    numbers.concentration = parameters.concentration;
    numbers.second = parameters.discount ?? parameters.power ?? NaN;
    numbers.n_components = parameters.n_components ?? NaN;
    const recursive = kind === "generalized" || kind === "powered" && parameters.power < 1;
    if (recursive && N > limits.most_recursive) refuse(`partition = ${kind} takes at most ${limits.most_recursive} points; X has ${N}.`);
    if (kind === "generalized") {
      if (parameters.log_g.length < N) refuse(`log_g has ${parameters.log_g.length} values; it must have one per point, ${N}.`);
      block.set(parameters.log_g.slice(0, N), 0);
    }
  }

  function prepared(config, X, partition) {
    const o = optionsOf(config), algorithm = code("algorithm", o.algorithm, "algorithm");
    const hasModel = algorithm >= 2, start = startOf(o, hasModel), { values, nPoints: N, nFeatures: D } = pointsOf(X);
    const sweeps = o.algorithm === "gibbs" ? o.n_sweeps : o.max_sweeps, temperature = o.temperature ?? 0;
    const once = ["labels", "single", "singletons", "sequential"].includes(start) && o.order === "index" && !temperature;
    if ((sweeps + 1) * N > limits.most_labels) refuse(`${N} points over ${sweeps} sweeps are more than a page keeps (${limits.most_labels} labels); run fewer sweeps.`);
    const numbers = Object.fromEntries(NAMES.map((name) => [name, NaN]));
    Object.assign(numbers, {
      algorithm, n_points: N, n_features: D, start: code("start", start, "init"), seed: o.seed,
      n_clusters: (o.algorithm === "kmeans" ? o.n_clusters : o.init_clusters) ?? NaN, n_starts: once ? 1 : o.n_init ?? 1,
      order: code("order", o.order, "order"), max_sweeps: sweeps, temperature, burn_in: o.burn_in, thin: o.thin,
      choice: code("choice", o.algorithm === "gibbs" ? "draws" : hasModel && temperature ? "states" : "final"),
      one_point: Number(o.first_sweep === "one_point"), penalty: o.penalty, until_birth: Number(o.sweep === "until_birth"),
    });
    if (numbers.n_clusters > N) refuse(`${numbers.n_clusters} clusters are more than the ${N} points of X; choose fewer.`);
    const prior = new Float64Array(D + 2 + 2 * D * D).fill(NaN), labels = new Float64Array(N), tail = new Float64Array(2 * N + 3);
    if (start === "labels") {
      if (o.init.length !== N) refuse(`init has ${o.init.length} labels for ${N} points; give one label per point.`);
      labels.set(o.init);
    }
    checkStart(o, start, N, numbers.n_clusters);
    if (hasModel) {
      checkModel(o);
      numbers.family = code("family", o.family, "family");
      writePrior(o, D, numbers, prior);
      writePartition(o, N, numbers, tail, partition);
      if (numbers.partition === codes.partition.indexOf("tables") && Number.isNaN(numbers.n_clusters) && ["random", "kmeans++"].includes(start)) refuse("n_clusters of the start has to come with the tables of the partition prior.");
    }
    const whole = new Float64Array(values.length + prior.length + N + tail.length);
    let place = 0;
    for (const part of [values, prior, labels, tail]) { whole.set(part, place); place += part.length; }
    return { settings: Float64Array.from(NAMES, (name) => numbers[name]), values: whole, N, rows: sweeps + 1 };
  }

  /* Every call reserves its arrays in the module's memory and gives them back; one that fails takes a new instance. */
  function called(use) {
    instance ??= new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
    const { memory, reserve, release } = instance.exports, taken = [];
    const place = (Type, content) => {
      const length = content.length ?? content, address = reserve(Math.max(8, length * Type.BYTES_PER_ELEMENT));
      if (!address) throw new Error("the memory of the page does not suffice.");
      taken.push(address);
      if (content.length !== undefined) new Type(memory.buffer, address, length).set(content);
      return { address, length, read: (from = 0, to = length) => new Type(memory.buffer, address, length).slice(from, to) };
    };
    try {
      const answer = use(instance.exports, place);
      taken.forEach(release);
      return answer;
    } catch (error) {
      if (!(error instanceof Refused)) instance = null;
      throw error;
    }
  }

  function run({ config, X, partition }) {
    const { settings, values, N, rows } = prepared(config, X, partition);
    return called((engine, place) => {
      const [given, numbers] = [place(Float64Array, settings), place(Float64Array, values)];
      const [labels, sizes] = [place(Int32Array, rows * N), place(Int32Array, rows * N)];
      const [record, summary] = [place(Float64Array, rows * ROW.length), place(Float64Array, SUMMARY.length)];
      const status = engine.run(given.address, given.length, numbers.address, numbers.length, labels.address, sizes.address,
        rows * N, record.address, record.length, summary.address, summary.length);
      if (status !== 0) throw new Error(`the engine stopped with status ${status}.`);
      const [nRows, chosenStart, converged] = summary.read();
      const table = record.read(0, nRows * ROW.length);
      const column = (name) => Float64Array.from({ length: nRows }, (_, t) => table[t * ROW.length + ROW.indexOf(name)]);
      const sweeps = Object.fromEntries(ROW.map((name) => [name, column(name)]));
      const last = nRows - 1;
      sweeps.labels = labels.read(0, nRows * N);
      sweeps.all_sizes = sizes.read(0, sweeps.first_size[last] + sweeps.n_sizes[last]);
      return { labels: sweeps.labels.slice(last * N), nll: sweeps.nll[last], n_clusters: sweeps.n_clusters[last],
        n_sweeps: last, chosen_start: chosenStart, converged: Boolean(converged), sweeps };
    });
  }

  function scores({ config, X, partition, labels, point }) {
    const { settings, values, N } = prepared(config, X, partition);
    if (!(labels?.length === N)) refuse(`labels has ${labels?.length} entries for ${N} points.`);
    if (!(Number.isInteger(point) && point >= 0 && point < N)) refuse(`point = ${shown(point)} must be from 0 to ${N - 1}.`);
    return called((engine, place) => {
      const [given, numbers] = [place(Float64Array, settings), place(Float64Array, values)];
      const [wide, found] = [place(Int32Array, Int32Array.from(labels)), place(Float64Array, 2 * N + 2)];
      const K = engine.scores(given.address, given.length, numbers.address, numbers.length, wide.address, N, point,
        found.address, found.length);
      if (K < 0) refuse("this algorithm has no model, so that it scores no point.");
      return { log_predictive: found.read(0, K + 1), log_weight: found.read(K + 1, 2 * K + 2) };
    });
  }

  const answers = { run, scores };
  return (message, send) => {
    if (message.kind === "load") { bytes = message.bytes; return; }
    try {
      send({ kind: "done", id: message.id, answer: answers[message.kind](message) });
    } catch (error) {
      send({ kind: error instanceof Refused ? "refused" : "failed", id: message.id, reason: String(error.message ?? error) });
    }
  };
}

function dpvizEngine(bytes, tables = dpvizTables) {
  const names = { refused: "Refused", failed: "Failed", cancelled: "Cancelled" };
  const waiting = new Map();
  let worker = null, last = 0;
  const fail = (kind, reason) => {
    for (const { reject } of waiting.values()) reject(Object.assign(new Error(reason), { name: names[kind] }));
    waiting.clear();
  };
  const stop = () => { worker?.terminate(); worker = null; };
  function begin() {
    if (typeof WebAssembly !== "object") throw Object.assign(new Error("this browser has no WebAssembly."), { name: names.failed });
    const source = `const answer = (${dpvizWorker})(${JSON.stringify(tables)});onmessage = ({ data }) => answer(data, postMessage);`;
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.onmessage = ({ data }) => {
      const { resolve, reject } = waiting.get(data.id) ?? {};
      waiting.delete(data.id);
      if (data.kind === "done") resolve?.(data.answer);
      else reject?.(Object.assign(new Error(data.reason), { name: names[data.kind] }));
    };
    worker.onerror = (event) => { stop(); fail("failed", event.message ?? "the Worker died."); };
    worker.postMessage({ kind: "load", bytes });
  }
  const ask = (message) => new Promise((resolve, reject) => {
    try { if (!worker) begin(); } catch (error) { reject(error); return; }
    const id = ++last;
    waiting.set(id, { resolve, reject });
    worker.postMessage({ ...message, id });
  });
  const withSizes = (answer) => {  // no function passes between threads
    const { all_sizes: sizes, first_size: first, n_sizes: count, ...sweeps } = answer.sweeps;
    sweeps.sizes = (row) => sizes.subarray(first[row], first[row] + count[row]);
    return { ...answer, sweeps };
  };
  return {
    run: (config, X, partition) => ask({ kind: "run", config, X, partition }).then(withSizes),
    scores: (config, X, labels, point, partition) => ask({ kind: "scores", config, X, labels, point, partition }),
    cancel: () => { stop(); fail("cancelled", "the run was cancelled."); },
    close: () => { stop(); fail("cancelled", "the engine was closed."); },
  };
}
