// The way in for Streamlit, which calls again, without cleanup, whenever the data or the theme changes.

import { inflate, openEnvelope } from "../../../player/assets/decode.js";
import { element } from "../../../player/assets/layout.js";
import { Dials } from "./dials.js";
import { Evening } from "./evening.js";

const evenings = new Map();

function begun(parent, customer) {
  const root = element("div", { class: "dpviz-player dpviz-restaurant" });
  parent.append(root);
  const held = { evening: new Evening(root, customer), sent: null };
  const shown = (panels) => held.evening.open({ ...held.data, panels: panels.map((panel, k) => panel ?? held.data.panels[k]) });
  held.dials = new Dials(shown, (value) => held.evening.channel.setTriggerValue("turned", { ...value, of: held.sent }));
  root.prepend(held.dials.node);
  return held;
}

export function mountRestaurants({ data: sent, key, parentElement, setStateValue, setTriggerValue }) {
  const { opening: data, payload } = openEnvelope(sent);
  if (!evenings.has(key)) evenings.set(key, begun(parentElement, data.customer));
  const held = evenings.get(key);
  held.evening.channel = { setStateValue, setTriggerValue };
  if (held.sent === data.id || held.dials.moving) held.evening.invalidate();
  else {
    Object.assign(held, { data, sent: data.id });
    held.evening.open(data);
    held.dials.show(data.dials);
    inflate(payload).then((bytes) => {
      if (held.sent === data.id) held.dials.films = JSON.parse(new TextDecoder().decode(bytes));
    });
  }
  return () => {
    held.evening.close();
    held.evening.root.remove();
    evenings.delete(key);
  };
}
