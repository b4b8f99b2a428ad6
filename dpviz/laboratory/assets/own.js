// Points whose columns are each of its own kind: they are for an engine of their own, in place of the rows on the screen
// as coordinates and numbers.

// The points as that engine takes them, of the bytes of both.
export function placedIn({ nPoints, nCoordinates }, bytes) {
  const numbers = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8), end = nPoints * nCoordinates;
  return { placed: { values: numbers.slice(0, end), nPoints, nFeatures: nCoordinates, columns: numbers.slice(end) } };
}

// Two engines as one, each begun when it is first asked: `begin(isOwn)`, for such points or for others.
export function eitherEngine(begin) {
  const engines = new Map();
  const engineFor = (isOwn) => {
    if (!engines.has(isOwn)) engines.set(isOwn, begin(isOwn));
    return engines.get(isOwn);
  };
  const asked = (name) => [name, (config, points, ...more) => engineFor(Boolean(points?.own))[name](config, points?.own?.placed ?? points, ...more)];
  const all = (name) => [name, () => engines.forEach((engine) => engine[name]())];
  return Object.fromEntries([...["run", "last", "scores", "places", "shapes", "visits"].map(asked), ...["cancel", "close"].map(all)]);
}
