/* What a page asks for, checked before the engine computes it: wrong values are refused in a sentence.

   It is given as text to the Worker, and uses nothing but its arguments: the tables of this package, and a function
   that refuses. Bounds in the tables are [constant, per point, per feature], or null. */
"use strict";

function dpvizChecks(tables, refuse) {
  const { codes, places, defaults, limits, options: BOUNDS, partitions } = tables;
  const MODELS = ["mapdp", "gibbs"], TEMPERED = ["random", "kmeans++"];

  const own = (table, name) => (typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined);
  const isPlain = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
  const isList = (value) => Array.isArray(value) || ArrayBuffer.isView(value);
  const isFinite = (value) => typeof value === "number" && Math.abs(value) <= limits.largest_number;
  function shown(value) {
    let text;
    try { text = typeof value === "number" ? String(value) : JSON.stringify(value) ?? String(value); } catch { text = String(value); }
    return text.length > 80 ? `${text.slice(0, 77)}...` : text;
  }

  function code(kind, name, what) {
    const found = codes[kind].indexOf(name);
    if (found < 0) refuse(`${what} = ${shown(name)} is not computed in a browser; it must be one of ${codes[kind].join(", ")}.`);
    return found;
  }

  function bounded(what, value, bound, N = 0, D = 0) {
    if (bound.choices.length > 0) {
      if (!bound.choices.includes(value)) refuse(`${what} = ${shown(value)} must be one of ${bound.choices.join(", ")}.`);
      return value;
    }
    const [low, high] = [bound.lower, bound.upper].map((ends) => (ends === null ? null : ends[0] + ends[1] * N + ends[2] * D));
    const above = low === null || (bound.lower_allowed ? value >= low : value > low);
    const below = high === null || (bound.upper_allowed ? value <= high : value < high);
    if (isFinite(value) && above && below && (!bound.integer || Number.isInteger(value))) return value;
    const ends = [low === null ? "" : ` ${bound.lower_allowed ? ">=" : ">"} ${low}`, high === null ? "" : ` ${bound.upper_allowed ? "<=" : "<"} ${high}`];
    return refuse(`${what} = ${shown(value)} must be a ${bound.integer ? "whole" : "finite"} number${ends.filter(Boolean).join(" and")}.`);
  }

  function optionsOf(given) {
    let config = given;
    if (typeof config === "string") {
      try { config = JSON.parse(config); } catch { refuse("the configuration is not JSON."); }
    }
    if (!isPlain(config)) refuse("a configuration must be a JSON object.");
    if (config.version !== tables.version) refuse(`version ${shown(config.version)} of the configuration must be ${tables.version}.`);
    const known = own(defaults, config.algorithm);
    if (!known) refuse(`algorithm = ${shown(config.algorithm)} is not computed in a browser; it must be one of ${codes.algorithm.join(", ")}.`);
    const o = { ...known };
    for (const [name, value] of Object.entries(config)) {
      if (name === "version") continue;
      if (!Object.hasOwn(known, name)) refuse(`option ${name} is unknown.`);
      if (name === "prior" || (value !== null && value !== undefined)) o[name] = value;
    }
    for (const [name, bound] of Object.entries(BOUNDS)) if (o[name] !== null && o[name] !== undefined) bounded(name, o[name], bound);
    if (o.options !== null && o.options !== undefined) refuse("options of an algorithm's own are not computed in a browser; leave them out.");
    if (o.temperature > 0 && o.temperature < limits.lowest_temperature) refuse(`temperature = ${shown(o.temperature)} must be 0 or at least ${limits.lowest_temperature}.`);
    if (o.algorithm === "gibbs") checkChain(o);
    return o;
  }

  function checkChain(o) {
    if (!(o.burn_in < o.n_sweeps)) refuse(`burn_in = ${o.burn_in} must be smaller than n_sweeps = ${o.n_sweeps}, which includes it.`);
    if (!(o.thin <= o.n_sweeps - o.burn_in)) refuse(`thin = ${o.thin} must be at most n_sweeps − burn_in = ${o.n_sweeps - o.burn_in}, so that one draw is kept.`);
  }

  function checkModel(o) {
    if (o.family === "auto") refuse("family = 'auto' has to be chosen first: give a family, or the configuration that a run returned.");
    if (o.prior === "auto") refuse("prior = 'auto' has to be chosen first: give a prior, or the configuration that a run returned.");
    if (o.prior !== null && o.prior !== undefined && !isPlain(o.prior)) refuse(`prior = ${shown(o.prior)} must be null or an object of hyperparameters.`);
    if (o.sampler !== "collapsed") refuse(`sampler = ${shown(o.sampler)} is not computed in a browser; use 'collapsed'.`);
    if (o.split_merge && o.temperature !== 1) refuse(`split_merge = ${shown(o.split_merge)} needs temperature = 1.`);
    if (o.directions !== null && o.directions !== undefined) refuse(`directions = ${shown(o.directions)} are not computed in a browser; leave them out.`);
    if (o.transform !== null && o.transform !== undefined) refuse(`transform = ${shown(o.transform)} is not computed in a browser; leave it out.`);
    if (o.coarsening !== null && o.coarsening !== undefined) refuse(`coarsening = ${shown(o.coarsening)} is not computed in a browser; leave it out.`);
    code("family", o.family, "family");
  }

  function pointsOf(X) {
    const flat = !Array.isArray(X) && X?.values !== undefined;
    const nPoints = flat ? X.nPoints : X?.length, nFeatures = flat ? X.nFeatures : X?.[0]?.length;
    if (!Number.isInteger(nPoints) || !Number.isInteger(nFeatures) || nPoints < 1 || nFeatures < 1) refuse("X is empty; it needs at least one point and one feature.");
    const number = (cell) => (typeof cell === "number" ? cell : NaN);
    const values = new Float64Array(nPoints * nFeatures);
    if (flat) {
      if (!isList(X.values) || X.values.length !== values.length) refuse(`X has ${shown(X.values?.length)} cells; it must have ${values.length}.`);
      values.set(ArrayBuffer.isView(X.values) ? X.values : Array.from(X.values, number));
    } else {
      for (let i = 0; i < nPoints; i += 1) {
        if (!isList(X[i]) || X[i].length !== nFeatures) refuse(`row ${i} of X has ${shown(X[i]?.length)} cells; it must have ${nFeatures}.`);
        for (let d = 0; d < nFeatures; d += 1) values[i * nFeatures + d] = number(X[i][d]);
      }
    }
    const wrong = values.findIndex((cell) => !(Math.abs(cell) <= limits.largest_value));
    if (wrong >= 0) refuse(`row ${Math.floor(wrong / nFeatures)}, column ${wrong % nFeatures} of X is missing or no number of at most ${limits.largest_value}.`);
    return { values, nPoints, nFeatures };
  }

  /* "labels", "centres", or the name of a kind. */
  function startOf(o, { nPoints: N, nFeatures: D }, nClusters) {
    const { init } = o;
    if (isList(init)) {
      const centres = isList(init[0]);
      if (centres && o.algorithm !== "kmeans") refuse("init = centres is a start of kmeans only; give labels.");
      if (!centres && init.length !== N) refuse(`init has ${init.length} labels for ${N} points; give one label per point.`);
      const isCentre = (value) => isList(value) && value.length === D && Array.from(value).every((x) => typeof x === "number" && Math.abs(x) <= limits.largest_value);
      const wrong = Array.from(init).findIndex((value) => !(centres ? isCentre(value) : Number.isInteger(value)));
      if (wrong >= 0) refuse(`init[${wrong}] = ${shown(init[wrong])} must be ${centres ? `${D} numbers` : "a whole number"}.`);
      const K = centres ? init.length : new Set(init).size;
      if (o.algorithm === "kmeans" && K !== o.n_clusters) refuse(`init has ${K} clusters, but n_clusters = ${o.n_clusters}; give n_clusters = ${K}.`);
      checkStart(o, K, N);
      return centres ? "centres" : "labels";
    }
    const offered = tables.starts[o.algorithm];
    if (!offered.includes(init)) refuse(`init = ${shown(init)} is no start of ${o.algorithm}; it must be one of ${offered.join(", ")}.`);
    if (init === "auto" && o.algorithm === "mapdp" && N > limits.most_searched) refuse(`${N} points are searched by a sample first, which is not computed in a browser; take at most ${limits.most_searched}.`);
    const random = TEMPERED.includes(init) && !Number.isNaN(nClusters);
    checkStart(o, init === "singletons" ? N : random ? nClusters : 1, N);
    return init;
  }

  function checkStart(o, begins, N) {
    if (begins > N) refuse(`${begins} clusters are more than the ${N} points of X; choose fewer.`);
    const most = MODELS.includes(o.algorithm) ? o.partition?.n_components ?? N : N;
    if (begins > most) refuse(`the start has ${begins} clusters, but the partition prior allows at most ${most}; raise n_components or start with fewer.`);
  }

  /* The numbers of one hyperparameter; of a matrix its symmetric part. */
  function hyperparameter(name, value, where, N, D) {
    const what = `prior[${shown(name)}]`, given = [value].flat(2).map((x) => (ArrayBuffer.isView(x) ? Array.from(x) : x)).flat();
    const length = where.vector ? D : where.matrix ? D * D : 1;
    const fill = where.vector && given.length === 1;
    if (given.length !== length && !fill) refuse(`${what} has ${given.length} numbers; it must have ${length}.`);
    if (!where.matrix) {
      given.forEach((x) => bounded(what, x, where.bound, N, D));
      return fill ? Array(length).fill(given[0]) : given;
    }
    if (!given.every(isFinite)) refuse(`${what} must hold finite numbers.`);
    const symmetric = given.map((x, position) => {
      const mirrored = given[(position % D) * D + Math.floor(position / D)];
      if (!(Math.abs(x - mirrored) <= 1e-8 * Math.abs(mirrored))) refuse(`${what} is not symmetric; give a symmetric positive definite matrix.`);
      return (x + mirrored) / 2;
    });
    checkDefinite(what, symmetric, D);
    return symmetric;
  }

  function checkDefinite(what, matrix, D) {
    const roots = Array.from({ length: D }, (_, d) => Math.sqrt(matrix[d * D + d])), factor = new Float64Array(D * D);
    for (let row = 0; row < D; row += 1) {
      for (let column = 0; column <= row; column += 1) {
        let rest = matrix[row * D + column] / roots[row] / roots[column];
        for (let j = 0; j < column; j += 1) rest -= factor[row * D + j] * factor[column * D + j];
        if (row === column && !(rest > 1e-13)) refuse(`${what} is not positive definite; add a small multiple of its diagonal.`);
        factor[row * D + column] = row === column ? Math.sqrt(rest) : rest / factor[column * D + column];
      }
    }
  }

  function partitionOf(o, N) {
    if (!isPlain(o.partition)) refuse(`partition = ${shown(o.partition)} has to be chosen first: give an object with its kind.`);
    const { kind, ...given } = o.partition, known = own(partitions, kind);
    if (!known) refuse(`partition = ${shown(kind)} is not computed in a browser; it must be one of ${Object.keys(partitions).join(", ")}.`);
    for (const name of Object.keys(given)) if (!Object.hasOwn(known, name)) refuse(`partition.${name} is no parameter of ${kind}.`);
    for (const [name, bound] of Object.entries(known)) if (name !== "log_g") bounded(`partition.${name}`, given[name], bound, N);
    if (kind === "pitman_yor" && !(given.concentration > -given.discount)) refuse(`partition.concentration = ${given.concentration} must be more than -discount = ${-given.discount}.`);
    if (kind === "generalized") checkGrowth(given.log_g, N);
    const recursive = kind === "generalized" || (kind === "powered" && given.power < 1);
    if (recursive && N > limits.most_recursive) refuse(`partition = ${kind} takes at most ${limits.most_recursive} points; X has ${N}.`);
    return { kind, ...given };
  }

  /* The laws of the parameters that a chain learns, as numbers of the run. `law`: the partition prior, as checked. */
  function lawsOf(o, law, N) {
    const laws = o.hyperpriors ?? {}, numbers = {};
    if (!isPlain(laws)) refuse(`hyperpriors = ${shown(laws)} must be null or an object of laws.`);
    if (Object.keys(laws).length === 0) return numbers;
    if (o.algorithm !== "gibbs" || o.temperature !== 1) refuse("hyperpriors are learned by gibbs at temperature = 1 only.");
    if (!law || N < 2) refuse("hyperpriors need a partition prior that is computed in a browser, and two points.");
    const { names, most } = tables.learned[law.kind];
    if (N > most) refuse(`hyperpriors of ${law.kind} take at most ${most} points; X has ${N}.`);
    for (const [name, text] of Object.entries(laws)) {
      if (!names.includes(name)) refuse(`hyperpriors[${shown(name)}] is no parameter of ${law.kind} that is learned; these are ${names.join(", ")}.`);
      const [place, prefix] = name === "concentration" ? ["law", "law_"] : ["second_law", "second_"], found = lawOf(text, name, prefix);
      numbers[place] = found.kind;
      Object.assign(numbers, found.numbers);
      checkSupport(`hyperpriors[${shown(name)}]`, text, found, partitions[law.kind][name], law[name]);
    }
    return numbers;
  }

  const NUMBER = "[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?";
  const LAW = new RegExp(`^\\s*(?:(${NUMBER})\\s*\\+\\s*)?([a-z]+)\\s*\\(\\s*(${NUMBER})\\s*,\\s*(${NUMBER})\\s*\\)\\s*$`, "i");

  /* A law such as "gamma(2,4)" or "1+gamma(1,10)". */
  function lawOf(text, name, prefix) {
    const what = `hyperpriors[${shown(name)}]`, parts = typeof text === "string" && text.length <= 200 ? LAW.exec(text) : null;
    if (!parts) refuse(`${what} = ${shown(text)} must be a law such as gamma(1,0.3), beta(1,3) or 1+gamma(1,10).`);
    const kind = code("law", parts[2].toLowerCase(), what), [first, second] = [parts[3], parts[4]].map(Number);
    for (const value of [first, second]) bounded(what, value, tables.laws.parameter);
    const origin = parts[1] === undefined ? NaN : bounded(what, Number(parts[1]), tables.laws.origin);
    const low = Number.isNaN(origin) ? 0 : origin, high = codes.law[kind] === "beta" ? low + 1 : Infinity;
    return { kind, low, high, numbers: { [`${prefix}first`]: first, [`${prefix}second`]: second, [`${prefix}origin`]: origin } };
  }

  function checkSupport(what, text, { low, high }, bound, start) {
    const lower = Math.max(bound.lower?.[0] ?? 0, 0), upper = bound.upper?.[0] ?? Infinity;
    if (!(lower <= low && high <= upper)) refuse(`${what} = ${shown(text)} must be a law of numbers from ${lower} to ${upper}.`);
    if (!(low < start && start < high)) refuse(`${what} = ${shown(text)} does not hold ${start}, where the chain begins.`);
  }

  function checkGrowth(values, N) {
    if (!isList(values) || values.length < N) refuse(`partition.log_g has ${shown(values?.length)} values; it must have one per point, ${N}.`);
    for (let n = 0; n < N; n += 1) {
      if (!isFinite(values[n])) refuse(`partition.log_g[${n}] = ${shown(values[n])} must be a finite number.`);
      if (n > 0 && values[n] < values[n - 1] - 1e-12 * Math.max(1, Math.abs(values[n]))) refuse(`partition.log_g[${n}] = ${values[n]} must not be less than the one before, ${values[n - 1]}.`);
    }
  }

  /* Tables of a partition prior that a page brings: {log_join, log_open, log_normaliser, n_clusters}. */
  function checkTables(given, N) {
    for (const name of ["log_join", "log_open"]) {
      const values = given[name];
      if (!isList(values) || values.length !== N + 1) refuse(`${name} of the partition prior has ${shown(values?.length)} numbers; it must have ${N + 1}.`);
      const wrong = Array.from(values).findIndex((x) => typeof x !== "number" || Number.isNaN(x) || x === Infinity);
      if (wrong >= 0) refuse(`${name}[${wrong}] = ${shown(values[wrong])} must be a number or -Infinity.`);
    }
    if (!isFinite(given.log_normaliser)) refuse(`log_normaliser = ${shown(given.log_normaliser)} must be a finite number.`);
    const K = given.n_clusters;
    if (K !== undefined && K !== null && !(Number.isInteger(K) && K >= 1 && K <= N)) refuse(`n_clusters = ${shown(K)} of the partition prior must be a whole number from 1 to ${N}.`);
  }

  /* One or many partitions of N points, each with the numbers 0 … K − 1; without `gaps` each of them is present. */
  function labelsOf(labels, N, gaps, rows = 1) {
    if (!isList(labels) || labels.length !== N * rows) refuse(`labels has ${shown(labels?.length)} entries for ${N} points${rows === 1 ? "" : ` and ${rows} partitions`}.`);
    const wrong = labels.findIndex((label) => !(Number.isInteger(label) && label >= 0 && label < N));
    if (wrong >= 0) refuse(`labels[${wrong}] = ${shown(labels[wrong])} must be a whole number from 0 to ${N - 1}.`);
    const counts = [];
    for (let row = 0; row < rows; row += 1) {
      const seen = new Uint8Array(N);
      let [K, present] = [0, 0];
      for (let i = row * N; i < (row + 1) * N; i += 1) {
        present += 1 - seen[labels[i]];
        seen[labels[i]] = 1;
        K = Math.max(K, labels[i] + 1);
      }
      if (!gaps && present < K) refuse(`labels leave out ${seen.indexOf(0)}; number the clusters 0 to ${present - 1}.`);
      counts.push(K);
    }
    return { labels: Int32Array.from(labels), counts };
  }

  /* Two directions and an origin, as the engine reads them; the first two columns if there is no plane. */
  function axesOf(plane, D) {
    const unit = (k) => Array.from({ length: D }, (_, d) => Number(d === k));
    const { directions = [unit(0), unit(1)], origin = Array(D).fill(0) } = plane ?? {};
    const rows = isList(directions) ? [...directions, origin] : [];
    if (rows.length !== 3 || !rows.every((row) => isList(row) && row.length === D && Array.from(row).every(isFinite))) refuse(`a plane must have two directions and an origin of ${D} finite numbers.`);
    return Float64Array.from(rows.flatMap((row) => Array.from(row)));
  }

  return { axesOf, MODELS, TEMPERED, bounded, checkModel, checkTables, code, hyperparameter, labelsOf, lawsOf, optionsOf, partitionOf, pointsOf, shown, startOf };
}
