// The two ways in: as a Streamlit component, and as a page of its own.

import { contentOf, openEnvelope } from "./decode.js";
import { Player } from "./player.js";
import { element } from "./layout.js";

// Streamlit calls again, without cleanup, whenever the data or the theme changes; players are distinguished by key.
const players = (globalThis.dpvizPlayers ??= new Map()); // what knows of knobs may come later than a player
const bereft = new Map(); // when a player went that had the focus, by key: the one in its place takes it
const SOON = 3000; // milliseconds

export default function mountPlayer({ data, key, parentElement, setStateValue, setTriggerValue }) {
  if (!players.has(key)) {
    const root = element("div");
    parentElement.append(root);
    players.set(key, new Player(root));
    players.get(key).focuses = performance.now() - (bereft.get(key) ?? -SOON) < SOON;
    bereft.delete(key);
  }
  const player = players.get(key);
  player.channel = { setStateValue, setTriggerValue };
  const { opening, payload } = openEnvelope(data);
  player.open(opening, payload);
  return () => {
    if (player.hasFocus()) bereft.set(key, performance.now());
    player.close();
    player.root.remove();
    players.delete(key);
  };
}

// A player in an element of a page that stands alone; nothing is open in it yet.
export function standalonePlayer(place) {
  const shadow = document.getElementById(place).attachShadow({ mode: "open" });
  const root = element("div");
  shadow.append(element("style", { text: new TextDecoder().decode(contentOf("styles")) }), root);
  return new Player(root);
}

export const USUAL_OPENING = { id: "", command: 0, sweep: 0, height: null, scale: 1 };
