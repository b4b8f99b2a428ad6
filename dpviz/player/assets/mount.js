// The two ways in: as a Streamlit component, and as a page of its own.

import { openEnvelope } from "./decode.js";
import { Player } from "./player.js";
import { element } from "./layout.js";

// Streamlit calls again, without cleanup, whenever the data or the theme changes; players are distinguished by key.
const players = new Map();
const bereft = new Map(); // when a player went that had the focus, by key: the one in its place takes it
const SOON = 3000; // milliseconds

export function mountPlayer({ data, key, parentElement, setStateValue, setTriggerValue }) {
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

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

export function startStandalone(place, opening = {}) {
  const text = (id) => document.getElementById(id).textContent.trim();
  const shadow = document.getElementById(place).attachShadow({ mode: "open" });
  const styles = new TextDecoder().decode(bytesOf(text("styles")));
  const root = element("div");
  shadow.append(element("style", { text: styles }), root);
  const usual = { id: "", command: 0, sweep: 0, height: null, scale: 1 };
  new Player(root).open({ ...usual, ...opening }, bytesOf(text("payload")));
}
