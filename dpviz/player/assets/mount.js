// The two ways in: as a Streamlit component, and as a page of its own.

import { contentOf, openEnvelope } from "./decode.js";
import { Player } from "./player.js";
import { element } from "./layout.js";

// Streamlit calls again, without cleanup, whenever the data or the theme changes; players are distinguished by key.
const players = (globalThis.dpvizPlayers ??= new Map()); // what knows of knobs may come later than a player
const away = new Map(); // players whose place on the page went, by key: in another place they go on as they are
const SOON = 3000; // milliseconds in which there may be one

export default function mountPlayer({ data, key, parentElement, setStateValue, setTriggerValue }) {
  if (!players.has(key)) players.set(key, back(key) ?? new Player(element("div")));
  const player = players.get(key);
  if (player.root.parentNode !== parentElement) { // also from a place that goes after this came
    parentElement.append(player.root);
    player.placed.key = null; // there is other room
  }
  player.channel = { setStateValue, setTriggerValue };
  const { opening, payload } = openEnvelope(data);
  player.open(opening, payload);
  return () => {
    if (player.root.parentNode !== parentElement) return;
    const focused = player.hasFocus();
    player.root.remove();
    player.channel = null; // nobody hears it there
    players.delete(key);
    away.set(key, { player, focused, timer: setTimeout(() => leave(key), SOON) });
  };
}

function back(key) {
  if (!away.has(key)) return null;
  const { player, focused, timer } = away.get(key);
  clearTimeout(timer);
  away.delete(key);
  return Object.assign(player, { focuses: focused });
}

function leave(key) {
  away.get(key).player.close();
  away.delete(key);
}

// A player in an element of a page that stands alone; nothing is open in it yet.
export function standalonePlayer(place) {
  const shadow = document.getElementById(place).attachShadow({ mode: "open" });
  const root = element("div");
  shadow.append(element("style", { text: new TextDecoder().decode(contentOf("styles")) }), root);
  return new Player(root);
}

export const USUAL_OPENING = { id: "", command: 0, sweep: 0, height: null, scale: 1 };
