// The way in for Streamlit, which calls again, without cleanup, whenever the data or the theme changes.

import { element } from "../../../player/assets/layout.js";
import { Evening } from "./evening.js";

const evenings = new Map();

export function mountRestaurants({ data, key, parentElement, setStateValue }) {
  if (!evenings.has(key)) {
    const root = element("div", { class: "dpviz-player dpviz-restaurant" });
    parentElement.append(root);
    evenings.set(key, { evening: new Evening(root, data.customer), sent: null });
  }
  const held = evenings.get(key);
  held.evening.channel = { setStateValue };
  if (held.sent === data.id) held.evening.invalidate();
  else held.evening.open(data);
  held.sent = data.id;
  return () => {
    held.evening.close();
    held.evening.root.remove();
    evenings.delete(key);
  };
}
