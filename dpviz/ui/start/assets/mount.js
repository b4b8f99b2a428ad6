// The way in for Streamlit, which calls again, without cleanup, whenever the theme changes. The engine comes by itself,
// after the film, and begins when it is first asked.

import { dpvizEngine } from "../../../browser/loader.js";
import { inflate, openEnvelope } from "../../../player/assets/decode.js";
import { element, hide } from "../../../player/assets/layout.js";
import { Newest } from "../../../stage/engines.js";
import { Hero } from "../../../film/assets/hero.js";

const heroes = new Map();
let bytes = null, made = null; // of the engine, promised; the engine, once it is asked

export default function mountHero({ data, key, parentElement }) {
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
  hero.takeEngine(() => (made ??= new Newest(dpvizEngine(found))));
}
