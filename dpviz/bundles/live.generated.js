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
      for (let column = 0; column <= row; column += 1) {
        let rest = symmetric[row * D + column] / roots[row] / roots[column];
        for (let j = 0; j < column; j += 1) rest -= factor[row * D + j] * factor[column * D + j];
        if (row === column && !(rest > 1e-13)) refuse(`${what} is not positive definite; add a small multiple of its diagonal.`);
        factor[row * D + column] = row === column ? Math.sqrt(rest) : rest / factor[column * D + column];
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
  function scores(message) {
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
      const scores2 = found.read(0, (P + 1) * count), table = taken.read();
      const column = (Type, c) => {
        const part = new Type(P);
        for (let i = 0; i < P; i += 1) part[i] = table[3 * i + c];
        return part;
      };
      return { log_predictive: scores2.slice(0, P * count), log_weight: scores2.slice(P * count), takers: column(Int32Array, 0), margins: column(Float64Array, 1), costs: column(Float64Array, 2) };
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
    const answer = (count, visited, candidates, costs, nll) => ({ count, visited: visited.read(), candidates: candidates.read(), costs: costs.read(), nll: nll.read() });
    const asked = (width2) => called("visits", { ...run, answer }, start, sweep, room(Int32Array, 3 * most), room(Int32Array, most * width2), room(Float64Array, most * width2), room(Float64Array, most));
    let width = 32, found = asked(width);
    if (found.count * most > limits.most_costs) refuse(`${found.count} clusters are more than visits are shown of.`);
    if (found.count > width) found = asked(width = found.count);
    let n = 0;
    while (n < most && found.visited[3 * n] !== tables.padding) n += 1;
    const column = (c) => Int32Array.from({ length: n }, (_, visit) => found.visited[3 * visit + c]);
    const narrow = (array) => array.constructor.from({ length: n * found.count }, (_, e) => array[Math.floor(e / found.count) * width + e % found.count]);
    return { points: column(0), from: column(1), to: column(2), width: found.count, candidates: narrow(found.candidates), costs: narrow(found.costs), nll: run.hasModel ? found.nll.slice(0, n) : null };
  }
  const answers = { run: (message) => whole(message, true), last: (message) => whole(message, false), scores, places, shapes, visits };
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

// stage/dice.js
var Dice = class {
  // `engine`: its own; `choose(seed)`: a seed was pressed.
  constructor(node, engine, choose) {
    Object.assign(this, { node, engine, choose, round: 0 });
  }
  // The twenty seeds among which the present one is.
  seedsAround(seed, count) {
    const first = Math.min(Math.floor(seed / count) * count, 2 ** 32 - count);
    return Array.from({ length: count }, (_, k) => first + k);
  }
  // Throw for every panel: [{ title, given, configuration(seed), points }]; `given`: the number of clusters is not found.
  // `points`: of panels that have none of their own.
  async roll(panels, points, seed, count) {
    this.round += 1;
    const round = this.round;
    const seeds = this.seedsAround(seed, count);
    const rows = panels.map((panel) => this.strip(panel, seeds, seed));
    this.node.classList.remove("old");
    this.node.replaceChildren(element("h2", { text: sayCount("live.n_seeds", count) }), ...rows.map((row) => row.node));
    for (const row of rows) {
      for (const [k, one] of seeds.entries()) {
        const own = row.panel.points ?? points;
        const found = await this.engine.last(row.panel.configuration(one), own).catch((error) => error);
        if (round !== this.round) return;
        if (found instanceof Error) {
          row.words.textContent = found.name === "Cancelled" ? "" : found.message;
          break;
        }
        row.show(k, found.n_clusters, row.panel.given ? null : own.nGroups);
      }
    }
  }
  // What is said of other settings than those of now steps back.
  cancel() {
    this.round += 1;
    this.node.classList.add("old");
    this.engine.cancel();
  }
  strip(panel, seeds, seed) {
    const words = element("span", { class: "words" });
    const counts = [], chance = drawsNothing(panel.configuration(seed)) ? ` (${say("live.no_chance")})` : "";
    const buttons = seeds.map((one) => {
      const button = element("button", { type: "button", text: "·", "aria-label": say("live.seed", { seed: one }), title: say("live.seed", { seed: one }) });
      if (one === seed) button.setAttribute("aria-current", "true");
      button.addEventListener("click", () => this.choose(one));
      return button;
    });
    const show = (k, n, nGroups) => {
      counts.push(n);
      buttons[k].textContent = n;
      buttons[k].setAttribute("aria-label", sayCount("live.seed_found", n, { seed: seeds[k] }));
      buttons[k].classList.toggle("right", n === nGroups);
      words.textContent = panel.given ? say("live.given") : sayCounts(counts, nGroups) + chance;
    };
    const node = element(
      "div",
      { class: "strip" },
      element("p", {}, `${panel.title}: `, words),
      element("div", { class: "seeds", role: "group", "aria-label": say("live.seeds_of", { title: panel.title }) }, ...buttons)
    );
    return { panel, node, words, show };
  }
};
function drawsNothing({ algorithm, init = "single", order = "index" }) {
  return algorithm === "dpmeans" && order === "index" && ["single", "singletons", "sequential"].includes(init);
}
function sayCounts(counts, nGroups) {
  if (nGroups !== null) {
    const right = counts.filter((n) => n === nGroups).length;
    return say("live.right_number", { groups: nGroups, right, all: counts.length });
  }
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  return low === high ? say("live.same_k", { k: low, all: counts.length }) : say("live.k_range", { low, high, all: counts.length });
}

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
var MOST_CLUSTERS = 40;
var AROUND = 0.15;
var SQUEEZED = 4;
var FADING = 0.25;
var rowOf = (array, row, width) => array.subarray(row * width, (row + 1) * width);
function raised(answer, more) {
  if (!more) return answer;
  const sweeps = { ...answer.sweeps };
  for (const name of ["nll", "objective"]) sweeps[name] = sweeps[name].map((cost) => cost + more);
  return { ...answer, nll: answer.nll + more, sweeps };
}
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
function nearEdges(takers, margins, cells) {
  const leads = margins.map((margin) => Number.isFinite(margin) ? margin : 1);
  let largest = 0;
  for (let cell = 0; cell < takers.length; cell += 1) {
    const [right, above] = [(cell + 1) % cells === 0 ? cell : cell + 1, cell + cells];
    if (takers[right] !== takers[cell]) largest = Math.max(largest, leads[cell], leads[right]);
    if (above < takers.length && takers[above] !== takers[cell]) largest = Math.max(largest, leads[cell], leads[above]);
  }
  return leads.map((lead) => Math.max(1e-9, Math.min(1, lead / (largest || 1))));
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
function pullsOf({ log_predictive: fits, log_weight: weights }, labels, tracks) {
  const table = trackTable(labels, tracks);
  return Array.from(fits, (fit, k) => [table.get(k) ?? -1, Math.exp(weights[k]), fit]);
}

// stage/film.js
var CURVES = ["nll", "objective", "n_clusters", "n_moved", "n_born", "n_died"];
var END = 1e9;
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
var films = 0;
function openFilm(player, panels, colors, opening) {
  films += 1;
  const film = { sync: player.run?.sync ?? "sweep", partial: false, progress: "", colors, panels };
  const opened = { ...opening, id: `film ${films}`, sweep: END, start: "", quick: true };
  player.open(opening.film ? { ...opened, command: opened.id } : opened, film);
}

// stage/frames.js
var EveryFrame = class {
  constructor(draw) {
    Object.assign(this, { draw, request: null, again: false });
  }
  ask() {
    if (this.request !== null) this.again = true;
    else this.act();
  }
  act() {
    this.again = false;
    this.request = requestAnimationFrame(() => {
      this.request = null;
      if (this.again) this.act();
    });
    this.draw();
  }
};

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

// stage/picture.js
var KEPT = [
  "objective_name",
  "scaling_nats",
  "axis_names",
  "value_names",
  "class_names",
  "n_points",
  "points_id",
  "one_column",
  "origin",
  "x",
  "y",
  "values",
  "shapes",
  "true_labels",
  "true_tracks",
  "plane",
  "ellipse_meanings"
];
var CELLS = 60;
async function answered(engine, config, points, panel) {
  const answer = raised(await engine.run(config, points, void 0, panel.plane), panel.scaling_nats);
  if (panel.region_image && panel.plane && points.nFeatures === 2) {
    answer.maps = await mapsOf(engine, { config, points, answer }, panel, panel.plane, CELLS, 1);
  }
  return answer;
}
function pictureOf(panel, answer, { title, colors, reference }) {
  const still = { title, cost_note: "" };
  for (const name of KEPT) if (panel[name] !== void 0) still[name] = panel[name];
  const picture = played({ answer, maps: answer.maps }, still, colors, reference);
  if (panel.agreement && panel.true_labels) Object.assign(picture, agreementCurves(picture.labels, renumbered(panel.true_labels)));
  return picture;
}
function editedPanel(panel, edits, nearest) {
  const added = edits.filter(({ point }) => point === void 0);
  const x = Float32Array.from([...panel.x, ...added.map((spot) => spot.x)]);
  const y = Float32Array.from([...panel.y, ...added.map((spot) => spot.y)]);
  for (const spot of edits) if (spot.point !== void 0) [x[spot.point], y[spot.point]] = [spot.x, spot.y];
  const longer = { ...panel, x, y, n_points: x.length, values: void 0 };
  for (const name of ["true_labels", "true_tracks"]) {
    if (panel[name]) longer[name] = Int32Array.from([...panel[name], ...nearest.map((point) => panel[name][point])]);
  }
  return longer;
}
function nearestPoints(panel, added) {
  return added.map((spot) => {
    let [best, distance] = [0, Infinity];
    for (let i = 0; i < panel.n_points; i += 1) {
      const d = (panel.x[i] - spot.x) ** 2 + (panel.y[i] - spot.y) ** 2;
      if (d < distance) [best, distance] = [i, d];
    }
    return best;
  });
}
function renumbered(labels) {
  const numbers = /* @__PURE__ */ new Map();
  return Int32Array.from(labels, (label) => {
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    return numbers.get(label);
  });
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

// live/assets/quiet.js
var Quiet = class {
  // `answers(value)`: whether a question about a point is answered here, `places(value)` one about the ghost point, or that
  // it is gone; `rested()`: the playhead came to rest; `drawn()`: whether the points are others than the page's.
  constructor(actions) {
    Object.assign(this, { actions, player: null, here: false, sweep: null, point: null });
    this.entered = () => this.here = true;
    this.left = () => {
      this.here = false;
      this.flush();
    };
    this.focusLeft = ({ relatedTarget }) => !this.player.root.contains(relatedTarget) && this.flush();
    document.addEventListener("visibilitychange", () => document.hidden && this.flush());
  }
  // The channel of a player, through which its messages go from now on.
  wrap(player) {
    if (this.player !== player) {
      this.player = player;
      this.forget();
      player.root.addEventListener("pointerenter", this.entered);
      player.root.addEventListener("pointerleave", this.left);
      player.root.addEventListener("focusout", this.focusLeft);
    }
    const { channel } = player;
    if (!channel || channel.quiet) return;
    player.channel = {
      quiet: true,
      channel,
      setTriggerValue: (name, value) => name === "point" ? this.ask(value) : channel.setTriggerValue(name, value),
      setStateValue: (name, value) => this.note(name, value)
    };
  }
  ask(value) {
    if (!this.actions.answers(value)) this.player.channel.channel.setTriggerValue("point", value);
    else if (!this.player.opening.film) this.point = value;
    if (!this.here) this.flush();
  }
  note(name, value) {
    if (name === "selection" && value === null) this.actions.dismissed();
    if (name === "place" && this.actions.places(value)) return;
    if (name === "selection" && value !== null && this.actions.drawn()) return;
    if (name !== "sweep") {
      this.player.channel.channel.setStateValue(name, value);
      return;
    }
    this.actions.rested();
    this.sweep = value;
    if (!this.here) this.flush();
  }
  forget() {
    Object.assign(this, { sweep: null, point: null });
  }
  // The playhead goes first, so that the server sees it and the point together.
  flush() {
    const { sweep, point, player } = this;
    this.forget();
    const to = player?.channel?.channel;
    if (!to || player.opening?.film) return;
    if (sweep !== null && sweep.command === player.opening.command) to.setStateValue("sweep", sweep);
    if (point !== null && point.id === player.opening.id) to.setTriggerValue("point", point);
  }
};

// live/assets/sentences.js
var SAME = 0.5;
var FOLLOWS = { search: "strip.then_search", sweeps: "strip.then_chain" };
function opinionOf(fault, sides) {
  const idle = sides.filter((side) => !side.computes);
  if (idle.length === 0) return say("strip.hint");
  if (fault || idle.length === sides.length) {
    const why = fault || idle[0].facts.why;
    return why ? `${why} ${say("strip.on_server")}` : say("strip.on_server");
  }
  return `${say("strip.hint")} ${idle.map((side) => side.facts.why).filter((why, k, all) => why && all.indexOf(why) === k).join(" ")}`.trim();
}
function filmWords(sides) {
  const made = sides.filter((side2) => side2.film);
  if (sides.length > 1) {
    const ends = made.every((side2) => leftOut(side2) === "") ? "" : ` ${say("strip.then_server")}`;
    const found = made.map((side2) => `${side2.name} ${sayCount("strip.clusters", side2.film.answer.n_clusters)}`).join(", ");
    return `${say("strip.quick_runs", { found })}${ends}`;
  }
  const [side] = made, { film } = side, left = leftOut(side);
  const then = left === "" ? "" : ` ${say(FOLLOWS[left])}`;
  return `${sayCount(film.searched ? "strip.search_found" : "strip.quick_run", film.answer.n_clusters)}${then}`;
}
var leftOut = ({ film, facts }) => film.searched ? "" : facts.left_out;
function waitingWords(sides, state) {
  const several = sides.length > 1;
  if (state === "waiting") return say(several ? "strip.wait_for_run_several" : "strip.wait_for_run");
  if (state !== "running") return "";
  const goesOn = sides.some((side) => side.facts.left_out === "search" && !side.film?.searched);
  return say(goesOn ? "strip.search_goes_on" : several ? "strip.server_runs_several" : "strip.server_runs");
}
function verdictOn(compared, panels, nSides) {
  if (nSides > 1) return say("strip.server_found_several", { found: compared.map(([side, film2]) => inShort(side, film2, panels[side.number])).join(", ") });
  const [[{ facts }, film]] = compared, [panel] = panels;
  const { left_out: left, has_nll: has } = facts;
  const last = panel.n_sweeps;
  const gain = film.answer.nll - panel.nll[last];
  const clusters = sayCount("strip.clusters", panel.n_clusters[last]);
  if (has && differs(facts, film)) return say("strip.width_anew", { clusters });
  if (left === "search" && Number.isFinite(gain)) {
    if (gain > SAME) return say("strip.search_lower", { nats: formatNumber(gain, 3), clusters });
    return gain < -SAME ? say("strip.search_higher", { nats: formatNumber(-gain, 3), clusters }) : say("strip.search_agrees", { clusters });
  }
  if (left !== "") return say("strip.chain_ends", { clusters });
  if (samePartition(panel, film)) return say("strip.server_agrees", { clusters });
  if (!has || !Number.isFinite(gain)) return say("strip.server_found", { clusters });
  return say(gain > 0 ? "strip.server_lower" : "strip.server_higher", { clusters, nats: formatNumber(Math.abs(gain), 3) });
}
function inShort({ name, facts }, film, panel) {
  const last = panel.n_sweeps;
  const gain = film.answer.nll - panel.nll[last];
  const compares = facts.left_out === "search" && facts.has_nll && !differs(facts, film) && Number.isFinite(gain) && gain > SAME;
  return `${name} ${sayCount("strip.clusters", panel.n_clusters[last])}${compares ? ` ${say("strip.lower", { nats: formatNumber(gain, 3) })}` : ""}`;
}
function differs({ config, values }, film) {
  return config.family !== film.config.family || Object.keys(values).some((name) => values[name] !== film.values[name]);
}
function samePartition(panel, film) {
  const rows = [panel.labels.subarray(panel.n_sweeps * panel.n_points), film.tracks].map(renumbered);
  return rows[0].length === rows[1].length && rows[0].every((label, i) => label === rows[1][i]);
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
var Slider = class {
  constructor(knob, settings, changed) {
    Object.assign(this, { knob, settings });
    const name = `knob-${knob.name}`;
    this.range = element("input", { type: "range", id: name, min: 0, max: placesOf(knob), step: 1, "aria-describedby": `${name}-why` });
    this.output = element("output", { for: name });
    this.range.addEventListener("input", () => {
      settings().knobs[knob.name] = this.value();
      this.show();
      changed();
    });
    this.node = element(
      "div",
      { class: "knob" },
      element("label", { for: name, text: knob.words, title: knob.explanation }),
      this.output,
      this.range,
      element("p", { id: `${name}-why`, class: "small", text: knob.explanation })
    );
  }
  value() {
    return valueAt(this.knob, Number(this.range.value), this.settings().endsOf(this.knob));
  }
  show() {
    const { knob, range } = this;
    const value = this.settings().knobs[knob.name];
    range.value = String(Math.round(placeOf(knob, value, this.settings().endsOf(knob))));
    this.output.textContent = shortNumber(value);
    range.setAttribute("aria-valuetext", `${knob.words} ${shortNumber(value)}`);
  }
};

// live/assets/side.js
var MANY = 1500;
var NOISE = 1e-9;
var SEEDS_END = 2 ** 32;
var Side = class {
  // `live`: has the knobs of all runs.
  constructor(live, number, facts) {
    Object.assign(this, { live, number, facts, base: null, anchor: null, film: null, reduced: false, drops: 0 });
  }
  get points() {
    return this.live.shared.points.get(this.facts.points);
  }
  get computes() {
    return !this.facts.why && this.live.shared.ready && Boolean(this.points);
  }
  get engine() {
    return this.live.shared.engines.run(this.number);
  }
  get knobs() {
    return this.live.facts.knobs.filter((knob) => knob.panels.includes(this.number));
  }
  get seed() {
    return this.seedAt(this.live.seed);
  }
  get picture() {
    return this.film?.panel ?? this.base;
  }
  get begins() {
    return this.live.begins ?? this.facts.begins;
  }
  // As its panel is called.
  get name() {
    return this.live.sides.length > 1 ? `${this.number + 1} ${this.facts.title}` : this.facts.title;
  }
  // Seeds of all runs move together, by as much as the first one's does.
  seedAt(seed) {
    return (this.facts.seed + seed - this.live.facts.seed + SEEDS_END) % SEEDS_END;
  }
  // What is on its way is dropped, too.
  drop() {
    Object.assign(this, { film: null, anchor: null, drops: this.drops + 1 });
  }
  get searches() {
    return this.facts.left_out === "search";
  }
  // `from`: "here" or "start". K-means goes on only from as many clusters as it is to make. `search`: where there is one.
  configuration({ from = this.begins, seed = this.seed, whole = true, search = whole, anchor = this.anchor } = {}) {
    const config = configured(this.facts.config, this.knobs, this.live.values);
    if (this.searches && !search) Object.assign(config, { init: "single", n_init: 1 });
    else if (!whole && this.isLong(config)) config.n_init = 1;
    if (from === "here" && anchor) {
      const labels = renumbered(anchor);
      const fits = !this.facts.given || new Set(labels).size === config.n_clusters;
      if (fits) Object.assign(config, { init: Array.from(labels), n_init: 1 });
    }
    return { ...config, seed };
  }
  isLong({ n_init: starts }) {
    return starts > 1 && this.points.nPoints > MANY;
  }
  // `edit`: { points, panel, before } after points were moved; `whole`: with all of several starts and the search, which
  // may take long. Resolves to whether there is a new film.
  async run(player, edit, whole) {
    const { facts, base, live, drops } = this;
    this.anchor ??= this.tracksNow(player);
    const { points, panel, before } = edit ?? { points: this.points, panel: base, before: this.anchor };
    this.reduced = !whole && (this.searches || this.isLong(facts.config));
    const searched = whole && this.searches;
    const asked = this.configuration({ from: edit ? "here" : searched ? "start" : this.begins, whole, anchor: before });
    const [title, values] = [this.title(), Object.fromEntries(this.knobs.map((knob) => [knob.parameter, live.values[knob.name]]))];
    const found = await this.engine.ask((engine) => this.answer(engine, asked, points, panel), whole);
    const current = live.sides[this.number] === this && this.facts === facts && this.base === base && this.drops === drops;
    if (found === null || !current || !player.run) return false;
    const { answer, config } = found, { colors } = player.run;
    const known = this.film?.tracks.length === panel.n_points ? this.film.tracks : before;
    const made = pictureOf(panel, answer, { title, colors: colors.light.length, reference: known });
    this.film = { answer, config, points, tracks: lastTracks(made), panel: made, colors, values, searched };
    return true;
  }
  // A run { answer, config }. In place of a search it is one from one cluster where that ends lower than from here.
  async answer(engine, config, points, panel) {
    const answer = await answered(engine, config, points, panel);
    if (!this.searches || !Array.isArray(config.init)) return { answer, config };
    const alone = { ...config, init: "single" }, { nll } = await engine.last(alone, points);
    if (!(nll < answer.nll - NOISE * Math.abs(nll))) return { answer, config };
    return { answer: await answered(engine, alone, points, panel), config: alone };
  }
  // Tracks of the clusters at the playhead.
  tracksNow({ run, deck }) {
    const { number } = this;
    const sweep = run.sweepAt(number, deck.frame === 0 ? run.last : deck.frame);
    return run.labelsOfRow(number, run.rowAt(number, sweep)).slice();
  }
  title() {
    const { live, knobs: [knob] } = this;
    const several = live.sides.length > 1;
    const parts = [this.name];
    if (knob) parts.push(`${knob.symbol} = ${shortNumber(live.values[knob.name])}`);
    if (!several || new Set(live.sides.map((side) => side.seed)).size > 1) parts.push(say("live.seed", { seed: this.seed }));
    return parts.join(" · ");
  }
  // The clusters that the film goes on from, for the server to go on from them, too; null for a start of the method.
  start() {
    const { film, facts } = this;
    return film && facts.left_out !== "search" && Array.isArray(film.config.init) ? film.config.init : null;
  }
};

// live/assets/still.js
var LONGEST = 6e4;
var AFTERWARDS = 1e3;
var FARTHEST = 130;
var Still = class {
  constructor() {
    Object.assign(this, { root: null, request: null, until: 0 });
    for (const name of ["wheel", "touchmove"]) addEventListener(name, () => this.until = 0, { passive: true });
  }
  // Hold a player's root from now on, until a moment after `release`.
  hold(root) {
    cancelAnimationFrame(this.request);
    this.scroller = scrollerOf(root);
    if (!this.scroller) return;
    Object.assign(this, { root, until: performance.now() + LONGEST });
    this.top = this.place();
    this.request = requestAnimationFrame(() => this.tick());
  }
  // Another root has come in its place.
  follow(root) {
    if (this.root) this.root = root;
  }
  release() {
    this.until = Math.min(this.until, performance.now() + AFTERWARDS);
  }
  get pad() {
    return parseFloat(this.root.style.paddingTop) || 0;
  }
  // Of the picture, below the room that was left above it.
  place() {
    return this.root.getBoundingClientRect().top + this.pad;
  }
  tick() {
    const { root } = this;
    if (performance.now() > this.until) return;
    if (root.isConnected && root.clientWidth > 0) this.correct();
    this.request = requestAnimationFrame(() => this.tick());
  }
  correct() {
    const { root, scroller } = this;
    let moved = this.place() - this.top;
    if (Math.abs(moved) < 0.5 || Math.abs(moved) > FARTHEST) return;
    const padded = moved > 0 ? Math.max(0, this.pad - moved) : this.pad;
    moved += padded - this.pad;
    root.style.paddingTop = `${padded}px`;
    const before = scroller.scrollTop;
    scroller.scrollTop += moved;
    moved -= scroller.scrollTop - before;
    if (moved < -0.5) root.style.paddingTop = `${padded - moved}px`;
  }
};
function scrollerOf(node) {
  for (let at = node; at; at = at.parentNode ?? at.host) if (at.matches?.('[data-testid="stMain"]')) return at;
  return null;
}

// live/assets/live.css
var live_default = '.live-strip { position: relative; display: flex; flex-wrap: wrap; align-items: end; gap: 2px 14px; margin: 0 2px; font-size: calc(13px * var(--scale)); }\n.live-strip[hidden], .live-strip [hidden] { display: none; }\n.live-knobs { display: flex; flex: 3 1 520px; flex-wrap: wrap; gap: 2px 18px; }\n.live-strip .knob { display: grid; flex: 1 1 130px; grid-template-columns: 1fr auto; gap: 0 8px; max-width: 340px; }\n.dpviz-player:not(.single) .live-strip { margin-top: 5px; }\n.dpviz-player:not(.single) .live-strip .knob { flex-basis: 96px; }\n.dpviz-player:not(.single) .live-knobs { column-gap: 14px; }\n.live-strip .knob label { line-height: 1.15; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }\n.live-strip .knob output { font-variant-numeric: tabular-nums; font-weight: 600; }\n.live-strip .knob input { grid-column: 1 / -1; width: 100%; min-height: 24px; margin: 0; accent-color: var(--accent); }\n.live-strip .knob .small { display: none; }\n.live-begins { display: flex; gap: 4px; }\n.live-said { flex: 1 1 180px; min-height: 1.35em; color: var(--muted); line-height: 1.35; }\n.live-seeds { flex: 1 0 100%; }\n.live-seeds h2 { display: none; }\n.live-seeds p { margin: 0 0 2px; }\n.live-seeds:has(.tally) { display: flex; flex-wrap: wrap; gap: 0 1.4em; }\n.live-seeds .tally { display: contents; }\n.live-seeds .tally :is(.draws, p[role="status"]) { flex: 1 0 100%; }\n.live-seeds .tally p, .live-seeds > p { color: var(--muted); line-height: 1.35; }\n.live-seeds .tally p[role="status"] { color: inherit; font-weight: 600; }\n.live-seeds :is(.seeds, .draws) { display: flex; flex-wrap: wrap; gap: 3px; }\n.live-seeds :is(.seeds, .draws) button { min-width: 28px; min-height: 26px; padding: 0 4px; border: 1px solid var(--grid); border-radius: 5px; background: none; color: inherit; font: inherit; cursor: pointer; }\n.live-seeds :is(.seeds, .draws) button.right { border-color: var(--accent); font-weight: 700; }\n.live-seeds :is(.seeds, .draws) button[aria-current] { outline: 2px solid var(--text); outline-offset: 1px; }\n@media (max-width: 640px) { .live-knobs { flex-basis: 100%; } .live-strip .knob { flex-basis: 130px; } }\n.live-prices h2 { margin: 0 0 6px; font-size: 1em; }\n.live-prices p { margin: 6px 0 0; color: var(--muted); font-size: 0.85em; line-height: 1.3; }\n.live-prices table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }\n.live-prices th { padding: 1px 6px 1px 0; font-weight: 400; text-align: left; white-space: nowrap; }\n.live-prices td { padding: 1px 6px; }\n.live-prices .dot { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 50%; }\n.live-prices .share { position: relative; min-width: 90px; }\n.live-prices .bar { position: absolute; left: 0; top: 15%; height: 70%; opacity: 0.3; }\n';

// live/assets/strip.js
var Strip = class {
  // `actions`: turned(name), rested(), begin(from), dice().
  constructor(actions) {
    this.actions = actions;
    this.names = "";
    this.sliders = [];
    this.knobs = element("div", { class: "live-knobs" });
    const button = (text, title, action) => {
      const node = element("button", { type: "button", class: "chip", text, title });
      node.addEventListener("click", action);
      return node;
    };
    this.here = button(say("live.from_here"), say("strip.about_here"), () => actions.begin("here"));
    this.start = button(say("live.from_start"), say("strip.about_start"), () => actions.begin("start"));
    this.dice = button("", "", () => actions.dice());
    this.said = element("div", { class: "live-said", role: "status" });
    this.begins = element("div", { class: "live-begins", role: "group", "aria-label": say("live.where_runs_begin") }, this.here, this.start);
    this.seeds = element("div", { class: "live-seeds" });
    this.node = element(
      "section",
      { class: "live-strip", "aria-label": say("strip.knobs") },
      element("style", { text: live_default }),
      this.knobs,
      this.begins,
      this.dice,
      this.said,
      this.seeds
    );
    this.node.addEventListener("keydown", (event) => event.stopPropagation());
  }
  // `live`: { facts, values, sides, used, draws, watched }. Until a knob was moved there is nothing to begin from, only room for what asks
  // it; several runs begin as each of them answers best.
  show({ facts, values, sides, used, draws, watched }) {
    const settings = { knobs: values, endsOf: (knob) => [knob.low, knob.high] };
    const names = JSON.stringify(facts.knobs);
    if (names !== this.names) {
      this.names = names;
      this.sliders = facts.knobs.map((knob) => this.slider(knob));
      this.knobs.replaceChildren(...this.sliders.map((slider) => slider.node));
    }
    this.settings = settings;
    for (const slider of this.sliders) slider.show();
    this.begins.hidden = sides.length > 1 || !sides[0].computes;
    Object.assign(this.dice, { textContent: draws?.words ?? say("strip.dice"), title: draws?.about ?? say("strip.about_dice") });
    this.dice.hidden = !sides.some((side) => side.computes && (draws || !side.facts.given));
    this.begins.style.visibility = used ? "" : "hidden";
    this.dice.style.visibility = used || draws && watched ? "" : "hidden";
    this.showBegins(sides[0].begins);
  }
  showBegins(begins) {
    this.here.setAttribute("aria-pressed", String(begins === "here"));
    this.start.setAttribute("aria-pressed", String(begins === "start"));
  }
  slider(knob) {
    const slider = new Slider(knob, () => this.settings, () => this.actions.turned(knob.name));
    slider.range.addEventListener("change", () => this.actions.rested());
    return slider;
  }
  say(text) {
    if (this.said.textContent !== text) this.said.textContent = text;
  }
};

// live/assets/live.js
var AT_REST = 350;
var SEEDS = 20;
var NEXT_TRY = 2;
var Live = class {
  constructor(shared, key) {
    this.pictures = new EveryFrame(() => this.show());
    Object.assign(this, { shared, key, player: null, facts: null, sides: [], values: {}, seed: 0, begins: null, sent: 0 });
    Object.assign(this, { draws: null, drawn: false, playhead: 0, weighed: false, watched: false });
    Object.assign(this, { moving: false, compared: null, resting: null, warmed: "", used: false, touched: /* @__PURE__ */ new Set() });
    this.strip = new Strip({
      turned: (name) => this.turned(name),
      rested: () => this.rest(),
      begin: (from) => this.begin(from),
      dice: () => this.draws ? this.draws.turn() : this.roll()
    });
    this.quiet = new Quiet({
      answers: ({ panel, index }) => this.explain(panel, index),
      places: (place) => this.weigh(place),
      drawn: () => this.drawn,
      dismissed: () => this.hush(),
      rested: () => this.watch()
    });
    this.still = new Still();
    this.height = 0;
    new ResizeObserver(() => this.fit()).observe(this.strip.node);
  }
  get computes() {
    return this.sides.some((side) => side.computes);
  }
  get film() {
    return this.sides.some((side) => side.film);
  }
  // --- what comes from the server ---
  keeps(player, opening) {
    const { live: facts } = opening;
    this.attach(player);
    this.strip.node.hidden = !facts;
    if (!facts) {
      this.drop();
      Object.assign(this, { facts: null, sides: [] });
      return false;
    }
    const another = !this.isOf(facts);
    const current = facts.state === "done" && facts.answered >= this.sent && !this.moving;
    const same = this.drawn && this.served.id === opening.id;
    if (this.film && !another && (same || !current)) {
      this.facts.state = facts.state;
      this.served = opening;
      if (!this.moving && facts.answered >= this.sent) this.say(facts.state);
      if (player.run) player.refreshTheme();
      else this.reopen();
      return true;
    }
    this.accept(player, opening, another);
    this.served = opening;
    return false;
  }
  // Whether facts are of the runs that are shown, perhaps with other values.
  isOf(facts) {
    const known = this.facts?.panels ?? [];
    return known.length === facts.panels.length && known.every((panel, k) => {
      return panel.points === facts.panels[k].points && panel.method === facts.panels[k].method;
    });
  }
  accept(player, opening, another) {
    const facts = opening.live;
    this.compared = another ? null : this.sides.filter((side) => side.film).map((side) => [side.number, side.film]);
    if (this.film && player.opening) {
      player.opening = { ...player.opening, command: opening.command };
      player.believed = opening.sweep;
    }
    if (another) {
      Object.assign(this, { begins: null, watched: false });
      this.seeds?.cancel();
      this.strip.seeds.replaceChildren();
    }
    this.drop();
    this.facts = facts;
    this.sides = facts.panels.map((panel, number) => {
      return another ? new Side(this, number, panel) : Object.assign(this.sides[number], { facts: panel });
    });
    if (!this.moving) {
      Object.assign(this, { values: { ...facts.values }, seed: facts.seed });
      this.touched.clear();
    }
    this.sent = Math.max(this.sent, facts.answered);
    if (facts.state === "done") this.still.release();
    this.refresh();
  }
  // The words above the picture differ from run to run, and may need another line: the picture stays where it is.
  holdHead(holds) {
    const head = this.player?.root.querySelector(".tools");
    if (head) head.style.minHeight = holds ? head.style.minHeight || `${head.offsetHeight}px` : "";
  }
  drop() {
    this.holdHead(false);
    for (const side of this.sides) side.drop();
    this.drawn = false;
    this.hush();
  }
  // Take away what was said of a point here.
  hush() {
    this.prices?.clear();
    this.player?.why.untell();
  }
  refresh() {
    if (!this.facts) return;
    this.strip.show(this);
    if (!this.film && !this.compared?.length) this.strip.say(opinionOf(this.shared.fault, this.sides));
    if (this.computes) this.warm();
  }
  // Engines are compiled and run once before the first knob moves.
  warm() {
    const able = this.sides.filter((side) => side.computes);
    const name = able.map((side) => `${side.number} ${side.facts.points}`).join();
    if (this.warmed === name) return;
    this.warmed = name;
    setTimeout(() => able.forEach((side) => {
      const config = side.configuration({ from: "start", search: false });
      side.engine.ask((engine) => engine.run(config, side.points)).catch((error) => this.failed(error));
    }), 0);
  }
  // The player has opened a picture of the server's.
  shown(player) {
    if (player.opening.film) return;
    this.servedRun = player.run;
    for (const side of this.sides) side.base = player.run.panels[side.number] ?? null;
    this.takeView();
    this.noteWatched();
    if (this.weighed) this.followGhost();
    const compared = (this.compared ?? []).map(([number, film]) => [this.sides[number], film]).filter(([side]) => side?.base);
    if (compared.length) this.strip.say(verdictOn(compared, player.run.panels, this.sides.length));
    this.compared = null;
  }
  say(state) {
    const words = waitingWords(this.sides, state);
    if (words) this.strip.say(words);
  }
  // --- what the reader does ---
  attach(player) {
    if (this.player && this.player !== player) this.left = this.player.panels[0];
    this.player = player;
    player.knobs = this;
    this.still.follow(player.root);
    if (this.strip.node.parentNode !== player.slot) player.slot.append(this.strip.node);
    this.quiet.wrap(player);
  }
  // The picture has the room that the strip leaves.
  fit() {
    const height = this.strip.node.offsetHeight;
    if (!this.player?.run || height === 0 || height === this.height) return;
    this.height = height;
    this.player.placed.key = null;
    this.player.resize();
  }
  // Say why a point is where it is in the picture; false if that is for the server to say.
  explain(number, point) {
    const { player } = this, side = this.sides[number];
    if (!side?.computes || !side.picture || player.deck.slow) return false;
    if (!side.film && !side.facts.has_nll) return false;
    if (this.drawn && !side.film.config) return true;
    const points = side.film?.points ?? side.points;
    if (point >= points.nPoints) return false;
    this.prices ??= new Prices(element("div", { class: "live-prices" }), player, this.shared.engines.prices);
    this.prices.player = player;
    const { sweep, labels } = player.snapshots()[number];
    const partition = { slice: () => renumbered(labels) };
    const title = side.picture.title.split(" · ").slice(0, 2).join(" · ");
    const config = side.film?.config ?? side.configuration({ from: "start" });
    this.asked = number;
    this.prices.ask({ config, points, title, answer: { sweeps: { labels: partition } } }, point, sweep, labels).then((told) => {
      if (told) player.why.tell(this.prices.node, point);
    });
    return true;
  }
  // Say how strongly clusters pull at the ghost point; false if that is for the server to say. `place`: null if it is gone.
  weigh(place) {
    const { player, weighed } = this, side = this.sides[place?.panel];
    this.weighed = place !== null && this.weighs(side) && !player.deck.slow;
    if (!this.weighed) return place === null && Boolean(weighed);
    const { config, points } = side.film ?? { config: side.configuration({ from: "start" }), points: side.points };
    const { origin } = side.picture, { sweep, labels } = player.snapshots()[place.panel];
    const spot = spotOf(place.x + origin[0], place.y + origin[1], side.base.plane);
    const partition = renumbered(labels);
    const tell = (pulls) => player.ghost.at && player.ghost.tell({ sweep, pulls });
    this.shared.engines.places.ask((engine) => engine.places(config, points, partition, [spot])).then((found) => found && tell(pullsOf(found, partition, labels)), () => tell([]));
    return true;
  }
  // Whether the engine knows how clusters pull at a place.
  weighs(side) {
    const known = side?.film ? Boolean(side.film.config) : side?.computes;
    return Boolean(known && side.facts.has_nll && side.base?.plane && side.points.nFeatures === 2);
  }
  followGhost() {
    if (this.player.ghost.at !== null && this.player.ghost.offered()) this.player.ghost.send();
  }
  // The playhead came to rest.
  watch() {
    this.followPlayhead();
    this.noteWatched();
  }
  // A run is watched before it is counted in how many draws it is so.
  noteWatched() {
    if (this.watched || this.player.deck.frame === 0) return;
    this.watched = true;
    this.refresh();
  }
  followPlayhead() {
    const { chosen } = this.prices ?? {};
    if (chosen !== null && chosen !== void 0) this.explain(this.asked, chosen);
  }
  // `name`: of a knob; none if runs begin elsewhere, or with another seed.
  turned(name = null) {
    if (this.drawn) {
      this.draws.close();
      this.endDraw();
    }
    if (!this.moving) this.still.hold(this.player.root);
    this.moving = true;
    if (name !== null) this.touched.add(name);
    clearTimeout(this.resting);
    if (!this.used) {
      this.used = true;
      this.refresh();
    }
    const wanted = this.sidesOf(name);
    if (wanted.length > 0) this.run(wanted);
    else this.strip.say(opinionOf(this.shared.fault, this.sides));
  }
  // Those that a knob turns, or all, as far as they are computed here.
  sidesOf(name) {
    const knob = this.facts.knobs.find((one) => one.name === name);
    return this.sides.filter((side) => side.computes && (!knob || knob.panels.includes(side.number)));
  }
  // The knob was let go.
  rest() {
    this.moving = true;
    clearTimeout(this.resting);
    const reduced = this.sides.filter((side) => side.computes && side.reduced);
    if (reduced.length > 0) this.run(reduced, null, true);
    if (reduced.some((side) => side.searches)) this.say("running");
    this.resting = setTimeout(() => this.report(), AT_REST);
  }
  report() {
    if (!this.shared.send) {
      this.resting = setTimeout(() => this.report(), AT_REST);
      return;
    }
    this.moving = false;
    this.sent += 1;
    const values = Object.fromEntries([...this.touched].map((name) => [name, this.values[name]]));
    const [only] = this.sides.length === 1 ? this.sides : [];
    const start = only?.start();
    this.quiet.forget();
    this.shared.send("rest", {
      player: this.key,
      points: this.facts.points,
      number: this.sent,
      values,
      seed: this.seed,
      tracks: only?.film ? written(only.film.tracks) : "",
      start: start ? written(start) : ""
    });
    this.say("running");
  }
  // Points are being moved or painted: runs go on from the clusters in the picture.
  edited(edits) {
    const [side] = this.sides;
    if (this.sides.length !== 1 || !side.computes || side.points.nFeatures !== 2 || !this.player.run) return;
    side.anchor ??= side.tracksNow(this.player);
    const panel = side.base, { origin } = panel;
    const added = edits.filter(({ point }) => point === void 0);
    const nearest = nearestPoints(panel, added);
    const values = new Float64Array(2 * (panel.n_points + added.length));
    values.set(side.points.values);
    let next = panel.n_points;
    for (const { point, x, y } of edits) values.set([x + origin[0], y + origin[1]], 2 * (point ?? next++));
    const before = Int32Array.from([...side.anchor, ...nearest.map((point) => side.anchor[point])]);
    const points = { values, nPoints: values.length / 2, nFeatures: 2 };
    this.run([side], { points, panel: editedPanel(panel, edits, nearest), before });
  }
  // Draws of the lesson, for which the dice are then; null for none.
  offer(draws) {
    this.draws?.close();
    this.endDraw();
    this.draws = draws;
    this.refresh();
  }
  // A draw in place of the page's picture: a film for every side.
  showDraw(films2) {
    clearTimeout(this.resting);
    this.moving = false;
    if (!this.drawn) this.playhead = this.player.deck.frame;
    this.hush();
    for (const side of this.sides) Object.assign(side, { film: films2[side.number], drops: side.drops + 1 });
    this.drawn = true;
    this.reopen();
  }
  // The page's own picture again.
  endDraw() {
    if (!this.drawn) return;
    const { player, served, servedRun, playhead } = this;
    this.drop();
    player.open({ ...served, start: "", sweep: playhead }, servedRun);
  }
  begin(from) {
    this.begins = from;
    this.strip.showBegins(from);
    this.turned();
    this.rest();
  }
  chooseSeed(seed) {
    this.seed = seed;
    this.turned();
    this.rest();
  }
  // `edit`: { points, panel, before } after points were moved; `whole`: with all of several starts and the search.
  run(sides, edit = null, whole = false) {
    const { player } = this;
    if (!player.run || sides.some((side) => !side.base)) return;
    for (const side of sides) {
      side.run(player, edit, whole).then((made) => {
        if (!made) return;
        this.shared.failures = 0;
        this.pictures.ask();
      }).catch((error) => this.failed(error));
    }
  }
  failed(error) {
    if (error.name === "Refused") this.strip.say(say("strip.not_computed", { why: error.message }));
    else {
      this.shared.failures += 1;
      if (this.shared.failures >= NEXT_TRY) this.shared.fail(say("strip.stopped"));
      else this.strip.say(say("strip.stopped_once", { why: error.message }));
    }
  }
  show() {
    if (!this.player?.run || !this.film) return;
    this.reopen();
    this.strip.say(filmWords(this.sides));
    this.followPlayhead();
    this.followGhost();
  }
  reopen() {
    const { player } = this;
    const { colors } = this.sides.find((side) => side.film).film;
    this.holdHead(true);
    openFilm(player, this.sides.map((side) => side.picture), colors, {
      ...player.opening ?? this.served,
      film: true,
      placing: this.placing,
      ...this.drawn ? { editable: false } : {}
    });
    this.takeView();
  }
  // Whether a ghost point in a film would be answered.
  get placing() {
    return Boolean(this.served?.placing) && this.sides.every((side) => this.weighs(side));
  }
  takeView() {
    const [part] = this.player.panels;
    if (this.left?.view && !this.left.view.atHome && this.left.pointsId === part.pointsId) part.view.set(this.left.view.bounds);
    this.left = null;
  }
  roll() {
    const found = this.sides.filter((side) => side.computes && !side.facts.given);
    if (found.length === 0) return;
    this.seeds ??= new Dice(this.strip.seeds, this.shared.engines.aside, (seed) => this.chooseSeed(seed));
    const panels = found.map((side) => ({
      title: side.name,
      given: false,
      points: { ...side.points, nGroups: this.facts.n_groups },
      configuration: (seed) => side.configuration({ from: "start", seed: side.seedAt(seed) })
    }));
    this.seeds.roll(panels, null, this.seed, SEEDS);
  }
};
function written(tracks) {
  const bytes = new Uint8Array(Uint16Array.from(tracks).buffer);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

// live/assets/shared.js
var MOST_SETS = 8;
var Shared = class {
  constructor() {
    Object.assign(this, { bytes: null, points: /* @__PURE__ */ new Map(), lives: /* @__PURE__ */ new Map(), send: null, failures: 0, fault: "" });
    this.engines = new Engines(() => dpvizEngine(this.bytes));
    if (typeof WebAssembly !== "object" || typeof Worker !== "function") this.fail(say("strip.computes_nothing"));
  }
  get ready() {
    return !this.fault && this.bytes !== null;
  }
  get busy() {
    return this.engines.busy;
  }
  takeEngine(bytes) {
    if (this.bytes !== null) return;
    this.bytes = bytes;
    this.refresh();
  }
  takePoints(id, points) {
    if (this.points.has(id)) return;
    const [oldest] = this.points.keys();
    if (this.points.size === MOST_SETS) this.points.delete(oldest);
    this.points.set(id, points);
    this.refresh();
  }
  refresh() {
    for (const live of this.lives.values()) live.refresh();
  }
  fail(reason) {
    this.fault = reason;
    this.refresh();
  }
  liveOf(key) {
    if (!this.lives.has(key)) this.lives.set(key, new Live(this, key));
    return this.lives.get(key);
  }
  // Whether a picture from the server has to wait, since a newer one is made here. Players ask before they open one.
  keeps(player, opening) {
    if (opening.film || opening.key === void 0) return false;
    if (!opening.live && !this.lives.has(opening.key)) return false;
    return this.liveOf(opening.key).keeps(player, opening);
  }
  // Players that were there before this script.
  greet(players) {
    for (const player of players) {
      if (!player.opening?.live || this.lives.has(player.opening.key)) continue;
      this.keeps(player, player.opening);
      if (player.run) this.shown(player);
    }
  }
  shown(player) {
    this.lives.get(player.opening.key)?.shown(player);
  }
};
var liveShared = globalThis.dpvizLive ??= new Shared();

// live/assets/mount.js
function mountLive({ data, parentElement, setTriggerValue }) {
  hide(parentElement);
  const { opening: header, payload } = openEnvelope(data);
  if (header.kind === "engine") {
    liveShared.send = setTriggerValue;
    liveShared.greet(globalThis.dpvizPlayers?.values() ?? []);
    if (liveShared.bytes === null) inflate(payload).catch(() => new Uint8Array()).then((bytes) => liveShared.takeEngine(bytes));
    return;
  }
  const values = new Float64Array(payload.slice().buffer);
  liveShared.takePoints(header.id, { values, nPoints: values.length / header.n_features, nFeatures: header.n_features });
}
export {
  mountLive as default
};
