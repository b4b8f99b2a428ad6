// The two ways in: as a Streamlit component, and as a page of its own.

import { contentOf, openEnvelope } from "./decode.js";
import { Player } from "./player.js";
import { element } from "./layout.js";

// Streamlit calls again, without cleanup, whenever the data or the theme changes; players are distinguished by key.
const players = (globalThis.dpvizPlayers ??= new Map()); // what knows of knobs may come later than a player
const away = new Map(); // players whose place on the page went, by key: in another place they go on as they are
const STILL = "notRunning"; // of a script of Streamlit
const SETTLES = 300; // milliseconds after which a click has begun what it begins
const SOON = 3000; // milliseconds in which there may be one

export default function mountPlayer({ data, key, parentElement, setStateValue, setTriggerValue }) {
  if (!players.has(key)) players.set(key, back(key) ?? new Player(element("div")));
  const player = players.get(key);
  if (player.root.parentNode !== parentElement) { // also from a place that goes after this came
    parentElement.append(player.root);
    player.placed.key = null; // there is other room
  }
  player.channel = { setStateValue: here(setStateValue), setTriggerValue: here(setTriggerValue) };
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

// A message that comes while another page is drawn would have Streamlit draw a part of the page before in its place. So after
// a click beside players a player waits until the server has drawn what it draws, and says nothing if another page is there.
const untold = [];
let pressed = -Infinity;
document.addEventListener("click", (event) => {
  if (!event.composedPath().some((node) => node.classList?.contains("dpviz-player"))) pressed = performance.now();
}, true);

const justPressed = () => performance.now() - pressed < SETTLES;

function here(tell) {
  const { pathname } = location;
  return (...what) => {
    untold.push(() => location.pathname === pathname && tell(...what));
    if (untold.length === 1) tellAll(justPressed());
  };
}

function tellAll(waits) {
  const drawing = () => (document.querySelector("[data-test-script-state]")?.dataset.testScriptState ?? STILL) !== STILL;
  if (waits && (justPressed() || drawing())) setTimeout(() => tellAll(true), 20);
  else for (const tell of untold.splice(0)) tell();
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
