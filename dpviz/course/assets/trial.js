// Twenty draws and what is told with them, as they come to a page.

import { openEnvelope } from "../../player/assets/decode.js";

// `bytes`: what `packed` of draws.py wrote, inflated. Returns { facts, draws }, the draws as the engine takes points.
export function trialOf(bytes) {
  const { opening: facts, payload } = openEnvelope(bytes);
  const nFeatures = facts.features.length;
  let at = 0;
  const draws = facts.draws.map(({ n, low, step, per }) => {
    const levels = new Uint16Array(payload.slice(at, (at += 2 * n * nFeatures)).buffer);
    const values = Float64Array.from(levels, (level, i) => (low[i % nFeatures] + step[i % nFeatures] * level) / per[i % nFeatures]);
    return { values, nPoints: n, nFeatures, groups: null };
  });
  if (facts.grouped) for (const draw of draws) draw.groups = payload.slice(at, (at += draw.nPoints));
  return { facts, draws };
}
