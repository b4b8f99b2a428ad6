// The way in, as a Streamlit component that shows nothing: it brings the engine, and what a chapter's player tries.

import { inflate, openEnvelope } from "../../player/assets/decode.js";
import { Bench } from "./bench.js";
import { trialOf } from "./trial.js";

const SOON = 100; // milliseconds
const benches = new Map(); // by the key of their player: Streamlit calls again without cleanup
let courseEngine = null; // a promise of its bytes, once they were brought
let engineCame = null;
const engineBytes = () => (courseEngine ??= new Promise((resolve) => (engineCame = resolve)));

export function mountBench({ data, parentElement }) {
  const box = parentElement.host?.closest('[data-testid="stElementContainer"]');
  if (box) box.style.display = "none";
  const { opening: header, payload } = openEnvelope(data);
  if (header.kind === "engine") {
    engineBytes();
    inflate(payload).then((bytes) => engineCame?.(new Uint8Array(bytes)));
    return () => {};
  }
  let closed = false;
  Promise.all([engineBytes(), inflate(payload)]).then(([engine, trial]) => {
    const attach = () => {
      const player = [...(globalThis.dpvizPlayers?.values() ?? [])].find(({ opening }) => opening?.key === header.player);
      if (closed || player?.bench) return;
      if (player?.run) benches.set(header.player, new Bench(player, trialOf(new Uint8Array(trial)), engine));
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
