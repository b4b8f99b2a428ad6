// The way in, as Streamlit components: one brings the engine and one what a chapter's player tries, neither shows
// anything; a third is the sentence before the prediction.

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

const leads = new WeakMap(); // by the element that they are in, which Streamlit may give again

function mountLead(payload, parentElement) {
  if (leads.has(parentElement)) return leads.get(parentElement);
  let lead = null;
  let closed = false;
  Promise.all([engineBytes(), inflate(payload)]).then(([engine, trial]) => {
    if (closed) return;
    lead = new LeadIn(trialOf(trial), engine);
    parentElement.append(lead.node);
  });
  const close = () => {
    closed = true;
    lead?.close();
    leads.delete(parentElement);
  };
  leads.set(parentElement, close);
  return close;
}

export default function mountBench({ data, parentElement }) {
  const { opening: header, payload } = openEnvelope(data);
  if (header.kind === "lead") return mountLead(payload, parentElement);
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
      if (player?.run) benches.set(header.player, new Bench(player, trialOf(trial), engine));
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
