// The way in for Streamlit, which calls again, without cleanup, whenever the data or the theme changes.

import { inflate, openEnvelope } from "../../../player/assets/decode.js";
import { element, hide } from "../../../player/assets/layout.js";
import { Curves } from "./curves.js";
import { Dials } from "./dials.js";
import { Evening } from "./evening.js";

const pictures = new Map();
const sentLater = new Map(); // by picture: what it shows at each position of its dials, which comes after it

const readFilms = (payload) => inflate(payload).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));

function mountedLater({ name, id }, payload, parent) {
  hide(parent);
  readFilms(payload).then((films) => {
    sentLater.set(name, { id, films });
    for (const held of pictures.values()) if (held.data.name === name && held.sent === id) held.dials.films = films;
  });
  return () => {};
}

// Curves, or restaurants, under dials.
function begun(parent, data) {
  const root = element("div", { class: `dpviz-player ${data.axes ? "dpviz-curves" : "dpviz-restaurant"}` });
  parent.append(root);
  const held = { picture: data.axes ? new Curves(root) : new Evening(root, data.customer), sent: null };
  const shown = (panels) => held.picture.open({ ...held.data, panels: panels.map((panel, k) => panel ?? held.data.panels[k]) });
  held.dials = new Dials(shown, (value) => held.picture.channel.setTriggerValue("turned", { ...value, of: held.sent }));
  root.prepend(held.dials.node);
  return held;
}

export default function mountPriors({ data: sent, key, parentElement, setStateValue, setTriggerValue }) {
  const { opening: data, payload } = openEnvelope(sent);
  if (data.later) return mountedLater(data, payload, parentElement);
  if (!pictures.has(key)) pictures.set(key, begun(parentElement, data));
  const held = pictures.get(key);
  held.picture.channel = { setStateValue, setTriggerValue };
  if (held.sent === data.id || held.dials.moving) {
    // What was shown before may be mounted once more, with its old opening, until the server's word has come.
    if (held.sent === data.id && data.customer !== held.data.customer) held.picture.openAt(data.customer);
    Object.assign(held.data, { customer: data.customer });
    held.picture.invalidate();
  } else {
    Object.assign(held, { data, sent: data.id });
    held.picture.open(data);
    held.dials.show(data.dials);
    const later = sentLater.get(data.name);
    held.dials.films = later?.id === data.id ? later.films : {};
    if (payload.length > 0) readFilms(payload).then((films) => held.sent === data.id && (held.dials.films = films));
  }
  return () => {
    held.picture.close();
    held.picture.root.remove();
    pictures.delete(key);
  };
}
