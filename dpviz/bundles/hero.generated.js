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
  const between2 = (what, value, low, high, kind = "a whole number ") => must(isWhole(value) && value >= low && value <= high, what, value, `${kind}from ${low} to ${high}`);
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
  function startOf2(o, { nPoints: N, nFeatures: D }, nClusters) {
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
  return { axesOf, MODELS, TEMPERED, between: between2, bounded, checkModel, code, hyperparameter, labelsOf, lawsOf, optionsOf, pointsOf, shown, startOf: startOf2 };
}

// browser/loader.js
function dpvizWorker(tables, checksOf) {
  const { settings: NAMES2, places: PLACES, row: ROW, summary: SUMMARY, shape: SHAPE, limits } = tables;
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
      ...Object.fromEntries(NAMES2.map((name) => [name, typeof given[name] === "number" ? given[name] : NaN])),
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
    const written = Object.values(parts), whole2 = new Float64Array(written.reduce((sum2, { length }) => sum2 + length, 0));
    let place = 0;
    for (const part of written) {
      whole2.set(part, place);
      place += part.length;
    }
    return {
      N,
      D,
      of: hasModel ? o.family : tables.centres,
      rows: numbers.max_sweeps + 1,
      starts: numbers.n_starts,
      hasModel,
      given: [Float64Array.from(NAMES2, (name) => numbers[name]), whole2, ...points.columns ? [points.columns] : []]
    };
  }
  async function called(name, run, given, answer2, goesOn = null) {
    instance ??= new WebAssembly.Instance(compiled, {});
    const { memory, reserve, release } = instance.exports, taken = [], filled2 = [];
    const lent = (content) => {
      const address = reserve(Math.max(8, content.byteLength));
      if (!address) throw new Error("the memory of the page does not suffice.");
      taken.push(address);
      const own2 = () => new content.constructor(memory.buffer, address, content.length);
      if (!content.filled) own2().set(content);
      filled2.push({ read: (from = 0, to = content.length) => own2().slice(from, to) });
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
    if (withLabels && message.plane !== void 0) sweeps.shapes = await shapesOf2(run, sweeps.labels, sweeps.n_sizes, message.plane);
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
    const run = prepared(message), { N, D, hasModel } = run, where = check.pointsOf(message.where);
    if (where.nFeatures !== D) refuse(`places have ${where.nFeatures} columns; they must have ${D}, as X has.`);
    const { labels, counts: [K] } = check.labelsOf(message.labels, N, !hasModel), P = where.nPoints;
    return called("places", run, [labels, where.values, room(Float64Array, (P + 1) * (K + 1)), room(Float64Array, 3 * P)], (count, _labels, _where, found, taken) => {
      const table = taken.read(), [takers, margins, costs] = [Int32Array, Float64Array, Float64Array].map((Type, c) => columns(table, 3, c, c + 1, Type));
      return { log_predictive: found.read(0, P * count), log_weight: found.read(P * count, (P + 1) * count), takers, margins, costs };
    });
  }
  function shapesOf2(run, labels, counts, plane) {
    const size = counts.reduce((sum2, K) => sum2 + Math.min(K, limits.most_shapes), 0), width = SHAPE.length;
    return called("shapes", run, [labels, check.axesOf(plane, run.D), room(Float64Array, size * width), new Int32Array(counts.length + 1)], (count, _labels, _plane, found, offsets) => {
      const table = found.read(0, count * width), part = (from, to, Type) => columns(table, width, from, to, Type);
      return { offsets: offsets.read(), labels: part(0, 1, Int32Array), centers: part(1, 3), scales: part(3, 6), factors: part(6, 8) };
    });
  }
  function shapes(message) {
    const run = prepared(message), { N } = run, rows = Math.max(1, Math.ceil((message.labels?.length ?? 0) / N));
    const { labels, counts } = check.labelsOf(message.labels, N, true, rows);
    return shapesOf2(run, labels, counts, message.plane);
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
function dpvizEngine(bytes2, tables = dpvizTables) {
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
    if (!dpvizCompiled.has(bytes2)) dpvizCompiled.set(bytes2, WebAssembly.compile(bytes2));
    loaded = dpvizCompiled.get(bytes2).then((compiled) => begun.postMessage({ kind: "load", compiled }));
    loaded.catch((error) => {
      dpvizCompiled.delete(bytes2);
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
var ARRAY_TYPES = {
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array
};
async function inflate(bytes2) {
  const stream = new Blob([bytes2]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
function undoDifferences(array, rowLength) {
  for (let i = rowLength; i < array.length; i += 1) array[i] ^= array[i - rowLength];
}
async function decodeBlock(bytes2, start, block) {
  const stored = bytes2.slice(start + block.offset, start + block.offset + block.bytes);
  if (stored.length < block.bytes) throw new Error(say("player.part_missing"));
  const { buffer } = block.deflated ? await inflate(stored) : stored;
  const array = new ARRAY_TYPES[block.kind](buffer);
  const rowLength = block.shape.slice(1).reduce((product, size) => product * size, 1);
  if (block.differences) undoDifferences(array, rowLength);
  return { array, shape: block.shape };
}
function splitHeader(bytes2) {
  const length = new DataView(bytes2.buffer, bytes2.byteOffset, 4).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes2.subarray(4, 4 + length)));
  return { header, rest: bytes2.subarray(4 + length) };
}
function openEnvelope(bytes2) {
  const { header, rest } = splitHeader(bytes2);
  return { opening: header, payload: rest };
}
async function decodePayload(bytes2) {
  const { header, rest } = splitHeader(bytes2);
  const blocks = await Promise.all(header.blocks.map((block) => decodeBlock(rest, 0, block)));
  const panels = header.panels.map((panel) => {
    const arrays = {};
    const shapes = {};
    for (const [name, number] of Object.entries(panel.arrays)) {
      arrays[name] = blocks[number].array;
      shapes[name] = blocks[number].shape;
    }
    const ghosts = panel.ghosts.map((ghost) => ({
      name: ghost.name,
      nll: blocks[ghost.nll].array,
      n_clusters: blocks[ghost.k].array
    }));
    return { ...panel, ...arrays, shapes, ghosts };
  });
  return { sync: header.sync, partial: header.partial, progress: header.progress, colors: header.colors, panels };
}

// player/assets/nodes.js
var SVG = "http://www.w3.org/2000/svg";
var element = (tag, ...content) => filled(document.createElement(tag), ...content);
var svg = (tag, ...content) => filled(document.createElementNS(SVG, tag), ...content);
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
var ICONS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  first: "M5 5h2.5v14H5zM19 5v14L9 12z",
  last: "M16.5 5H19v14h-2.5zM5 5v14l10-7z",
  back: "M16.5 5v14L6.5 12z",
  forward: "M7.5 5v14l10-7z",
  back10: "M12 5v14L3 12zM21 5v14l-9-7z",
  forward10: "M12 5v14l9-7zM3 5v14l9-7z",
  loop: "M7 7h9V4l5 4.5L16 13v-3H9v3H7zM17 17H8v3l-5-4.5L8 11v3h7v-3h2z",
  slow: "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18zm0 2.2a6.8 6.8 0 1 1 0 13.6a6.8 6.8 0 0 1 0-13.6zM11 7.5h2v4.6l3 2.3-1.2 1.6-3.8-2.9z",
  box: "M4 4h5v2H6v3H4zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z",
  legend: "M4 5h4v4H4zM10 6h10v2H10zM4 10.5h4v4H4zM10 11.5h10v2H10zM4 16h4v4H4zM10 17h10v2H10z",
  home: "M12 4l8 7h-2.5v8h-4v-5h-3v5h-4v-8H4z",
  save: "M11 4h2v8l3-3 1.4 1.4L12 15.8l-5.4-5.4L8 9l3 3zM5 18h14v2H5z",
  charts: "M4 4h2v14h14v2H4zM8.5 14.6l3.6-5 3 2.6L19 6l1.6 1.2-5.2 7.9-3-2.6-2.4 3.3z",
  view: "M12 5c5 0 8.6 4.4 10 7-1.4 2.6-5 7-10 7s-8.6-4.4-10-7c1.4-2.6 5-7 10-7zm0 3a4 4 0 1 0 0 8a4 4 0 0 0 0-8z",
  full: "M4 4h6v2H7.4l3.1 3.1-1.4 1.4L6 7.4V10H4zM14 4h6v6h-2V7.4l-3.1 3.1-1.4-1.4L16.6 6H14zM4 14h2v2.6l3.1-3.1 1.4 1.4L7.4 18H10v2H4zM18 14h2v6h-6v-2h2.6l-3.1-3.1 1.4-1.4 3.1 3.1z",
  speak: "M4 9h4l5-4.5v15L8 15H4zM15.5 8.2a5 5 0 0 1 0 7.6l-1.2-1.4a3.2 3.2 0 0 0 0-4.8zM18 5.4a8.6 8.6 0 0 1 0 13.2l-1.2-1.4a6.8 6.8 0 0 0 0-10.4z",
  more: "M4 10h4v4H4zM10 10h4v4h-4zM16 10h4v4h-4z",
  keys: "M4 6h16v12H4zm2 2v2h2V8zm4 0v2h2V8zm4 0v2h2V8zM7 14h10v2H7z"
};
function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name], "fill-rule": "evenodd" }));
}
function iconButton(name, label, keys = "") {
  const title = keys ? `${label} (${keys})` : label;
  return element("button", { type: "button", class: "icon", "aria-label": label, title }, icon(name));
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

// stage/engines.js
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

// player/assets/theme.js
var colorProbe = null;
var parsedColors = /* @__PURE__ */ new Map();
function parseColor(css, fallback) {
  const key = `${css} ${fallback}`;
  if (!parsedColors.has(key)) parsedColors.set(key, probedColor(css, fallback));
  return parsedColors.get(key);
}
function probedColor(css, fallback) {
  colorProbe ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  colorProbe.canvas.width = 1;
  colorProbe.canvas.height = 1;
  colorProbe.fillStyle = fallback;
  colorProbe.fillStyle = css;
  colorProbe.fillRect(0, 0, 1, 1);
  return Array.from(colorProbe.getImageData(0, 0, 1, 1).data.subarray(0, 3));
}
function mixColors(from, to, share) {
  return from.map((channel, i) => Math.round(channel + (to[i] - channel) * share));
}
function cssColor([red, green, blue], alpha = 1) {
  return alpha === 1 ? `rgb(${red}, ${green}, ${blue})` : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}
function packColor([red, green, blue]) {
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}
function brightness([red, green, blue]) {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
var VARIANTS = 4;
var READABLE = 4.8;
function contrast(one, other) {
  const luminance = (color) => {
    const [red, green, blue] = color.map((channel) => {
      const value = channel / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
function quietText(text, background) {
  let share = 0.38;
  while (share > 0 && contrast(mixColors(text, background, share), background) < READABLE) share -= 0.02;
  return mixColors(text, background, Math.max(0, share));
}
function readTheme(element2, colors, scale) {
  const style = getComputedStyle(element2);
  const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const variable = (name, light, dark2) => {
    const value = style.getPropertyValue(`--st-${name}`).trim();
    return value && value !== "unset" ? value : prefersDark ? dark2 : light;
  };
  const background = parseColor(variable("background-color", "#ffffff", "#0e1117"), "#ffffff");
  const text = parseColor(variable("text-color", "#31333f", "#fafafa"), "#31333f");
  const dark = brightness(background) < 128;
  const enlarged = scale * parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
  const font = variable("font", "system-ui, sans-serif", "system-ui, sans-serif");
  const clusters = (colors?.[dark ? "dark" : "light"] ?? []).map((color) => parseColor(color, "#888888"));
  return {
    dark,
    background,
    text,
    muted: quietText(text, background),
    faint: mixColors(text, background, 0.7),
    grid: mixColors(text, background, dark ? 0.88 : 0.91),
    accent: parseColor(variable("primary-color", "#0072b2", "#4aa3e0"), "#0072b2"),
    font,
    scale: enlarged,
    type: (size, weight = "") => `${weight && `${weight} `}${size * enlarged}px ${font}`,
    clusters,
    clusterColor: (track) => clusters[track % clusters.length],
    // Clusters beyond the colours repeat them; the variant tells those of one colour apart.
    clusterVariant: (track) => Math.floor(track / clusters.length) % VARIANTS
  };
}

// player/assets/surface.js
function takeTheme(root, colors, scale = 1) {
  const theme = readTheme(root, colors, scale);
  theme.stamp = JSON.stringify([theme.background, theme.text, theme.font, theme.scale, theme.clusters[0]]);
  for (const name of ["text", "muted", "grid", "background", "accent"]) root.style.setProperty(`--${name}`, cssColor(theme[name]));
  root.style.setProperty("--face", theme.font);
  root.style.setProperty("--scale", theme.scale);
  root.classList.toggle("dark", theme.dark);
  return theme;
}
function drawBoxed(context, theme, text, { x, y }, { half, height, ink = theme.text, edge = null, opacity = 0.9 }) {
  context.beginPath();
  context.roundRect(x - half, y - height / 2, 2 * half, height, 0.3 * height);
  context.fillStyle = cssColor(theme.background, opacity);
  context.fill();
  if (edge) {
    context.strokeStyle = cssColor(edge.color);
    context.lineWidth = edge.width;
    context.stroke();
  }
  Object.assign(context, { fillStyle: cssColor(ink), textAlign: "center", textBaseline: "middle" });
  context.fillText(text, x, y);
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
function nearestStep(steps, rough) {
  const distance = (step) => Math.abs(Math.log(step / rough));
  return steps.reduce((best, step) => distance(step) < distance(best) ? step : best);
}
function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return nearestStep([1, 2, 5, 10].map((factor) => factor * power), rough);
}
function niceTicks(low, high, count, whole = false) {
  if (!(high > low)) return [low];
  let step = niceStep((high - low) / Math.max(1, count));
  if (whole) step = Math.max(1, Math.round(step));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) ticks.push(k * step);
  return ticks;
}
function tickLabels(ticks, step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : Math.abs(ticks[0]) || 1) {
  const largest = Math.max(...ticks.map(Math.abs));
  const [unit, suffix] = largest >= 1e7 ? [1e6, "M"] : largest >= 1e5 ? [1e3, "k"] : [1, ""];
  const decimals = Math.max(0, Math.min(8, Math.ceil(-Math.log10(step / unit) - 1e-9)));
  if (step < 1e-8 || largest >= 1e13) return ticks.map(powerOfTen);
  return ticks.map((tick) => formatFixed(tick / unit, decimals) + (tick === 0 ? "" : suffix));
}
function shortened(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let kept = text.length;
  while (kept > 1 && context.measureText(`${text.slice(0, kept)}…`).width > width) kept -= 1;
  return `${text.slice(0, kept)}…`;
}

// player/assets/sizes.js
var MOST_BANDS = 400;
var OTHERS = MOST_BANDS;
function sizeHistory(panel) {
  const { labels, n_points: count } = panel;
  let top = 0;
  for (let i = 0; i < labels.length; i += 1) if (labels[i] > top) top = labels[i];
  const counts = new Int32Array(top + 1);
  let largest = 0;
  const rows = Array.from({ length: labels.length / count }, (_, row) => {
    counts.fill(0);
    for (let i = row * count; i < (row + 1) * count; i += 1) counts[labels[i]] += 1;
    const entry = { tracks: [], sizes: [], starts: [] };
    let below = 0;
    for (let track = 0; track <= top; track += 1) {
      const size = counts[track];
      if (size === 0) continue;
      if (size > largest) largest = size;
      if (track <= OTHERS || entry.tracks.at(-1) !== OTHERS) {
        entry.tracks.push(Math.min(track, OTHERS));
        entry.sizes.push(size);
        entry.starts.push(below);
      } else entry.sizes[entry.sizes.length - 1] += size;
      below += size;
    }
    return entry;
  });
  return { rows, largest, count };
}
function startOf(history, row, track) {
  const { tracks, starts } = history.rows[row];
  const next = tracks.findIndex((other) => other >= track);
  return next < 0 ? history.count : starts[next];
}
function sizeBands(history) {
  const open = /* @__PURE__ */ new Map();
  const bands = [];
  const last = history.rows.length - 1;
  const close = (band, row) => {
    open.delete(band.track);
    if (row > last) return;
    const at = startOf(history, row, band.track);
    band.rows.push(row);
    band.low.push(at);
    band.high.push(at);
  };
  history.rows.forEach(({ tracks, sizes, starts }, row) => {
    const alive = new Set(tracks);
    for (const band of [...open.values()]) if (!alive.has(band.track)) close(band, row);
    tracks.forEach((track, k) => {
      let band = open.get(track);
      if (!band) {
        const before = row === 0 ? [] : [startOf(history, row - 1, track)];
        band = { track, rows: row === 0 ? [] : [row - 1], low: [...before], high: [...before] };
        open.set(track, band);
        bands.push(band);
      }
      band.rows.push(row);
      band.low.push(starts[k]);
      band.high.push(starts[k] + sizes[k]);
    });
  });
  return bands;
}

// player/assets/slow.js
function visitedLabels(panel, start, step) {
  const labels = Int32Array.from(start);
  const moved = [];
  for (let e = 0; e < step; e += 1) {
    const point = panel.event_points[e];
    labels[point] = panel.event_to[e];
    if (panel.event_to[e] !== panel.event_from[e]) moved.push(point);
  }
  return { labels, moved };
}
function visitOf(panel, event) {
  const candidates2 = [];
  if (panel.event_costs) {
    const width = panel.shapes.event_costs[1];
    for (let c = 0; c < width; c += 1) {
      const cost = panel.event_costs[event * width + c];
      if (Number.isFinite(cost)) candidates2.push({ track: panel.event_candidates[event * width + c], cost });
    }
  }
  return { point: panel.event_points[event], from: panel.event_from[event], to: panel.event_to[event], candidates: candidates2 };
}
function visitCurves(panel, start, nllBefore) {
  const sizes = /* @__PURE__ */ new Map();
  for (const track of start) sizes.set(track, (sizes.get(track) ?? 0) + 1);
  const clusters = [sizes.size];
  const moved = [0];
  panel.event_points.forEach((_, e) => {
    const [from, to] = [panel.event_from[e], panel.event_to[e]];
    if (from !== to) {
      if (sizes.get(from) === 1) sizes.delete(from);
      else sizes.set(from, sizes.get(from) - 1);
      sizes.set(to, (sizes.get(to) ?? 0) + 1);
    }
    clusters.push(sizes.size);
    moved.push(moved[e] + (from === to ? 0 : 1));
  });
  const nll = panel.event_nll && [nllBefore, ...panel.event_nll];
  return { n_clusters: clusters, n_moved: moved, nll };
}
function shapesOf(panel, row, prefix = "ellipse") {
  const offsets = panel[`${prefix}_offsets`];
  const shapes = [];
  for (let e = offsets[row]; e < offsets[row + 1]; e += 1) {
    const [x, y] = panel[`${prefix}_centers`].subarray(2 * e, 2 * e + 2);
    const [xx, xy, yy] = panel[`${prefix}_scales`].subarray(3 * e, 3 * e + 3);
    const [inner, outer] = panel[`${prefix}_factors`].subarray(2 * e, 2 * e + 2);
    shapes.push({ track: panel[`${prefix}_tracks`][e], x, y, xx, xy, yy, inner, outer });
  }
  return shapes;
}
function visitedShapes(panel, row, labels, step) {
  const shapes = new Map(shapesOf(panel, row).map((shape) => [shape.track, shape]));
  if (panel.event_ellipse_offsets) {
    for (let e = 0; e < step; e += 1) {
      for (const shape of shapesOf(panel, e, "event_ellipse")) shapes.set(shape.track, shape);
    }
  }
  const alive = new Set(labels);
  return [...shapes.values()].filter((shape) => alive.has(shape.track));
}

// player/assets/run.js
var Run = class {
  constructor(decoded) {
    Object.assign(this, decoded);
    this.histories = [];
    this.lifetimes = [];
    this.last = Math.max(...this.panels.map((panel) => panel.n_sweeps));
    this.setSync(decoded.sync);
  }
  setSync(sync) {
    this.sync = sync;
    this.elapsed = this.panels.map((panel) => {
      let sum2 = 0;
      return Float64Array.from(panel.seconds, (seconds) => sum2 += seconds);
    });
    this.duration = Math.max(...this.elapsed.map((elapsed) => elapsed[elapsed.length - 1]));
  }
  sweepAt(number, frame) {
    const sweeps = this.panels[number].n_sweeps;
    if (this.sync === "fraction") return Math.round(frame / Math.max(1, this.last) * sweeps);
    if (this.sync === "seconds" && this.duration > 0) {
      const time = this.frameTime(frame) * (1 + 1e-9);
      return lastNotAfter(this.elapsed[number], time);
    }
    return Math.min(frame, sweeps);
  }
  frameTime(frame) {
    return frame / Math.max(1, this.last) * this.duration;
  }
  // Horizontal position of a panel's sweep on the charts, in frames.
  frameOfSweep(number, sweep) {
    if (this.sync === "fraction") return sweep / Math.max(1, this.panels[number].n_sweeps) * this.last;
    if (this.sync === "seconds" && this.duration > 0) {
      return this.elapsed[number][sweep] / this.duration * this.last;
    }
    return sweep;
  }
  rowAt(number, sweep) {
    return lastNotAfter(this.panels[number].label_sweeps, sweep);
  }
  labelsOfRow(number, row) {
    const panel = this.panels[number];
    return panel.labels.subarray(row * panel.n_points, (row + 1) * panel.n_points);
  }
  // What a panel shows at a frame: { sweep, row, labels, moved, shapes, visit }.
  snapshot(number, frame) {
    const sweep = this.sweepAt(number, frame);
    const row = this.rowAt(number, sweep);
    const labels = this.labelsOfRow(number, row);
    const recorded = this.panels[number].label_sweeps[row] === sweep;
    const moved = row > 0 && recorded ? changedPoints(labels, this.labelsOfRow(number, row - 1)) : [];
    const shapes = this.panels[number].ellipse_offsets && shapesOf(this.panels[number], row);
    return { sweep, row, labels, moved, shapes, visit: null };
  }
  // Slow motion: what the panel shows after `step` visits of the recorded sweep.
  slowSnapshot(number, step) {
    const panel = this.panels[number];
    const row = this.rowAt(number, panel.events_sweep - 1);
    const { labels, moved } = visitedLabels(panel, this.labelsOfRow(number, row), step);
    const shapes = panel.ellipse_offsets && visitedShapes(panel, row, labels, step);
    return { sweep: panel.events_sweep, row, labels, moved, shapes, visit: step > 0 ? visitOf(panel, step - 1) : null };
  }
  // The curves of slow motion, one value per visit and one before the first.
  visits() {
    const number = this.slowPanel();
    const panel = this.panels[number];
    const row = this.rowAt(number, panel.events_sweep - 1);
    this.visited ??= visitCurves(panel, this.labelsOfRow(number, row), panel.nll[panel.events_sweep - 1]);
    return this.visited;
  }
  // Sizes at every recorded sweep, and the lifetimes they make; counted when they are first asked for.
  sizes(number) {
    return this.histories[number] ??= sizeHistory(this.panels[number]);
  }
  bands(number) {
    return this.lifetimes[number] ??= sizeBands(this.sizes(number));
  }
  // Largest cluster of any sweep, so that size bars keep one scale throughout.
  largestCluster() {
    this.largest ??= Math.max(...this.panels.map((_, number) => this.sizes(number).largest));
    return this.largest;
  }
  slowPanel() {
    return this.panels.findIndex((panel) => panel.event_points !== void 0);
  }
};
function lastNotAfter(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
function changedPoints(labels, before) {
  const moved = [];
  for (let i = 0; i < labels.length; i += 1) if (labels[i] !== before[i]) moved.push(i);
  return moved;
}

// player/assets/turns.js
var NAMES = ["x", "y"];
var PARTS = [1, 2, 3, 4, 6, 7, 8, 12, 24];
var EVERYWHERE = [-Infinity, Infinity];
var FAR = [-1e4, 1e4];
var OWN = /* @__PURE__ */ new WeakMap();
var periodOf = (panel, axis) => panel.periods?.[axis] ?? 0;
function own(panel, axis) {
  if (!OWN.has(panel)) OWN.set(panel, [panel.x, panel.y].map((places, k) => ({ places, isBelow: places.some((value) => value + panel.origin[k] < 0) })));
  return OWN.get(panel)[axis];
}
function wholeTurn(panel, axis) {
  const period = periodOf(panel, axis);
  const first = (own(panel, axis).isBelow ? -period / 2 : 0) - panel.origin[axis];
  return [first, first + period];
}
var within = (value, low, period) => value - period * Math.floor((value - low) / period);
function ownPlace(panel, axis, value) {
  const period = periodOf(panel, axis);
  return period > 0 ? within(value, wholeTurn(panel, axis)[0], period) : value;
}
function ticksOfTurn(panel, axis, low, high, count) {
  const period = periodOf(panel, axis);
  if (period === 0) return null;
  const first = wholeTurn(panel, axis)[0] + panel.origin[axis];
  const rough = (high - low) / count;
  const steps = PARTS.map((parts) => period / parts).filter(Number.isInteger);
  const whole = rough >= period ? period : rough >= Math.min(...steps) / 2 ? nearestStep(steps, rough) : 0;
  const step = whole || niceStep(rough);
  const end = first + period - (whole ? 1e-9 * period : step / 2);
  const apart = Math.max(1, Math.round(rough / period));
  const at = [];
  for (let turn = apart * Math.floor((low - first) / period / apart); first + turn * period <= high; turn += apart) {
    const start = turn * period;
    for (let k = Math.ceil(Math.max(first, low - start) / step - 1e-9); k * step < end && start + k * step <= high + 1e-9 * step; k += 1) at.push(start + k * step);
  }
  return { at, step };
}
var shownTurn = (panel, view, axis) => wholeTurn(panel, axis).map((end) => end + view.moved[axis]);
function turnTo(panel, view) {
  for (const axis of [0, 1]) {
    const period = periodOf(panel, axis);
    if (period === 0) continue;
    const [low] = shownTurn(panel, view, axis);
    panel[NAMES[axis]] = own(panel, axis).places.map((value) => within(value, low, period));
  }
}
function meanPlaces(panel, labels, axis) {
  const period = periodOf(panel, axis);
  const unit = 2 * Math.PI / period;
  const sums = /* @__PURE__ */ new Map();
  const places = panel[NAMES[axis]];
  let low = Infinity;
  places.forEach((place, i) => {
    if (!sums.has(labels[i])) sums.set(labels[i], [0, 0]);
    const sum2 = sums.get(labels[i]);
    sum2[0] += Math.sin(unit * place);
    sum2[1] += Math.cos(unit * place);
    low = Math.min(low, place);
  });
  return new Map(Array.from(sums, ([track, [sine, cosine]]) => [track, within(Math.atan2(sine, cosine) / unit, low, period)]));
}
function shownPlace(panel, view, place) {
  return place.map((value, axis) => periodOf(panel, axis) ? within(value, shownTurn(panel, view, axis)[0], periodOf(panel, axis)) : value);
}
function drawInTurns(context, panel, view, projection, draw) {
  const period = periodOf(panel, 0);
  if (period === 0) return draw(projection);
  const [first] = wholeTurn(panel, 0);
  const [low, high] = shownTurn(panel, view, 0);
  const begun = period * Math.floor((low - first) / period);
  drawWithin(context, projection, [[low, high], EVERYWHERE], () => {
    for (const shift of [begun, begun + period]) draw({ x: (value) => projection.x(value + shift), y: (value) => projection.y(value) });
  });
}
function drawAround(context, panel, view, projection, { place, reach, bent }, draw) {
  const [across, up] = place.map((at, axis) => partsInTurn(panel, view, axis, at, reach[axis], bent));
  for (const x of across) {
    for (const y of up) drawWithin(context, projection, [x.ends, y.ends], () => draw([x.at, y.at]));
  }
}
function partsInTurn(panel, view, axis, at, reach, bent) {
  const period = periodOf(panel, axis);
  if (period === 0) return [{ at, ends: EVERYWHERE }];
  const [low, high] = shownTurn(panel, view, axis);
  return [-period, 0, period].map((shift) => within(at, low, period) + shift).flatMap((middle) => {
    const [first, last] = bent ? [middle - period / 2, middle + period / 2] : wholeTurn(panel, axis).map((end) => end + middle - at);
    const ends = [Math.max(low, first), Math.min(high, last)];
    const [from, to] = [middle - reach, middle + reach];
    if (Math.max(from, ends[0]) >= Math.min(to, ends[1])) return [];
    return [{ at: middle, ends: ends[0] <= from && to <= ends[1] ? EVERYWHERE : ends }];
  });
}
function drawWithin(context, projection, [across, up], draw) {
  if (across === EVERYWHERE && up === EVERYWHERE) return draw();
  const [left, right] = across === EVERYWHERE ? FAR : across.map((value) => projection.x(value));
  const [bottom, top] = up === EVERYWHERE ? FAR : up.map((value) => projection.y(value));
  context.save();
  context.beginPath();
  context.rect(left, Math.min(bottom, top), right - left, Math.abs(top - bottom));
  context.clip();
  draw();
  context.restore();
}

// player/assets/view.js
var ROOM = 1.12;
var LARGEST_EQUAL_RATIO = 4;
var View = class {
  constructor(panel) {
    this.oneColumn = panel.one_column;
    this.extent = dataExtent(panel);
    this.bounds = this.home(1, 1, 0);
    this.homeWidth = this.bounds[1] - this.bounds[0];
    this.atHome = true;
    this.moved = [0, 0];
    this.version = 0;
  }
  // Bounds [x low, x high, y low, y high] for a rectangle of this size; equal scales where the units allow. The data
  // keep out of `reserved` pixels on the right, where something lies over the plot.
  home(width, height, reserved) {
    const [xLow, xHigh, yLow, yHigh] = this.extent;
    const free = Math.max(width / 2, width - reserved);
    const widened = (low, range) => [low, low + range * width / free];
    if (this.oneColumn) {
      return [...widened(xLow - 0.04 * (xHigh - xLow), 1.08 * (xHigh - xLow)), 0, yHigh * 1.3];
    }
    let xRange = (xHigh - xLow) * ROOM;
    let yRange = (yHigh - yLow) * ROOM;
    const ratio = xRange / yRange;
    if (ratio <= LARGEST_EQUAL_RATIO && ratio >= 1 / LARGEST_EQUAL_RATIO) {
      const unit = Math.max(xRange / free, yRange / height);
      xRange = unit * free;
      yRange = unit * height;
    }
    const xMiddle = (xLow + xHigh) / 2;
    const yMiddle = (yLow + yHigh) / 2;
    return [...widened(xMiddle - xRange / 2, xRange), yMiddle - yRange / 2, yMiddle + yRange / 2];
  }
  fit(width, height, reserved) {
    if (!this.atHome) return;
    const home = this.home(width, height, reserved);
    this.homeWidth = home[1] - home[0];
    this.set(home, true);
  }
  set(bounds, atHome = false) {
    const changed = bounds.some((edge, i) => edge !== this.bounds[i]);
    this.bounds = bounds;
    this.atHome = atHome;
    if (atHome) this.moved = [0, 0];
    if (changed) this.version += 1;
  }
  // Move by a share of the visible range.
  pan(dx, dy) {
    const [xLow, xHigh, yLow, yHigh] = this.bounds;
    const x = dx * (xHigh - xLow);
    const y = this.oneColumn ? 0 : dy * (yHigh - yLow);
    this.moved = [this.moved[0] + x, this.moved[1] + y];
    this.set([xLow + x, xHigh + x, yLow + y, yHigh + y]);
  }
  // Zoom by a factor (> 1 is closer) around a data point.
  zoom(factor, x, y) {
    const [xLow, xHigh, yLow, yHigh] = this.bounds;
    const [left, right] = this.extent;
    const closest = (right - left) / 2e3;
    const farthest = (right - left) * 20;
    const limited = Math.min(Math.max((xHigh - xLow) / factor, closest), farthest) / (xHigh - xLow);
    const vertical = this.oneColumn ? [yLow, yHigh] : [y + (yLow - y) * limited, y + (yHigh - y) * limited];
    this.set([x + (xLow - x) * limited, x + (xHigh - x) * limited, ...vertical]);
  }
  // How much closer than home the view is.
  closeness() {
    return this.homeWidth / (this.bounds[1] - this.bounds[0]);
  }
};
function dataExtent(panel) {
  const extent = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < panel.n_points; i += 1) {
    extent[0] = Math.min(extent[0], panel.x[i]);
    extent[1] = Math.max(extent[1], panel.x[i]);
    extent[2] = Math.min(extent[2], panel.y[i]);
    extent[3] = Math.max(extent[3], panel.y[i]);
  }
  for (const axis of [0, 1]) if (periodOf(panel, axis)) extent.splice(2 * axis, 2, ...wholeTurn(panel, axis));
  for (const low of [0, 2]) {
    if (extent[low] === extent[low + 1]) {
      const room = Math.abs(extent[low]) * 0.1 || 1;
      extent[low] -= room;
      extent[low + 1] += room;
    }
  }
  return extent;
}
var Projection = class {
  constructor(bounds, rect) {
    const [xLow, xHigh, yLow, yHigh] = bounds;
    this.scaleX = rect.width / (xHigh - xLow);
    this.scaleY = rect.height / (yHigh - yLow);
    this.offsetX = rect.x - xLow * this.scaleX;
    this.offsetY = rect.y + rect.height + yLow * this.scaleY;
  }
  x(value) {
    return this.offsetX + value * this.scaleX;
  }
  y(value) {
    return this.offsetY - value * this.scaleY;
  }
  dataX(pixel) {
    return (pixel - this.offsetX) / this.scaleX;
  }
  dataY(pixel) {
    return (this.offsetY - pixel) / this.scaleY;
  }
};

// player/assets/canvas.js
var Canvas = class {
  constructor(canvas, overlay = null) {
    Object.assign(this, { canvas, overlay });
  }
  // `more`: what else the picture is laid out by. Returns whether anything is other than before.
  resize(width, height, ratio, ...more) {
    const size = [width, height, ratio, ...more].join();
    if (size === this.size) return false;
    this.size = size;
    for (const canvas of [this.canvas, this.overlay]) {
      if (!canvas) continue;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    Object.assign(this, { width, height, ratio });
    return true;
  }
  // What draws on one of them, empty, in pixels of the page.
  emptied(canvas) {
    const context = canvas.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    return context;
  }
};

// player/assets/regions.js
var FACTOR = 6;
var CHECK = 2;
var WEIGHTS = Array.from({ length: FACTOR }, (_, k) => {
  const t = (k + 0.5) / FACTOR - 0.5;
  return [0.5 * (0.5 - t) ** 2, 0.75 - t ** 2, 0.5 * (0.5 + t) ** 2];
});
function strongest(labels, margins, across, up) {
  const sums = /* @__PURE__ */ new Map();
  labels.forEach((label, k) => {
    const weight = margins[k] * across[k % 3] * up[Math.floor(k / 3)];
    sums.set(label, (sums.get(label) ?? 0) + weight);
  });
  let best = labels[4];
  for (const [label, sum2] of sums) if (sum2 > sums.get(best)) best = label;
  return best;
}
function smoothLabels(values, margins, nx, ny) {
  const width = nx * FACTOR;
  const pixels = new Int32Array(width * ny * FACTOR);
  const at = (row, column) => Math.min(ny - 1, Math.max(0, row)) * nx + Math.min(nx - 1, Math.max(0, column));
  for (let row = 0; row < ny; row += 1) {
    for (let column = 0; column < nx; column += 1) {
      const cells = Array.from({ length: 9 }, (_, k) => at(row + Math.floor(k / 3) - 1, column + k % 3 - 1));
      const around = cells.map((cell) => values[cell]);
      const leads = cells.map((cell) => margins?.[cell] ?? 1);
      const uniform = around.every((label) => label === around[4]);
      for (let y = 0; y < FACTOR; y += 1) {
        const start = ((ny - row) * FACTOR - 1 - y) * width + column * FACTOR;
        for (let x = 0; x < FACTOR; x += 1) {
          pixels[start + x] = uniform ? around[4] : strongest(around, leads, WEIGHTS[x], WEIGHTS[y]);
        }
      }
    }
  }
  return { pixels, width, height: ny * FACTOR };
}
function regionCanvas(values, margins, nx, ny, theme) {
  const { pixels, width, height } = smoothLabels(values, margins, nx, ny);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const image = new ImageData(width, height);
  pixels.forEach((label, k) => {
    const isNew = label < 0;
    const check = Math.floor(k / width / FACTOR / CHECK) + Math.floor(k % width / FACTOR / CHECK);
    const plain = isNew || theme.clusterVariant(label) === 0 || check % 2 === 0;
    image.data.set(isNew ? theme.muted : theme.clusterColor(label), 4 * k);
    image.data[4 * k + 3] = isNew ? 20 : plain ? 46 : 12;
  });
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

// player/assets/backdrop.js
var Backdrop = class {
  constructor(scatter) {
    this.scatter = scatter;
    this.panel = scatter.panel;
    this.images = {};
  }
  draw(context, projection) {
    this.ticks = this.axisTicks();
    this.drawGround(context, projection);
    this.drawGrid(context, projection);
    this.drawAxes(context, projection);
  }
  // Changes when another frame of an image is due, or other words about it.
  imageKey() {
    return [...this.shownImages().map((kind) => this.imageFrame(kind)), this.imageText()].join();
  }
  shownImages() {
    return ["region", "density"].filter((kind) => this.scatter.options[kind] && this.panel[`${kind}_image`]);
  }
  // Which sweep an image belongs to: that of the playhead, or the nearest that has one.
  imageText() {
    const { sweep } = this.scatter.snapshot;
    const names = /* @__PURE__ */ new Map();
    for (const kind of this.shownImages()) {
      const drawn = this.panel[`${kind}_sweeps`][this.imageFrame(kind)];
      names.set(drawn, [...names.get(drawn) ?? [], kind]);
    }
    return Array.from(names, ([drawn, kinds]) => {
      const relation = drawn === sweep ? "this" : drawn < sweep ? "before" : "first";
      return say(`player.image_of_${relation}`, { images: say(`player.images_${kinds.join("_")}`), sweep: drawn });
    }).join("; ");
  }
  imageFrame(kind) {
    const sweeps = this.panel[`${kind}_sweeps`];
    return sweeps ? lastNotAfter(sweeps, this.scatter.snapshot.sweep) : -1;
  }
  drawGround(context, projection) {
    const { plot, theme } = this.scatter;
    context.save();
    this.scatter.clip(context);
    context.fillStyle = cssColor(theme.background);
    context.fillRect(plot.x, plot.y, plot.width, plot.height);
    for (const kind of this.shownImages()) this.drawImageLayer(context, projection, kind);
    context.restore();
  }
  drawGrid(context, projection) {
    const { plot, theme } = this.scatter;
    context.strokeStyle = cssColor(theme.text, 0.1);
    context.lineWidth = 1;
    context.beginPath();
    for (const tick of this.ticks.x.at) {
      const x = Math.round(projection.x(tick)) + 0.5;
      context.moveTo(x, plot.y);
      context.lineTo(x, plot.y + plot.height);
    }
    for (const tick of this.ticks.y.at) {
      const y = Math.round(projection.y(tick)) + 0.5;
      context.moveTo(plot.x, y);
      context.lineTo(plot.x + plot.width, y);
    }
    context.stroke();
  }
  axisTicks() {
    const { plot } = this.scatter;
    const [xLow, xHigh, yLow, yHigh] = this.scatter.view.bounds;
    const ticks = (low, high, axis, count) => {
      const origin = this.panel.origin[axis] ?? 0;
      const ends = [low + origin, high + origin];
      const { at: named, step } = ticksOfTurn(this.panel, axis, ...ends, count) ?? { at: niceTicks(...ends, count) };
      const at = named.map((tick) => tick - origin);
      return { at, text: tickLabels(at.map((tick) => ownPlace(this.panel, axis, tick) + origin), step) };
    };
    return {
      x: ticks(xLow, xHigh, 0, Math.max(2, plot.width / (90 * this.scatter.theme.scale))),
      y: ticks(yLow, yHigh, 1, Math.max(2, plot.height / (64 * this.scatter.theme.scale)))
    };
  }
  drawAxes(context, projection) {
    const { panel } = this;
    const { plot, theme, height } = this.scatter;
    context.font = theme.type(12);
    context.fillStyle = cssColor(theme.muted);
    context.textBaseline = "top";
    context.textAlign = "center";
    this.ticks.x.at.forEach((tick, k) => {
      context.fillText(this.ticks.x.text[k], projection.x(tick), plot.y + plot.height + 5 * theme.scale);
    });
    context.textBaseline = "middle";
    context.textAlign = "right";
    this.ticks.y.at.forEach((tick, k) => context.fillText(this.ticks.y.text[k], plot.x - 6, projection.y(tick)));
    context.fillStyle = cssColor(theme.text);
    context.textBaseline = "alphabetic";
    const yName = panel.one_column ? say("player.images_density") : panel.axis_names[1] ?? "";
    context.fillText(shortened(context, panel.axis_names[0], plot.width), plot.x + plot.width, height - 3);
    context.textAlign = "left";
    const words = this.imageText();
    context.fillText(shortened(context, yName, plot.width * (words ? 0.4 : 1)), 4, plot.y - 9);
    context.fillStyle = cssColor(theme.muted);
    context.textAlign = "right";
    if (words) context.fillText(shortened(context, words, plot.width * 0.6), plot.x + plot.width, plot.y - 9);
  }
  drawImageLayer(context, projection, kind) {
    const frame = this.imageFrame(kind);
    const { theme } = this.scatter;
    const key = `${frame},${theme.stamp}`;
    if (this.images[kind]?.key !== key) {
      this.images[kind] = { key, canvas: imageCanvas(this.panel, kind, frame, theme) };
    }
    const [xLow, xHigh, yLow, yHigh] = this.panel[`${kind}_extent`];
    const x = projection.x(xLow);
    const y = projection.y(yHigh);
    context.imageSmoothingEnabled = true;
    const [width, height] = [projection.x(xHigh) - x, projection.y(yLow) - y];
    const { canvas } = this.images[kind];
    context.drawImage(canvas, x, y, width, height);
    this.continueImage(context, canvas, { x, y, width, height });
  }
  // Beyond its extent a map goes on with the values of its edge, to the edges of the plot.
  continueImage(context, canvas, box) {
    const { plot } = this.scatter;
    const columns = spans(plot.x, plot.x + plot.width, box.x, box.x + box.width, canvas.width);
    const rows = spans(plot.y, plot.y + plot.height, box.y, box.y + box.height, canvas.height);
    for (const column of columns) {
      for (const row of rows) {
        const inside = column.size === canvas.width && row.size === canvas.height;
        if (inside || column.length <= 0 || row.length <= 0) continue;
        const part = cutOut(canvas, column.first, row.first, column.size, row.size);
        context.drawImage(part, column.at, row.at, column.length, row.length);
      }
    }
  }
};
function spans(start, end, low, high, cells) {
  return [
    { at: start, length: low - start, first: 0, size: 1 },
    { at: low, length: high - low, first: 0, size: cells },
    { at: high, length: end - high, first: cells - 1, size: 1 }
  ];
}
function cutOut(canvas, x, y, width, height) {
  const part = document.createElement("canvas");
  part.width = width;
  part.height = height;
  part.getContext("2d").drawImage(canvas, x, y, width, height, 0, 0, width, height);
  return part;
}
function imageCanvas(panel, kind, frame, theme) {
  const [, ny, nx] = panel.shapes[`${kind}_image`];
  const values = panel[`${kind}_image`].subarray(frame * ny * nx, (frame + 1) * ny * nx);
  if (kind === "density") return densityCanvas(values, nx, ny, theme);
  const margins = panel.region_margins?.subarray(frame * ny * nx, (frame + 1) * ny * nx);
  return regionCanvas(values, margins, nx, ny, theme);
}
function densityCanvas(values, nx, ny, theme) {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, value);
  const canvas = document.createElement("canvas");
  canvas.width = nx;
  canvas.height = ny;
  const image = new ImageData(nx, ny);
  for (let row = 0; row < ny; row += 1) {
    for (let column = 0; column < nx; column += 1) {
      const at = 4 * ((ny - 1 - row) * nx + column);
      image.data.set(theme.text, at);
      image.data[at + 3] = 110 * Math.sqrt(Math.max(0, values[row * nx + column]) / (largest || 1));
    }
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

// player/assets/crowding.js
var CELL = 12;
var [FAINTEST, STRONGEST] = [0.07, 0.78];
var OPACITIES = Array.from({ length: 12 }, (_, k) => FAINTEST * (STRONGEST / FAINTEST) ** (k / 11));
var [SHADE_ALONE, SHADE_DENSEST] = [0.7, 0.97];
function blurred(counts, columns, rows) {
  const result = new Float32Array(counts.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      let sum2 = 0;
      for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r += 1) {
        for (let c = Math.max(0, column - 1); c <= Math.min(columns - 1, column + 1); c += 1) {
          sum2 += counts[r * columns + c];
        }
      }
      result[row * columns + column] = sum2 / 9;
    }
  }
  return result;
}
function opacityLevels(xs, ys, width, height, radius, ratio) {
  const cell = CELL * ratio;
  const columns = Math.ceil(width / cell) + 1;
  const rows = Math.ceil(height / cell) + 1;
  const counts = new Float32Array(columns * rows);
  const place = (i) => {
    const column = Math.floor(xs[i] / cell);
    const row = Math.floor(ys[i] / cell);
    return column < 0 || row < 0 || column >= columns || row >= rows ? -1 : row * columns + column;
  };
  for (let i = 0; i < xs.length; i += 1) {
    const at = place(i);
    if (at >= 0) counts[at] += 1;
  }
  const layers = blurred(counts, columns, rows).map((count) => count * Math.PI * radius ** 2 / cell ** 2);
  const densest = Math.log1p(layers.reduce((most, count) => Math.max(most, count), 4));
  const levels = layers.map((count) => {
    const shade = SHADE_ALONE + (SHADE_DENSEST - SHADE_ALONE) * Math.log1p(count) / densest;
    return levelOf(1 - (1 - shade) ** (1 / Math.max(1, count)));
  });
  return Uint8Array.from(xs, (_, i) => levels[Math.max(0, place(i))]);
}
function levelOf(opacity) {
  const share = Math.log(opacity / FAINTEST) / Math.log(STRONGEST / FAINTEST);
  return Math.round((OPACITIES.length - 1) * Math.min(1, Math.max(0, share)));
}

// player/assets/markers.js
var MARKER_SHAPES = ["circle", "square", "triangle", "diamond", "plus", "cross", "wedge", "star", "ring"];
var CHOSEN_SHAPES = 8;
var VARIANT_SHAPES = ["circle", "ring", "cross", "triangle"];
function shapeOf(track, byCluster, theme) {
  if (!byCluster) return VARIANT_SHAPES[theme.clusterVariant(track)];
  const count = theme.clusters.length;
  return MARKER_SHAPES[(track % count + 3 * Math.floor(track / count)) % CHOSEN_SHAPES];
}
function shapeTable(byCluster, theme) {
  const length = theme.clusters.length * CHOSEN_SHAPES;
  return Array.from({ length }, (_, track) => MARKER_SHAPES.indexOf(shapeOf(track, byCluster, theme)));
}
function polygon(context, x, y, radius, corners, turn, inner = 1) {
  const steps = inner === 1 ? corners : 2 * corners;
  for (let k = 0; k < steps; k += 1) {
    const angle = turn + 2 * Math.PI * k / steps;
    const r = radius * (k % 2 === 1 ? inner : 1);
    if (k === 0) context.moveTo(x + r * Math.cos(angle), y + r * Math.sin(angle));
    else context.lineTo(x + r * Math.cos(angle), y + r * Math.sin(angle));
  }
  context.closePath();
}
function traceMarker(context, shape, x, y, radius) {
  const up = -Math.PI / 2;
  if (shape === "square") context.rect(x - 0.86 * radius, y - 0.86 * radius, 1.72 * radius, 1.72 * radius);
  else if (shape === "triangle") polygon(context, x, y, 1.3 * radius, 3, up);
  else if (shape === "wedge") polygon(context, x, y, 1.3 * radius, 3, -up);
  else if (shape === "diamond") polygon(context, x, y, 1.25 * radius, 4, up);
  else if (shape === "plus") polygon(context, x, y, 1.3 * radius, 4, up, 0.32);
  else if (shape === "cross") polygon(context, x, y, 1.35 * radius, 4, up / 2, 0.34);
  else if (shape === "star") polygon(context, x, y, 1.35 * radius, 5, up, 0.45);
  else {
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
  if (shape === "ring") {
    context.moveTo(x + 0.5 * radius, y);
    context.arc(x, y, 0.5 * radius, 0, 2 * Math.PI);
  }
}
function makeMask(draw, radius) {
  const half = Math.ceil(radius * 1.4) + 2;
  const size = 2 * half + 1;
  const canvas = document.createElement("canvas");
  canvas.width = size;
  canvas.height = size;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.beginPath();
  draw(context, half + 0.5, half + 0.5);
  const data = context.getImageData(0, 0, size, size).data;
  const dx = [];
  const dy = [];
  const alpha = [];
  for (let k = 0; k < size * size; k += 1) {
    if (data[4 * k + 3] > 8) {
      dx.push(k % size - half);
      dy.push(Math.floor(k / size) - half);
      alpha.push(data[4 * k + 3]);
    }
  }
  const pixels = { dx: Int32Array.from(dx), dy: Int32Array.from(dy), alpha: Int32Array.from(alpha) };
  return { half, ...pixels, stride: 0, fainter: OPACITIES.map((share) => pixels.alpha.map((value) => value * share)) };
}
function markerMask(shape, radius) {
  return makeMask((context, x, y) => {
    traceMarker(context, shape, x, y, radius);
    context.fill("evenodd");
  }, radius);
}
function ringMask(radius, width) {
  return makeMask((context, x, y) => {
    context.lineWidth = width;
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
  }, radius + width);
}
function offsetsFor(mask, stride) {
  if (mask.stride !== stride) {
    mask.stride = stride;
    mask.offsets = Int32Array.from(mask.dx, (dx, k) => mask.dy[k] * stride + dx);
  }
  return mask.offsets;
}
function stamp(pixels, width, height, mask, x, y, color, level) {
  const { half } = mask;
  const alpha = level < 0 ? mask.alpha : mask.fainter[level];
  const redBlue = color & 16711935;
  const green = color & 65280;
  if (x < half || y < half || x >= width - half || y >= height - half) {
    stampAtEdge(pixels, width, height, mask, alpha, x, y, redBlue, green);
    return;
  }
  const offsets = offsetsFor(mask, width);
  const center = y * width + x;
  for (let k = 0; k < offsets.length; k += 1) blend(pixels, center + offsets[k], alpha[k], redBlue, green);
}
function stampAtEdge(pixels, width, height, mask, alpha, x, y, redBlue, green) {
  if (x < -mask.half || y < -mask.half || x >= width + mask.half || y >= height + mask.half) return;
  for (let k = 0; k < mask.dx.length; k += 1) {
    const column = x + mask.dx[k];
    const row = y + mask.dy[k];
    if (column >= 0 && column < width && row >= 0 && row < height) {
      blend(pixels, row * width + column, alpha[k], redBlue, green);
    }
  }
}
function blend(pixels, at, alpha, redBlue, green) {
  const share = alpha + (alpha >> 7);
  const rest = 256 - share;
  const under = pixels[at];
  const newRedBlue = redBlue * share + (under & 16711935) * rest + 8388736 >>> 8 & 16711935;
  const newGreen = green * share + (under & 65280) * rest + 32768 >>> 8 & 65280;
  pixels[at] = (4278190080 | newRedBlue | newGreen) >>> 0;
}

// player/assets/overlay.js
function strokeOver(context, theme, color, width) {
  context.strokeStyle = cssColor(theme.background, 0.75);
  context.lineWidth = width + 2;
  context.stroke();
  context.strokeStyle = cssColor(color);
  context.lineWidth = width;
  context.stroke();
}
function inkOf(theme, track) {
  return mixColors(theme.clusterColor(track), theme.text, 0.25);
}
function ellipseAxes(projection, xx, xy, yy) {
  const a = xx * projection.scaleX ** 2;
  const b = -xy * projection.scaleX * projection.scaleY;
  const c = yy * projection.scaleY ** 2;
  const middle = (a + c) / 2;
  const spread = Math.hypot((a - c) / 2, b);
  return [Math.sqrt(middle + spread), Math.sqrt(Math.max(0, middle - spread)), 0.5 * Math.atan2(2 * b, a - c)];
}
function drawEllipses(context, panel, view, { shapes, labels }, projection, theme, withRings = true) {
  const lonely = new Map(clusterMeans(panel, labels).filter(({ count }) => count === 1).map((mean) => [mean.track, mean]));
  for (const shape of shapes) {
    const alone = lonely.get(shape.track);
    if (withRings && !alone) drawRings(context, panel, view, shape, projection, theme);
    const [atX, atY] = shownPlace(panel, view, [(alone ?? shape).x, (alone ?? shape).y]);
    const x = projection.x(atX);
    const y = projection.y(atY);
    drawCentre(context, x, y, shape.track, theme);
    const name = panel.cluster_names[shape.track + 1];
    if (name) drawName(context, name, x, y, theme);
  }
}
function drawRings(context, panel, view, { track, x, y, xx, xy, yy, inner, outer }, projection, theme) {
  const [long, short, angle] = ellipseAxes(projection, xx, xy, yy);
  for (const [factor, dash, width] of [[inner, [], 1.75], [outer, [5, 4], 1.25]]) {
    const ring = { place: [x, y], reach: [factor * Math.sqrt(xx), factor * Math.sqrt(yy)], bent: panel.ellipses_bent };
    context.setLineDash(dash);
    drawAround(context, panel, view, projection, ring, ([atX, atY]) => {
      context.beginPath();
      context.ellipse(projection.x(atX), projection.y(atY), long * factor, short * factor, angle, 0, 2 * Math.PI);
      strokeOver(context, theme, inkOf(theme, track), width);
    });
  }
  context.setLineDash([]);
}
function drawName(context, name, x, y, theme) {
  context.font = theme.type(12, "600");
  context.textAlign = "left";
  context.textBaseline = "bottom";
  const text = shortened(context, name, 160);
  context.fillStyle = cssColor(theme.background, 0.75);
  context.fillRect(x + 6, y - 4 - 15 * theme.scale, context.measureText(text).width + 4, 16 * theme.scale);
  context.fillStyle = cssColor(theme.text);
  context.fillText(text, x + 8, y - 4);
}
function drawCentre(context, x, y, track, theme) {
  const ink = inkOf(theme, track);
  context.beginPath();
  if (theme.clusterVariant(track) > 0) {
    traceMarker(context, shapeOf(track, false, theme), x, y, 6);
    context.fillStyle = cssColor(ink);
    context.fill("evenodd");
    strokeOver(context, theme, theme.text, 1);
    return;
  }
  for (const [dx, dy] of [[6, 0], [0, 6]]) {
    context.moveTo(x - dx, y - dy);
    context.lineTo(x + dx, y + dy);
  }
  strokeOver(context, theme, ink, 2);
}
function clusterMeans(panel, labels) {
  const sums = /* @__PURE__ */ new Map();
  for (let i = 0; i < labels.length; i += 1) {
    let sum2 = sums.get(labels[i]);
    if (sum2 === void 0) sums.set(labels[i], sum2 = { count: 0, x: 0, y: 0 });
    sum2.count += 1;
    sum2.x += panel.x[i];
    sum2.y += panel.y[i];
  }
  const means = Array.from(sums, ([track, { count, x, y }]) => ({ track, count, x: x / count, y: y / count }));
  for (const [axis, name] of [[0, "x"], [1, "y"]]) {
    const places = periodOf(panel, axis) ? meanPlaces(panel, labels, axis) : null;
    if (places) for (const mean of means) mean[name] = places.get(mean.track);
  }
  return means;
}
function drawMeans(context, panel, labels, projection, theme) {
  for (const mean of clusterMeans(panel, labels)) {
    drawCentre(context, projection.x(mean.x), projection.y(mean.y), mean.track, theme);
  }
}
function drawDensityCurves(context, panel, row, projection, theme) {
  const size = panel.curve_grid.length;
  const total = new Float64Array(size);
  for (let e = panel.curve_offsets[row]; e < panel.curve_offsets[row + 1]; e += 1) {
    const values = panel.curve_values.subarray(e * size, (e + 1) * size);
    values.forEach((value, g) => total[g] += value);
    traceCurve(context, panel.curve_grid, values, projection);
    context.lineTo(projection.x(panel.curve_grid[size - 1]), projection.y(0));
    context.lineTo(projection.x(panel.curve_grid[0]), projection.y(0));
    context.fillStyle = cssColor(theme.clusterColor(panel.curve_tracks[e]), 0.16);
    context.fill();
    traceCurve(context, panel.curve_grid, values, projection);
    strokeOver(context, theme, inkOf(theme, panel.curve_tracks[e]), 1.75);
  }
  traceCurve(context, panel.curve_grid, total, projection);
  context.setLineDash([5, 4]);
  strokeOver(context, theme, theme.muted, 1.25);
  context.setLineDash([]);
}
function traceCurve(context, grid, values, projection) {
  context.beginPath();
  values.forEach((value, g) => {
    if (g === 0) context.moveTo(projection.x(grid[g]), projection.y(value));
    else context.lineTo(projection.x(grid[g]), projection.y(value));
  });
}
function drawVisit(context, panel, snapshot, projection, theme) {
  const { point, from, to } = snapshot.visit;
  const x = projection.x(panel.x[point]);
  const y = projection.y(panel.y[point]);
  if (to !== from) {
    const mean = clusterMeans(panel, snapshot.labels).find((entry) => entry.track === to);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(projection.x(mean.x), projection.y(mean.y));
    strokeOver(context, theme, theme.clusterColor(to), 2);
  }
  drawHalo(context, x, y, 9, theme.clusterColor(to), theme);
}
function drawHalo(context, x, y, radius, fill2, theme) {
  context.beginPath();
  context.arc(x, y, radius * 0.55, 0, 2 * Math.PI);
  context.fillStyle = cssColor(fill2);
  context.fill();
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  strokeOver(context, theme, theme.text, 1.75);
}

// player/assets/scatter.js
var DIMMED = 0.82;
var MOVED = OPACITIES.length - 1;
var FEW_MOVED = 250;
var Scatter = class extends Canvas {
  constructor(canvas, overlay) {
    super(canvas, overlay);
    this.context = canvas.getContext("2d", { willReadFrequently: true });
    this.backdropKey = null;
    this.maskKey = null;
    this.snapshot = null;
    this.selected = null;
    this.blank = null;
    this.box = null;
    this.drawGuests = null;
    this.marked = false;
    this.hovered = -1;
    this.chosen = -1;
  }
  setData(panel, view) {
    if (this.panel?.points_id !== panel.points_id) {
      this.chosen = -1;
      this.hovered = -1;
    }
    if (this.view !== view || !this.standsBehind(panel)) this.backdropKey = null;
    this.panel = panel;
    this.view = view;
    this.backdropLayer = new Backdrop(this);
  }
  // Whether the axes and the places of the points, which are computed with them, are those of another run as well.
  standsBehind(panel) {
    const before = this.panel;
    if (!before || this.options?.region || this.options?.density) return false;
    const equal = (one, other) => one === other || one.length === other.length && one.every((value, i) => value === other[i]);
    const named = ({ points_id: id, axis_names: names, origin, periods, one_column: single }) => JSON.stringify([id, names, origin, periods, single]);
    return named(before) === named(panel) && equal(before.x, panel.x) && equal(before.y, panel.y);
  }
  // `reserved`: pixels on the right that something lies over.
  resize(width, height, ratio, scale, reserved = 0) {
    if (!super.resize(width, height, ratio, scale, reserved)) return;
    this.reserved = reserved;
    const snap = (value) => Math.round(value * ratio) / ratio;
    this.plot = { x: snap((width < 420 ? 38 : 46) * scale), y: snap(8 + 14 * scale) };
    this.plot.width = snap(width - this.plot.x - 10);
    this.plot.height = snap(height - this.plot.y - 36 * scale);
    this.backdropKey = null;
  }
  projection() {
    this.view.fit(this.plot.width, this.plot.height, this.reserved);
    return new Projection(this.view.bounds, this.plot);
  }
  draw(snapshot, options, theme) {
    this.snapshot = snapshot;
    this.options = options;
    this.theme = theme;
    const projection = this.projection();
    this.prepareBackdrop(projection);
    this.prepareMasks();
    this.pixels.set(this.backdrop);
    this.stampPoints(projection);
    const { ratio, plot, context } = this;
    context.putImageData(this.image, Math.round(plot.x * ratio), Math.round(plot.y * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawMarks(context, projection);
    this.drawOverlay();
  }
  // Background, images and grid as pixels; the axes go straight to the canvas, outside the plot rectangle.
  prepareBackdrop(projection) {
    const { plot, ratio, theme, view } = this;
    const key = [view.version, theme.stamp, plot.width, plot.height, ratio, this.backdropLayer.imageKey()].join();
    if (key === this.backdropKey) return;
    this.backdropKey = key;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    turnTo(this.panel, view);
    this.backdropLayer.draw(this.context, projection);
    const [x, y, width, height] = [plot.x, plot.y, plot.width, plot.height].map((v) => Math.round(v * ratio));
    this.backdrop = new Uint32Array(this.context.getImageData(x, y, width, height).data.buffer);
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.computePositions(projection);
    const [xOrigin, yOrigin] = this.panel.origin;
    const [xLow, xHigh, yLow, yHigh] = view.bounds;
    const bounds = [xLow + xOrigin, xHigh + xOrigin, yLow + yOrigin, yHigh + yOrigin];
    this.overlay.dataset.view = JSON.stringify({ bounds, plot });
  }
  computePositions(projection) {
    const { panel, plot, ratio } = this;
    this.columns = new Int32Array(panel.n_points);
    this.rows = new Int32Array(panel.n_points);
    for (let i = 0; i < panel.n_points; i += 1) {
      this.columns[i] = Math.floor((projection.x(panel.x[i]) - plot.x) * ratio);
      this.rows[i] = Math.floor((projection.y(panel.y[i]) - plot.y) * ratio);
    }
    const { width, height } = this.image;
    this.levels = opacityLevels(this.columns, this.rows, width, height, this.markerRadius() * ratio, ratio);
  }
  markerRadius() {
    const base = Math.min(5, Math.max(1.3, 14 * this.panel.n_points ** -0.2));
    return base * Math.min(2, Math.max(1, this.view.closeness() ** 0.35));
  }
  prepareMasks() {
    const radius = Math.round(this.markerRadius() * this.ratio * 4) / 4;
    const key = `${radius},${this.ratio}`;
    if (key === this.maskKey) return;
    this.maskKey = key;
    this.masks = MARKER_SHAPES.map((shape) => markerMask(shape, radius));
    this.ring = ringMask(radius + 1.25 * this.ratio, 1.25 * this.ratio);
  }
  visibleTracks() {
    return this.options.truth && this.panel.true_tracks ? this.panel.true_tracks : this.snapshot.labels;
  }
  stampPoints() {
    const { panel, theme, columns, rows, levels, masks, selected, pixels } = this;
    const { width, height } = this.image;
    const tracks = this.visibleTracks();
    const colors = theme.clusters.map(packColor);
    const dimmed = theme.clusters.map((color) => packColor(mixColors(color, theme.background, DIMMED)));
    const shapes = shapeTable(this.options.shapes, theme);
    const grey = packColor(mixColors(theme.muted, theme.background, 0.35));
    const maskOf = (track) => masks[shapes[track % shapes.length]];
    for (let i = 0; i < panel.n_points; i += 1) {
      const track = tracks[i] < 0 ? 0 : tracks[i];
      const palette = selected && !selected[i] ? dimmed : colors;
      const color = this.blank?.[i] ? grey : palette[track % palette.length];
      stamp(pixels, width, height, maskOf(track), columns[i], rows[i], color, levels[i]);
    }
    if (!this.options.moved) return;
    const ink = packColor(theme.text);
    const { moved } = this.snapshot;
    const many = moved.length > FEW_MOVED;
    const ringLevel = many ? levelOf(Math.max(0.2, FEW_MOVED / moved.length)) : -1;
    for (const i of moved) {
      const level = many ? levels[i] : MOVED;
      stamp(pixels, width, height, maskOf(tracks[i]), columns[i], rows[i], colors[tracks[i] % colors.length], level);
      stamp(pixels, width, height, this.ring, columns[i], rows[i], ink, ringLevel);
    }
  }
  // Marks over the points, inside the plot rectangle.
  drawMarks(context, projection) {
    const { panel, snapshot, theme, options } = this;
    context.save();
    this.clip(context);
    if (panel.one_column) {
      if (panel.curve_offsets && options.clusters) {
        const drawn = (map) => drawDensityCurves(context, panel, snapshot.row, map, theme);
        drawInTurns(context, panel, this.view, projection, drawn);
      }
    } else if (options.clusters && !options.truth) {
      if (snapshot.shapes) drawEllipses(context, panel, this.view, snapshot, projection, theme, !options.bare);
      else drawMeans(context, panel, snapshot.labels, projection, theme);
    }
    if (snapshot.visit) drawVisit(context, panel, snapshot, projection, theme);
    context.restore();
  }
  clip(context) {
    context.beginPath();
    context.rect(this.plot.x, this.plot.y, this.plot.width, this.plot.height);
    context.clip();
  }
  // The pointer's marks live on their own canvas, so that hovering redraws nothing else.
  drawOverlay() {
    const context = this.overlay.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (this.marked) context.clearRect(0, 0, this.width, this.height);
    this.marked = false;
    if (!this.snapshot) return;
    const projection = this.projection();
    if (this.box) {
      const [x0, x1, y0, y1] = this.box;
      const corner = [projection.x(x0), projection.y(y1)];
      const size = [projection.x(x1) - corner[0], projection.y(y0) - corner[1]];
      context.save();
      this.clip(context);
      context.fillStyle = cssColor(this.theme.accent, 0.08);
      context.strokeStyle = cssColor(this.theme.accent);
      context.fillRect(...corner, ...size);
      context.strokeRect(...corner, ...size);
      context.restore();
    }
    const guests = Boolean(this.drawGuests?.(context, projection));
    this.marked = guests || Boolean(this.box) || this.chosen >= 0 || this.hovered >= 0;
    for (const [point, room] of [[this.chosen, 7], [this.hovered, 4]]) {
      if (point < 0) continue;
      const x = projection.x(this.panel.x[point]);
      const y = projection.y(this.panel.y[point]);
      const color = this.theme.clusterColor(Math.max(0, this.visibleTracks()[point]));
      drawHalo(context, x, y, this.markerRadius() + room, color, this.theme);
    }
  }
  // The same picture as vectors, for SVG: points are paths here.
  drawVector(context) {
    const projection = this.projection();
    const { panel, theme, snapshot } = this;
    this.backdropLayer.draw(context, projection);
    context.save();
    this.clip(context);
    const tracks = this.visibleTracks();
    const radius = this.markerRadius();
    for (let i = 0; i < panel.n_points; i += 1) {
      const track = Math.max(0, tracks[i]);
      const color = theme.clusterColor(track);
      const dim = this.selected && !this.selected[i];
      context.fillStyle = cssColor(dim ? mixColors(color, theme.background, DIMMED) : color);
      context.globalAlpha = OPACITIES[this.levels[i]];
      context.beginPath();
      const shape = shapeOf(track, this.options.shapes, theme);
      traceMarker(context, shape, projection.x(panel.x[i]), projection.y(panel.y[i]), radius);
      context.fill("evenodd");
    }
    context.globalAlpha = 1;
    context.strokeStyle = cssColor(theme.text);
    context.lineWidth = 1.25;
    for (const i of this.options.moved ? snapshot.moved : []) {
      context.beginPath();
      context.arc(projection.x(panel.x[i]), projection.y(panel.y[i]), radius + 1.25, 0, 2 * Math.PI);
      context.stroke();
    }
    context.restore();
    this.drawMarks(context, projection);
  }
};

// player/assets/export.js
var HOLD_LAST = 1500;
function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 6e4);
}
function compose(context, scene) {
  const { theme, width, height, parts } = scene;
  context.fillStyle = cssColor(theme.background);
  context.fillRect(0, 0, width, height);
  for (const part of parts) {
    context.save();
    context.translate(part.x, part.y);
    part.draw(context);
    context.restore();
    context.fillStyle = cssColor(theme.text);
    context.font = theme.type(13, "600");
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    context.fillText(part.title, part.x + 4, part.y - 8);
    const after = context.measureText(part.title).width + 14;
    context.font = theme.type(12);
    context.fillStyle = cssColor(theme.muted);
    context.fillText(part.note, part.x + after, part.y - 8);
  }
}
function paintScene(canvas, scene, ratio) {
  canvas.width = 2 * Math.ceil(scene.width * ratio / 2);
  canvas.height = 2 * Math.ceil(scene.height * ratio / 2);
  repaintScene(canvas, scene, ratio);
}
function repaintScene(canvas, scene, ratio) {
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  compose(context, scene);
}
function copyOf(...canvases) {
  return (context) => {
    for (const canvas of canvases) context.drawImage(canvas, 0, 0, canvas.clientWidth, canvas.clientHeight);
  };
}
function filmType() {
  const types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
  const records = typeof MediaRecorder !== "undefined" && typeof HTMLCanvasElement.prototype.captureStream === "function";
  return records ? types.find((type) => MediaRecorder.isTypeSupported(type)) : void 0;
}
var Film = class {
  constructor(scene) {
    this.scene = scene;
    this.canvas = document.createElement("canvas");
    paintScene(this.canvas, scene, 1);
    this.chunks = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(30), {
      mimeType: filmType(),
      videoBitsPerSecond: 6e6
    });
    this.recorder.addEventListener("dataavailable", (event) => this.chunks.push(event.data));
    this.stopped = new Promise((resolve) => {
      this.recorder.addEventListener("stop", resolve);
    });
    this.recorder.start();
  }
  add(scene) {
    this.scene = scene;
    repaintScene(this.canvas, scene, 1);
  }
  // As a file of this name, when it has rested on its last picture; where nobody waits for it any more it is not saved.
  async save(name, isAwaited) {
    for (const end = performance.now() + HOLD_LAST; performance.now() < end; ) {
      repaintScene(this.canvas, this.scene, 1);
      await new Promise(requestAnimationFrame);
    }
    if (this.recorder.state !== "inactive") this.recorder.stop();
    await this.stopped;
    const [type, kind] = /^video\/(\w+)/.exec(this.recorder.mimeType);
    if (isAwaited()) download(new Blob(this.chunks, { type }), `${name}.${kind}`);
  }
};

// stage/plate.js
var UNITS = 640;
var COLORS = 12;
var two = (value) => formatFixed(value, 2);
var Plate = class {
  // `box`: [x low, x high, y low, y high]; `ratio`: of height and width, that of the box by default.
  constructor(place, box, label, ratio = (box[3] - box[2]) / (box[1] - box[0])) {
    const height = Math.round(UNITS * ratio);
    Object.assign(this, { box, height, width: UNITS, projection: new Projection(box, { x: 0, y: 0, width: UNITS, height }) });
    this.under = svg("g");
    this.points = svg("g");
    this.over = svg("g");
    this.node = svg("svg", { viewBox: `0 0 ${UNITS} ${height}`, class: "plate", role: "img", "aria-label": label }, this.under, this.points, this.over);
    place.append(this.node);
  }
  x(value) {
    return Number(this.projection.x(value).toFixed(1));
  }
  y(value) {
    return Number(this.projection.y(value).toFixed(1));
  }
  // A line through places.
  path(places, closed = false) {
    return `M${places.map(([x, y]) => `${this.x(x)} ${this.y(y)}`).join("L")}${closed ? "Z" : ""}`;
  }
  // Points in the colours of their clusters; those that `isWrong` says are crosses.
  dots(rows, colorOf, isWrong = () => false) {
    const marks = /* @__PURE__ */ new Map();
    rows.forEach(([x, y], i) => {
      const wrong = isWrong(i), key = `${wrong ? "cross" : "dot"} k${colorOf(i) % COLORS}`;
      const [left, top] = [this.x(x), this.y(y)];
      const mark = wrong ? `M${left - 3.5} ${top - 3.5}l7 7m0-7l-7 7` : `M${left} ${top}h0`;
      marks.set(key, (marks.get(key) ?? "") + mark);
    });
    this.points.replaceChildren(...Array.from(marks, ([key, d]) => svg("path", { class: key, d })));
  }
  // The place of the plane under a pointer.
  pointed(event) {
    const { a, d, e, f } = this.node.getScreenCTM();
    return [this.projection.dataX((event.clientX - e) / a), this.projection.dataY((event.clientY - f) / d)];
  }
};

// stage/handle.js
var REACH = 24;
var GRIP = 11;
var ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
var LEAP = 5;
var between = (value, low, high) => Math.min(high, Math.max(low, value));
var Handle = class {
  // `ends`: [x low, x high, y low, y high] of where it can be; `level`: whether it only moves to the sides; `step`: of a
  // key; `moved(x, y)`: it was.
  constructor(plate, { label, at, color, step, moved, level = false, ends = plate.box }) {
    Object.assign(this, { plate, step, moved, level, ends, held: null });
    this.node = svg(
      "g",
      { class: `handle k${color}`, role: "slider", tabindex: 0, "aria-label": label, "aria-valuemin": ends[0], "aria-valuemax": ends[1] },
      svg("circle", { class: "reach", r: REACH }),
      svg("circle", { class: "grip", r: GRIP })
    );
    this.node.addEventListener("pointerdown", (event) => this.take(event));
    this.node.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) this.node.addEventListener(end, () => {
      this.held = null;
    });
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.put(...at);
    plate.over.append(this.node);
    plate.node.setAttribute("role", "group");
  }
  put(x, y) {
    this.at = [x, y];
    this.node.setAttribute("transform", `translate(${this.plate.x(x)} ${this.plate.y(y)})`);
    this.node.setAttribute("aria-valuenow", Number(x.toFixed(2)));
    this.node.setAttribute("aria-valuetext", this.level ? two(x) : say("story.place", { x: two(x), y: two(y) }));
  }
  move(x, y) {
    const [left, right, low, high] = this.ends, [before, level] = this.at;
    const to = [between(x, left, right), this.level ? level : between(y, low, high)];
    if (to[0] === before && to[1] === level) return;
    this.put(...to);
    this.moved(...to);
  }
  take(event) {
    const [x, y] = this.plate.pointed(event);
    this.held = [this.at[0] - x, this.at[1] - y];
    this.node.setPointerCapture(event.pointerId);
    this.node.focus({ preventScroll: true });
    event.preventDefault();
  }
  drag(event) {
    if (!this.held) return;
    const [x, y] = this.plate.pointed(event);
    this.move(x + this.held[0], y + this.held[1]);
  }
  key(event) {
    const arrow = ARROWS[event.key];
    if (!arrow) return;
    event.preventDefault();
    const far = this.step * (event.shiftKey ? LEAP : 1);
    const [dx, dy] = this.level ? [arrow[0] + arrow[1], 0] : arrow;
    this.move(this.at[0] + far * dx, this.at[1] + far * dy);
  }
};

// stage/handle.css
var handle_default = "/* A large dot that is dragged; --ink is its colour. */\n\n.handle { cursor: grab; touch-action: none; outline: none; }\n.handle:active { cursor: grabbing; }\n.handle .reach { fill: transparent; }\n.handle .grip { fill: var(--ink); stroke: var(--paper, var(--background)); stroke-width: 3; paint-order: stroke; filter: drop-shadow(0 1px 2px rgb(0 0 0 / 45%)); }\n.handle:hover .grip, .handle:focus .grip { stroke: currentColor; }\n.handle:focus-visible .reach { stroke: light-dark(#b36b00, #ffd479); stroke-width: 3; }\n\n@media (max-width: 40rem) {\n  .handle .grip { r: 17px; }\n  .handle .reach { r: 42px; }\n}\n";

// stage/prices.js
function candidates({ log_predictive: places, log_weight: seats }, trackOf) {
  return Array.from(places, (place, k) => ({ track: trackOf(k) ?? -1, parts: [-place, -seats[k]] })).filter(({ parts }) => parts.every(Number.isFinite));
}
var sum = ({ parts: [place, seat] }) => place + seat;

// film/assets/carried.js
var Carried = class {
  // `engine()`: whom to ask; `panels`: { x, y, labels, config } of the methods, whose labels (N) are tracks and whose places
  // are written to; `changed()`: it is elsewhere, or has other prices.
  constructor(engine, panels, point, changed) {
    const [{ x, y }] = panels, others = Array.from(x.keys()).filter((i) => i !== point);
    const values = Float64Array.from(others.flatMap((i) => [x[i], y[i]])), table = { values, nPoints: others.length, nFeatures: 2 };
    Object.assign(this, { engine, panels, point, changed, away: false, costs: panels.map(() => []), home: [x[point], y[point]] });
    this.questions = panels.map(({ labels, config }) => {
      const tracks = [...new Set(others.map((i) => labels[i]))];
      return { tracks, config, table, labels: Int32Array.from(others, (i) => tracks.indexOf(labels[i])) };
    });
  }
  // Its cluster in the picture of a method: that which takes it, −1 if a new one does.
  taker(number) {
    return this.costs[number][0]?.[0] ?? this.panels[number].labels[this.point];
  }
  put([left, top]) {
    for (const { x, y } of this.panels) [x[this.point], y[this.point]] = [left, top];
  }
  // Resolves to whether there is an answer, which none is that was overtaken. Costs are as those of visits: squared distances, or −ln of what the model expects.
  async move(place) {
    this.away = true;
    this.put(place);
    this.changed();
    const where = { values: Float64Array.from(place), nPoints: 1, nFeatures: 2 }, found = [];
    const answered = await this.engine().ask(async (engine) => {
      for (const { config, table, labels } of this.questions) found.push(await engine.places(config, table, labels, where));
      return found;
    });
    if (!answered || !this.away) return false;
    this.costs = found.map((one, number) => {
      const all = candidates(one, (k) => this.questions[number].tracks[k]).map((candidate) => [candidate.track, sum(candidate)]);
      return all.sort(([, one2], [, other]) => one2 - other);
    });
    this.changed();
    return true;
  }
  back() {
    this.away = false;
    this.costs = this.panels.map(() => []);
    this.put(this.home);
  }
};

// film/assets/hero.css
var hero_default = '/* As high as leaves room for the sentence above and the doors below: the page says how high that is. */\n\n.dpviz-hero .panels {\n  grid-template-columns: repeat(2, minmax(0, 1fr));\n  gap: 0 clamp(6px, 1.5vw, 24px);\n}\n\n.dpviz-hero .stage {\n  height: var(--picture-height, 400px);\n  overflow: hidden;\n  border: 1px solid var(--grid);\n  border-radius: 8px;\n}\n\n.dpviz-hero .stage .overlay { cursor: default; }\n\n.dpviz-hero .plate { position: absolute; inset: 0; width: 100%; height: 100%; }\n\n.dpviz-hero .plate.off { display: none; }\n\n.dpviz-hero .handle { outline: none; }\n\n.dpviz-hero .handle .grip { r: calc(9px * var(--unit)); stroke-width: calc(3px * var(--unit)); }\n\n.dpviz-hero .handle .reach { r: calc(22px * var(--unit)); stroke-width: calc(3px * var(--unit)); }\n\n.dpviz-hero .panel header { min-height: calc(47px * var(--scale)); }\n\n.dpviz-hero .panel-title {\n  flex-basis: 100%;\n  overflow: hidden;\n  font-size: calc(16px * var(--scale));\n  white-space: nowrap;\n  text-overflow: ellipsis;\n}\n\n.dpviz-hero:not(.single) .panel-status {\n  flex-basis: 100%;\n  color: var(--text);\n  font-size: calc(14px * var(--scale));\n  white-space: nowrap;\n  text-overflow: ellipsis;\n}\n\n.dpviz-hero .transport {\n  position: static;\n  flex-wrap: nowrap;\n  margin-top: 8px;\n}\n\n.dpviz-hero .go {\n  display: inline-flex;\n  flex: none;\n  align-items: center;\n  justify-content: center;\n  gap: 6px;\n  min-width: calc(108px * var(--scale));\n  height: calc(44px * var(--scale));\n  padding: 0 18px 0 12px;\n  border: 0;\n  border-radius: calc(22px * var(--scale));\n  background: var(--accent);\n  color: #ffffff;\n  font-size: calc(16px * var(--scale));\n  font-weight: 600;\n}\n\n.dpviz-hero .go svg {\n  display: block;\n  width: calc(24px * var(--scale));\n  height: calc(24px * var(--scale));\n  fill: currentColor;\n}\n\n.dpviz-hero .key {\n  display: flex;\n  gap: calc(16px * var(--scale));\n  margin: calc(4px * var(--scale)) 0 0;\n  color: var(--muted);\n  font-size: calc(13px * var(--scale));\n  line-height: calc(18px * var(--scale));\n  white-space: nowrap;\n}\n\n.dpviz-hero .key i {\n  display: inline-block;\n  box-sizing: border-box;\n  width: calc(12px * var(--scale));\n  height: calc(12px * var(--scale));\n  margin-right: calc(6px * var(--scale));\n  border-radius: 50%;\n  vertical-align: -0.1em;\n}\n\n.dpviz-hero .key .ring-half { border: 1.5px solid currentColor; }\n\n.dpviz-hero .key .ring-most { border: 1.5px dashed currentColor; }\n\n.dpviz-hero .key .dot { width: calc(8px * var(--scale)); height: calc(8px * var(--scale)); background: color-mix(in srgb, var(--muted) 65%, var(--background)); }\n\n.dpviz-hero .transport input[type="range"] { order: 0; flex: 1 1 auto; }\n\n@media (max-width: 40rem) {\n  .dpviz-hero .panels { grid-template-columns: minmax(0, 1fr); }\n  .dpviz-hero .panel header { flex-wrap: nowrap; min-height: calc(26px * var(--scale)); }\n  .dpviz-hero .panel-title,\n  .dpviz-hero:not(.single) .panel-status { flex-basis: auto; }\n}\n\n@container (max-width: 620px) {\n  .dpviz-hero .panel-title,\n  .dpviz-hero:not(.single) .panel-status { font-size: calc(12px * var(--scale)); }\n}\n\n@media print {\n  .dpviz-hero .transport { display: none; }\n}\n';

// film/assets/hero.js
var OPTIONS = { clusters: true, region: true, moved: false };
var CALM_MILLISECONDS = 700;
var MOST_WRITTEN = 4;
var BOX = 1.7;
var EDGE = 2;
var NEAR = 14;
var STEP = 0.02;
var MARGIN = 8;
var clustersOf = (n) => sayCount("film.clusters", n);
var faultOf = ({ pieces }) => pieces === 0 ? say("film.merged") : pieces === 2 ? say("film.cut_in_two") : sayCount("film.cut", pieces);
var Hero = class {
  // `scored`: whether the end says how far the clusters are the true groups.
  constructor(root, scored = true) {
    Object.assign(this, { root, scored });
    this.frame = 0;
    this.playing = this.played = false;
    this.fitted = false;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.schemeChanged = () => this.refresh();
    this.scheme.addEventListener("change", this.schemeChanged);
    this.build();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(root);
  }
  build() {
    this.parts = [0, 1].map((number) => {
      const canvas = element("canvas", { "aria-hidden": "true" });
      const overlay = element("canvas", { class: "overlay", role: "img", "data-panel": number });
      const stage = element("div", { class: "stage" }, canvas, overlay);
      const title = element("span", { class: "panel-title" });
      const status = element("span", { class: "panel-status" });
      const scatter = new Scatter(canvas, overlay);
      return {
        stage,
        title,
        status,
        scatter,
        overlay,
        node: element("section", { class: "panel" }, element("header", {}, title, status), stage)
      };
    });
    this.word = element("span", { text: say("film.play") });
    this.symbol = element("span", { class: "symbol" }, icon("play"));
    this.play = element("button", { type: "button", class: "go" }, this.symbol, this.word);
    this.play.addEventListener("click", () => this.toggle());
    this.range = element("input", { type: "range", min: "0", step: "1", value: "0", "aria-label": say("film.position") });
    this.range.addEventListener("input", () => this.moveTo(Number(this.range.value)));
    this.live = element("div", { class: "live", "aria-live": "polite", role: "status" });
    const panels = element("div", { class: "panels" }, ...this.parts.map(({ node }) => node));
    const transport = element("div", { class: "transport" }, this.play, this.range, ...filmType() ? [this.saver = this.saveButton()] : []);
    this.grey = element("span", {}, element("i", { class: "dot" }), say("film.to_come"));
    this.offer = element("span", { text: say("film.carry") });
    const rings = ["half", "most"].map((share) => element("span", {}, element("i", { class: `ring-${share}` }), say(`film.ring_${share}`)));
    const key = this.key = element("p", { class: "key", role: "img", "aria-label": say("film.key"), title: say("film.key") }, ...rings, this.grey);
    this.root.append(element("style", { text: hero_default + handle_default }), panels, transport, key, this.live);
  }
  saveButton() {
    const button = iconButton("save", say("film.save"));
    button.addEventListener("click", () => this.save());
    return button;
  }
  async open(script, payload) {
    const run = new Run(await decodePayload(payload));
    if (this.closed) return;
    this.script = script;
    this.run = run;
    const view = new View(run.panels[0]);
    this.parts.forEach((part, number) => {
      part.scatter.setData(run.panels[number], view);
      part.scatter.backdropLayer.drawAxes = () => {
      };
      part.scatter.backdropLayer.drawGrid = () => {
      };
      part.scatter.drawGuests = (context, projection) => {
        this.drawVisit(context, number, projection);
        return true;
      };
      part.title.textContent = say(`film.${script.panels[number].name}`);
    });
    this.range.max = String(run.last);
    const { panels } = run;
    this.panels = panels.map(({ x, y }, number) => ({ x, y, labels: run.labelsOfRow(number, run.rowAt(number, run.last)), config: script.panels[number].config }));
    this.frame = run.last;
    this.refresh();
    this.resize();
  }
  // `engine()`: whom a point that is carried asks for its prices.
  takeEngine(engine) {
    if (!globalThis.WebAssembly) return;
    this.engine = engine;
    this.resize();
  }
  // Whether a point is elsewhere than where it was drawn.
  get away() {
    return Boolean(this.carried?.away);
  }
  // A handle on the point in both pictures; another point is taken by pressing it.
  carry(point) {
    this.carried?.back();
    this.carried = new Carried(this.engine, this.panels, point, () => this.show());
    this.parts[0].scatter.projection();
    const { bounds } = this.parts[0].scatter.view, at = this.carried.home;
    for (const part of this.parts) {
      const { scatter: { width, height }, stage } = part, isHeld = part.handle?.node.matches(":focus");
      part.plate?.node.remove();
      part.plate = new Plate(stage, bounds, part.title.textContent, height / width);
      part.plate.node.style.setProperty("--unit", UNITS / width);
      part.plate.node.addEventListener("pointerdown", (event) => this.press(part, event));
      part.handle = new Handle(part.plate, { label: say("film.point"), at, color: 0, step: STEP * (bounds[1] - bounds[0]), moved: (...place) => this.move(place) });
      if (isHeld) part.handle.node.focus({ preventScroll: true });
    }
  }
  // A press on another point takes that; a finger on it scrolls the page.
  press(part, event) {
    if (event.pointerType === "touch" || part.handle.node.contains(event.target)) return;
    const [x, y] = part.plate.pointed(event), { scaleX } = part.scatter.projection();
    const { x: xs, y: ys } = this.panels[0], far = Array.from(xs, (_, i) => Math.hypot(xs[i] - x, ys[i] - y));
    const least = Math.min(...far);
    if (least * scaleX > NEAR) return;
    this.carry(far.indexOf(least));
    this.show();
    part.handle.take(event);
  }
  move(place) {
    for (const { handle } of this.parts) handle.put(...place);
    this.carried.move(place).then((answered) => {
      if (!answered) return;
      this.offer.textContent = say("film.carry");
      this.tell();
    }, (error) => {
      this.offer.textContent = this.live.textContent = say("story.computes_nothing", { why: error.message });
    });
  }
  // The points are where they are now.
  show() {
    for (const { scatter } of this.parts) scatter.computePositions(scatter.projection());
    this.paint();
  }
  // Before another frame is shown the point is where it was drawn.
  home() {
    if (!this.away) return;
    this.carried.back();
    for (const { handle } of this.parts) handle.put(...this.carried.home);
    this.show();
  }
  refresh() {
    if (!this.run) return;
    this.theme = takeTheme(this.root, this.run.colors);
    this.paint();
  }
  resize() {
    if (!this.run || this.root.clientWidth === 0) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    for (const { scatter, stage } of this.parts) {
      scatter.resize(stage.clientWidth, stage.clientHeight, ratio, this.theme.scale);
      scatter.plot = { x: 0, y: 0, width: stage.clientWidth, height: stage.clientHeight };
    }
    this.fitted = true;
    const at = this.away && this.parts[0].handle.at;
    if (this.engine) this.carry(this.carried?.point ?? this.script.point);
    if (at) this.move(at);
    else this.paint();
  }
  toggle() {
    if (!this.run) return;
    this.home();
    if (!this.playing && this.frame === this.run.last) this.frame = 0;
    this.playing = !this.playing;
    this.played = true;
    this.due = null;
    if (this.playing) requestAnimationFrame((now) => this.tick(now));
    this.paint();
  }
  // It plays from its beginning, and what is seen is recorded; a pause ends it early.
  async save() {
    if (!this.run || this.film) return;
    this.moveTo(0);
    this.film = new Film(this.scene());
    this.saver.setAttribute("aria-pressed", "true");
    this.toggle();
    while (this.playing) await new Promise(requestAnimationFrame);
    await this.film.save("dpviz", () => !this.closed);
    this.film = null;
    this.saver.removeAttribute("aria-pressed");
  }
  // Both pictures where they are on the page.
  scene() {
    const origin = this.root.getBoundingClientRect(), parts = this.parts.map(({ stage, scatter, overlay, title, status }) => {
      const { left, top, bottom } = stage.getBoundingClientRect();
      return {
        x: left - origin.left + MARGIN,
        y: top - origin.top,
        bottom: bottom - origin.top,
        title: title.textContent,
        note: status.textContent,
        draw: copyOf(scatter.canvas, overlay)
      };
    });
    return { theme: this.theme, width: origin.width + 2 * MARGIN, height: Math.max(...parts.map(({ bottom }) => bottom)) + MARGIN, parts };
  }
  moveTo(frame) {
    this.home();
    this.playing = false;
    this.frame = Math.min(this.run.last, Math.max(0, frame));
    this.paint();
    this.tell();
  }
  // How long the present frame is seen.
  pause() {
    return this.calm.matches ? CALM_MILLISECONDS : this.script.pace[this.frame] ?? 0;
  }
  following() {
    return this.calm.matches ? Math.max(this.frame + 1, this.script.first_sweep) : this.frame + 1;
  }
  tick(now) {
    if (!this.playing || this.closed) return;
    this.due ??= now + this.pause();
    const before = this.frame;
    while (this.frame < this.run.last && now >= this.due) {
      this.frame = this.following();
      this.due += this.pause();
    }
    if (this.frame === this.run.last) this.playing = false;
    if (this.frame !== before) this.paint();
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
    else this.tell();
  }
  // The visit that a panel shows: that whose result the frame has; null once there are several in a frame.
  visit(number) {
    if (this.away) return this.carried.costs[number].length > 0 ? { point: this.carried.point, costs: this.carried.costs[number] } : null;
    const visits = this.script.panels[number].visits;
    return this.costed(number) ? visits[this.frame - 1] : null;
  }
  // By point, whether its first visit is still to come, where only centres count before; null once all had theirs.
  waiting(number) {
    const { unseen, made: made2 } = this.script.panels[number];
    if (unseen.length === 0 || this.frame >= this.script.first_sweep) return null;
    return Uint8Array.from(unseen, (visit) => visit >= made2[this.frame]);
  }
  ended(number) {
    return this.frame >= this.run.panels[number].n_sweeps;
  }
  // What the result has wrong, at the end of the whole film.
  faults(number) {
    return this.frame === this.run.last && !this.away ? this.script.panels[number].verdict.faults : [];
  }
  paint() {
    if (!this.fitted) return;
    this.parts.forEach((part, number) => {
      const waiting = this.waiting(number);
      part.scatter.blank = waiting;
      const options = { ...OPTIONS, bare: waiting !== null, region: waiting === null || this.frame > 0 };
      part.scatter.draw(this.run.snapshot(number, this.frame), options, this.theme);
      part.overlay.style.opacity = this.visit(number) || this.faults(number).length > 0 ? 1 : 0;
      part.plate?.node.classList.toggle("off", this.playing || this.frame < this.run.last);
      part.handle?.node.style.setProperty("--ink", cssColor(this.theme.clusterColor(this.trackOf(this.carried.taker(number)))));
      part.status.textContent = this.statusOf(number);
      part.status.title = this.meaningOf(number);
      const said = this.faults(number).map((fault) => `, ${faultOf(fault)}`).join("");
      part.overlay.setAttribute("aria-label", `${part.title.textContent}: ${part.status.textContent}${said}`);
    });
    if (this.engine && !this.playing && this.frame === this.run.last) this.key.append(this.offer);
    else this.offer.remove();
    this.grey.hidden = !this.parts.some((_, number) => this.waiting(number));
    this.range.value = String(this.frame);
    this.range.style.setProperty("--done", `${100 * this.frame / this.run.last}%`);
    this.film?.add(this.scene());
    this.range.setAttribute("aria-valuetext", this.parts.map((part) => part.status.textContent).join("; "));
    const act = this.playing ? "pause" : this.played && this.frame === this.run.last ? "again" : "play", word = say(`film.${act}`);
    if (this.word.textContent === word) return;
    this.word.textContent = word;
    this.symbol.replaceChildren(icon(this.playing ? "pause" : "play"));
  }
  // The colour of a new cluster is the next one.
  trackOf(track) {
    return track < 0 ? Math.max(...this.run.panels.map((panel) => panel.n_clusters.at(-1))) : track;
  }
  costed(number) {
    return this.away || this.frame >= 1 && this.frame <= this.script.panels[number].visits.length;
  }
  // What the numbers of a panel mean.
  meaningOf(number) {
    if (this.ended(number) && !this.away) return this.scored ? say("film.about_agreement") : "";
    return this.costed(number) ? say(`film.about_${this.script.panels[number].name}`) : "";
  }
  statusOf(number) {
    const { panels } = this.run;
    const { name, visits, verdict } = this.script.panels[number];
    const sweep = Math.min(this.frame, panels[number].n_sweeps);
    const clusters = clustersOf(panels[number].n_clusters[sweep]);
    if (this.ended(number) && !this.away) {
      if (!this.scored) return clustersOf(verdict.clusters);
      const scores = Object.entries(verdict.agreement).map(([name2, value]) => `${name2} ${formatFixed(value, 2)}`);
      return `${clustersOf(verdict.clusters)}, ${scores.join(", ")}`;
    }
    if (this.costed(number)) return say(`film.cost_${name}`);
    return this.frame === 0 && visits.length > 0 && this.waiting(number) ? sayCount("film.centres", panels[number].n_clusters[sweep]) : clusters;
  }
  // The visited point, a line to every cluster, and what each costs; the cheapest has its point.
  drawVisit(context, number, projection) {
    const { theme } = this;
    const panel = this.run.panels[number];
    const size = theme.scale * (this.root.clientWidth < 620 ? 11 : 14);
    for (const fault of this.faults(number)) {
      const { x, y } = fault, at2 = { x: projection.x(x - panel.origin[0]), y: projection.y(y - panel.origin[1]) };
      const label = { x: at2.x, y: at2.y + 3.6 * size, text: faultOf(fault), color: theme.text, best: true };
      this.placeBox(context, label, 1.15 * size);
      this.drawBox(context, label, 1.15 * size);
    }
    const visit = this.visit(number);
    if (visit === null) return;
    const { away } = this, before = this.run.snapshot(number, this.frame - (away ? 0 : 1));
    const means = new Map((before.shapes ?? clusterMeans(panel, before.labels)).map((mean) => [mean.track, mean]));
    const at = { x: projection.x(panel.x[visit.point]), y: projection.y(panel.y[visit.point]) };
    const costs = [...visit.costs].sort((one, other) => one[1] - other[1]);
    const taken = away ? this.trackOf(this.carried.taker(number)) : this.run.snapshot(number, this.frame).labels[visit.point];
    const labels = [];
    costs.slice(0, MOST_WRITTEN).forEach(([track, cost], place) => {
      const best = place === 0;
      const mean = means.get(track);
      const color = theme.clusterColor(track < 0 ? taken : track);
      const price = formatNumber(cost, 3), text = track < 0 ? say("film.new", { price }) : price;
      if (!mean) {
        labels.push({ x: at.x, y: at.y + (best ? -2.2 : 2.2) * size, text, color, best });
        return;
      }
      const to = { x: projection.x(mean.x), y: projection.y(mean.y) };
      context.beginPath();
      context.moveTo(at.x, at.y);
      context.lineTo(to.x, to.y);
      context.strokeStyle = cssColor(best ? color : theme.muted);
      context.lineWidth = best ? 3 : 1;
      context.setLineDash(best ? [] : [4, 4]);
      context.stroke();
      context.setLineDash([]);
      labels.push(away && best ? { x: at.x, y: at.y - 2.2 * size, text, color, best } : { ...to, text, color, best, beside: true });
    });
    if (!away) drawHalo(context, at.x, at.y, 10, theme.clusterColor(taken), theme);
    const placed = [];
    for (const label of labels) this.placeBox(context, label, size, placed);
    for (const label of labels.reverse()) this.drawBox(context, label, size);
  }
  // A box stays inside the picture, and above or below those that have their place.
  placeBox(context, label, size, others = []) {
    const { width, height } = this.parts[0].scatter, tall = BOX * size, room = 0.5 * tall + EDGE;
    this.write(context, label, size);
    const half = context.measureText(label.text).width / 2 + 0.5 * size, within2 = (value, low, high) => Math.min(high, Math.max(low, value));
    const left = within2(label.beside ? label.x + half + 0.9 * size : label.x, half + EDGE, width - half - EDGE), top = within2(label.y, room, height - room);
    const isFree = (at) => at >= room && at <= height - room && others.every((other) => Math.abs(other.left - left) >= other.half + half || Math.abs(other.top - at) >= tall);
    const steps = Array.from({ length: 2 * others.length + 1 }, (_, k) => top + tall * (k % 2 ? 1 : -1) * Math.ceil(k / 2));
    Object.assign(label, { half, left, top: steps.find(isFree) ?? top });
    others.push(label);
  }
  write(context, { best }, size) {
    context.font = `${best ? "700" : "500"} ${size}px ${this.theme.font}`;
  }
  // Words in a box: on a place, or beside it, with its colour at that edge.
  drawBox(context, label, size) {
    const { theme } = this, { text, color, best, beside, half, left, top } = label;
    this.write(context, label, size);
    const edge = best ? { color, width: 2.5 } : { color: theme.grid, width: 1 };
    drawBoxed(context, theme, text, { x: left, y: top }, { half, height: BOX * size, edge, ink: best ? theme.text : theme.muted });
    if (!beside) return;
    context.fillStyle = cssColor(color);
    context.fillRect(left - half, top - 0.55 * size, 4, 1.1 * size);
  }
  tell() {
    const least = (number) => {
      const [cheapest] = this.away ? this.carried.costs[number] : [];
      return cheapest ? ` ${formatNumber(cheapest[1], 3)}` : "";
    };
    this.live.textContent = this.parts.map((part, number) => `${part.title.textContent}: ${part.status.textContent}${least(number)}`).join("; ");
  }
  close() {
    this.closed = true;
    this.playing = false;
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.schemeChanged);
  }
};

// ui/start/assets/mount.js
var heroes = /* @__PURE__ */ new Map();
var bytes = null;
var made = null;
function mountHero({ data, key, parentElement }) {
  const { opening, payload } = openEnvelope(data);
  if (opening.kind === "engine") return bring(payload, parentElement);
  if (!heroes.has(key)) {
    const root = element("div", { class: "dpviz-player dpviz-hero" });
    parentElement.append(root);
    const hero = new Hero(root);
    heroes.set(key, hero);
    hero.open(opening, payload);
    if (bytes) offer(hero);
  } else heroes.get(key).refresh();
  return () => {
    heroes.get(key)?.close();
    heroes.get(key)?.root.remove();
    heroes.delete(key);
  };
}
function bring(payload, parentElement) {
  hide(parentElement);
  if (bytes === null && globalThis.WebAssembly) {
    bytes = inflate(payload);
    heroes.forEach(offer);
  }
  return () => {
    made?.close();
    bytes = made = null;
  };
}
async function offer(hero) {
  const found = await bytes;
  hero.takeEngine(() => made ??= new Newest(dpvizEngine(found)));
}
export {
  mountHero as default
};
