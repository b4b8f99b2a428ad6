// The way in for Streamlit, which calls again, without cleanup, whenever the theme changes.

import { openEnvelope } from "../../../player/assets/decode.js";
import { element } from "../../../player/assets/layout.js";
import { Hero } from "../../../film/assets/hero.js";

const heroes = new Map();

export default function mountHero({ data, key, parentElement }) {
  if (!heroes.has(key)) {
    const root = element("div", { class: "dpviz-player dpviz-hero" });
    parentElement.append(root);
    const hero = new Hero(root);
    heroes.set(key, hero);
    const { opening, payload } = openEnvelope(data);
    hero.open(opening, payload);
  } else heroes.get(key).refresh();
  return () => {
    heroes.get(key)?.close();
    heroes.get(key)?.root.remove();
    heroes.delete(key);
  };
}
