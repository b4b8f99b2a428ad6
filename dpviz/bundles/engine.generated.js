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
      if (!gaps && absent >= 0 && absent < K) refuse(`labels leave out ${absent}; number the clusters 0 to ${seen.reduce((sum, one) => sum + one) - 1}.`);
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
    const written = Object.values(parts), whole2 = new Float64Array(written.reduce((sum, { length }) => sum + length, 0));
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
      given: [Float64Array.from(NAMES, (name) => numbers[name]), whole2, ...points.columns ? [points.columns] : []]
    };
  }
  async function called(name, run, given, answer2, goesOn = null) {
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
      const numbers = [...run.given, ...given].flatMap((one) => typeof one === "number" ? one : lent(one));
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
    const run = prepared(message), { N, D, hasModel } = run, where = check.pointsOf(message.where);
    if (where.nFeatures !== D) refuse(`places have ${where.nFeatures} columns; they must have ${D}, as X has.`);
    const { labels, counts: [K] } = check.labelsOf(message.labels, N, !hasModel), P = where.nPoints;
    return called("places", run, [labels, where.values, room(Float64Array, (P + 1) * (K + 1)), room(Float64Array, 3 * P)], (count, _labels, _where, found, taken) => {
      const table = taken.read(), [takers, margins, costs] = [Int32Array, Float64Array, Float64Array].map((Type, c) => columns(table, 3, c, c + 1, Type));
      return { log_predictive: found.read(0, P * count), log_weight: found.read(P * count, (P + 1) * count), takers, margins, costs };
    });
  }
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
    const asked = (width2) => called(
      "visits",
      run,
      [start, sweep, room(Int32Array, 3 * most), room(Int32Array, most * width2), room(Float64Array, most * width2), room(Float64Array, most)],
      (count2, ...filled) => [count2, ...filled.map((array) => array.read())]
    );
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
export {
  dpvizEngine
};
