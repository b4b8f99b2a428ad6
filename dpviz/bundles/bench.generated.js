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

// player/assets/layout.js
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}
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

// browser/checks.js
function dpvizChecks(tables, refuse) {
  const { codes, learned, limits, partitions, models: MODELS, tempered: TEMPERED } = tables;
  const HOLDS = { ">": (x, end) => x > end, ">=": (x, end) => x >= end, "<": (x, end) => x < end, "<=": (x, end) => x <= end };
  const isList = (value) => Array.isArray(value) || ArrayBuffer.isView(value);
  const isPlain = (value) => typeof value === "object" && value !== null && !isList(value);
  const isGiven = (value) => value !== null && value !== void 0;
  const isWhole = Number.isInteger;
  const isNumber = (value, most = limits.largest_number) => typeof value === "number" && Math.abs(value) <= most;
  function shown(value) {
    let text;
    try {
      text = typeof value === "number" ? String(value) : JSON.stringify(value) ?? String(value);
    } catch {
      text = String(value);
    }
    return text.length > 80 ? `${text.slice(0, 77)}...` : text;
  }
  function must(holds, what, value, bound) {
    if (!holds) refuse(`${what} = ${shown(value)} must be ${bound}.`);
    return value;
  }
  function sized(what, list, length, units) {
    if (!isList(list) || list.length !== length) refuse(`${what} has ${shown(list?.length)} ${units}.`);
  }
  function everyOne(what, list, fits, bound) {
    const wrong = list.findIndex((entry) => !fits(entry));
    if (wrong >= 0) must(false, `${what}[${wrong}]`, list[wrong], bound);
  }
  function placeIn(known, name, what) {
    const found = known.indexOf(name);
    if (found < 0) refuse(`${what} = ${shown(name)} is not computed in a browser; it must be one of ${known.join(", ")}.`);
    return found;
  }
  const code = (kind, name, what = kind) => placeIn(codes[kind], name, what);
  function bounded(what, value, { choices, integer, ends }, N = 0, D = 0) {
    if (choices.length > 0) return must(choices.includes(value), what, value, `one of ${choices.join(", ")}`);
    const bounds = ends.map(([sign, constant, point, feature]) => [sign, constant + point * N + feature * D]);
    const holds = isNumber(value) && (!integer || isWhole(value)) && bounds.every(([sign, end]) => HOLDS[sign](value, end));
    return must(holds, what, value, `a ${integer ? "whole" : "finite"} number${bounds.map(([sign, end]) => ` ${sign} ${end}`).join(" and")}`);
  }
  function optionsOf(given) {
    let config = given;
    if (typeof config === "string") {
      try {
        config = JSON.parse(config);
      } catch {
        refuse("the configuration is not JSON.");
      }
    }
    if (!isPlain(config)) refuse("a configuration must be a JSON object.");
    const { version, ...options } = config;
    if (version !== tables.version) refuse(`version ${shown(version)} of the configuration must be ${tables.version}.`);
    code("algorithm", options.algorithm);
    const o = { ...tables.defaults[options.algorithm] };
    for (const [name, value] of Object.entries(options)) {
      if (!Object.hasOwn(o, name)) refuse(`option ${name} is unknown.`);
      if (name === "prior" || isGiven(value)) o[name] = value;
    }
    for (const [name, bound] of Object.entries(tables.options)) if (isGiven(o[name])) bounded(name, o[name], bound);
    if (isGiven(o.options)) refuse("options of an algorithm's own are not computed in a browser; leave them out.");
    must(!(o.temperature > 0 && o.temperature < limits.lowest_temperature), "temperature", o.temperature, `0 or at least ${limits.lowest_temperature}`);
    if (o.algorithm === "gibbs") {
      const most = o.n_sweeps - o.burn_in;
      must(most > 0, "burn_in", o.burn_in, `smaller than n_sweeps = ${o.n_sweeps}, which includes it`);
      must(o.thin <= most, "thin", o.thin, `at most n_sweeps − burn_in = ${most}, so that one draw is kept`);
    }
    return o;
  }
  function checkModel(o) {
    for (const name of ["family", "prior"]) if (o[name] === "auto") refuse(`${name} = 'auto' has to be chosen first: give a ${name}, or the configuration that a run returned.`);
    must(!isGiven(o.prior) || isPlain(o.prior), "prior", o.prior, "null or an object of hyperparameters");
    if (o.split_merge && o.temperature !== 1) refuse(`split_merge = ${shown(o.split_merge)} needs temperature = 1.`);
    for (const [name, value] of Object.entries(tables.only)) if (o[name] !== value) refuse(`${name} = ${shown(o[name])} is not computed in a browser; ${value ? `use '${value}'` : "leave it out"}.`);
    code("family", o.family);
  }
  function pointsOf(X) {
    const flat = X?.values !== void 0 && !Array.isArray(X), number = (cell) => typeof cell === "number" ? cell : NaN;
    const [nPoints, nFeatures] = flat ? [X.nPoints, X.nFeatures] : [X?.length, X?.[0]?.length];
    if (![nPoints, nFeatures].every((n) => isWhole(n) && n > 0)) refuse("X is empty; it needs at least one point and one feature.");
    const values = new Float64Array(nPoints * nFeatures);
    const put = (what, cells, length, place) => {
      sized(what, cells, length, `cells; it must have ${length}`);
      values.set(ArrayBuffer.isView(cells) ? cells : Array.from(cells, number), place);
    };
    if (flat) put("X", X.values, values.length, 0);
    else for (let i = 0; i < nPoints; i += 1) put(`row ${i} of X`, X[i], nFeatures, i * nFeatures);
    const wrong = values.findIndex((cell) => !isNumber(cell, limits.largest_value));
    if (wrong >= 0) refuse(`row ${Math.floor(wrong / nFeatures)}, column ${wrong % nFeatures} of X is missing or no number of at most ${limits.largest_value}.`);
    return { values, nPoints, nFeatures };
  }
  function startOf(o, { nPoints: N, nFeatures: D }, nClusters) {
    const { init, algorithm } = o, most = MODELS.includes(algorithm) ? o.partition?.n_components ?? N : N;
    const beginning = (start, K2) => {
      if (K2 > N) refuse(`${K2} clusters are more than the ${N} points of X; choose fewer.`);
      if (K2 > most) refuse(`the start has ${K2} clusters, but the partition prior allows at most ${most}; raise n_components or start with fewer.`);
      return start;
    };
    if (!isList(init)) {
      const offered = tables.starts[algorithm];
      if (!offered.includes(init)) refuse(`init = ${shown(init)} is no start of ${algorithm}; it must be one of ${offered.join(", ")}.`);
      if (init === "auto" && algorithm === "mapdp" && N > limits.most_searched) refuse(`${N} points are searched by a sample first, which is not computed in a browser; take at most ${limits.most_searched}.`);
      return beginning(init, init === "singletons" ? N : TEMPERED.includes(init) && nClusters || 1);
    }
    const centres = isList(init[0]), fixed = algorithm === "kmeans";
    if (centres && !fixed) refuse("init = centres is a start of kmeans only; give labels.");
    if (!centres) sized("init", init, N, `labels for ${N} points; give one label per point`);
    const isCentre = (value) => isList(value) && value.length === D && Array.from(value).every((x) => isNumber(x, limits.largest_value));
    everyOne("init", init, centres ? isCentre : isWhole, centres ? `${D} numbers` : "a whole number");
    const K = centres ? init.length : new Set(init).size;
    if (fixed && K !== o.n_clusters) refuse(`init has ${K} clusters, but n_clusters = ${o.n_clusters}; give n_clusters = ${K}.`);
    return beginning(centres ? "centres" : "labels", K);
  }
  function hyperparameter(name, value, { vector, matrix, bound }, N, D) {
    const what = `prior[${shown(name)}]`, length = vector ? D : matrix ? D * D : 1;
    const given = [value].flat(2).flatMap((x) => ArrayBuffer.isView(x) ? Array.from(x) : x);
    const numbers = vector && given.length === 1 ? Array(D).fill(given[0]) : given;
    sized(what, numbers, length, `numbers; it must have ${length}`);
    numbers.forEach((x) => bounded(what, x, bound, N, D));
    return matrix ? definite(what, numbers, D) : numbers;
  }
  function definite(what, matrix, D) {
    const symmetric = matrix.map((x, position) => {
      const mirrored = matrix[position % D * D + Math.floor(position / D)];
      if (!(Math.abs(x - mirrored) <= 1e-8 * Math.abs(mirrored))) refuse(`${what} is not symmetric; give a symmetric positive definite matrix.`);
      return (x + mirrored) / 2;
    });
    const roots = Array.from({ length: D }, (_, d) => Math.sqrt(symmetric[d * D + d])), factor = new Float64Array(D * D);
    for (let row = 0; row < D; row += 1) {
      for (let column2 = 0; column2 <= row; column2 += 1) {
        let rest = symmetric[row * D + column2] / roots[row] / roots[column2];
        for (let j = 0; j < column2; j += 1) rest -= factor[row * D + j] * factor[column2 * D + j];
        if (row === column2 && !(rest > 1e-13)) refuse(`${what} is not positive definite; add a small multiple of its diagonal.`);
        factor[row * D + column2] = row === column2 ? Math.sqrt(rest) : rest / factor[column2 * D + column2];
      }
    }
    return symmetric;
  }
  function partitionOf({ partition }, N) {
    if (!isPlain(partition)) refuse(`partition = ${shown(partition)} has to be chosen first: give an object with its kind.`);
    const { kind, ...given } = partition, lowest = -(given.discount ?? 0);
    placeIn(Object.keys(partitions), kind, "partition");
    for (const name of Object.keys(given)) if (!Object.hasOwn(partitions[kind], name)) refuse(`partition.${name} is no parameter of ${kind}.`);
    for (const [name, bound] of Object.entries(partitions[kind])) {
      if (bound) bounded(`partition.${name}`, given[name], bound, N);
      else checkGrowth(given[name], N);
    }
    must(given.concentration > lowest, "partition.concentration", given.concentration, `more than -discount = ${lowest}`);
    const recursive = given.log_g || given.power < 1;
    if (recursive && N > limits.most_recursive) refuse(`partition = ${kind} takes at most ${limits.most_recursive} points; X has ${N}.`);
    return partition;
  }
  function checkGrowth(values, N) {
    if (!isList(values) || values.length < N) refuse(`partition.log_g has ${shown(values?.length)} values; it must have one per point, ${N}.`);
    const seen = values.slice(0, N);
    everyOne("partition.log_g", seen, (x) => isNumber(x), "a finite number");
    const fall = seen.findIndex((x, n) => n > 0 && x < seen[n - 1] - 1e-12 * Math.max(1, Math.abs(x)));
    if (fall > 0) must(false, `partition.log_g[${fall}]`, seen[fall], `at least the one before, ${seen[fall - 1]}`);
  }
  function lawsOf(o, law, N) {
    const laws = o.hyperpriors ?? {}, numbers = {};
    must(isPlain(laws), "hyperpriors", laws, "null or an object of laws");
    if (Object.keys(laws).length === 0) return numbers;
    if (o.algorithm !== "gibbs" || o.temperature !== 1) refuse("hyperpriors are learned by gibbs at temperature = 1 only.");
    if (!law || N < 2) refuse("hyperpriors need a partition prior that is computed in a browser, and two points.");
    const { most, supports } = learned[law.kind];
    if (N > most) refuse(`hyperpriors of ${law.kind} take at most ${most} points; X has ${N}.`);
    for (const [name, text] of Object.entries(laws)) {
      if (!Object.hasOwn(supports, name)) refuse(`hyperpriors[${shown(name)}] is no parameter of ${law.kind} that is learned; these are ${Object.keys(supports).join(", ")}.`);
      const [place, prefix] = name === "concentration" ? ["law", "law_"] : ["second_law", "second_"];
      const { kind, parts } = lawOf(`hyperpriors[${shown(name)}]`, text, supports[name], law[name]);
      numbers[place] = kind;
      for (const [part, number] of Object.entries(parts)) numbers[prefix + part] = number;
    }
    return numbers;
  }
  const LAW = new RegExp(`^${tables.laws.text}$`, "i");
  function lawOf(what, text, [lower, upper], start) {
    const found = typeof text === "string" && text.length <= tables.laws.longest ? LAW.exec(text)?.groups : null;
    if (!found) refuse(`${what} = ${shown(text)} must be a law such as gamma(1,0.3), beta(1,3) or 1+gamma(1,10).`);
    const { name, origin, ...numbers } = found, kind = code("law", name.toLowerCase(), what);
    const parts = Object.fromEntries(Object.entries(numbers).map(([part, number]) => [part, bounded(what, Number(number), tables.laws.parameter)]));
    parts.origin = origin === void 0 ? NaN : bounded(what, Number(origin), tables.laws.origin);
    const low = parts.origin || 0, high = codes.law[kind] === "beta" ? low + 1 : Infinity, most = upper ?? Infinity;
    must(lower <= low && high <= most, what, text, `a law of numbers from ${lower} to ${most}`);
    if (!(low < start && start < high)) refuse(`${what} = ${shown(text)} does not hold ${start}, where the chain begins.`);
    return { kind, parts };
  }
  function checkTables(given, N) {
    const { log_normaliser: normaliser, n_clusters: K } = given, of = "of the partition prior";
    for (const name of ["log_join", "log_open"]) {
      sized(`${name} ${of}`, given[name], N + 1, `numbers; it must have ${N + 1}`);
      everyOne(name, given[name], (x) => typeof x === "number" && x < Infinity, "a number or -Infinity");
    }
    must(isNumber(normaliser), "log_normaliser", normaliser, "a finite number");
    must(!isGiven(K) || isWhole(K) && K >= 1 && K <= N, `n_clusters ${of}`, K, `a whole number from 1 to ${N}`);
  }
  function labelsOf(labels, N, gaps, rows = 1) {
    sized("labels", labels, N * rows, `entries for ${N} points${rows === 1 ? "" : ` and ${rows} partitions`}`);
    everyOne("labels", labels, (label) => isWhole(label) && label >= 0 && label < N, `a whole number from 0 to ${N - 1}`);
    const all = Int32Array.from(labels), counts = Array.from({ length: rows }, (_, row) => {
      const seen = new Uint8Array(N);
      for (let i = row * N; i < (row + 1) * N; i += 1) seen[all[i]] = 1;
      const K = seen.lastIndexOf(1) + 1, absent = seen.indexOf(0);
      if (!gaps && absent >= 0 && absent < K) refuse(`labels leave out ${absent}; number the clusters 0 to ${seen.reduce((sum, one) => sum + one) - 1}.`);
      return K;
    });
    return { labels: all, counts };
  }
  function axesOf(plane, D) {
    const unit = (k) => Array.from({ length: D }, (_, d) => Number(d === k));
    const { directions = [unit(0), unit(1)], origin = Array(D).fill(0) } = plane ?? {};
    const rows = isList(directions) ? [...directions, origin] : [];
    const isRow = (row) => isList(row) && row.length === D && Array.from(row).every((x) => isNumber(x));
    if (rows.length !== 3 || !rows.every(isRow)) refuse(`a plane must have two directions and an origin of ${D} finite numbers.`);
    return Float64Array.from(rows.flatMap((row) => Array.from(row)));
  }
  return { axesOf, MODELS, TEMPERED, bounded, checkModel, checkTables, code, hyperparameter, labelsOf, lawsOf, optionsOf, partitionOf, pointsOf, shown, startOf };
}

// browser/loader.js
function dpvizWorker(tables, checksOf) {
  const { settings: NAMES, places: PLACES, row: ROW, summary: SUMMARY, shape: SHAPE, limits } = tables;
  let compiled = null, instance = null;
  let kept = null;
  class Refused extends Error {
  }
  const refuse = (sentence) => {
    throw new Refused(sentence);
  };
  const check = checksOf(tables, refuse);
  function writePrior(o, { nPoints: N, nFeatures: D }, numbers, block) {
    const sizes = { location: D, weight: 1, shape: 1, spread: D * D, between: D * D };
    const first = {};
    let place = 0;
    for (const name of tables.blocks) {
      first[name] = place;
      place += sizes[name];
    }
    for (const [name, value] of Object.entries(o.prior ?? {})) {
      if (name === "width") {
        numbers.width = check.bounded('prior["width"]', value, tables.width);
        continue;
      }
      const known = PLACES[o.family];
      if (!Object.hasOwn(known, name)) refuse(`prior[${check.shown(name)}] is not a hyperparameter of ${o.family}.`);
      block.set(check.hyperparameter(name, value, known[name], N, D), first[known[name].block]);
    }
  }
  function writePartition(law, N, numbers, block, given) {
    if (given) {
      check.checkTables(given, N);
      numbers.partition = check.code("partition", "tables");
      block.set(given.log_join, 0);
      block.set(given.log_open, N + 1);
      block[2 * N + 2] = given.log_normaliser;
      if (Number.isNaN(numbers.n_clusters)) numbers.n_clusters = given.n_clusters ?? NaN;
      return;
    }
    const { kind, ...parameters } = law;
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
      algorithm: check.code("algorithm", o.algorithm, "algorithm"),
      n_points: points.nPoints,
      n_features: points.nFeatures,
      start: check.code("start", start, "init"),
      seed: o.seed,
      n_clusters: nClusters,
      n_starts: once ? 1 : o.n_init ?? 1,
      order: check.code("order", o.order, "order"),
      max_sweeps: o.algorithm === "gibbs" ? o.n_sweeps : o.max_sweeps,
      temperature,
      burn_in: o.burn_in,
      thin: o.thin,
      choice: check.code("choice", o.algorithm === "gibbs" ? "draws" : hasModel && temperature ? "states" : "final"),
      one_point: Number(o.first_sweep === "one_point"),
      penalty: o.penalty,
      until_birth: Number(o.sweep === "until_birth"),
      split_merge: o.split_merge ?? 0,
      effort: o.effort ?? 0,
      operations: constant + slope * D + bend * D * D
    };
  }
  function pointsIn({ X, table }) {
    if (table === void 0) return check.pointsOf(X);
    if (kept?.table !== table) throw new Error("the points are no longer here.");
    return kept.points ??= check.pointsOf(kept.X);
  }
  function prepared(message) {
    const { config, partition } = message;
    const o = check.optionsOf(config), points = pointsIn(message), { values, nPoints: N, nFeatures: D } = points;
    const hasModel = check.MODELS.includes(o.algorithm);
    if (hasModel) check.checkModel(o);
    const law = hasModel && !partition ? check.partitionOf(o, N) : null;
    const nClusters = (o.algorithm === "kmeans" ? o.n_clusters : o.init_clusters) ?? NaN;
    const start = check.startOf(o, points, nClusters), numbers = numbersOf(o, points, start, nClusters);
    const prior = new Float64Array(D + 2 + 2 * D * D).fill(NaN), labels = new Float64Array(N), tail = new Float64Array(2 * N + 3);
    if (start === "labels") {
      const order = new Map([...new Set(o.init)].sort((a, b) => a - b).map((label, k) => [label, k]));
      labels.set(Array.from(o.init, (label) => order.get(label)));
    }
    if (hasModel) {
      writePrior(o, points, numbers, prior);
      writePartition(law, N, numbers, tail, partition);
      Object.assign(numbers, check.lawsOf(o, law, N));
      if (partition && Number.isNaN(numbers.n_clusters) && check.TEMPERED.includes(start)) refuse("n_clusters of the start has to come with the tables of the partition prior.");
    }
    const centres = start === "centres" ? Array.from(o.init, (centre) => Array.from(centre)).flat() : [];
    const whole2 = new Float64Array(values.length + prior.length + N + tail.length + centres.length);
    let place = 0;
    for (const part of [values, prior, labels, tail, centres]) {
      whole2.set(part, place);
      place += part.length;
    }
    return { settings: Float64Array.from(NAMES, (name) => numbers[name]), values: whole2, N, D, family: o.family, of: hasModel ? o.family : tables.centres, rows: numbers.max_sweeps + 1, starts: numbers.n_starts, hasModel };
  }
  function called(name, run, ...given) {
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
      const arrays = [run.settings, run.values, ...given].map((one) => typeof one === "number" ? one : lent(one));
      const numbers = arrays.flatMap((one) => typeof one === "number" ? [one] : [one.address, one.length]);
      const status = instance.exports[`${name}_${run.of}`](...numbers);
      if (status === tables.ended) refuse("the run ended before this sweep.");
      if (status < 0) throw new Error("the engine stopped.");
      return run.answer(status, ...arrays.slice(2).filter((one) => typeof one !== "number"));
    } catch (error) {
      if (!(error instanceof Refused)) instance = null;
      throw error;
    } finally {
      if (instance) taken.forEach(release);
    }
  }
  const room = (Type, length) => ({ constructor: Type, length, byteLength: length * Type.BYTES_PER_ELEMENT, filled: true });
  function answerOf(run, withLabels) {
    return (_, labels, sizes, record, summary) => {
      const { N } = run, [nRows, chosenStart, converged] = summary.read();
      const table = record.read(0, nRows * ROW.length), last = nRows - 1;
      const sweeps = Object.fromEntries(ROW.map((name, place) => [name, Float64Array.from({ length: nRows }, (_row, t) => table[t * ROW.length + place])]));
      if (run.hasModel && !sweeps.nll.every(Number.isFinite)) refuse("the nll of this run is no number: its hyperparameters and its data are too far apart.");
      if (withLabels) sweeps.labels = labels.read(0, nRows * N);
      sweeps.all_sizes = sizes.read(0, sweeps.first_size[last] + sweeps.n_sizes[last]);
      return {
        labels: labels.read(last * N, nRows * N),
        nll: sweeps.nll[last],
        n_clusters: sweeps.n_clusters[last],
        n_sweeps: last,
        chosen_start: chosenStart,
        converged: Boolean(converged),
        sweeps
      };
    };
  }
  function whole(message, withLabels) {
    const run = prepared(message), { rows, N } = run;
    if (rows * N > limits.most_labels) refuse(`${N} points over ${rows - 1} sweeps are more than a page keeps (${limits.most_labels} labels); run fewer sweeps.`);
    const answer = called(
      "run",
      { ...run, answer: answerOf(run, withLabels) },
      room(Int32Array, rows * N),
      room(Int32Array, rows * N),
      room(Float64Array, rows * ROW.length),
      room(Float64Array, SUMMARY.length)
    );
    const { sweeps } = answer;
    if (withLabels && message.plane !== void 0) sweeps.shapes = shapesOf(run, sweeps.labels, Array.from(sweeps.n_sizes), message.plane);
    return answer;
  }
  function scores2(message) {
    const run = prepared(message), { N } = run, { point } = message;
    if (!run.hasModel) refuse("this algorithm has no model, so that it scores no point.");
    const { labels, counts: [K] } = check.labelsOf(message.labels, N, false);
    if (!(Number.isInteger(point) && point >= 0 && point < N)) refuse(`point = ${check.shown(point)} must be from 0 to ${N - 1}.`);
    const answer = (_, _labels, found) => ({ log_predictive: found.read(0, K + 1), log_weight: found.read(K + 1, 2 * K + 2) });
    return called("scores", { ...run, answer }, labels, point, room(Float64Array, 2 * K + 2));
  }
  function places(message) {
    const run = prepared(message), { N, D, hasModel } = run, where = check.pointsOf(message.where);
    if (where.nFeatures !== D) refuse(`places have ${where.nFeatures} columns; they must have ${D}, as X has.`);
    const { labels, counts: [K] } = check.labelsOf(message.labels, N, !hasModel), P = where.nPoints;
    const answer = (count, _labels, _where, found, taken) => {
      const scores3 = found.read(0, (P + 1) * count), table = taken.read();
      const column2 = (Type, c) => {
        const part = new Type(P);
        for (let i = 0; i < P; i += 1) part[i] = table[3 * i + c];
        return part;
      };
      return { log_predictive: scores3.slice(0, P * count), log_weight: scores3.slice(P * count), takers: column2(Int32Array, 0), margins: column2(Float64Array, 1), costs: column2(Float64Array, 2) };
    };
    return called("places", { ...run, answer }, labels, where.values, room(Float64Array, (P + 1) * (K + 1)), room(Float64Array, 3 * P));
  }
  function shapesOf(run, labels, counts, plane) {
    const { N, D, hasModel, family } = run, shown = counts.map((K) => K <= limits.most_shapes);
    const axes = check.axesOf(plane, D), rows = counts.map((_, row) => row).filter((row) => shown[row]);
    const chosen = rows.length === counts.length ? labels : new Int32Array(rows.length * N);
    if (chosen !== labels) rows.forEach((row, place) => chosen.set(labels.subarray(row * N, (row + 1) * N), place * N));
    const size = SHAPE.length * rows.reduce((sum, row) => sum + counts[row], 0);
    const radii = Float64Array.from(hasModel ? tables.radii[family] : []);
    const found = size === 0 ? [] : called("shapes", { ...run, answer: (_, ...arrays) => arrays[3].read() }, chosen, axes, radii, room(Float64Array, size));
    const [numbers, offsets] = [[], [0]];
    let first = 0;
    counts.forEach((K, row) => {
      for (let k = 0; shown[row] && k < K; k += 1, first += SHAPE.length) if (found[first] > 0) numbers.push([k, first]);
      offsets.push(numbers.length);
    });
    const part = (from, to) => {
      const taken = new Float64Array(numbers.length * (to - from));
      numbers.forEach(([, place], e) => {
        for (let c = from; c < to; c += 1) taken[e * (to - from) + c - from] = found[place + c];
      });
      return taken;
    };
    return { offsets: Int32Array.from(offsets), labels: Int32Array.from(numbers, ([k]) => k), centers: part(1, 3), scales: part(3, 6), factors: part(6, 8) };
  }
  function shapes(message) {
    const run = prepared(message), { N } = run, rows = Math.max(1, Math.ceil((message.labels?.length ?? 0) / N));
    const { labels, counts } = check.labelsOf(message.labels, N, true, rows);
    return shapesOf(run, labels, counts, message.plane);
  }
  function visits(message) {
    const run = prepared(message), { N, rows } = run, { start, sweep } = message;
    for (const [name, value, low, high] of [["start", start, 0, run.starts - 1], ["sweep", sweep, 1, rows - 1]]) {
      if (!(Number.isInteger(value) && value >= low && value <= high)) refuse(`${name} = ${check.shown(value)} must be a whole number from ${low} to ${high}.`);
    }
    const most = Math.min(N, limits.most_visits);
    const answer = (count, visited2, candidates, costs, nll) => ({ count, visited: visited2.read(), candidates: candidates.read(), costs: costs.read(), nll: nll.read() });
    const asked = (width2) => called("visits", { ...run, answer }, start, sweep, room(Int32Array, 3 * most), room(Int32Array, most * width2), room(Float64Array, most * width2), room(Float64Array, most));
    let width = 32, found = asked(width);
    if (found.count * most > limits.most_costs) refuse(`${found.count} clusters are more than visits are shown of.`);
    if (found.count > width) found = asked(width = found.count);
    let n = 0;
    while (n < most && found.visited[3 * n] !== tables.padding) n += 1;
    const column2 = (c) => Int32Array.from({ length: n }, (_, visit) => found.visited[3 * visit + c]);
    const narrow = (array) => array.constructor.from({ length: n * found.count }, (_, e) => array[Math.floor(e / found.count) * width + e % found.count]);
    return { points: column2(0), from: column2(1), to: column2(2), width: found.count, candidates: narrow(found.candidates), costs: narrow(found.costs), nll: run.hasModel ? found.nll.slice(0, n) : null };
  }
  const answers = { run: (message) => whole(message, true), last: (message) => whole(message, false), scores: scores2, places, shapes, visits };
  function load(message) {
    compiled = message.compiled;
    const X = Array.from({ length: 40 }, (_, i) => [i % 7, i * i % 11]);
    for (const config of tables.first) whole({ config, X }, false);
  }
  const buffers = (value) => ArrayBuffer.isView(value) ? [value.buffer] : value && typeof value === "object" ? Object.values(value).flatMap(buffers) : [];
  return (message, send) => {
    if (message.kind === "load") {
      load(message);
      return;
    }
    if (message.table !== void 0 && message.X !== void 0) kept = { table: message.table, X: message.X };
    try {
      const answer = answers[message.kind](message);
      send({ kind: "done", id: message.id, answer }, buffers(answer));
    } catch (error) {
      send({ kind: error instanceof Refused ? "refused" : "failed", id: message.id, reason: String(error.message ?? error) });
    }
  };
}
var dpvizCompiled = /* @__PURE__ */ new WeakMap();
var dpvizSources = /* @__PURE__ */ new WeakMap();
function dpvizSourceOf(tables) {
  if (!dpvizSources.has(tables)) {
    const source = `const answer = (${dpvizWorker})(${JSON.stringify(tables)}, ${dpvizChecks});onmessage = ({ data }) => answer(data, (...reply) => postMessage(...reply));`;
    dpvizSources.set(tables, URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  }
  return dpvizSources.get(tables);
}
var dpvizBits = ({ buffer, byteOffset, length }) => new Int32Array(buffer, byteOffset, 2 * length);
var DpvizTable = class {
  constructor() {
    Object.assign(this, { name: 0, size: "", bits: null });
  }
  /* The part of a message that says which points are meant. Rows as arrays are sent every time. */
  written(X) {
    if (!(X?.values instanceof Float64Array)) return { X };
    const { values, nPoints, nFeatures } = X;
    const same = this.size === `${nPoints} ${nFeatures}` && this.holds(dpvizBits(values));
    return same ? { table: this.name } : { table: this.name + 1, X: { values, nPoints, nFeatures } };
  }
  /* They may have changed where they are: every bit is compared with what was sent. */
  holds(bits) {
    if (bits.length !== this.bits.length) return false;
    for (let place = 0; place < bits.length; place += 1) if (bits[place] !== this.bits[place]) return false;
    return true;
  }
  sent({ table, X }) {
    if (table === void 0 || X === void 0) return;
    Object.assign(this, { name: table, size: `${X.nPoints} ${X.nFeatures}`, bits: dpvizBits(X.values).slice() });
  }
};
function dpvizEngine(bytes, tables = dpvizTables) {
  const names = { refused: "Refused", failed: "Failed", cancelled: "Cancelled" };
  const waiting = /* @__PURE__ */ new Map();
  let worker = null, loaded = null, table = null, last = 0;
  const named = (kind, reason) => Object.assign(new Error(reason), { name: names[kind] });
  const fail = (kind, reason) => {
    for (const { reject } of waiting.values()) reject(named(kind, reason));
    waiting.clear();
  };
  const stop = () => {
    worker?.terminate();
    worker = loaded = null;
  };
  function begin() {
    if (typeof WebAssembly !== "object") throw named("failed", "this browser has no WebAssembly.");
    const begun = new Worker(dpvizSourceOf(tables));
    worker = begun;
    table = new DpvizTable();
    begun.onmessage = ({ data }) => {
      const { resolve, reject } = waiting.get(data.id) ?? {};
      waiting.delete(data.id);
      if (data.kind === "done") resolve?.(data.answer);
      else reject?.(named(data.kind, data.reason));
    };
    const ended = (reason) => {
      if (worker === begun) {
        stop();
        fail("failed", reason);
      }
    };
    begun.onerror = (event) => ended(event.message ?? "the Worker died.");
    begun.onmessageerror = () => ended("an answer could not be read.");
    if (!dpvizCompiled.has(bytes)) dpvizCompiled.set(bytes, WebAssembly.compile(bytes));
    loaded = dpvizCompiled.get(bytes).then((compiled) => begun.postMessage({ kind: "load", compiled }));
    loaded.catch((error) => {
      dpvizCompiled.delete(bytes);
      ended(String(error.message));
    });
  }
  const ask = (message) => new Promise((resolve, reject) => {
    try {
      if (!worker) begin();
    } catch (error) {
      reject(error);
      return;
    }
    const id = ++last, asked = worker, known = table;
    waiting.set(id, { resolve, reject });
    loaded.then(() => {
      if (!waiting.has(id)) return;
      try {
        const points = known.written(message.X);
        asked.postMessage({ ...message, X: void 0, ...points, id });
        known.sent(points);
      } catch (error) {
        waiting.delete(id);
        reject(named("refused", String(error.message)));
      }
    }, () => {
    });
  });
  const withSizes = (answer) => {
    const { all_sizes: sizes, first_size: first, n_sizes: count, ...sweeps } = answer.sweeps;
    sweeps.sizes = (row) => sizes.subarray(first[row], first[row] + count[row]);
    return { ...answer, sweeps };
  };
  try {
    begin();
  } catch {
    worker = null;
  }
  return {
    run: (config, X, partition, plane) => ask({ kind: "run", config, X, partition, plane }).then(withSizes),
    last: (config, X, partition) => ask({ kind: "last", config, X, partition }).then(withSizes),
    scores: (config, X, labels, point, partition) => ask({ kind: "scores", config, X, labels, point, partition }),
    places: (config, X, labels, where, partition) => ask({ kind: "places", config, X, labels, where, partition }),
    shapes: (config, X, labels, plane, partition) => ask({ kind: "shapes", config, X, labels, plane, partition }),
    visits: (config, X, start, sweep, partition) => ask({ kind: "visits", config, X, start, sweep, partition }),
    cancel: () => {
      if (waiting.size > 0) stop();
      fail("cancelled", "the run was cancelled.");
    },
    close: () => {
      stop();
      fail("cancelled", "the engine was closed.");
    }
  };
}

// stage/newest.js
var PATIENCE = 1500;
var Newest = class {
  // `make()`: another engine, for what takes long, so that the question after it finds this one ready.
  constructor(engine, make = null) {
    Object.assign(this, { engine, make, waiting: null, asking: false, aside: null, asked: 0, answered: 0 });
  }
  get busy() {
    return this.asking || this.aside !== null;
  }
  // Resolves to what `question(engine)` does, or to null if another one overtook it. `long`: it has an engine of its own,
  // which ends with it, and it ends with the next question.
  ask(question, long = false) {
    this.aside?.close();
    this.waiting?.resolve(null);
    this.waiting = null;
    const number = this.asked += 1;
    if (long) {
      clearTimeout(this.patience);
      this.patience = null;
      return this.alone(question, number);
    }
    return new Promise((resolve, reject) => {
      this.waiting = { question, number, resolve, reject };
      if (!this.asking) this.next();
      else this.patience ??= setTimeout(() => this.engine.cancel(), PATIENCE);
    });
  }
  // Whoever still waits gets null.
  close() {
    this.aside?.close();
    this.waiting?.resolve(null);
    clearTimeout(this.patience);
    Object.assign(this, { waiting: null, patience: null });
    this.engine.close();
  }
  async next() {
    const { question, number, resolve, reject } = this.waiting;
    Object.assign(this, { waiting: null, asking: true });
    await this.answer(question, this.engine, number).then(resolve, reject);
    clearTimeout(this.patience);
    Object.assign(this, { patience: null, asking: false });
    if (this.waiting) this.next();
  }
  async alone(question, number) {
    const engine = this.make();
    this.aside = engine;
    try {
      return await this.answer(question, engine, number);
    } finally {
      engine.close();
      if (this.aside === engine) this.aside = null;
    }
  }
  async answer(question, engine, number) {
    try {
      const found = await question(engine);
      if (number < this.answered) return null;
      this.answered = number;
      return found;
    } catch (error) {
      if (error.name === "Cancelled" || number < this.answered) return null;
      throw error;
    }
  }
};

// stage/engines.js
var Engines = class {
  // `make()`: an engine.
  constructor(make) {
    Object.assign(this, { make, runs: [] });
  }
  // Of a run in the picture, so that all of them answer at once; what takes long has another one.
  run(number) {
    return this.runs[number] ??= new Newest(this.make(), this.make);
  }
  // For what takes longer than a picture: seeds, draws, maps.
  get aside() {
    return this.slow ??= this.make();
  }
  // For questions about a point, and about the ghost point while a knob moves: the newest cancels those before it alone.
  get prices() {
    return this.asked ??= new Newest(this.make());
  }
  get places() {
    return this.weighing ??= new Newest(this.make());
  }
  get busy() {
    return this.runs.some((run) => run.busy);
  }
  close() {
    this.slow?.close();
    for (const newest of [...this.runs, this.asked, this.weighing]) newest?.close();
  }
};

// stage/tracks.js
var TABLE = 25e4;
function countsOf(labels) {
  let [counts, width] = [new Int32Array(64), 0];
  for (let i = 0; i < labels.length; i += 1) {
    const label = labels[i];
    if (label >= width) {
      width = label + 1;
      if (width > counts.length) {
        const more = new Int32Array(2 * width);
        more.set(counts);
        counts = more;
      }
    }
    counts[label] += 1;
  }
  return counts.subarray(0, width);
}
function sharedPoints(before, after, nBefore, width) {
  const table = nBefore * width <= TABLE ? new Int32Array(nBefore * width) : /* @__PURE__ */ new Map();
  if (table instanceof Map) {
    for (let i = 0; i < before.length; i += 1) {
      const pair = before[i] * width + after[i];
      table.set(pair, (table.get(pair) ?? 0) + 1);
    }
    return [...table];
  }
  for (let i = 0; i < before.length; i += 1) table[before[i] * width + after[i]] += 1;
  const found = [];
  for (let pair = 0; pair < table.length; pair += 1) if (table[pair] > 0) found.push([pair, table[pair]]);
  return found;
}
function matched(before, after, nBefore, width, trackOf = null) {
  const shared = sharedPoints(before, after, nBefore, width).map(([pair, count]) => {
    const old = Math.floor(pair / width);
    return [trackOf ? trackOf[old] : old, pair % width, count];
  });
  const [olds, news, pairs2] = [/* @__PURE__ */ new Set(), /* @__PURE__ */ new Set(), []];
  for (const [old, now] of shared.sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1])) {
    if (olds.has(old) || news.has(now)) continue;
    olds.add(old);
    news.add(now);
    pairs2.push([old, now]);
  }
  return pairs2;
}
function bySize(counts) {
  const used = [...counts.entries()].filter(([, count]) => count > 0);
  return used.sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([label]) => label);
}
function continuedFrom(before, labels, counts, colors) {
  const used = bySize(counts);
  const limit = Math.max(colors, used.length);
  const tracks = /* @__PURE__ */ new Map(), { sizes } = before;
  const pairs2 = matched(before.labels, labels, before.counts.length, counts.length, before.tracks);
  for (const [old, now] of pairs2) if (old < limit) tracks.set(now, old);
  const taken = new Set(tracks.values());
  const recent = (track) => Number(sizes[track] > 0);
  const free = Array.from({ length: limit }, (_, track) => track).filter((track) => !taken.has(track));
  free.sort((a, b) => recent(a) - recent(b) || a - b);
  for (const label of used) if (!tracks.has(label)) tracks.set(label, free.shift());
  return tracks;
}
function continued(before, labels, colors) {
  const counts = countsOf(before);
  return continuedFrom({ labels: before, counts, tracks: null, sizes: counts }, labels, countsOf(labels), colors);
}
function alignment(last, sizes, reference, colors) {
  const slots = /* @__PURE__ */ new Map();
  const pairs2 = matched(reference, last, countsOf(reference).length, sizes.length);
  for (const [wanted, own] of pairs2) if (wanted < colors && own < colors) slots.set(own, wanted);
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
function tracksOf(labels, nPoints, colors, reference) {
  const rows = [];
  let [before, top] = [{ labels: [], counts: [], tracks: null, sizes: [] }, 0];
  for (let start = 0; start < labels.length; start += nPoints) {
    const row = labels.subarray(start, start + nPoints), counts = countsOf(row);
    const tracks = new Int32Array(counts.length);
    for (const [label, own] of continuedFrom(before, row, counts, colors)) tracks[label] = own;
    before = { labels: row, counts, tracks, sizes: sizesByTrack(tracks, counts) };
    top = Math.max(top, before.sizes.length);
    rows.push(before);
  }
  if (reference !== null) {
    const slots = alignment(before.labels.map((label) => before.tracks[label]), before.sizes, reference, colors);
    const renamed = Int32Array.from({ length: top }, (_, track) => slots.get(track) ?? track);
    for (const { tracks } of rows) tracks.forEach((track, label) => tracks[label] = renamed[track]);
  }
  const found = new Int32Array(labels.length);
  rows.forEach(({ labels: row, tracks }, k) => {
    for (let i = 0; i < nPoints; i += 1) found[k * nPoints + i] = tracks[row[i]];
  });
  return found;
}
function sizesByTrack(track, counts) {
  let top = 0;
  for (let label = 0; label < counts.length; label += 1) if (counts[label] > 0 && track[label] >= top) top = track[label] + 1;
  const sizes = new Int32Array(top);
  for (let label = 0; label < counts.length; label += 1) if (counts[label] > 0) sizes[track[label]] = counts[label];
  return sizes;
}

// stage/layers.js
var FADING = 0.25;
var rowOf = (array, row, width) => array.subarray(row * width, (row + 1) * width);
function trackTable(labels, tracks) {
  const found = [];
  for (let i = 0; i < labels.length; i += 1) found[labels[i]] = tracks[i];
  const table = /* @__PURE__ */ new Map();
  found.forEach((track, label) => table.set(label, track));
  return table;
}
function ellipsesOf(shapes, labels, tracks, { n_points: nPoints, origin }) {
  const ellipse_tracks = new Int32Array(shapes.labels.length);
  for (let row = 0; row + 1 < shapes.offsets.length; row += 1) {
    const [from, to] = [shapes.offsets[row], shapes.offsets[row + 1]];
    if (from === to) continue;
    const table = trackTable(rowOf(labels, row, nPoints), rowOf(tracks, row, nPoints));
    for (let e = from; e < to; e += 1) ellipse_tracks[e] = table.get(shapes.labels[e]);
  }
  return {
    ellipse_offsets: shapes.offsets,
    ellipse_tracks,
    ellipse_centers: shapes.centers.map((place, e) => place - origin[e % 2]),
    ellipse_scales: shapes.scales,
    ellipse_factors: shapes.factors
  };
}
function nearEdges(takers, margins, cells) {
  const leads2 = margins.map((margin) => Number.isFinite(margin) ? margin : 1);
  let largest = 0;
  for (let cell = 0; cell < takers.length; cell += 1) {
    const [right, above] = [(cell + 1) % cells === 0 ? cell : cell + 1, cell + cells];
    if (takers[right] !== takers[cell]) largest = Math.max(largest, leads2[cell], leads2[right]);
    if (above < takers.length && takers[above] !== takers[cell]) largest = Math.max(largest, leads2[cell], leads2[above]);
  }
  return leads2.map((lead) => Math.max(1e-9, Math.min(1, lead / (largest || 1))));
}
function mapArrays({ extent, cells, frames }, { labels, nll }, panel) {
  if (frames.length === 0) return {};
  const { n_points: N, origin } = panel;
  const joined = (Type, of) => {
    const whole = new Type(frames.length * cells ** 2);
    frames.forEach((frame, k) => whole.set(of(frame), k * cells ** 2));
    return whole;
  };
  const sweeps = Int32Array.from(frames, ({ row }) => row);
  const placed = extent.map((end, k) => end - origin[k < 2 ? 0 : 1]);
  const shape = [frames.length, cells, cells];
  const regions = {
    region_sweeps: sweeps,
    region_extent: placed,
    region_image: joined(Int32Array, ({ row, takers }) => {
      const table = trackTable(rowOf(labels, row, N), rowOf(panel.labels, row, N));
      return takers.map((label) => table.get(label) ?? -1);
    }),
    region_margins: joined(Float32Array, ({ takers, margins }) => nearEdges(takers, margins, cells))
  };
  if (!Number.isFinite(nll[0])) return { ...regions, shapes: { ...panel.shapes, region_image: shape } };
  const density_image = joined(Float32Array, ({ costs }) => {
    const lowest = costs.reduce((least, cost) => Math.min(least, cost), Infinity);
    return costs.map((cost) => Math.exp(FADING * (lowest - cost)));
  });
  return {
    ...regions,
    density_sweeps: sweeps,
    density_extent: placed,
    density_image,
    shapes: { ...panel.shapes, region_image: shape, density_image: shape }
  };
}
function visitArrays(found, sweep, labels, panel) {
  const { n_points: N } = panel;
  const table = trackTable(rowOf(labels, sweep - 1, N), rowOf(panel.labels, sweep - 1, N));
  const after = rowOf(panel.labels, sweep, N);
  const taken = new Set(table.values());
  const opened = /* @__PURE__ */ new Map();
  found.to.forEach((label, visit) => {
    if (!table.has(label)) opened.set(label, [...opened.get(label) ?? [], after[found.points[visit]]]);
  });
  for (const [label, members] of opened) {
    const own = members.find((track2) => !taken.has(track2));
    const track = own ?? [...taken, ...after].reduce((most, other) => Math.max(most, other), 0) + 1;
    table.set(label, track);
    taken.add(track);
  }
  const tracks = (numbers) => Int32Array.from(numbers, (label) => table.get(label) ?? -1);
  const event_nll = found.nll?.every(Number.isFinite) ? { event_nll: found.nll } : {};
  return {
    events_sweep: sweep,
    event_points: found.points,
    event_from: tracks(found.from),
    event_to: tracks(found.to),
    event_candidates: tracks(found.candidates),
    event_costs: Float32Array.from(found.costs),
    ...event_nll,
    shapes: { ...panel.shapes, event_costs: [found.points.length, found.width] }
  };
}

// stage/film.js
var CURVES = ["nll", "objective", "n_clusters", "n_moved", "n_born", "n_died"];
var END = 1e9;
var MOST_VALUES = 8;
var FAR = 100;
var columns = /* @__PURE__ */ new WeakMap();
function column(points, axis) {
  if (!columns.has(points.values)) columns.set(points.values, /* @__PURE__ */ new Map());
  const known = columns.get(points.values);
  if (!known.has(axis)) known.set(axis, newColumn(points, axis));
  return known.get(axis);
}
function newColumn(points, axis) {
  const values = Float64Array.from({ length: points.nPoints }, (_, i) => points.values[i * points.nFeatures + axis]);
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const middle = (low + high) / 2;
  const origin = Math.abs(middle) > FAR * (high - low) ? middle : 0;
  return { places: Float32Array.from(values, (value) => value - origin), origin };
}
function valuesOf(points) {
  const { nPoints, nFeatures, values } = points;
  if (nFeatures === 2) return { shapes: {} };
  const width = Math.min(nFeatures, MOST_VALUES);
  const shown = new Float32Array(nPoints * width);
  for (let i = 0; i < nPoints; i += 1) for (let d = 0; d < width; d += 1) shown[i * width + d] = values[i * nFeatures + d];
  return { values: shown, shapes: { values: [nPoints, width] } };
}
function played({ answer, maps, visits }, still, colors, reference) {
  const { n_sweeps: last, sweeps } = answer;
  const labels = tracksOf(sweeps.labels, still.n_points, colors, reference);
  const panel = {
    ...still,
    cluster_names: {},
    ghosts: [],
    n_sweeps: last,
    labels,
    seconds: new Float64Array(last + 1),
    label_sweeps: Int32Array.from({ length: last + 1 }, (_, sweep) => sweep)
  };
  for (const name of CURVES) panel[name] = sweeps[name];
  if (sweeps.shapes) Object.assign(panel, ellipsesOf(sweeps.shapes, sweeps.labels, labels, panel));
  else delete panel.ellipse_meanings;
  if (maps) Object.assign(panel, mapArrays(maps, sweeps, panel));
  if (visits) Object.assign(panel, visitArrays(visits.found, visits.sweep, sweeps.labels, panel));
  return panel;
}
var lastTracks = ({ labels, n_sweeps: last, n_points: nPoints }) => labels.subarray(last * nPoints);
function panelOf(run, points, { title, objective, meanings, colors, reference }) {
  const [across, up] = points.shown ?? points.axes.map((axis) => column(points, axis));
  const panel = played(run, {
    title,
    objective_name: objective,
    axis_names: points.axisNames ?? points.axes.map((axis) => points.names[axis]),
    value_names: points.names.slice(0, MOST_VALUES),
    class_names: [],
    n_points: points.nPoints,
    points_id: `${points.id} ${points.axes}`,
    one_column: false,
    origin: [across.origin, up.origin],
    x: across.places,
    y: up.places,
    ellipse_meanings: meanings,
    ...valuesOf(points)
  }, colors, reference);
  if (points.groups) {
    const tracks = continued(lastTracks(panel), points.groups, colors);
    panel.true_labels = Int32Array.from(points.groups);
    panel.true_tracks = Int32Array.from(points.groups, (group2) => tracks.get(group2));
  }
  return panel;
}
var films = 0;
function openFilm(player, panels, colors, opening) {
  films += 1;
  const film = { sync: player.run?.sync ?? "sweep", partial: false, progress: "", colors, panels };
  const opened = { ...opening, id: `film ${films}`, sweep: END, start: "", quick: true };
  player.open(opening.film ? { ...opened, command: opened.id } : opened, film);
}

// stage/knobs.js
var shortNumber = (value) => String(Number(value.toPrecision(3))).replace("-", "−");
var placesOf = (knob) => knob.step > 0 ? Math.round((knob.high - knob.low) / knob.step) : knob.positions;
function placeOf(knob, value, [low, high]) {
  return knob.step > 0 ? (value - low) / knob.step : knob.positions * Math.log(value / low) / Math.log(high / low);
}
function valueAt(knob, place, [low, high]) {
  if (knob.step > 0) return Number((low + place * knob.step).toFixed(6));
  return Number((low * (high / low) ** (place / knob.positions)).toPrecision(3));
}
function configured(config, knobs, values) {
  const whole = structuredClone(config);
  for (const { name, path: [first, second] } of knobs) {
    if (second) whole[first] = { ...whole[first], [second]: values[name] };
    else whole[first] = values[name];
  }
  return whole;
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
  const raised = power.replace(/^\+/, "").replace(/^[-−]/, "⁻").replace(/\d/g, (digit) => SUPERSCRIPTS[digit]);
  return `${digits} × 10${raised}`;
}

// player/assets/theme.js
var colorProbe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function cssColor([red, green, blue], alpha = 1) {
  return alpha === 1 ? `rgb(${red}, ${green}, ${blue})` : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

// stage/prices.js
var WITHOUT_MODEL = { kmeans: "live.no_prices_of_kmeans", dpmeans: "live.no_prices_of_dpmeans" };
var MOST_PRICES = 12;
var Prices = class {
  // `player`: whose colours are used; `asking`: a Newest.
  constructor(node, player, asking) {
    Object.assign(this, { node, player, asking, chosen: null });
  }
  clear() {
    this.chosen = null;
    this.node.replaceChildren();
  }
  // Resolves to whether an answer is shown, which it is not if another question overtook this one.
  // `run`: { config, answer, points, title, algorithm }; `tracks` (N) and `labels` (N) of the sweep that is shown.
  async ask(run, point, sweep, tracks) {
    this.chosen = point;
    const { config, answer, points } = run;
    const head = element("h2", { text: `${say("live.why", { point, cluster: tracks[point] + 1, sweep })} ${run.title}` });
    const plain = WITHOUT_MODEL[config.algorithm];
    if (plain) {
      this.node.replaceChildren(head, element("p", { text: say(plain) }));
      return true;
    }
    const labels = answer.sweeps.labels.slice(sweep * points.nPoints, (sweep + 1) * points.nPoints);
    const question = this.asking.ask((engine) => engine.scores(config, points, labels, point));
    const told = await question.then(
      (found) => found && [this.list(found, labels, tracks), element("p", { class: "small", text: say("live.about_prices") })],
      (error) => [element("p", { text: say("live.no_prices", { why: error.message }) })]
    );
    if (!told || this.chosen !== point) return false;
    this.node.replaceChildren(head, ...told);
    return true;
  }
  list(found, labels, tracks) {
    const place = new Map(Array.from(labels, (label, i) => [label, tracks[i]]));
    const rows = Array.from(found.log_predictive, (value, k) => ({ track: place.get(k) ?? -1, price: -value - found.log_weight[k] }));
    const lowest = Math.min(...rows.map((row) => row.price));
    const powers = rows.map((row) => Math.exp(lowest - row.price));
    const total = powers.reduce((sum, power) => sum + power, 0);
    rows.forEach((row, k) => row.share = powers[k] / total);
    rows.sort((a, b) => a.price - b.price);
    const shown = rows.filter((row, k) => k < MOST_PRICES || row.track < 0);
    return element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...["cluster", "price", "share"].map((name) => element("th", { scope: "col", text: say(`live.column_${name}`) })))),
      element("tbody", {}, ...shown.map((row) => this.row(row)))
    );
  }
  row({ track, price, share }) {
    const { theme } = this.player;
    const swatch = element("span", { class: "dot", "aria-hidden": "true" });
    const bar = element("span", { class: "bar", "aria-hidden": "true" });
    const color = cssColor(track < 0 ? theme.muted : theme.clusterColor(track));
    swatch.style.background = color;
    bar.style.background = color;
    bar.style.width = `${(100 * share).toFixed(1)}%`;
    const name = track < 0 ? say("live.new_cluster") : say("live.cluster", { cluster: track + 1 });
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, swatch, name),
      element("td", { text: formatNumber(price, 5) }),
      element("td", { class: "share" }, bar, element("span", { text: percentage(share) }))
    );
  }
};
function percentage(share) {
  if (share > 0 && share < 1e-3) return "< 0.1 %";
  return `${formatNumber(100 * share, 3)} %`;
}

// course/assets/bench.css
var bench_default = '.bench { margin: 2px 4px 6px; font-size: calc(16px * var(--scale)); line-height: 1.6; }\n.bench p { margin: 0; max-width: 56em; }\n.bench .dragged { display: inline-block; min-width: 1.2em; padding: 0 3px; border-bottom: 2px dotted var(--accent); color: var(--accent); cursor: ew-resize; font-variant-numeric: tabular-nums; font-weight: 700; line-height: 1.15; text-align: center; touch-action: pan-y; user-select: none; }\n.bench .dragged.held, .bench .dragged:hover { background: color-mix(in srgb, var(--accent) 14%, transparent); border-radius: 4px 4px 0 0; }\n.bench .dragged[aria-disabled="true"] { border-bottom: 0; color: inherit; cursor: default; }\n.bench .dragged:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }\n.bench b { font-variant-numeric: tabular-nums; }\n.bench b.awaited { opacity: 0.35; }\n.bench.lead { --scale: 1; --accent: var(--st-primary-color, light-dark(#005a94, #7cc0f5)); margin: 0; font-size: 1rem; }\n.bench .row { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; margin-top: 4px; font-size: calc(13px * var(--scale)); }\n.bench .said { color: var(--muted); }\n.bench .tally { font-size: calc(13px * var(--scale)); }\n.bench .tally p { color: var(--muted); line-height: 1.4; }\n.bench .tally p[role="status"] { color: inherit; font-weight: 600; }\n.bench .draws { display: flex; flex-wrap: wrap; gap: 3px; margin: 3px 0; }\n.bench .draws button { min-width: 30px; min-height: 28px; padding: 0 4px; border: 1px solid var(--grid); border-radius: 5px; background: none; color: inherit; font: inherit; font-variant-numeric: tabular-nums; cursor: pointer; }\n.bench .draws button.right { border-color: var(--accent); font-weight: 700; }\n.bench .draws button[aria-current] { outline: 2px solid var(--text); outline-offset: 1px; }\n.bench .live-prices { position: absolute; z-index: 3; max-width: min(340px, 70%); padding: 8px 10px; border: 1px solid var(--grid); border-radius: 8px; background: var(--background); font-size: calc(13px * var(--scale)); }\n.bench .live-prices:empty { display: none; }\n.bench .live-prices h2 { margin: 0 0 6px; font-size: 1em; }\n.bench .live-prices p { margin: 6px 0 0; color: var(--muted); font-size: 0.85em; line-height: 1.3; }\n.bench .live-prices table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }\n.bench .live-prices th { padding: 1px 6px 1px 0; font-weight: 400; text-align: left; white-space: nowrap; }\n.bench .live-prices td { padding: 1px 6px; }\n.bench .live-prices .dot { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 50%; }\n.bench .live-prices .share { position: relative; min-width: 90px; }\n.bench .live-prices .bar { position: absolute; left: 0; top: 15%; height: 70%; opacity: 0.3; }\n.bench.folded > :not(.unfold), .bench:not(.folded) > .unfold { display: none; }\n';

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

// course/assets/measures.js
var CRUMB = 10;
var [EARLY, LATE] = [20, 100];
var WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
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
  const column2 = (d) => {
    const own = rows.map((i) => values[i * nFeatures + d]);
    const middle = mean(own);
    return Math.sqrt(mean(own.map((value) => (value - middle) ** 2)));
  };
  return mean(Array.from({ length: nFeatures }, (_, d) => column2(d)));
}
function wholeness(run, points, value) {
  return points.groups ? shareInOne(run.answer.labels, points.groups, groupWithMost(points, value)) : NaN;
}
function strangers({ answer: { labels } }, points) {
  const { groups } = points;
  if (!groups) return NaN;
  const small = groupWithMost(points, (rows) => -rows.length);
  const inside = [];
  labels.forEach((label, i) => inside[label] = (inside[label] ?? 0) + Number(groups[i] === small));
  const home = inside.indexOf(Math.max(...inside.filter(Number.isFinite)));
  return labels.reduce((sum, label, i) => sum + Number(label === home && groups[i] !== small), 0);
}
var MEASURES = {
  n_clusters: ({ answer }) => answer.n_clusters,
  n_large: ({ answer }) => sizesOf(answer.labels).filter((size) => size >= CRUMB).length,
  n_small: ({ answer }) => sizesOf(answer.labels).filter((size) => size < CRUMB).length,
  alone: ({ answer }) => sizesOf(answer.labels).filter((size) => size === 1).length,
  smallest: ({ answer }) => Math.min(...sizesOf(answer.labels)),
  ari: ({ answer }, { groups }) => scores(answer.labels, groups).adjusted_rand[0],
  nmi: ({ answer }, { groups }) => 100 * scores(answer.labels, groups).agreement[0],
  widest_whole: (run, points) => wholeness(run, points, (rows) => spread(points, rows)),
  largest_whole: (run, points) => wholeness(run, points, (rows) => rows.length),
  strangers,
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
var ofHundred = (value) => WHOLE.format(100 * value);
var TWO_PLACES = (value) => value.toFixed(2);
var WRITTEN = {
  ari: TWO_PLACES,
  alike: TWO_PLACES,
  widest_whole: ofHundred,
  largest_whole: ofHundred,
  mean_k: (value) => value.toFixed(1),
  above: (value) => value.toFixed(1),
  births: TWO_PLACES,
  extra: (value) => value.toFixed(1),
  nll: (value) => formatNumber(value, 6),
  n_clusters: (value) => sayCount("bench.clusters", value)
};
function written(ways, quantity, runs, [first = 0, second = first], points) {
  const value = MEASURES[quantity](runs[first], points, runs[second]);
  return Number.isFinite(value) ? (ways[quantity] ?? WHOLE.format)(value) : "–";
}
var measured = (...asked) => written(WRITTEN, ...asked);
var plainly = (...asked) => written({ ...WRITTEN, n_clusters: WHOLE.format }, ...asked);
function boundedValue({ quantity, run, per, than, beside }, runs, points) {
  const of = (place) => MEASURES[quantity](runs[place], points, runs[beside ?? place]);
  if (per === null && than === null) return { value: of(run), words: plainly(quantity, runs, [run, beside ?? run], points) };
  const more = of(run) - (than === null ? 0 : of(than));
  return per === null ? { value: more, words: WHOLE.format(more) } : { value: more / of(per), words: (more / of(per)).toFixed(1) };
}
function within(bounds, runs, points) {
  return bounds.every((bound) => {
    const { value } = boundedValue(bound, runs, points);
    return (bound.least === null || value >= bound.least) && (bound.most === null || value <= bound.most);
  });
}

// course/assets/reshaped.js
var copy = (points, values) => ({ ...points, values });
var CHANGES = {
  // A group about its mean, `value / usual` times as wide.
  spread(points, value, { usual, path: [, , group2] }) {
    const { groups, nFeatures } = points;
    const values = points.values.slice();
    const rows = Array.from(groups.keys()).filter((i) => groups[i] === Number(group2));
    for (let d = 0; d < nFeatures; d += 1) {
      const middle = rows.reduce((sum, i) => sum + values[i * nFeatures + d], 0) / rows.length;
      for (const i of rows) values[i * nFeatures + d] = middle + value / usual * (values[i * nFeatures + d] - middle);
    }
    return copy(points, values);
  },
  // The means of the groups, in percent of their distance from the mean of all.
  apart(points, value) {
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
      for (let i = 0; i < nPoints; i += 1) values[i * nFeatures + d] += (value / 100 - 1) * (sums[groups[i]] / sizes[groups[i]] - all);
    }
    return copy(points, values);
  },
  // The first so many of points that come in no order.
  points(points, value) {
    const { values, groups, nFeatures } = points;
    return { ...points, nPoints: value, values: values.slice(0, value * nFeatures), groups: groups?.slice(0, value) ?? null };
  },
  // One column in another unit.
  divide(points, value, { path: [, , column2] }) {
    const values = points.values.slice();
    for (let at = Number(column2); at < values.length; at += points.nFeatures) values[at] /= value;
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
  }
};
function chance(at) {
  let bits = Math.imul(at + 1, 2654435761);
  bits = Math.imul(bits ^ bits >>> 15, 2246822507);
  bits = Math.imul(bits ^ bits >>> 13, 3266489909);
  return ((bits ^ bits >>> 16) >>> 0) / 2 ** 32;
}
function reshaped(points, turns, values, number = 0) {
  const changing = turns.filter(({ path }) => path[0] === "data");
  return changing.reduce((changed, turn) => CHANGES[turn.path[1]](changed, values[turn.name], turn, number), points);
}

// course/assets/dragged.js
var TRAVEL = 360;
var STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity };
var DraggedNumber = class {
  // `read()`: its value; `write(value)`: it was moved.
  constructor(turn, read, write) {
    Object.assign(this, { turn, read, write, from: null });
    this.barred = this.instead = "";
    this.node = element("span", {
      class: "dragged",
      role: "slider",
      tabindex: 0,
      "aria-label": turn.words,
      title: this.about,
      "aria-valuemin": turn.low,
      "aria-valuemax": turn.high
    });
    this.node.addEventListener("pointerdown", (event) => this.take(event));
    this.node.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) this.node.addEventListener(end, () => this.release());
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.show();
  }
  get about() {
    return say("bench.drag_me", { words: this.turn.words, explanation: this.turn.explanation });
  }
  get ends() {
    return [this.turn.low, this.turn.high];
  }
  get last() {
    return placesOf(this.turn);
  }
  get place() {
    return placeOf(this.turn, this.read(), this.ends);
  }
  // `why`: it cannot be moved, "" if it can; `text` stands in its place then.
  bar(why, text) {
    this.barred = why;
    this.instead = text;
    this.node.setAttribute("aria-disabled", String(why !== ""));
    this.node.title = why || this.about;
  }
  show() {
    const text = this.barred ? this.instead : shortNumber(this.read());
    this.node.textContent = text;
    this.node.setAttribute("aria-valuenow", this.read());
    this.node.setAttribute("aria-valuetext", text);
  }
  take(event) {
    this.from = { x: event.clientX, place: this.place };
    this.node.setPointerCapture(event.pointerId);
    this.node.classList.add("held");
    this.node.focus({ preventScroll: true });
    event.preventDefault();
  }
  drag(event) {
    if (!this.from) return;
    this.moveTo(this.from.place + (event.clientX - this.from.x) * this.last / TRAVEL);
  }
  release() {
    this.from = null;
    this.node.classList.remove("held");
  }
  key(event) {
    const steps = STEPS[event.key];
    if (steps === void 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.moveTo(this.place + steps);
  }
  moveTo(place) {
    if (this.barred) return;
    const value = valueAt(this.turn, Math.min(this.last, Math.max(0, Math.round(place))), this.ends);
    if (value === this.read()) return;
    this.write(value);
    this.show();
  }
};

// course/assets/sentence.js
var PARTS = /\[(\w+)\]|\{(\w+)((?: \d+)*)\}/g;
var Sentence = class {
  // `turns`: the numbers to drag, with the ends that they have here.
  constructor(facts, draws, turns) {
    Object.assign(this, { facts, draws, turns, told: [], numbers: [] });
    this.values = Object.fromEntries(turns.map(({ name, usual }) => [name, usual]));
  }
  // Words, numbers to drag, and what was found.
  pieces(text) {
    const pieces = [];
    let end = 0;
    for (const match of text.matchAll(PARTS)) {
      pieces.push(text.slice(end, match.index));
      end = match.index + match[0].length;
      const [, name, quantity, runs] = match;
      pieces.push(name ? this.draggable(name) : this.place(quantity, runs));
    }
    return [...pieces, text.slice(end)];
  }
  draggable(name) {
    const turn = this.turns.find((one) => one.name === name);
    const number = new DraggedNumber(turn, () => this.values[name], (value) => this.turn(name, value));
    this.numbers.push(number);
    return number.node;
  }
  place(quantity, runs) {
    const node = element("b", { text: "…" });
    this.told.push({ node, quantity, runs: runs.trim() === "" ? [] : runs.trim().split(" ").map(Number) });
    return node;
  }
  configuration(place, number) {
    const turns = this.turns.filter(({ runs }) => runs.includes(place));
    const config = configured(this.facts.runs[place].config, turns, this.values);
    config.seed += this.facts.seeds * number;
    return config;
  }
  // A run { config, answer }.
  async made(engine, place, number, points) {
    const config = this.configuration(place, number);
    return { config, answer: await engine.run(config, points) };
  }
  // Results of other numbers are dimmed until those of the present ones are here.
  await(isAwaited) {
    for (const { node } of this.told) node.classList.toggle("awaited", isAwaited);
  }
};

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

// course/assets/bench.js
var NARROW = 560;
var MOST_POINTS = 5e3;
var NEXT_TRY = 2;
var Bench = class extends Sentence {
  // `player`: open or soon open; `bytes`: of the engine.
  constructor(player, { facts, draws }, bytes) {
    super(facts, draws, facts.turns);
    Object.assign(this, { player, number: 0, edited: null, film: null, known: /* @__PURE__ */ new Map() });
    Object.assign(this, { rounds: 0, edits: 0, restores: 0, failures: 0, computes: true });
    this.build();
    player.bench = this;
    player.slot.append(Object.assign(this.node, { bench: this }));
    this.channel = player.channel;
    this.engines = new Engines(() => dpvizEngine(bytes));
    this.listen();
    this.say(say("bench.hint"));
    this.tell();
  }
  inPlane() {
    return this.draws[0].nFeatures === 2;
  }
  close() {
    this.engines.close();
    this.node.remove();
    this.player.bench = null;
    if (this.player.channel) this.player.channel = this.channel;
  }
  build() {
    const chip = (text, title, action) => {
      const node = element("button", { type: "button", class: "chip", text, title });
      node.addEventListener("click", action);
      return node;
    };
    this.sentence = element("p", {}, ...this.pieces(this.facts.text));
    const drawn = this.draws.length > 1;
    this.unit = drawn ? "draw" : "start";
    this.another = chip(say(`bench.another_${this.unit}`), say(`bench.about_another_${this.unit}`), () => this.choose((this.number + 1) % this.facts.seeds));
    this.dice = chip(sayCount(`bench.n_${this.unit}s`, this.facts.seeds), say(`bench.about_${this.unit}s`), () => this.tally.turn(this.edited ? null : this.number));
    const tool = (name, text, title) => {
      const node = chip(text, title, () => this.take(name));
      node.dataset.tool = name;
      node.hidden = !this.inPlane();
      return node;
    };
    this.tools = [tool("painting", say("bench.draw_points"), say("bench.about_draw_points")), tool("moving", say("bench.move_points"), say("bench.about_move_points"))];
    this.back = chip(say("bench.film"), say("bench.about_film"), () => this.restore());
    this.back.hidden = true;
    this.unfold = chip(say("bench.unfold"), say("bench.about_unfold"), () => this.node.classList.remove("folded"));
    this.unfold.classList.add("unfold");
    this.said = element("span", { class: "said", role: "status" });
    this.tally = new Tally(this.facts, (number) => this.runsOf(number), (number) => this.choose(number), () => this.isUsual(), this.unit);
    this.why = element("div", { class: "live-prices", role: "status" });
    this.node = element(
      "section",
      { class: "bench", "aria-label": say("bench.name") },
      element("style", { text: bench_default }),
      this.unfold,
      this.sentence,
      element("div", { class: "row" }, this.another, this.dice, ...this.tools, this.back, this.said),
      this.tally.node,
      this.why
    );
    this.node.classList.toggle("folded", this.player.root.clientWidth < NARROW);
    this.node.addEventListener("keydown", (event) => event.stopPropagation());
  }
  say(text) {
    this.said.textContent = text;
  }
  fail(error) {
    this.computes = false;
    for (const node of [this.another, this.dice, ...this.tools]) node.hidden = true;
    for (const number of this.numbers) {
      number.bar(say("bench.computes_nothing"));
      number.node.tabIndex = -1;
    }
    this.say(`${say("bench.computes_nothing")} (${error.message})`);
  }
  // --- what the reader does ---
  turn(name, value) {
    if (!this.computes) return;
    this.values[name] = value;
    this.tally.clear();
    this.tell(true);
  }
  // What dragging in the picture does.
  take(tool) {
    this.player.toolbar.flip(tool);
    for (const node of this.tools) node.setAttribute("aria-pressed", String(Boolean(this.player.options[node.dataset.tool])));
  }
  choose(number) {
    Object.assign(this, { number, edited: null });
    this.tally.mark(number);
    this.tell(true);
  }
  // Points were dragged or painted: they are what is clustered until another draw is taken.
  edit(name, value) {
    const points = this.points();
    const origin = this.player.run.panels[value.panel].origin;
    const rows = name === "moved" ? [[value.x, value.y]] : value.places;
    if (name === "painted" && points.nPoints + rows.length > MOST_POINTS) {
      this.player.editor.clear();
      this.player.redraw();
      this.say(say("bench.most_points", { most: MOST_POINTS }));
      return;
    }
    const placed = rows.flatMap(([x, y]) => [x + origin[0], y + origin[1]]);
    const values = Float64Array.from(name === "moved" ? points.values : [...points.values, ...placed]);
    if (name === "moved") values.set(placed, 2 * value.index);
    const nPoints = values.length / 2;
    this.edits += 1;
    this.edited = { ...points, version: this.edits, values, nPoints, groups: nPoints === points.nPoints ? points.groups : null };
    this.tally.clear();
    this.tell(true);
  }
  isUsual() {
    return this.facts.turns.every(({ name, usual }) => this.values[name] === usual);
  }
  // The page's own film again.
  restore() {
    this.values = Object.fromEntries(this.facts.turns.map(({ name, usual }) => [name, usual]));
    for (const number of this.numbers) number.show();
    Object.assign(this, { number: 0, edited: null, film: null });
    this.restores += 1;
    this.tally.clear();
    this.prices?.clear();
    this.back.hidden = true;
    const { player, served } = this;
    const opening = { ...served.opening, command: `restored ${this.restores}` };
    if (served.payload) player.open(opening, served.payload);
    else {
      player.opening = opening;
      player.loads += 1;
      player.show(served.run, true);
    }
    this.say(say("bench.hint"));
    this.tell();
  }
  // --- runs ---
  points(number = this.number, edited = this.edited) {
    const { facts } = this;
    const base = number === this.number && edited ? edited : reshaped(this.draws[number] ?? this.draws[0], facts.turns, this.values, number);
    const moved = facts.turns.filter(({ path }) => path[0] === "data").map(({ name }) => this.values[name]);
    return { ...base, key: [number, edited?.version ?? 0, ...moved], names: facts.features, axes: [0, 1] };
  }
  // A run that no number has changed since is not made again.
  async newest(engine, place, number, points) {
    const key = JSON.stringify([this.configuration(place, number), points.key]);
    const before = this.known.get(place);
    if (before?.key === key) return before.run;
    const run = await this.made(engine, place, number, points);
    this.known.set(place, { key, run });
    return run;
  }
  // All runs of a draw, by another engine, so that a number that is dragged need not wait. Points of the reader's are
  // no draw.
  async runsOf(number) {
    const points = this.points(number, null);
    const runs = [];
    for (const place of this.facts.runs.keys()) runs.push(await this.made(this.engines.aside, place, number, points));
    return { points, runs };
  }
  // Fill in the sentence and, if asked to, show the runs.
  async tell(shows = false) {
    if (!this.computes) return;
    const { number, restores } = this;
    const points = this.points();
    for (const one of this.numbers) {
      const ofData = this.edited && one.turn.path[0] === "data";
      one.bar(ofData ? say("bench.own_points") : "", one.turn.path[1] === "points" ? shortNumber(points.nPoints) : "–");
      one.show();
    }
    this.rounds += 1;
    const round = this.rounds;
    this.await(true);
    try {
      const runs = await this.engines.run(0).ask(async (engine) => {
        const found = [];
        for (const place of this.facts.runs.keys()) found.push(await this.newest(engine, place, number, points));
        return found;
      });
      if (runs === null || restores !== this.restores) return;
      this.failures = 0;
      for (const { node, quantity, runs: places } of this.told) node.textContent = measured(quantity, runs, places, points);
      if (round === this.rounds) this.await(false);
      if (shows) this.show(runs, points, number);
      if (round === this.rounds) this.say(shows ? this.about(number) : say("bench.hint"));
    } catch (error) {
      if (error.name !== "Refused") this.failures += globalThis.WebAssembly ? 1 : NEXT_TRY;
      if (this.failures >= NEXT_TRY) this.fail(error);
      else if (round === this.rounds) this.refused(error);
    }
  }
  // Other values may be computed all the same, and another Worker takes the place of one that died.
  refused(error) {
    for (const { node } of this.told) node.textContent = "–";
    this.await(false);
    this.say(say("bench.not_computed", { why: error.message }));
  }
  about(number) {
    const ungrouped = this.edited && !this.edited.groups && this.facts.grouped;
    const what = this.edited ? say("bench.your_points") : say(`bench.this_${this.unit}`, { number: number + 1, all: this.facts.seeds });
    return [say("bench.computed", { what }), this.edited && say("bench.of_yours"), ungrouped && say("bench.no_groups")].filter(Boolean).join(" ");
  }
  title(place) {
    const { title, about, words } = this.facts.runs[place];
    const own = this.facts.turns.filter(({ runs, symbol }) => symbol && runs.includes(place)).map(({ name, symbol }) => `${symbol} = ${shortNumber(this.values[name])}`);
    return [title, ...own.length > 0 ? own : [about], words].filter(Boolean).join(" · ");
  }
  // Runs that differ in their random numbers alone are told apart by these.
  titles() {
    const titles = [...this.facts.runs.keys()].map((place) => this.title(place));
    const seed = (place) => this.facts.runs[place].config.seed;
    return titles.map((title, place) => titles.indexOf(title) === titles.lastIndexOf(title) ? title : `${title} · ${say("bench.seed", { seed: seed(place) })}`);
  }
  // --- the picture ---
  show(runs, points, number) {
    const { player, facts } = this;
    if (!player.run) return;
    this.served ??= { opening: player.opening, run: player.run };
    const colors = facts.colors.light.length;
    const places = { ...points, id: points.key.join(), ...this.placesShown() };
    const [panels, titles] = [[], this.titles()];
    for (const [place, { answer }] of runs.entries()) {
      const reference = points.groups ?? (place === 0 ? null : lastTracks(panels[0]));
      const panel = panelOf({ answer }, places, { title: titles[place], objective: facts.runs[place].objective, colors, reference });
      if (points.groups) panel.true_tracks = Int32Array.from(points.groups);
      panels.push(panel);
    }
    this.film = { runs, points };
    this.back.hidden = false;
    openFilm(player, panels, facts.colors, { ...player.opening ?? this.served.opening, film: true, editable: this.inPlane() });
  }
  placesShown() {
    const { shown, axes } = this.facts;
    if (!shown) return {};
    return { shown: shown.map((values) => ({ places: Float32Array.from(values), origin: 0 })), axisNames: axes };
  }
  // A picture of the page's has to wait while one of ours is shown.
  keeps(player, opening, payload) {
    if (opening.film) return false;
    this.listen();
    this.served = { opening, payload };
    if (!this.film) return false;
    player.refreshTheme();
    return true;
  }
  // The page hears of no film of ours, nor of points that are clustered here.
  listen() {
    const { player } = this;
    if (player.channel?.bench) return;
    this.channel = player.channel;
    player.channel = {
      bench: true,
      setStateValue: (name, value) => this.film ? null : this.channel?.setStateValue(name, value),
      setTriggerValue: (name, value) => this.triggered(name, value)
    };
  }
  triggered(name, value) {
    if ((name === "moved" || name === "painted") && this.computes && this.inPlane()) this.edit(name, value);
    else if (!this.film) this.channel?.setTriggerValue(name, value);
    else if (name === "point") this.explain(value.panel, value.index);
  }
  // Why a point is where it is.
  explain(panel, point) {
    const { player, film } = this;
    this.prices ??= new Prices(this.why, player, this.engines.prices);
    const sweep = player.run.sweepAt(panel, player.deck.frame);
    const { config, answer } = film.runs[panel];
    this.prices.ask({ config, points: film.points, title: this.title(panel), answer }, point, sweep, player.run.labelsOfRow(panel, sweep));
  }
};

// course/assets/lead.js
var LeadIn = class extends Sentence {
  // `bytes`: of the engine; a browser that cannot compute shows nothing.
  constructor({ facts, draws }, bytes) {
    const ends = new Map(facts.lead.ends.map(([name, low, high, first]) => [name, { low, high, first }]));
    super(facts, draws, facts.turns.map((turn) => ({ ...turn, ...ends.get(turn.name) })));
    for (const [name, { first }] of ends) this.values[name] = first;
    this.node = element("div", { class: "bench lead" }, element("style", { text: bench_default }), element("p", {}, `${say("bench.before")} `, ...this.pieces(facts.lead.text)));
    try {
      this.engine = new Newest(dpvizEngine(bytes));
    } catch {
      this.node.hidden = true;
      return;
    }
    this.tell();
  }
  turn(name, value) {
    this.values[name] = value;
    this.tell();
  }
  close() {
    this.engine?.close();
    this.engine = null;
    this.node.remove();
  }
  async tell() {
    const { facts } = this;
    const points = { ...reshaped(this.draws[0], facts.turns, this.values), names: facts.features, axes: [0, 1] };
    const wanted = new Set(this.told.flatMap(({ runs }) => runs));
    this.await(true);
    try {
      const runs = await this.engine.ask(async (engine) => {
        const found = [];
        for (const place of wanted) found[place] = await this.made(engine, place, 0, points);
        return found;
      });
      if (runs === null || !this.engine) return;
      for (const { node, quantity, runs: places } of this.told) node.textContent = measured(quantity, runs, places, points);
      this.await(false);
    } catch {
      for (const { node } of this.told) node.textContent = "–";
    }
  }
};

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

// course/assets/mount.js
var SOON = 100;
var benches = /* @__PURE__ */ new Map();
var courseEngine = null;
var engineCame = null;
var engineBytes = () => courseEngine ??= new Promise((resolve) => engineCame = resolve);
var leads = /* @__PURE__ */ new WeakMap();
function mountLead(payload, parentElement) {
  if (leads.has(parentElement)) return leads.get(parentElement);
  let lead = null;
  let closed = false;
  Promise.all([engineBytes(), inflate(payload)]).then(([engine, trial]) => {
    if (closed) return;
    lead = new LeadIn(trialOf(trial), engine);
    parentElement.append(lead.node);
  });
  const close = () => {
    closed = true;
    lead?.close();
    leads.delete(parentElement);
  };
  leads.set(parentElement, close);
  return close;
}
function mountBench({ data, parentElement }) {
  const { opening: header, payload } = openEnvelope(data);
  if (header.kind === "lead") return mountLead(payload, parentElement);
  hide(parentElement);
  if (header.kind === "engine") {
    engineBytes();
    inflate(payload).catch(() => new Uint8Array()).then((bytes) => engineCame?.(bytes));
    return () => {
    };
  }
  let closed = false;
  Promise.all([engineBytes(), inflate(payload)]).then(([engine, trial]) => {
    const attach = () => {
      const player = [...globalThis.dpvizPlayers?.values() ?? []].find(({ opening }) => opening?.key === header.player);
      if (closed || player?.bench) return;
      if (player?.run) benches.set(header.player, new Bench(player, trialOf(trial), engine));
      else setTimeout(attach, SOON);
    };
    attach();
  });
  return () => {
    closed = true;
    benches.get(header.player)?.close();
    benches.delete(header.player);
  };
}
export {
  mountBench as default
};
