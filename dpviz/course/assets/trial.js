// Twenty draws and what is told with them, as they come to a page.

import { openEnvelope } from "../../player/assets/decode.js";

// `bytes`: what `packed` of draws.py wrote, inflated. Returns { facts, draws }, the draws as the engine takes points.
export function trialOf(bytes) {
  const { opening: facts, payload } = openEnvelope(bytes);
  const nFeatures = facts.features.length;
  let at = 0;
  const draws = facts.draws.map(({ n, low, step }) => {
    const levels = new Uint16Array(payload.slice(at, (at += 2 * n * nFeatures)).buffer);
    const values = Float64Array.from(levels, (level, i) => low[i % nFeatures] + step[i % nFeatures] * level);
    return { values, nPoints: n, nFeatures, groups: null };
  });
  if (facts.grouped) for (const draw of draws) draw.groups = payload.slice(at, (at += draw.nPoints));
  return { facts, draws };
}

// A run { config, answer }: the best of several starts where it has some, each from so many clusters.
export async function bestOf(engine, config, starts, points) {
  if (starts.length === 0) return { config, answer: await engine.run(config, points) };
  let best = null;
  for (const count of starts) {
    const started = count === 0 ? config : { ...config, init: "kmeans++", init_clusters: count };
    const answer = await engine.last(started, points);
    if (best === null || answer.nll < best.answer.nll) best = { config: started, answer };
  }
  return { ...best, answer: await engine.run(best.config, points) };
}
