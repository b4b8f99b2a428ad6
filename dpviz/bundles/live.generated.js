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
function chip(text, title, action) {
  const node = element("button", { type: "button", class: "chip", text, title });
  node.addEventListener("click", action);
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
  const isRow = (value, length, most) => isList(value) && value.length === length && Array.from(value).every((x) => isNumber(x, most));
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
  const between = (what, value, low, high, kind = "a whole number ") => must(isWhole(value) && value >= low && value <= high, what, value, `${kind}from ${low} to ${high}`);
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
  function checkModel(o, N) {
    for (const name of ["family", "prior"]) if (o[name] === "auto") refuse(`${name} = 'auto' has to be chosen first: give a ${name}, or the configuration that a run returned.`);
    must(!isGiven(o.prior) || isPlain(o.prior), "prior", o.prior, "null or an object of hyperparameters");
    if (o.split_merge && o.temperature !== 1) refuse(`split_merge = ${shown(o.split_merge)} needs temperature = 1.`);
    for (const [name, value] of Object.entries(tables.only)) if (JSON.stringify(o[name] ?? null) !== JSON.stringify(value)) refuse(`${name} = ${shown(o[name])} is not computed in a browser; ${value ? `use '${value}'` : "leave it out"}.`);
    code("family", o.family);
    checkPartition(o, N);
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
    return { values, nPoints, nFeatures, columns: X.columns };
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
    everyOne("init", init, centres ? (value) => isRow(value, D, limits.largest_value) : isWhole, centres ? `${D} numbers` : "a whole number");
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
    const root = (d) => Math.sqrt(symmetric[d * (D + 1)]), rest = symmetric.map((x, position) => x / root(Math.floor(position / D)) / root(position % D));
    for (let k = 0; k < D; k += 1) {
      if (!(rest[k * D + k] > 1e-13)) refuse(`${what} is not positive definite; add a small multiple of its diagonal.`);
      for (let row = k + 1; row < D; row += 1) for (let column = k + 1; column < D; column += 1) rest[row * D + column] -= rest[row * D + k] * rest[k * D + column] / rest[k * D + k];
    }
    return symmetric;
  }
  function checkPartition({ partition }, N) {
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
  }
  function checkGrowth(values, N) {
    if (!isList(values) || values.length < N) refuse(`partition.log_g has ${shown(values?.length)} values; it must have one per point, ${N}.`);
    const seen = values.slice(0, N);
    everyOne("partition.log_g", seen, (x) => isNumber(x), "a finite number");
    const fall = seen.findIndex((x, n) => n > 0 && x < seen[n - 1] - 1e-12 * Math.max(1, Math.abs(x)));
    if (fall > 0) must(false, `partition.log_g[${fall}]`, seen[fall], `at least the one before, ${seen[fall - 1]}`);
  }
  function lawsOf(o, N) {
    const laws = o.hyperpriors ?? {}, law = o.partition, numbers = {};
    must(isPlain(laws), "hyperpriors", laws, "null or an object of laws");
    if (Object.keys(laws).length === 0) return numbers;
    if (o.algorithm !== "gibbs" || o.temperature !== 1) refuse("hyperpriors are learned by gibbs at temperature = 1 only.");
    if (N < 2) refuse("hyperpriors need two points.");
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
  function labelsOf(labels, N, gaps, rows = 1) {
    sized("labels", labels, N * rows, `entries for ${N} points${rows === 1 ? "" : ` and ${rows} partitions`}`);
    everyOne("labels", labels, (label) => isWhole(label) && label >= 0 && label < N, `a whole number from 0 to ${N - 1}`);
    const all = Int32Array.from(labels), counts = Array.from({ length: rows }, (_, row) => {
      const seen = new Uint8Array(N);
      for (let i = row * N; i < (row + 1) * N; i += 1) seen[all[i]] = 1;
      const K = seen.lastIndexOf(1) + 1, absent = seen.indexOf(0);
      if (!gaps && absent >= 0 && absent < K) refuse(`labels leave out ${absent}; number the clusters 0 to ${seen.reduce((sum2, one) => sum2 + one) - 1}.`);
      return K;
    });
    return { labels: all, counts };
  }
  function axesOf(plane, D) {
    const unit = (k) => Array.from({ length: D }, (_, d) => Number(d === k));
    const { directions = [unit(0), unit(1)], origin = Array(D).fill(0) } = plane ?? {};
    const rows = isList(directions) ? [...directions, origin] : [];
    if (rows.length !== 3 || !rows.every((row) => isRow(row, D))) refuse(`a plane must have two directions and an origin of ${D} finite numbers.`);
    return Float64Array.from(rows.flatMap((row) => Array.from(row)));
  }
  return { axesOf, MODELS, TEMPERED, between, bounded, checkModel, code, hyperparameter, labelsOf, lawsOf, optionsOf, pointsOf, shown, startOf };
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
  function writePrior(o, { nPoints: N, nFeatures: D }, numbers, blocks) {
    const known = PLACES[o.family];
    for (const [name, value] of Object.entries(o.prior ?? {})) {
      if (name === "width") {
        numbers.width = check.bounded('prior["width"]', value, tables.width);
        continue;
      }
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
      algorithm: check.code("algorithm", algorithm),
      n_points: nPoints,
      n_features: D,
      start: check.code("start", start, "init"),
      n_clusters: nClusters,
      n_starts: once ? 1 : o.n_init ?? 1,
      order: check.code("order", o.order),
      max_sweeps: algorithm === "gibbs" ? o.n_sweeps : o.max_sweeps,
      temperature: temperature ?? 0,
      one_point: Number(o.first_sweep === "one_point"),
      until_birth: Number(o.sweep === "until_birth"),
      split_merge: o.split_merge ?? 0,
      effort: o.effort ?? 0,
      operations: constant + slope * D + bend * D * D,
      partition: check.MODELS.includes(algorithm) ? check.code("partition", law.kind) : NaN,
      second: law?.discount ?? law?.power ?? NaN
    };
  }
  function pointsIn({ X, table }) {
    if (table === void 0) return check.pointsOf(X);
    if (kept?.table !== table) throw new Error("the points are no longer here.");
    return kept.points ??= check.pointsOf(kept.X);
  }
  function prepared(message) {
    const o = check.optionsOf(message.config), points = pointsIn(message), { values, nPoints: N, nFeatures: D } = points;
    const hasModel2 = check.MODELS.includes(o.algorithm);
    if (hasModel2) check.checkModel(o, N);
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
    if (hasModel2) {
      writePrior(o, points, numbers, parts);
      if (o.partition.kind === "generalized") parts.growth.set(o.partition.log_g.slice(0, N));
      Object.assign(numbers, check.lawsOf(o, N));
    }
    const written2 = Object.values(parts), whole2 = new Float64Array(written2.reduce((sum2, { length }) => sum2 + length, 0));
    let place = 0;
    for (const part of written2) {
      whole2.set(part, place);
      place += part.length;
    }
    return {
      N,
      D,
      of: hasModel2 ? o.family : tables.centres,
      rows: numbers.max_sweeps + 1,
      starts: numbers.n_starts,
      hasModel: hasModel2,
      given: [Float64Array.from(NAMES, (name) => numbers[name]), whole2, ...points.columns ? [points.columns] : []]
    };
  }
  async function called(name, run, given, answer2, goesOn = null) {
    instance ??= new WebAssembly.Instance(compiled, {});
    const { memory, reserve, release } = instance.exports, taken = [], filled2 = [];
    const lent = (content) => {
      const address = reserve(Math.max(8, content.byteLength));
      if (!address) throw new Error("the memory of the page does not suffice.");
      taken.push(address);
      const own = () => new content.constructor(memory.buffer, address, content.length);
      if (!content.filled) own().set(content);
      filled2.push({ read: (from = 0, to = content.length) => own().slice(from, to) });
      return [address, content.length];
    };
    try {
      const numbers = [...run.given, ...given].flatMap((one) => typeof one === "number" ? one : lent(one));
      const ask = (...most) => instance.exports[`${name}_${run.of}`](...numbers, ...most);
      const arrays = filled2.slice(run.given.length);
      let status = goesOn ? ask(tables.slice) : ask();
      while (goesOn && status > 0) {
        const wanted = await goesOn(...arrays);
        status = ask(wanted ? tables.slice : -1);
        if (!wanted) refuse("cancelled.");
      }
      if (status === tables.ended) refuse("the run ended before this sweep.");
      if (status < 0) throw new Error("the engine stopped.");
      return answer2(status, ...arrays);
    } catch (error) {
      if (!(error instanceof Refused)) instance = null;
      throw error;
    } finally {
      if (instance) taken.forEach(release);
    }
  }
  const room = (Type, length) => ({ constructor: Type, length, byteLength: length * Type.BYTES_PER_ELEMENT, filled: true });
  function columns(table, width, from, to = from + 1, Type = Float64Array) {
    const taken = new Type(table.length / width * (to - from));
    for (let row = 0, place = 0; row < table.length; row += width) for (let c = from; c < to; c += 1) taken[place++] = table[row + c];
    return taken;
  }
  const numbersIn = (summary) => Object.fromEntries(Array.from(summary.read(), (value, place) => [SUMMARY[place], value]));
  async function whole(message, withLabels, goesOn) {
    const run = prepared(message), { rows, N, starts } = run, halves = Math.min(starts, 2);
    if (rows * N > limits.most_labels) refuse(`${N} points over ${rows - 1} sweeps are more than a page keeps (${limits.most_labels} labels); run fewer sweeps.`);
    const rooms = [room(Int32Array, halves * rows * N), room(Float64Array, halves * rows * ROW.length), new Float64Array(SUMMARY.length), room(Float64Array, tables.kept)];
    const answer2 = await called("run", run, rooms, (_, labels, record, summary) => {
      const { n_rows: n, chosen_start: chosenStart, converged, writing } = numbersIn(summary), first = (1 - writing) * rows, last2 = n - 1;
      const table = record.read(first * ROW.length, (first + n) * ROW.length), partitions = (row) => labels.read((first + row) * N, (first + n) * N);
      const sweeps2 = Object.fromEntries(ROW.map((name, place) => [name, columns(table, ROW.length, place)]));
      if (run.hasModel && !sweeps2.nll.every(Number.isFinite)) refuse("the nll of this run is no number: its hyperparameters and its data are too far apart.");
      if (withLabels) sweeps2.labels = partitions(0);
      return {
        labels: partitions(last2),
        nll: sweeps2.nll[last2],
        n_clusters: sweeps2.n_clusters[last2],
        n_sweeps: last2,
        chosen_start: chosenStart,
        converged: Boolean(converged),
        sweeps: sweeps2
      };
    }, (_labels, _rows, summary) => goesOn(numbersIn(summary)));
    const { sweeps } = answer2;
    if (withLabels && message.plane !== void 0) sweeps.shapes = await shapesOf(run, sweeps.labels, sweeps.n_sizes, message.plane);
    return answer2;
  }
  function scores(message) {
    const run = prepared(message), { N } = run, { point } = message;
    if (!run.hasModel) refuse("this algorithm has no model, so that it scores no point.");
    const { labels, counts: [K] } = check.labelsOf(message.labels, N, false);
    check.between("point", point, 0, N - 1, "");
    return called(
      "scores",
      run,
      [labels, point, room(Float64Array, 2 * K + 2)],
      (_, _labels, found) => ({ log_predictive: found.read(0, K + 1), log_weight: found.read(K + 1) })
    );
  }
  function places(message) {
    const run = prepared(message), { N, D, hasModel: hasModel2 } = run, where = check.pointsOf(message.where);
    if (where.nFeatures !== D) refuse(`places have ${where.nFeatures} columns; they must have ${D}, as X has.`);
    const { labels, counts: [K] } = check.labelsOf(message.labels, N, !hasModel2), P = where.nPoints;
    return called("places", run, [labels, where.values, room(Float64Array, (P + 1) * (K + 1)), room(Float64Array, 3 * P)], (count, _labels, _where, found, taken) => {
      const table = taken.read(), [takers, margins, costs] = [Int32Array, Float64Array, Float64Array].map((Type, c) => columns(table, 3, c, c + 1, Type));
      return { log_predictive: found.read(0, P * count), log_weight: found.read(P * count, (P + 1) * count), takers, margins, costs };
    });
  }
  function shapesOf(run, labels, counts, plane) {
    const size = counts.reduce((sum2, K) => sum2 + Math.min(K, limits.most_shapes), 0), width = SHAPE.length;
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
    const asked = (width2) => called(
      "visits",
      run,
      [start, sweep, room(Int32Array, 3 * most), room(Int32Array, most * width2), room(Float64Array, most * width2), room(Float64Array, most)],
      (count2, ...filled2) => [count2, ...filled2.map((array) => array.read())]
    );
    let width = 32, [count, ...found] = await asked(width);
    if (count * most > limits.most_costs) refuse(`${count} clusters are more than visits are shown of.`);
    if (count > width) [count, ...found] = await asked(width = count);
    const [visited, candidates2, costs, nll] = found, end = visited.indexOf(tables.padding), n = end < 0 ? most : end / 3;
    const [points, from, to] = [0, 1, 2].map((c) => columns(visited.subarray(0, 3 * n), 3, c, c + 1, Int32Array));
    const narrow = (array) => columns(array.subarray(0, n * width), width, 0, count, array.constructor);
    return { points, from, to, width: count, candidates: narrow(candidates2), costs: narrow(costs), nll: run.hasModel ? nll.slice(0, n) : null };
  }
  const answers = { run: (message, goesOn) => whole(message, true, goesOn), last: (message, goesOn) => whole(message, false, goesOn), scores, places, shapes, visits };
  async function load({ compiled: given }) {
    compiled = given;
    const X = Array.from({ length: 40 }, (_, i) => [i % 7, i * i % 11]);
    for (const config of tables.first) await whole({ config, X }, false, () => true);
  }
  const buffers = (value) => ArrayBuffer.isView(value) ? [value.buffer] : value && typeof value === "object" ? Object.values(value).flatMap(buffers) : [];
  const { port1: here, port2: there } = new MessageChannel();
  const others = () => new Promise((heard) => {
    here.onmessage = heard;
    there.postMessage(null);
  });
  let cancelled = 0, last = Promise.resolve();
  async function answer(message, send) {
    const { kind, id, table, X } = message;
    if (table !== void 0 && X !== void 0) kept = { table, X };
    const goesOn = async ({ stage, share, score: nll }) => {
      if (stage === tables.searches) send({ kind: "searching", id, told: { share, nll } });
      await others();
      return id > cancelled;
    };
    try {
      if (kind === "load") {
        await load(message);
        send({ kind: "ready" });
      } else if (id > cancelled) {
        const found = await answers[kind](message, goesOn);
        send({ kind: "done", id, answer: found }, buffers(found));
      }
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
var dpvizCompiled = /* @__PURE__ */ new WeakMap();
var dpvizSources = /* @__PURE__ */ new WeakMap();
function dpvizSourceOf(tables) {
  if (!dpvizSources.has(tables)) {
    const source = `const answer = (${dpvizWorker})(${JSON.stringify(tables)}, ${dpvizChecks});onmessage = ({ data }) => answer(data, (...reply) => postMessage(...reply));`;
    dpvizSources.set(tables, URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  }
  return dpvizSources.get(tables);
}
var DpvizTable = class {
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
    if (table !== void 0 && X !== void 0) Object.assign(this, { name: table, X: { ...X, values: X.values.slice() } });
  }
};
var dpvizPatience = 1500;
function dpvizEngine(bytes, tables = dpvizTables) {
  const names = { refused: "Refused", failed: "Failed", cancelled: "Cancelled" };
  const waiting = /* @__PURE__ */ new Map();
  let worker = null, loaded = null, table = null, last = 0, ready = false, hearing = null;
  const named = (kind, reason) => Object.assign(new Error(reason), { name: names[kind] });
  const fail = (kind, reason) => {
    for (const { reject } of waiting.values()) reject(named(kind, reason));
    waiting.clear();
  };
  const stop = () => {
    clearTimeout(hearing);
    worker?.terminate();
    worker = loaded = hearing = null;
  };
  function begin() {
    if (typeof WebAssembly !== "object") throw named("failed", "this browser has no WebAssembly.");
    const begun = new Worker(dpvizSourceOf(tables));
    worker = begun;
    ready = false;
    table = new DpvizTable();
    begun.onmessage = ({ data }) => {
      if (data.kind === "ready") ready = true;
      if (data.kind === "heard") {
        clearTimeout(hearing);
        hearing = null;
      }
      if (data.id === void 0) {
        if (data.reason !== void 0) ended(data.reason);
        return;
      }
      const { resolve, reject, told } = waiting.get(data.id) ?? {};
      if (data.kind === "searching") {
        told?.(data.told);
        return;
      }
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
  function post(id) {
    const asked = worker, known = table;
    loaded.then(() => {
      if (!waiting.has(id) || worker !== asked) return;
      const { message, reject } = waiting.get(id);
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
  }
  const ask = (message, told) => new Promise((resolve, reject) => {
    try {
      if (!worker) begin();
    } catch (error) {
      reject(error);
      return;
    }
    waiting.set(++last, { resolve, reject, told, message });
    post(last);
  });
  function replace() {
    stop();
    begin();
    for (const id of waiting.keys()) post(id);
  }
  function cancel() {
    if (waiting.size > 0 && worker) {
      worker.postMessage({ kind: "cancel", id: last });
      if (ready) hearing ??= setTimeout(replace, dpvizPatience);
    }
    fail("cancelled", "the run was cancelled.");
  }
  const withSizes = (answer) => {
    const { labels: { length: N }, sweeps } = answer;
    sweeps.sizes = (row) => sweeps.labels.subarray(row * N, (row + 1) * N).reduce((sizes, label) => {
      sizes[label] += 1;
      return sizes;
    }, new Int32Array(sweeps.n_sizes[row]));
    return answer;
  };
  const asking = (kind, ...names2) => (config, X, ...given) => ask({ kind, config, X, ...Object.fromEntries(names2.map((name, place) => [name, given[place]])) });
  try {
    begin();
  } catch {
    worker = null;
  }
  return {
    run: (config, X, plane, told) => ask({ kind: "run", config, X, plane }, told).then(withSizes),
    last: asking("last"),
    scores: asking("scores", "labels", "point"),
    places: asking("places", "labels", "where"),
    shapes: asking("shapes", "labels", "plane"),
    visits: asking("visits", "start", "sweep"),
    cancel,
    close: () => {
      stop();
      fail("cancelled", "the engine was closed.");
    }
  };
}

// stage/engines.js
var NEXT_TRY = 2;
var PATIENCE = 1500;
var Newest = class {
  constructor(engine) {
    Object.assign(this, { engine, waiting: null, asked: null });
  }
  get busy() {
    return this.asked !== null;
  }
  // Resolves to what `question(engine)` does, or to null if another one overtook it. `long`: it ends with the next one.
  ask(question, long = false) {
    this.waiting?.resolve(null);
    return new Promise((resolve, reject) => {
      this.waiting = { question, long, resolve, reject };
      if (!this.asked) this.next();
      else if (this.asked.long) this.engine.cancel();
      else this.patience ??= setTimeout(() => this.engine.cancel(), PATIENCE);
    });
  }
  // Whoever still waits gets null.
  close() {
    this.waiting?.resolve(null);
    clearTimeout(this.patience);
    Object.assign(this, { waiting: null, patience: null });
    this.engine.close();
  }
  async next() {
    const { question, resolve, reject } = this.asked = this.waiting;
    this.waiting = null;
    const found = async () => question(this.engine);
    await found().then(resolve, (error) => error.name === "Cancelled" ? resolve(null) : reject(error));
    clearTimeout(this.patience);
    Object.assign(this, { patience: null, asked: null });
    if (this.waiting) this.next();
  }
};
var Engines = class {
  // `make()`: an engine.
  constructor(make) {
    Object.assign(this, { make, runs: [], failures: 0 });
  }
  // Of a run in the picture, so that all of them answer at once.
  run(number) {
    return this.runs[number] ??= new Newest(this.make());
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
  // Whether an error is so many failures one after the other that nothing more is tried.
  ended(error) {
    if (error.name !== "Refused") this.failures += globalThis.WebAssembly ? 1 : NEXT_TRY;
    return this.failures >= NEXT_TRY;
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
  // `engines`: of the stage; `choose(seed)`: a seed was pressed.
  constructor(node, engines, choose) {
    Object.assign(this, { node, engines, choose, round: 0, rolling: false });
  }
  // The twenty seeds among which the present one is.
  seedsAround(seed, count) {
    const first = Math.min(Math.floor(seed / count) * count, 2 ** 32 - count);
    return Array.from({ length: count }, (_, k) => first + k);
  }
  // Throw for every panel: [{ title, given, points, nGroups, configuration(seed) }]; `given`: the number of clusters is not
  // found; `nGroups`: of the data, or null.
  async roll(panels, seed, count) {
    this.round += 1;
    this.rolling = true;
    const round = this.round;
    const seeds = this.seedsAround(seed, count);
    const rows = panels.map((panel) => this.strip(panel, seeds, seed));
    this.node.classList.remove("old");
    this.node.replaceChildren(element("h2", { text: sayCount("live.n_seeds", count) }), ...rows.map((row) => row.node));
    for (const row of rows) {
      const { points, nGroups, given, configuration } = row.panel;
      for (const [k, one] of seeds.entries()) {
        const found = await this.engines.aside.last(configuration(one), points).catch((error) => error);
        if (round !== this.round) return;
        if (found instanceof Error) {
          row.words.textContent = found.name === "Cancelled" ? "" : found.message;
          break;
        }
        row.show(k, found.n_clusters, given ? null : nGroups);
      }
    }
    this.rolling = false;
  }
  // What is said of other settings than those of now steps back.
  cancel() {
    if (this.rolling) this.engines.aside.cancel();
    this.round += 1;
    this.rolling = false;
    this.node.classList.add("old");
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

// stage/agreement.js
var entropy = (counts, total) => counts.reduce((sum2, count) => count > 0 ? sum2 - count / total * Math.log(count / total) : sum2, 0);
var pairs = (counts) => counts.reduce((sum2, count) => sum2 + count * (count - 1) / 2, 0);
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

// stage/tracks.js
var DENSE = 4e4;
var MOST_MATCHED = 512;
var PATTERNS = 4;
var highest = (numbers) => {
  let most = -1;
  for (let i = 0; i < numbers.length; i += 1) if (numbers[i] > most) most = numbers[i];
  return most;
};
function countsOf(numbers) {
  const counts = new Int32Array(highest(numbers) + 1);
  for (let i = 0; i < numbers.length; i += 1) counts[numbers[i]] += 1;
  return counts;
}
var present = (counts) => [...counts.keys()].filter((number) => counts[number] > 0);
var bySize = (counts) => present(counts).sort((a, b) => counts[b] - counts[a]);
function pairsOf(before, after) {
  const { tracks } = before, olds = present(before.counts).sort((a, b) => tracks[a] - tracks[b]), news = present(after.counts);
  const place = (numbers, counts) => {
    const places = new Int32Array(counts.length);
    numbers.forEach((number, k) => places[number] = k);
    return places;
  };
  const ofOld = place(olds, before.counts), ofNew = place(news, after.counts), width = news.length;
  const named = ([old, now]) => [tracks[olds[old]], news[now]];
  if (olds.length * width > DENSE) return greedy(before.row, after.row, ofOld, ofNew, width).map(named);
  const shared = new Float64Array(olds.length * width);
  for (let i = 0; i < after.row.length; i += 1) shared[ofOld[before.row[i]] * width + ofNew[after.row[i]]] += 1;
  return assigned(shared, olds.length, width).filter(([old, now]) => shared[old * width + now] > 0).map(named);
}
function greedy(before, after, ofOld, ofNew, width) {
  const shared = /* @__PURE__ */ new Map(), taken = [/* @__PURE__ */ new Set(), /* @__PURE__ */ new Set()], pairs2 = [];
  for (let i = 0; i < after.length; i += 1) {
    const pair = ofOld[before[i]] * width + ofNew[after[i]];
    shared.set(pair, (shared.get(pair) ?? 0) + 1);
  }
  for (const [pair] of [...shared].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
    const [old, now] = [Math.floor(pair / width), pair % width];
    if (taken[0].has(old) || taken[1].has(now)) continue;
    taken[0].add(old);
    taken[1].add(now);
    pairs2.push([old, now]);
  }
  return pairs2;
}
function continued(before, after, colors) {
  const tracks = new Int32Array(after.counts.length).fill(-1), used = bySize(after.counts);
  const limit = Math.max(colors, used.length), recent = /* @__PURE__ */ new Set();
  if (before) {
    for (const label of present(before.counts)) recent.add(before.tracks[label]);
    for (const [track, label] of pairsOf(before, after)) if (track < limit) tracks[label] = track;
  }
  const taken = new Set(tracks);
  const free = Array.from({ length: limit }, (_, track) => track).filter((track) => !taken.has(track));
  free.sort((a, b) => Number(recent.has(a)) - Number(recent.has(b)));
  for (const label of used) if (tracks[label] < 0) tracks[label] = free.shift();
  return tracks;
}
var same = (one, other) => {
  for (let i = 0; i < one.length; i += 1) if (one[i] !== other[i]) return false;
  return true;
};
function tracksOf(labels, nPoints, colors, references = []) {
  const rows = [];
  let [before, top] = [null, 0];
  for (let start = 0; start < labels.length; start += nPoints) {
    const row = labels.subarray(start, start + nPoints);
    if (!before || !same(row, before.row)) {
      const after = { row, counts: countsOf(row) };
      after.tracks = continued(before, after, colors);
      top = Math.max(top, highest(after.tracks));
      before = after;
    }
    rows.push(before);
  }
  const slots = references.length > 0 ? slotsOf(before.row.map((label) => before.tracks[label]), references, top, colors) : null;
  const found = new Int32Array(labels.length);
  rows.forEach(({ row, tracks }, k) => {
    const named = slots ? tracks.map((track) => track < slots.length ? slots[track] : track) : tracks;
    for (let i = 0; i < nPoints; i += 1) found[k * nPoints + i] = named[row[i]];
  });
  return found;
}
function slotsOf(last, references, top, colors) {
  const width = Math.min(Math.max(top + 1, colors, ...references.map((reference) => highest(reference) + 1)), MOST_MATCHED);
  const gain = new Float64Array(width * width), wanted = new Float64Array(width);
  for (const reference of references) {
    for (let i = 0; i < last.length; i += 1) {
      if (last[i] >= width || reference[i] >= width) continue;
      gain[last[i] * width + reference[i]] += 1;
      wanted[reference[i]] += 1;
    }
  }
  const slots = Array.from({ length: width }, (_, track) => track);
  for (const [from, to] of [[0, colors], [colors, PATTERNS * colors], [PATTERNS * colors, width]]) {
    exchange(slots, from, Math.min(to, width), gain, wanted);
  }
  return slots;
}
function exchange(slots, from, to, gain, wanted) {
  const size = to - from, width = wanted.length;
  const weights = new Float64Array(Math.max(0, size) ** 2);
  let shares = false;
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1) {
      const points = gain[(from + i) * width + from + j];
      shares ||= points > 0;
      weights[i * size + j] = points * (3 * width + 1) + Number(wanted[from + j] === 0) + Number(i === j);
    }
  }
  if (shares) for (const [i, j] of assigned(weights, size, size)) slots[from + i] = from + j;
}
function matchedGroups(groups, tracks, colors) {
  const row = { row: groups, counts: countsOf(groups) };
  const codes = continued(null, row, colors), own = groups.map((group2) => codes[group2]);
  const nGroups = highest(own) + 1, width = Math.max(highest(tracks) + 1, nGroups, colors);
  if (width > MOST_MATCHED) return Int32Array.from(own);
  const used = countsOf(tracks), weights = new Float64Array(nGroups * width);
  for (let i = 0; i < own.length; i += 1) weights[own[i] * width + tracks[i]] += 3 * width + 1;
  for (let k = 0; k < weights.length; k += 1) {
    const track = k % width;
    weights[k] += 2 * Number(track < Math.max(colors, nGroups)) + Number(!used[track]);
  }
  const slots = assigned(weights, nGroups, width);
  return Int32Array.from(own, (code) => slots[code][1]);
}
function assigned(weights, nRows, nColumns) {
  if (nRows > nColumns) {
    const turned = new Float64Array(weights.length);
    for (let i = 0; i < nRows; i += 1) for (let j = 0; j < nColumns; j += 1) turned[j * nRows + i] = weights[i * nColumns + j];
    return assigned(turned, nColumns, nRows).map(([j, i]) => [i, j]).sort(([a], [b]) => a - b);
  }
  const state = {
    weights,
    nColumns,
    ofRows: new Float64Array(nRows),
    ofColumns: new Float64Array(nColumns),
    shortest: new Float64Array(nColumns),
    from: new Int32Array(nColumns),
    rowAt: new Int32Array(nColumns).fill(-1),
    columnAt: new Int32Array(nRows).fill(-1),
    remaining: new Int32Array(nColumns),
    seen: new Uint8Array(nColumns)
  };
  for (let row = 0; row < nRows; row += 1) augment(state, row);
  return Array.from(state.columnAt, (column, row) => [row, column]);
}
function augment(state, row) {
  const { ofRows, ofColumns, shortest, from, rowAt, columnAt, seen } = state;
  const { sink, length, rows } = pathFrom(state, row);
  ofRows[row] += length;
  for (const i of rows) if (i !== row) ofRows[i] += length - shortest[columnAt[i]];
  for (let j = 0; j < seen.length; j += 1) if (seen[j]) ofColumns[j] -= length - shortest[j];
  for (let [i, j] = [-1, sink]; i !== row; ) {
    i = from[j];
    rowAt[j] = i;
    [columnAt[i], j] = [j, columnAt[i]];
  }
}
function pathFrom(state, row) {
  const { weights, nColumns, ofRows, ofColumns, shortest, from, rowAt, remaining, seen } = state;
  for (let k = 0; k < nColumns; k += 1) remaining[k] = nColumns - 1 - k;
  shortest.fill(Infinity);
  seen.fill(0);
  const rows = [];
  let [count, length, sink, i] = [nColumns, 0, -1, row];
  while (sink < 0) {
    let [nearest, lowest] = [-1, Infinity];
    rows.push(i);
    for (let k = 0; k < count; k += 1) {
      const j2 = remaining[k], reached = length - weights[i * nColumns + j2] - ofRows[i] - ofColumns[j2];
      if (reached < shortest[j2]) {
        from[j2] = i;
        shortest[j2] = reached;
      }
      if (shortest[j2] < lowest || shortest[j2] === lowest && rowAt[j2] < 0) [lowest, nearest] = [shortest[j2], k];
    }
    length = lowest;
    const j = remaining[nearest];
    seen[j] = 1;
    remaining[nearest] = remaining[count -= 1];
    if (rowAt[j] < 0) sink = j;
    else i = rowAt[j];
  }
  return { sink, length, rows };
}

// stage/film.js
var CURVES = ["nll", "objective", "n_clusters", "n_moved", "n_born", "n_died"];
var END = 1e9;
var NOISE = 1e-9;
var CELLS = 60;
var MOST_CLUSTERS = 40;
var AROUND = 0.15;
var SQUEEZED = 4;
var FADING = 0.25;
var KEPT = [
  "objective_name",
  "scaling_nats",
  "axis_names",
  "periods",
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
function renumbered(labels) {
  const numbers = /* @__PURE__ */ new Map();
  return Int32Array.from(labels, (label) => {
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    return numbers.get(label);
  });
}
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
function pictureOf({ answer, still, title, visits }, colors, references) {
  const { n_sweeps: last, sweeps, maps } = answer;
  const labels = tracksOf(sweeps.labels, still.n_points, colors, references);
  const panel = {
    title,
    cost_note: "",
    cluster_names: {},
    ghosts: [],
    n_sweeps: last,
    labels,
    seconds: new Float64Array(last + 1),
    label_sweeps: Int32Array.from({ length: last + 1 }, (_, sweep) => sweep)
  };
  for (const name of KEPT) if (still[name] !== void 0) panel[name] = still[name];
  for (const name of CURVES) panel[name] = sweeps[name];
  if (sweeps.shapes) Object.assign(panel, ellipsesOf(sweeps.shapes, sweeps.labels, labels, panel));
  else delete panel.ellipse_meanings;
  if (maps) Object.assign(panel, mapArrays(maps, sweeps, panel));
  if (visits) Object.assign(panel, visitArrays(visits.found, visits.sweep, sweeps.labels, panel, still.scaling_nats));
  if (panel.true_labels) panel.true_tracks ??= matchedGroups(panel.true_labels, lastTracks(panel), colors);
  if (still.agreement && panel.true_labels) Object.assign(panel, agreementCurves(labels, renumbered(panel.true_labels)));
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
function visitArrays(found, sweep, labels, panel, more = 0) {
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
  const event_nll = found.nll?.every(Number.isFinite) ? { event_nll: found.nll.map((nll) => nll + more) } : {};
  return {
    events_sweep: sweep,
    event_points: found.points,
    event_from: tracks(found.from),
    event_to: tracks(found.to),
    event_candidates: tracks(found.candidates),
    event_costs: Float32Array.from(found.costs, (cost) => cost + more / N),
    ...event_nll,
    shapes: { ...panel.shapes, event_costs: [found.points.length, found.width] }
  };
}
function pullsOf({ log_predictive: fits, log_weight: weights }, labels, tracks, rowNats = 0) {
  const table = trackTable(labels, tracks);
  return Array.from(fits, (fit, k) => [table.get(k) ?? -1, Math.exp(weights[k]), fit - rowNats]);
}

// stage/edits.js
function spotsOf({ origin, plane }, edits) {
  return edits.map(({ x, y }) => spotOf(x + origin[0], y + origin[1], plane));
}
function editedPoints(points, panel, edits) {
  const nPoints = points.nPoints + edits.filter(({ point }) => point === void 0).length;
  const values = new Float64Array(2 * nPoints);
  values.set(points.values);
  let next = points.nPoints;
  spotsOf(panel, edits).forEach((spot, k) => values.set(spot, 2 * (edits[k].point ?? next++)));
  return { values, nPoints, nFeatures: 2 };
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
function nearestPoints(panel, edits) {
  return edits.filter(({ point }) => point === void 0).map((spot) => {
    let [best, distance] = [0, Infinity];
    for (let i = 0; i < panel.n_points; i += 1) {
      const d = (panel.x[i] - spot.x) ** 2 + (panel.y[i] - spot.y) ** 2;
      if (d < distance) [best, distance] = [i, d];
    }
    return best;
  });
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
var shortNumber = (value) => String(Number(value.toPrecision(3))).replace("-", "−");
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
function cssColor([red, green, blue], alpha = 1) {
  return alpha === 1 ? `rgb(${red}, ${green}, ${blue})` : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

// stage/prices.css
var prices_default = ".contest { line-height: 1.4; }\n.contest .candidate { display: flex; justify-content: space-between; gap: 1em; overflow-wrap: anywhere; }\n.contest .candidate b { white-space: nowrap; }\n.contest .bars { display: flex; align-items: center; border-left: 1px solid; min-width: 0; }\n.contest .bars span { margin-left: 5px; color: light-dark(#31333f, #fafafa); white-space: nowrap; }\n.contest .bars i, .contest .looks i { flex: none; box-sizing: border-box; height: 0.8em; background: currentColor; border: 2px solid; }\n.contest i.seat { background: repeating-linear-gradient(135deg, currentColor 0 2px, transparent 2px 7px); }\n.contest .looks { margin: 0.6em 0 0.2em; }\n.contest .looks i { display: inline-block; width: 1em; height: 0.7em; margin-right: 0.4em; }\n";

// stage/prices.js
var WITHOUT_MODEL = { kmeans: "live.no_prices_of_kmeans", dpmeans: "live.no_prices_of_dpmeans" };
var MOST_BARS = 4;
var EDGE = 12;
var PARTS = ["place", "seat"];
var hasModel = ({ algorithm }) => !(algorithm in WITHOUT_MODEL);
var Prices = class {
  // `engines`: of the stage.
  constructor(node, engines) {
    Object.assign(this, { node, engines, theme: null, chosen: null, ticket: null });
  }
  clear() {
    Object.assign(this, { chosen: null, ticket: null });
    this.node.replaceChildren();
  }
  // Resolves to whether an answer is shown, which it is not if another question overtook this one.
  // `run`: { config, points, title }; `tracks` (N) and `labels` (N) of the sweep that is shown; `theme`: of the player.
  async ask(run, point, { sweep, tracks, labels }, theme) {
    const ticket = {};
    Object.assign(this, { chosen: point, theme, ticket });
    const { config, points } = run;
    const head = element("h2", { text: `${say("live.why", { point, cluster: tracks[point] + 1, sweep })} ${run.title.split(" · ").slice(0, 2).join(" · ")}` });
    if (!hasModel(config)) {
      this.node.replaceChildren(head, element("p", { text: say(WITHOUT_MODEL[config.algorithm]) }));
      return true;
    }
    const question = this.engines.prices.ask((engine) => engine.scores(config, points, labels, point));
    const told = await question.then(
      (found) => found && [this.list(found, labels, tracks, tracks[point])],
      (error) => [element("p", { text: say("live.no_prices", { why: error.message }) })]
    );
    if (!told || this.ticket !== ticket) return false;
    this.node.replaceChildren(head, ...told);
    return true;
  }
  // What a cluster asks for the point's place and for its seat, each above the lowest, as the server's bars have it.
  list(found, labels, tracks, own) {
    const rows = ranked(found, new Map(Array.from(labels, (label, i) => [label, tracks[i]]))), left = rows.length - MOST_BARS;
    const looks = ["live.price_place", "live.price_seat"].map((key, part) => element("div", {}, element("i", { class: PARTS[part] }), say(key)));
    const more = left > 0 ? `${sayCount("live.cost_more", left)} ` : "";
    return element(
      "div",
      { class: "contest" },
      element("style", { text: prices_default }),
      ...rows.slice(0, MOST_BARS).flatMap((row) => this.row(row, own)),
      element("div", { class: "looks" }, ...looks),
      element("p", { class: "small", title: say("live.about_prices"), text: `${more}${say("live.shorter_wins")}` })
    );
  }
  row({ track, parts, share }, own) {
    const { theme } = this, total = parts[0] + parts[1], room = [Math.min(parts[0], EDGE), 0];
    room[1] = Math.min(parts[1], EDGE - room[0]);
    const name = track < 0 ? say("live.new_cluster") : say(track === own ? "live.cluster_here" : "live.cluster", { cluster: track + 1 });
    const bars = room.flatMap((length, part) => length > 0 ? [bar(PARTS[part], length)] : []);
    const line = element("div", { class: "bars" }, ...bars, element("span", { text: `${total > EDGE ? "// " : ""}${formatFixed(total, total < 100 ? 2 : 0)}` }));
    line.style.color = cssColor(track < 0 ? theme.muted : theme.clusterColor(track));
    return [element("div", { class: "candidate" }, element("span", { text: name }), element("b", { text: percentage(share) })), line];
  }
};
function candidates({ log_predictive: places, log_weight: seats }, trackOf) {
  return Array.from(places, (place, k) => ({ track: trackOf(k) ?? -1, parts: [-place, -seats[k]] })).filter(({ parts }) => parts.every(Number.isFinite));
}
function ranked(found, tracks) {
  const all = candidates(found, (k) => tracks.get(k));
  for (const part of [0, 1]) {
    const lowest = Math.min(...all.map(({ parts }) => parts[part]));
    for (const { parts } of all) parts[part] -= lowest;
  }
  all.sort((a, b) => sum(a) - sum(b));
  const powers = all.map((row) => Math.exp(sum(all[0]) - sum(row))), total = powers.reduce((before, power) => before + power, 0);
  return all.map((row, k) => ({ ...row, share: powers[k] / total }));
}
function bar(part, nats) {
  const node = element("i", { class: part });
  node.style.width = `calc((100% - 4.5em) * ${(nats / EDGE).toFixed(4)})`;
  return node;
}
var sum = ({ parts: [place, seat] }) => place + seat;
function percentage(share) {
  if (share > 0 && share < 5e-4) return "< 0.1 %";
  if (share >= 0.9995 && share < 1) return "> 99.9 %";
  return `${formatNumber(100 * share, 3)} %`;
}

// player/assets/legend.js
var LINE = { fill: "none", stroke: "currentColor", "stroke-width": 1.5 };
var DRAWINGS = {
  moved: [["circle", { cx: 15, cy: 8, r: 4, class: "mark" }], ["circle", { cx: 15, cy: 8, r: 6, ...LINE }]],
  inner: [["ellipse", { cx: 15, cy: 8, rx: 13, ry: 6, ...LINE, class: "outline" }]],
  outer: [["ellipse", { cx: 15, cy: 8, rx: 13, ry: 6, ...LINE, class: "outline", "stroke-dasharray": "4 3" }]],
  centre: [["path", { d: "M9 8H21M15 2V14", ...LINE, class: "outline", "stroke-width": 2 }]],
  curve: [["path", { d: "M1 15C10 15 10 2 15 2S20 15 29 15", ...LINE, class: "outline" }]],
  total: [["path", { d: "M1 15C10 15 10 2 15 2S20 15 29 15", ...LINE, "stroke-dasharray": "4 3" }]],
  variants: [
    ["circle", { cx: 5, cy: 8, r: 3.2, fill: "none", stroke: "currentColor", "stroke-width": 2.2 }],
    ["path", { d: "M12 5L18 11M18 5L12 11", ...LINE, "stroke-width": 2.2 }],
    ["path", { d: "M25 4L29 12H21Z", fill: "currentColor" }]
  ],
  truth: [["circle", { cx: 9, cy: 8, r: 4, class: "mark" }], ["circle", { cx: 21, cy: 8, r: 4, class: "other" }]],
  fresh: [["rect", { x: 3, y: 2, width: 24, height: 12, class: "fresh" }]],
  region: [["rect", { x: 3, y: 2, width: 24, height: 12, class: "region" }]],
  density: [["rect", { x: 3, y: 2, width: 24, height: 12, class: "density" }]],
  ghost: [["path", { d: "M1 12L10 6L29 4", ...LINE, class: "ghost", "stroke-width": 1 }]],
  echo: [["path", { d: "M1 12L10 6L29 4", ...LINE, class: "outline", "stroke-dasharray": "2 3" }]],
  steep: [["path", { d: "M11 12H19L15 4Z", class: "mark" }]],
  chosen: [["circle", { cx: 15, cy: 8, r: 3, class: "mark" }], ["circle", { cx: 15, cy: 8, r: 6.5, ...LINE }]],
  visit: [
    ["path", { d: "M6 8H26", ...LINE, class: "outline" }],
    ["circle", { cx: 6, cy: 8, r: 3, class: "mark" }],
    ["circle", { cx: 6, cy: 8, r: 5, ...LINE }]
  ],
  place: [["path", { d: "M15 1L22 8L15 15L8 8Z", ...LINE, "stroke-dasharray": "3 2" }]]
};
function legendItems(run, clusters, placing) {
  const some = (name) => run.panels.some((panel) => panel[name] !== void 0);
  const shapes = run.panels.find((panel) => panel.ellipse_meanings)?.ellipse_meanings;
  const crowded = run.panels.some((_, number) => run.sizes(number).rows.some((row) => row.tracks.at(-1) >= clusters));
  const flat = run.panels.some((panel) => !panel.one_column);
  const items = [
    ["moved", say("player.legend_moved")],
    shapes && ["inner", shapes[0]],
    shapes && ["outer", shapes[1]],
    flat && ["centre", shapes ? say("player.legend_centre_alone") : say("player.legend_centre")],
    some("curve_offsets") && ["curve", say("player.legend_curve")],
    some("curve_offsets") && ["total", say("player.legend_total")],
    crowded && ["variants", say("player.legend_variants")],
    some("true_tracks") && ["truth", say("player.legend_truth")],
    some("region_image") && ["region", say("player.legend_region")],
    some("region_image") && ["fresh", say("player.legend_fresh")],
    some("density_image") && ["density", say("player.legend_density")],
    run.panels.some((panel) => panel.ghosts.length > 0) && ["ghost", say("player.legend_ghost")],
    ["steep", say("player.legend_steep")],
    ["chosen", say("player.legend_chosen")],
    placing && ["place", say("player.legend_place")],
    run.slowPanel() >= 0 && ["visit", say("player.legend_visit")]
  ];
  return items.filter(Boolean);
}

// stage/controller.js
var AT_REST = 350;
var NEXT_CHANGE = 100;
var MANY = 600;
var MOST_MAPS = 8;
var same2 = (one, other) => one === other || one?.length === other?.length && one.every((track, i) => track === other[i]);
var Stage = class {
  // `host` has
  //   count                 panels in the picture
  //   colors                of clusters, { light, dark }
  //   asks(number, how)     the run of a panel: { config, points, id, still, title } (`id`: the same for the same points,
  //                         `still`: its panel without a run), and perhaps
  //                           reference, or else before    tracks (N) that colours agree with
  //                           key        for a run whose answer is kept until it or the configuration changes
  //                           draft      it is less than the whole run
  //                           shortened  words for its title, if it has only one of several starts
  //                           instead    a configuration that is shown in its place where it ends lower
  //                           name, given, nGroups         for twenty seeds
  //                         `how`: { quick, edit, seed, … }, as it is asked for
  //   base(number)          of a panel that has no film: the same, `still` being what is shown; or null
  //   wants(run)            whether a run that was made is still to be shown
  //   ready(), opening()    whether films are shown now, and how they are opened
  //   shown()               a film was opened
  //   searching(run, told)  how far its search is: { share, nll }
  //   failed(error, runs)   they were refused, or their engine failed
  //   further(), rested()   a picture is of what is set now, or nothing changed for a while: what takes longer can begin
  //   edited(number, edits) points were moved or painted; false if that is for the page to answer
  //   explains(number), explained(point)   whether questions about a panel are answered here; an answer is shown
  constructor(host, engines, { prices, dice, choose }) {
    Object.assign(this, { host, engines, player: null, page: null, films: [], known: [], drafts: /* @__PURE__ */ new Set() });
    Object.assign(this, { era: 0, round: 0, mapping: 0, asked: 0, resting: null, later: null });
    this.pictures = new EveryFrame(() => this.draw());
    this.prices = new Prices(prices, engines);
    this.dice = dice ? new Dice(dice, engines, choose) : null;
  }
  get numbers() {
    return Array.from({ length: this.host.count }, (_, number) => number);
  }
  // --- runs ---
  // Something changes: what was begun for what it was before is of no use, unless it is a seed among those that are thrown.
  turn(keepsDice = false) {
    this.round += 1;
    clearTimeout(this.later);
    clearTimeout(this.resting);
    if (this.mapping > 0) this.engines.aside.cancel();
    if (!keepsDice) this.dice?.cancel();
  }
  rest() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.host.rested(), AT_REST);
  }
  // Show runs of panels as soon as they are made; those that are asked for together come together.
  async show(numbers, how = {}) {
    const made = await this.made(numbers, how);
    if (made) this.take(made);
  }
  // What was left out while something moved. Returns the panels.
  finish() {
    const left = [...this.drafts].filter((number) => number < this.host.count);
    for (const number of left) this.show([number], { long: true });
    return left;
  }
  // Resolves to runs with their answers, or to null if they are no longer wanted.
  async made(numbers, how = {}) {
    const runs = numbers.map((number) => this.wanted(number, how)), { era } = this;
    const wants = () => era === this.era && runs.every((run) => this.host.wants(run));
    try {
      const answers = await this.engines.run(numbers[0]).ask((engine) => this.answers(engine, runs), how.long);
      if (answers === null || !wants()) return null;
      this.engines.failures = 0;
      return runs.map((run, k) => ({ ...run, answer: answers[k] }));
    } catch (error) {
      if (wants()) this.host.failed(error, runs);
      return null;
    }
  }
  wanted(number, how) {
    const run = { number, round: this.round, ...this.host.asks(number, how) };
    if (how.quick && run.config.n_init > 1 && run.points.nPoints > MANY) {
      Object.assign(run, { draft: true, config: { ...run.config, n_init: 1 }, title: run.title + (run.shortened ?? "") });
    }
    if (run.draft) this.drafts.add(number);
    else this.drafts.delete(number);
    return run;
  }
  async answers(engine, runs) {
    const found = [];
    for (const run of runs) {
      const key = run.key && JSON.stringify([run.config, run.key]);
      if (!key || this.known[run.number]?.key !== key) {
        const answer = await answered(engine, run, (told) => this.host.searching?.(run, told));
        this.known[run.number] = { key, answer };
      }
      found.push(this.known[run.number].answer);
    }
    return found;
  }
  // No film is shown any more, nor are those that are on their way.
  drop() {
    Object.assign(this, { films: [], era: this.era + 1 });
    this.drafts.clear();
  }
  // --- the picture ---
  take(made) {
    this.put(made);
    this.pictures.ask();
  }
  put(made) {
    for (const film of made) {
      const shown = this.films[film.number];
      if (shown?.id === film.id) film.before = shown.tracks;
      this.compose(film);
      this.films[film.number] = film;
    }
  }
  // Tracks of the first panel, with which a film of the same points agrees.
  firstOf({ number, id }) {
    const first = number > 0 ? this.runAt(0) : null;
    return first?.id === id ? first.tracks ?? lastTracks(first.still) : null;
  }
  // Colours agree with those of the run before in this panel, and with those of the first panel.
  compose(film) {
    const { reference, before } = film;
    film.first = this.firstOf(film);
    const references = (reference ? [reference] : [before, film.first]).filter((tracks) => tracks?.length === film.still.n_points);
    film.panel = pictureOf(film, this.host.colors.light.length, references);
    film.tracks = lastTracks(film.panel);
  }
  // The film of a panel, or what is known of the picture in its place.
  runAt(number) {
    return this.films[number] ?? this.host.base?.(number) ?? null;
  }
  pictureAt(number) {
    return this.films[number]?.panel ?? this.host.base(number).still;
  }
  draw() {
    if (!this.host.ready()) return;
    this.open();
    this.host.shown?.();
    this.askAgain();
    if (this.player.ghost.offered()) this.player.ghost.follow(true);
    clearTimeout(this.later);
    if (this.films.every((film) => film.round === this.round)) this.later = setTimeout(() => this.host.further?.(), NEXT_CHANGE);
  }
  open() {
    for (const film of this.films) if (film && !film.reference && !same2(film.first, this.firstOf(film))) this.compose(film);
    openFilm(this.player, this.numbers.map((number) => this.pictureAt(number)), this.host.colors, this.host.opening());
  }
  // Behind the points: the cluster that would take a place, and the density. The film goes on.
  async map() {
    for (const film of this.films) {
      const { answer, points, number } = film;
      if (!answer.sweeps.shapes || answer.maps || points.nFeatures !== 2) continue;
      this.mapping += 1;
      const maps = await mapped(this.engines.aside, film, MOST_MAPS).catch(() => null);
      this.mapping -= 1;
      if (maps === null) return;
      answer.maps = maps;
      const { player } = this;
      if (this.films[number] !== film || player.run?.panels[number] !== film.panel) return;
      Object.assign(film.panel, mapArrays(maps, answer.sweeps, film.panel));
      player.open({ ...player.opening }, null);
      player.legend.show(legendItems(player.run, this.host.colors.light.length, true));
    }
  }
  // One sweep visit by visit, of the panel that was asked about last.
  async replay() {
    const film = this.films[this.asked] ?? this.films[0];
    if (!film || film.answer.n_sweeps === 0) return;
    const { config, points, answer, number } = film, sweep = Math.max(1, this.at(number).sweep);
    try {
      const found = await this.engines.run(number).ask((engine) => engine.visits(config, points, answer.chosen_start, sweep));
      if (found === null || this.films[number] !== film) return;
      for (const other of this.films) {
        const had = other.visits;
        other.visits = other === film ? { sweep, found } : void 0;
        if (had || other === film) this.compose(other);
      }
      this.open();
      this.player.deck.setSlow(true);
    } catch (error) {
      this.host.failed(error, [film]);
    }
  }
  // --- what is asked about the picture ---
  // A panel at the playhead: { sweep, tracks (N), labels (N) of the same partition, from 0 }.
  at(number) {
    const { run, deck } = this.player, film = this.films[number];
    const sweep = run.sweepAt(number, deck.frame), row = run.rowAt(number, sweep), tracks = run.labelsOfRow(number, row);
    const labels = film ? film.answer.sweeps.labels.slice(row * tracks.length, (row + 1) * tracks.length) : renumbered(tracks);
    return { sweep, tracks, labels };
  }
  // Say why a point is in its cluster. Resolves to whether an answer is shown.
  async explain(number, point) {
    const run = this.runAt(number);
    if (!run?.config || point >= run.points.nPoints || this.host.explains?.(number) === false) return false;
    this.asked = number;
    const told = await this.prices.ask(run, point, this.at(number), this.player.theme);
    if (told) this.host.explained?.(point);
    return told;
  }
  // At another sweep, or of other runs: the point that was asked about is asked about again.
  askAgain() {
    if (this.prices.chosen !== null) this.explain(this.asked, this.prices.chosen);
  }
  // Whether it is known here how clusters pull at a place of the plane.
  weighs(number) {
    const run = this.runAt(number);
    return Boolean(run?.config && hasModel(run.config) && run.still.plane && run.points.nFeatures === 2);
  }
  // Tell how strongly clusters pull at the ghost point.
  weigh({ panel: number, x, y }) {
    const { player } = this, { sweep, tracks, labels } = this.at(number);
    const tell = (pulls) => player.ghost.at && player.ghost.tell({ sweep, pulls });
    if (!this.weighs(number)) return tell([]);
    const { config, points, still } = this.runAt(number), [spot] = spotsOf(still, [{ x, y }]);
    return this.engines.places.ask((engine) => engine.places(config, points, labels, [spot])).then((found) => found && tell(pullsOf(found, labels, tracks, points.rowNats)), () => tell([]));
  }
  // Throw twenty seeds for panels, of which the present one is among them. `how`: as of `asks`.
  roll(numbers, seed, count, how = {}) {
    const strips = numbers.map((number) => {
      const { name, given, points, nGroups } = this.host.asks(number, how);
      return { title: name, given, points, nGroups, configuration: (one) => this.host.asks(number, { ...how, seed: one }).config };
    });
    return this.dice.roll(strips, seed, count);
  }
  // Hear what the player tells; of a picture of the page's own the page hears it, too.
  listen() {
    const { player } = this;
    if (player.channel?.stage) return;
    this.page = player.channel;
    const tells = (kind) => (name, value) => this.hear(name, value) || this.page?.[kind](name, value);
    player.channel = { stage: this, setStateValue: tells("setStateValue"), setTriggerValue: tells("setTriggerValue") };
  }
  hear(name, value) {
    if (name === "moved" || name === "painted") {
      const edits = name === "moved" ? [{ point: value.index, x: value.x, y: value.y }] : value.places.map(([x, y]) => ({ x, y }));
      if (this.host.edited(value.panel, edits)) return true;
    }
    if (this.films.length === 0) return false;
    if (name === "sweep") this.askAgain();
    if (name === "place" && value) this.weigh(value);
    if (name === "point") this.explain(value.panel, value.index);
    return true;
  }
};

// stage/knobs.js
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
  // `host`: has `settings` of now, and hears that the knob `turned(name)`.
  constructor(knob, host) {
    Object.assign(this, { knob, host });
    const name = `knob-${knob.name}`;
    this.range = element("input", { type: "range", id: name, min: 0, max: placesOf(knob), step: 1, "aria-describedby": `${name}-why` });
    this.output = element("output", { for: name });
    this.range.addEventListener("input", () => {
      host.settings.knobs[knob.name] = valueAt(knob, Number(this.range.value), this.ends);
      this.show();
      host.turned(knob.name);
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
  get ends() {
    return this.host.settings.endsOf(this.knob);
  }
  show() {
    const { knob, range } = this, value = this.host.settings.knobs[knob.name];
    range.value = String(Math.round(placeOf(knob, value, this.ends)));
    this.output.textContent = shortNumber(value);
    range.setAttribute("aria-valuetext", `${knob.words} ${shortNumber(value)}`);
  }
};

// live/assets/side.js
var SEEDS_END = 2 ** 32;
var Side = class {
  // `live`: has the knobs of all runs.
  constructor(live, number, facts) {
    Object.assign(this, { live, number, facts, base: null, anchor: null, told: null });
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
    const own = this.live.facts.knobs.filter((knob) => knob.panels.includes(this.number));
    return own.map((knob) => ({ ...knob, path: knob.paths[knob.panels.indexOf(this.number)] }));
  }
  get seed() {
    return this.seedAt(this.live.seed);
  }
  get film() {
    return this.live.stage.films[this.number] ?? null;
  }
  get searches() {
    return this.facts.left_out === "search";
  }
  // As its panel is called.
  get name() {
    return this.live.sides.length > 1 ? `${this.number + 1} ${this.facts.title}` : this.facts.title;
  }
  // Seeds of all runs move together, by as much as the first one's does.
  seedAt(seed) {
    return (this.facts.seed + seed - this.live.facts.seed + SEEDS_END) % SEEDS_END;
  }
  // `from`: "here" or "start". K-means goes on only from as many clusters as it is to make. `search`: where there is one.
  configuration({ from, seed = this.seed, search = true, anchor = this.anchor }) {
    const config = configured(this.facts.config, this.knobs, this.live.values);
    if (this.searches && !search) Object.assign(config, { init: "single", n_init: 1 });
    if (from === "here" && anchor) {
      const labels = renumbered(anchor);
      const fits = !this.facts.given || new Set(labels).size === config.n_clusters;
      if (fits) Object.assign(config, { init: Array.from(labels), n_init: 1 });
    }
    return { ...config, seed };
  }
  // As the stage asks for it. In place of a search that goes on from here it shows a run from one cluster that ends lower.
  asks({ quick = false, edits = null, from, seed }) {
    const { facts, base, live, points } = this, searched = this.searches && !quick;
    this.told = null;
    const asked = {
      side: this,
      facts,
      base,
      points,
      searched,
      id: facts.points,
      still: base,
      name: this.name,
      title: this.title(),
      draft: this.searches && quick,
      given: facts.given,
      nGroups: live.facts.n_groups,
      values: Object.fromEntries(this.knobs.map((knob) => [knob.parameter, live.values[knob.name]]))
    };
    if (from) return { ...asked, config: this.configuration({ from, seed: seed === void 0 ? this.seed : this.seedAt(seed) }) };
    this.anchor ??= this.tracksNow();
    Object.assign(asked, { before: this.anchor }, edits ? this.edited(edits) : {});
    const begins = edits ? "here" : searched ? "start" : live.begins ?? facts.begins;
    const config = this.configuration({ from: begins, search: !quick, anchor: asked.before });
    return { ...asked, config, instead: this.searches && Array.isArray(config.init) ? { ...config, init: "single" } : null };
  }
  edited(edits) {
    const { base, points, anchor } = this, nearest = nearestPoints(base, edits), moved = editedPoints(points, base, edits);
    const before = Int32Array.from([...anchor, ...nearest.map((point) => anchor[point])]);
    return { points: moved, still: editedPanel(base, edits, nearest), before, id: `edited ${moved.nPoints}` };
  }
  // Tracks of the clusters at the playhead.
  tracksNow() {
    const { number, live: { player: { run, deck } } } = this;
    const sweep = run.sweepAt(number, deck.frame === 0 ? run.last : deck.frame);
    return run.labelsOfRow(number, run.rowAt(number, sweep)).slice();
  }
  title() {
    const { live, knobs: [knob] } = this, several = live.sides.length > 1;
    const parts = [this.name];
    if (knob) parts.push(`${knob.symbol} = ${shortNumber(live.values[knob.name])}`);
    if (!several || new Set(live.sides.map((side) => side.seed)).size > 1) parts.push(say("live.seed", { seed: this.seed }));
    return parts.join(" · ");
  }
  // The clusters that the film goes on from, for the server to go on from them, too; null for a start of the method.
  start() {
    const { film } = this;
    return film && !this.searches && Array.isArray(film.config.init) ? film.config.init : null;
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
    const found = made.map((side2) => `${side2.name}: ${sayCount("strip.clusters", side2.film.answer.n_clusters)}`).join(", ");
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
function progressWords(sides) {
  const told = sides.filter((side) => side.told && !side.film?.searched);
  return told.map(({ name, told: { share, nll } }) => {
    const so = say("strip.search_so_far", { percent: Math.floor(100 * share), nats: formatFixed(nll, 1) });
    return sides.length > 1 ? `${name}: ${so}` : so;
  }).join("; ");
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
  return `${name}: ${sayCount("strip.clusters", panel.n_clusters[last])}${compares ? ` ${say("strip.lower", { nats: formatNumber(gain, 3) })}` : ""}`;
}
function differs({ config, values }, film) {
  return config.family !== film.config.family || Object.keys(values).some((name) => values[name] !== film.values[name]);
}
function samePartition(panel, film) {
  const rows = [panel.labels.subarray(panel.n_sweeps * panel.n_points), film.tracks].map(renumbered);
  return rows[0].length === rows[1].length && rows[0].every((label, i) => label === rows[1][i]);
}

// live/assets/exchange.js
var Exchange = class {
  constructor(live) {
    Object.assign(this, { live, sent: 0, moving: false, touched: /* @__PURE__ */ new Set(), served: null, servedRun: null, compared: null });
  }
  // Something moves here; `name`: of a knob.
  moved(name = null) {
    this.moving = true;
    if (name !== null) this.touched.add(name);
  }
  // Whether a picture of the server's has to wait, since a newer one is made here.
  keeps(player, opening) {
    const { live } = this, { live: facts } = opening;
    live.attach(player);
    live.strip.node.hidden = !facts;
    if (!facts) {
      live.drop();
      Object.assign(live, { facts: null, sides: [] });
      return false;
    }
    const another = !this.isOf(facts), waits = this.moving || facts.answered < this.sent;
    const same3 = live.drawn && this.served.id === opening.id;
    const keeps = live.film && !another && (same3 || waits || facts.state !== "done");
    if (keeps) {
      live.facts.state = facts.state;
      this.served = opening;
      if (!waits) this.wait(facts.state);
      if (player.run) player.refreshTheme();
      else live.reopen();
    } else {
      this.accept(player, opening, another);
      this.served = opening;
    }
    return keeps;
  }
  // Whether facts are of the runs that are shown, perhaps with other values.
  isOf({ panels }) {
    const known = this.live.facts?.panels ?? [];
    return known.length === panels.length && known.every(({ points, method }, k) => points === panels[k].points && method === panels[k].method);
  }
  accept(player, opening, another) {
    const { live } = this, { live: facts } = opening;
    this.compared = another ? null : live.sides.filter((side) => side.film).map((side) => [side.number, side.film]);
    if (live.film && player.opening) {
      player.opening = { ...player.opening, command: opening.command };
      player.believed = opening.sweep;
    }
    if (another) {
      Object.assign(live, { begins: null, watched: false });
      live.stage.dice.cancel();
      live.strip.seeds.replaceChildren();
    }
    live.drop();
    live.facts = facts;
    live.sides = facts.panels.map((panel, number) => another ? new Side(live, number, panel) : Object.assign(live.sides[number], { facts: panel }));
    if (!this.moving) {
      Object.assign(live, { values: { ...facts.values }, seed: facts.seed });
      this.touched.clear();
    }
    this.sent = Math.max(this.sent, facts.answered);
    if (facts.state === "done") live.still.release();
    live.refresh();
  }
  // The player has opened a picture of the server's.
  pictured(player) {
    if (player.opening.film) return;
    const { live } = this, { run } = player;
    this.servedRun = run;
    live.take(run);
    const compared = (this.compared ?? []).map(([number, film]) => [live.sides[number], film]).filter(([side]) => side?.base);
    if (compared.length) live.strip.say(verdictOn(compared, run.panels, live.count));
    this.compared = null;
  }
  // Ask for the runs of what the knobs say now.
  send() {
    const { live } = this, { shared, key, facts, seed, count, sides: [only] } = live;
    if (!shared.send) {
      live.stage.rest();
      return;
    }
    this.moving = false;
    this.sent += 1;
    const values = Object.fromEntries([...this.touched].map((name) => [name, live.values[name]]));
    const film = count === 1 ? only.film : null, start = film && only.start();
    live.quiet.forget();
    shared.send("rest", {
      player: key,
      points: facts.points,
      number: this.sent,
      values,
      seed,
      tracks: film ? written(film.tracks) : "",
      start: start ? written(start) : ""
    });
    this.wait("running");
  }
  wait(state) {
    const words = waitingWords(this.live.sides, state);
    if (words) this.live.strip.say(words);
  }
};
function written(tracks) {
  const bytes = new Uint8Array(Uint16Array.from(tracks).buffer);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

// live/assets/quiet.js
var Quiet = class {
  // `live`: which answers what it can, and hears what is done at the picture.
  constructor(live) {
    Object.assign(this, { live, player: null, here: false, sweep: null, point: null });
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
    if (!this.live.explain(value.panel, value.index)) this.player.channel.channel.setTriggerValue("point", value);
    else if (!this.player.opening.film) this.point = value;
    if (!this.here) this.flush();
  }
  note(name, value) {
    if (name === "place" && this.live.weigh(value)) return;
    if (name !== "sweep") {
      this.player.channel.channel.setStateValue(name, value);
      return;
    }
    this.live.watch();
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

// live/assets/still.js
var LONGEST = 6e4;
var AFTERWARDS = 1e3;
var FARTHEST = 130;
var Still = class {
  // `strip`: above the picture, which has the room that it leaves.
  constructor(strip) {
    Object.assign(this, { strip, player: null, root: null, request: null, until: 0, height: 0, left: null });
    new ResizeObserver(() => this.fit()).observe(strip);
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
  // Another player may have come in the place of the one before, whose view it takes over.
  follow(player) {
    if (this.player && this.player !== player) this.left = this.player.panels[0];
    this.player = player;
    if (this.root) this.root = player.root;
  }
  takeView() {
    const [part] = this.player.panels;
    if (this.left?.view && !this.left.view.atHome && this.left.pointsId === part.pointsId) part.view.set(this.left.view.bounds);
    this.left = null;
  }
  fit() {
    const height = this.strip.offsetHeight;
    if (!this.player?.run || height === 0 || height === this.height) return;
    this.height = height;
    this.player.placed.key = null;
    this.player.resize();
  }
  // The words above the picture differ from run to run, and may need another line.
  holdHead(holds) {
    const head = this.player?.root.querySelector(".tools");
    if (head) head.style.minHeight = holds ? head.style.minHeight || `${head.offsetHeight}px` : "";
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
var live_default = '.live-strip { position: relative; display: flex; flex-wrap: wrap; align-items: end; gap: 2px 14px; margin: 0 2px; font-size: calc(13px * var(--scale)); }\n.live-strip[hidden], .live-strip [hidden] { display: none; }\n.live-knobs { display: flex; flex: 3 1 520px; flex-wrap: wrap; gap: 2px 18px; }\n.live-strip .knob { display: grid; flex: 1 1 130px; grid-template-columns: 1fr auto; gap: 0 8px; max-width: 340px; }\n.dpviz-player:not(.single) .live-strip { margin-top: 5px; }\n.dpviz-player:not(.single) .live-strip .knob { flex-basis: 96px; }\n.dpviz-player:not(.single) .live-knobs { column-gap: 14px; }\n.live-strip .knob label { line-height: 1.15; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }\n.live-strip .knob output { font-variant-numeric: tabular-nums; font-weight: 600; }\n.live-strip .knob input { grid-column: 1 / -1; width: 100%; min-height: 24px; margin: 0; accent-color: var(--accent); }\n.live-strip .knob .small { display: none; }\n.live-begins { display: flex; gap: 4px; }\n.live-said { flex: 1 1 180px; min-height: 1.35em; color: var(--muted); line-height: 1.35; }\n.live-added { font-variant-numeric: tabular-nums; }\n.live-seeds { flex: 1 0 100%; }\n.live-seeds h2 { display: none; }\n.live-seeds p { margin: 0 0 2px; }\n.live-seeds:has(.tally) { display: flex; flex-wrap: wrap; gap: 0 1.4em; }\n.live-seeds .tally { display: contents; }\n.live-seeds .tally :is(.draws, p[role="status"]) { flex: 1 0 100%; }\n.live-seeds .tally p, .live-seeds > p { color: var(--muted); line-height: 1.35; }\n.live-seeds .tally p[role="status"] { color: inherit; font-weight: 600; }\n.live-seeds :is(.seeds, .draws) { display: flex; flex-wrap: wrap; gap: 3px; }\n.live-seeds :is(.seeds, .draws) button { min-width: 28px; min-height: 26px; padding: 0 4px; border: 1px solid var(--grid); border-radius: 5px; background: none; color: inherit; font: inherit; cursor: pointer; }\n.live-seeds :is(.seeds, .draws) button.right { border-color: var(--accent); font-weight: 700; }\n.live-seeds :is(.seeds, .draws) button[aria-current] { outline: 2px solid var(--text); outline-offset: 1px; }\n@media (max-width: 640px) { .live-knobs { flex-basis: 100%; } .live-strip .knob { flex-basis: 130px; } }\n.live-prices h2 { margin: 0 0 6px; font-size: 1em; }\n.live-prices p { margin: 6px 0 0; color: var(--muted); font-size: 0.85em; line-height: 1.3; }\n';

// live/assets/strip.js
var Strip = class {
  // `live`: which hears of what is done here.
  constructor(live) {
    this.live = live;
    this.names = "";
    this.sliders = [];
    this.knobs = element("div", { class: "live-knobs" });
    this.here = chip(say("live.from_here"), say("strip.about_here"), () => live.begin("here"));
    this.start = chip(say("live.from_start"), say("strip.about_start"), () => live.begin("start"));
    this.dice = chip("", "", () => live.throwDice());
    this.said = element("span", { role: "status" });
    this.added = element("span", { class: "live-added" });
    this.begins = element("div", { class: "live-begins", role: "group", "aria-label": say("live.where_runs_begin") }, this.here, this.start);
    this.seeds = element("div", { class: "live-seeds" });
    this.node = element(
      "section",
      { class: "live-strip", "aria-label": say("strip.knobs") },
      element("style", { text: live_default }),
      this.knobs,
      this.begins,
      this.dice,
      element("div", { class: "live-said" }, this.said, this.added),
      this.seeds
    );
    this.node.addEventListener("keydown", (event) => event.stopPropagation());
  }
  // `live`: { facts, sides, used, draws, watched, begins }. Until a knob was moved there is nothing to begin from, only room for what asks
  // it; several runs begin as each of them answers best.
  show({ facts, sides, used, draws, watched, begins }) {
    const names = JSON.stringify(facts.knobs);
    if (names !== this.names) {
      this.names = names;
      this.sliders = facts.knobs.map((knob) => this.slider(knob));
      this.knobs.replaceChildren(...this.sliders.map((slider) => slider.node));
    }
    for (const slider of this.sliders) slider.show();
    this.begins.hidden = sides.length > 1 || !sides[0].computes;
    Object.assign(this.dice, { textContent: draws?.words ?? say("strip.dice"), title: draws?.about ?? say("strip.about_dice") });
    this.dice.hidden = !sides.some((side) => side.computes && (draws || !side.facts.given));
    this.begins.style.visibility = used ? "" : "hidden";
    this.dice.style.visibility = used || draws && watched ? "" : "hidden";
    this.showBegins(begins ?? sides[0].facts.begins);
  }
  showBegins(begins) {
    this.here.setAttribute("aria-pressed", String(begins === "here"));
    this.start.setAttribute("aria-pressed", String(begins === "start"));
  }
  slider(knob) {
    const slider = new Slider(knob, this.live);
    slider.range.addEventListener("change", () => this.live.rest());
    return slider;
  }
  say(text) {
    if (this.said.textContent === text) return;
    this.said.textContent = text;
    this.added.textContent = "";
  }
  // Add more to a text, as long as that is what is said.
  add(text, more) {
    if (this.said.textContent === text) this.added.textContent = ` ${more}`;
  }
};

// live/assets/live.js
var SEEDS = 20;
var Live = class {
  constructor(shared, key) {
    Object.assign(this, { shared, key, facts: null, sides: [], values: {}, seed: 0, begins: null, warmed: "", used: false });
    Object.assign(this, { draws: null, drawn: false, playhead: 0, weighed: false, watched: false });
    this.exchange = new Exchange(this);
    this.strip = new Strip(this);
    const prices = element("div", { class: "live-prices" });
    this.stage = new Stage(this, shared.engines, { prices, dice: this.strip.seeds, choose: (seed) => this.chooseSeed(seed) });
    this.quiet = new Quiet(this);
    this.still = new Still(this.strip.node);
  }
  get player() {
    return this.stage.player;
  }
  get computes() {
    return this.sides.some((side) => side.computes);
  }
  get settings() {
    return { knobs: this.values, endsOf: (knob) => [knob.low, knob.high] };
  }
  get film() {
    return this.sides.some((side) => side.film);
  }
  // --- the strip ---
  attach(player) {
    this.stage.player = player;
    player.knobs = this;
    this.still.follow(player);
    if (this.strip.node.parentNode !== player.slot) player.slot.append(this.strip.node);
    this.quiet.wrap(player);
  }
  // The player is gone from the page; if it comes back, it is another.
  left() {
    this.warmed = "";
    this.stage.dice.cancel();
    this.shared.left();
  }
  refresh() {
    if (!this.facts) return;
    this.strip.show(this);
    if (!this.film && !this.exchange.compared?.length) this.strip.say(opinionOf(this.shared.fault, this.sides));
    if (this.computes && this.player.root.isConnected) this.warm();
  }
  // Engines are compiled and run once before the first knob moves.
  warm() {
    const able = this.sides.filter((side) => side.computes);
    const name = able.map((side) => `${side.number} ${side.facts.points}`).join();
    if (this.warmed === name) return;
    this.warmed = name;
    setTimeout(() => this.player.root.isConnected && able.forEach((side) => {
      const config = side.configuration({ from: "start", search: false });
      side.engine.ask((engine) => engine.run(config, side.points)).catch((error) => this.failed(error));
    }), 0);
  }
  // A picture of the server's is what films begin with.
  take({ panels, colors }) {
    this.colors = colors;
    for (const side of this.sides) side.base = panels[side.number] ?? null;
    this.still.takeView();
    this.noteWatched();
    if (this.weighed) this.player.ghost.follow(true);
  }
  // A run is watched before it is counted in how many draws it is so.
  noteWatched() {
    if (this.watched || this.player.deck.frame === 0) return;
    this.watched = true;
    this.refresh();
  }
  // --- what the reader does ---
  // `name`: of a knob; none if runs begin elsewhere, or with another seed, among those that are thrown.
  turned(name = null, keepsDice = false) {
    if (this.drawn) {
      this.draws.close();
      this.endDraw();
    }
    if (!this.exchange.moving) this.still.hold(this.player.root);
    this.exchange.moved(name);
    this.stage.turn(keepsDice);
    if (!this.used) {
      this.used = true;
      this.refresh();
    }
    const knob = this.facts.knobs.find((one) => one.name === name);
    const turned = this.sides.filter((side) => side.computes && (!knob || knob.panels.includes(side.number)));
    if (turned.length === 0) this.strip.say(opinionOf(this.shared.fault, this.sides));
    else if (this.sides.every((side) => side.base)) turned.forEach((side) => this.stage.show([side.number], { quick: true }));
  }
  // The knob was let go.
  rest() {
    this.exchange.moved();
    const left = this.computes ? this.stage.finish() : [];
    if (left.some((number) => this.sides[number].searches)) this.exchange.wait("running");
    this.stage.rest();
  }
  begin(from) {
    this.begins = from;
    this.strip.showBegins(from);
    this.turned();
    this.rest();
  }
  chooseSeed(seed) {
    this.seed = seed;
    this.turned(null, true);
    this.rest();
  }
  throwDice() {
    const found = this.sides.filter((side) => side.computes && !side.facts.given).map((side) => side.number);
    if (this.draws) this.draws.turn();
    else if (found.length > 0) this.stage.roll(found, this.seed, SEEDS, { from: "start" });
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
    clearTimeout(this.stage.resting);
    this.exchange.moving = false;
    if (!this.drawn) this.playhead = this.player.deck.frame;
    this.hush();
    this.stage.drop();
    this.stage.put(films2);
    this.drawn = true;
    this.reopen();
  }
  // The page's own picture again.
  endDraw() {
    if (!this.drawn) return;
    const { player, exchange: { served, servedRun }, playhead } = this;
    this.drop();
    player.open({ ...served, start: "", sweep: playhead }, servedRun);
  }
  drop() {
    this.still.holdHead(false);
    this.stage.drop();
    for (const side of this.sides) side.anchor = null;
    this.drawn = false;
    this.hush();
  }
  // Take away what was said of a point here.
  hush() {
    this.stage.prices.clear();
    this.player?.why.untell();
  }
  // --- questions at the picture ---
  explains(number) {
    const side = this.sides[number];
    return Boolean(side?.computes && (side.film || side.base && side.facts.has_nll) && !this.player.deck.slow);
  }
  // Say why a point is where it is in the picture; false if that is for the server to say.
  explain(number, point) {
    if (!this.explains(number) || point >= this.stage.runAt(number).points.nPoints) return false;
    this.stage.explain(number, point);
    return true;
  }
  explained(point) {
    this.player.why.tell(this.stage.prices.node, point);
  }
  // Say how strongly clusters pull at the ghost point; false if that is for the server to say. `place`: null if it is gone.
  weigh(place) {
    const { weighed, stage } = this;
    this.weighed = place !== null && stage.weighs(place.panel) && !this.player.deck.slow;
    if (this.weighed) stage.weigh(place);
    return this.weighed || place === null && Boolean(weighed);
  }
  // The playhead came to rest.
  watch() {
    this.stage.askAgain();
    this.noteWatched();
  }
  // --- as the host of a stage ---
  get count() {
    return this.sides.length;
  }
  asks(number, how) {
    return this.sides[number].asks(how);
  }
  base(number) {
    const side = this.sides[number], { base, points, facts } = side;
    return base && { config: side.computes ? side.configuration({ from: "start" }) : null, points, id: facts.points, still: base, title: base.title };
  }
  wants({ number, side, facts, base }) {
    return this.sides[number] === side && side.facts === facts && side.base === base && Boolean(this.player.run);
  }
  // The page's own picture may have come before a frame of ours.
  ready() {
    return Boolean(this.player?.run) && this.film;
  }
  opening() {
    this.still.holdHead(true);
    const { served } = this.exchange, placing = Boolean(served?.placing) && this.sides.every(({ number }) => this.stage.weighs(number));
    return { ...this.player.opening ?? served, film: true, placing, ...this.drawn ? { editable: false } : {} };
  }
  reopen() {
    this.stage.open();
    this.still.takeView();
  }
  shown() {
    this.still.takeView();
    this.strip.say(filmWords(this.sides));
  }
  // The knob rests: the server is asked.
  rested() {
    this.exchange.send();
  }
  // Said only while nothing else is.
  searching({ side }, told) {
    side.told = told;
    this.strip.add(waitingWords(this.sides, "running"), progressWords(this.sides));
  }
  failed(error) {
    if (error.name === "Refused") this.strip.say(say("strip.not_computed", { why: error.message }));
    else if (this.shared.engines.ended(error)) this.shared.fail(say("strip.stopped"));
    else this.strip.say(say("strip.stopped_once", { why: error.message }));
  }
  // Points are being moved or painted: runs go on from the clusters in the picture.
  edited(number, edits) {
    const [side] = this.sides;
    if (this.count !== 1 || !side.computes || side.points.nFeatures !== 2 || !side.base) return false;
    this.stage.show([number], { quick: true, edits });
    return true;
  }
};

// live/assets/shared.js
var MOST_SETS = 8;
var Shared = class {
  constructor() {
    Object.assign(this, { bytes: null, points: /* @__PURE__ */ new Map(), lives: /* @__PURE__ */ new Map(), send: null, fault: "" });
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
    return this.liveOf(opening.key).exchange.keeps(player, opening);
  }
  // No Worker stays where no knobs are. The next question begins them anew.
  left() {
    if (![...globalThis.dpvizPlayers.values()].some((player) => player.knobs)) this.engines.close();
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
    this.lives.get(player.opening.key)?.exchange.pictured(player);
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
