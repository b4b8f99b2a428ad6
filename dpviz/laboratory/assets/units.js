// Costs and densities in the units of the table, of points whose columns were divided to be clustered.

import { raised } from "../../stage/layers.js";

// The engine, answering in the units of the table. `points.rowNats`: by how much a row's −ln density is higher there than
// of the points themselves; `densities`: the algorithms that have one, all others measure distances of the points.
export function inTableUnits(engine, densities) {
  const nats = (config, points) => (densities.includes(config.algorithm) ? points.rowNats ?? 0 : 0);
  const plus = (costs, more) => costs?.map((cost) => cost + more);
  const ofRun = (name) => async (config, points, ...more) =>
    raised(await engine[name](config, points, ...more), nats(config, points) * points.nPoints);
  const ofRows = (name) => async (config, points, ...more) => {
    const found = await engine[name](config, points, ...more), row = nats(config, points);
    if (!row) return found;
    const whole = { ...found, log_predictive: plus(found.log_predictive, -row), costs: plus(found.costs, row) };
    return { ...whole, nll: plus(found.nll, row * points.nPoints) };
  };
  return { ...engine, run: ofRun("run"), last: ofRun("last"), scores: ofRows("scores"), places: ofRows("places"), visits: ofRows("visits") };
}
