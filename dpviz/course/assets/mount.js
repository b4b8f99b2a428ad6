// The way in, as Streamlit components that show nothing: one brings the engine, and one what is tried in a chapter's player,
// before the prediction or after it.

import { inflate, openEnvelope } from "../../player/assets/decode.js";
import { hide } from "../../player/assets/layout.js";
import { Bench } from "./bench.js";
import { LeadIn } from "./lead.js";
import { trialOf } from "./trial.js";

const SOON = 100; // milliseconds
const benches = new Map(); // by the key of their player: Streamlit calls again without cleanup
let courseEngine = null; // a promise of its bytes, once they were brought
let engineCame = null;
const engineBytes = () => (courseEngine ??= new Promise((resolve) => (engineCame = resolve)));

export default function mountBench({ data, parentElement }) {
  const { opening: header, payload } = openEnvelope(data);
  hide(parentElement);
  if (header.kind === "engine") {
    engineBytes();
    inflate(payload).catch(() => new Uint8Array()).then((bytes) => engineCame?.(bytes)); // an empty one says so
    return () => {};
  }
  let closed = false;
  Promise.all([engineBytes(), inflate(payload)]).then(([engine, trial]) => {
    const attach = () => {
      const player = [...(globalThis.dpvizPlayers?.values() ?? [])].find(({ opening }) => opening?.key === header.player);
      if (closed || player?.bench) return;
      if (player?.run) benches.set(header.player, new (header.kind === "lead" ? LeadIn : Bench)(player, trialOf(trial), engine));
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
