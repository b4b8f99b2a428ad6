// The player's elements.

import { element, svg } from "./nodes.js";
import { say } from "../../words/say.js";

export { element, svg };

const ICONS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  first: "M5 5h2.5v14H5zM19 5v14L9 12z",
  last: "M16.5 5H19v14h-2.5zM5 5v14l10-7z",
  back: "M16.5 5v14L6.5 12z",
  forward: "M7.5 5v14l10-7z",
  back10: "M12 5v14L3 12zM21 5v14l-9-7z",
  forward10: "M12 5v14l9-7zM3 5v14l9-7z",
  loop: "M7 7h9V4l5 4.5L16 13v-3H9v3H7zM17 17H8v3l-5-4.5L8 11v3h7v-3h2z",
  slow: "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18zm0 2.2a6.8 6.8 0 1 1 0 13.6a6.8 6.8 0 0 1 0-13.6z"
    + "M11 7.5h2v4.6l3 2.3-1.2 1.6-3.8-2.9z",
  box: "M4 4h5v2H6v3H4zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z",
  legend: "M4 5h4v4H4zM10 6h10v2H10zM4 10.5h4v4H4zM10 11.5h10v2H10zM4 16h4v4H4zM10 17h10v2H10z",
  home: "M12 4l8 7h-2.5v8h-4v-5h-3v5h-4v-8H4z",
  save: "M11 4h2v8l3-3 1.4 1.4L12 15.8l-5.4-5.4L8 9l3 3zM5 18h14v2H5z",
  charts: "M4 4h2v14h14v2H4zM8.5 14.6l3.6-5 3 2.6L19 6l1.6 1.2-5.2 7.9-3-2.6-2.4 3.3z",
  view: "M12 5c5 0 8.6 4.4 10 7-1.4 2.6-5 7-10 7s-8.6-4.4-10-7c1.4-2.6 5-7 10-7zm0 3a4 4 0 1 0 0 8a4 4 0 0 0 0-8z",
  full: "M4 4h6v2H7.4l3.1 3.1-1.4 1.4L6 7.4V10H4zM14 4h6v6h-2V7.4l-3.1 3.1-1.4-1.4L16.6 6H14zM4 14h2v2.6l3.1-3.1 1.4 "
    + "1.4L7.4 18H10v2H4zM18 14h2v6h-6v-2h2.6l-3.1-3.1 1.4-1.4 3.1 3.1z",
  speak: "M4 9h4l5-4.5v15L8 15H4zM15.5 8.2a5 5 0 0 1 0 7.6l-1.2-1.4a3.2 3.2 0 0 0 0-4.8zM18 5.4a8.6 8.6 0 0 1 0 13.2"
    + "l-1.2-1.4a6.8 6.8 0 0 0 0-10.4z",
  more: "M4 10h4v4H4zM10 10h4v4h-4zM16 10h4v4h-4z",
  keys: "M4 6h16v12H4zm2 2v2h2V8zm4 0v2h2V8zm4 0v2h2V8zM7 14h10v2H7z",
};

export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name], "fill-rule": "evenodd" }));
}

export function setIcon(button, name) {
  button.replaceChildren(icon(name));
}

export function iconButton(name, label, keys = "") {
  const title = keys ? `${label} (${keys})` : label;
  return element("button", { type: "button", class: "icon", "aria-label": label, title }, icon(name));
}

// A button with words, and what a press does.
export function chip(text, title, action) {
  const node = element("button", { type: "button", class: "chip", text, title });
  node.addEventListener("click", action);
  return node;
}

export function toggle(name, label, title) {
  const state = { "aria-pressed": "false", "data-option": name };
  return element("button", { type: "button", class: "chip", title, text: label, ...state });
}

// A titled block with a drawing canvas and one on top for what moves.
export function chartBlock(name, title) {
  const readout = element("span", { class: "readout" });
  const [heading, note] = [element("span", { class: "chart-title", text: title }), element("span", { class: "chart-note" })];
  const head = element("div", { class: "chart-head" }, heading, note, readout);
  const canvas = element("canvas", { "aria-hidden": "true" });
  const overlay = element("canvas", { class: "overlay", role: "img", "data-chart": name, "aria-label": title });
  const tip = element("div", { class: "hint", hidden: true });
  const stage = element("div", { class: "chart-stage" }, canvas, overlay, tip);
  const block = element("div", { class: `chart chart-${name}` }, head, stage);
  return { block, head, readout, stage, canvas, overlay, tip };
}

// Words that stay are left alone: the page would be laid out anew.
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Each part of a status is shown whole or, where a narrow panel has no room for it, not at all.
export function showStatus(status, text) {
  if (status.textContent === text) return;
  const parts = text.split(" · ").map((part, k) => element("span", { text: k === 0 ? part : ` · ${part}` }));
  status.replaceChildren(...parts);
}

// A sample of a panel's line; its grey and dashes come with the theme.
export function lineSample() {
  return svg("svg", { class: "swatch", "aria-hidden": "true" }, svg("path", { d: "M0 3H27" }));
}

export function panelBlock(number) {
  const swatch = lineSample();
  const title = element("span", { class: "panel-title" });
  const status = element("span", { class: "panel-status" });
  const canvas = element("canvas", { "aria-hidden": "true" });
  const overlay = element("canvas", { class: "overlay", tabindex: "0", role: "application", "data-panel": number });
  const tip = element("div", { class: "tip", hidden: true });
  const home = element("button", { type: "button", class: "chip home", text: say("player.tool_reset"), hidden: true });
  const stage = element("div", { class: "stage" }, canvas, overlay, home, tip);
  const ribbonBlock = ribbonOf(number);
  const header = element("header", {}, swatch, title, status);
  const block = element("section", { class: "panel" }, header, stage, ribbonBlock.stage);
  return { block, header, swatch, title, status, canvas, overlay, home, tip, stage, ribbonBlock };
}

function ribbonOf(number) {
  const canvas = element("canvas", { "aria-hidden": "true" });
  const label = say("player.sizes_over_sweeps");
  const overlay = element("canvas", { class: "overlay", role: "img", "data-ribbon": number, "aria-label": label });
  const tip = element("div", { class: "hint", hidden: true });
  return { canvas, overlay, tip, stage: element("div", { class: "ribbon" }, canvas, overlay, tip) };
}

const KEYS = [
  [say("player.key_space"), say("player.keys_play")],
  ["← →", say("player.keys_step")],
  ["[ ]", say("player.keys_ten")],
  [say("player.key_home_end"), say("player.keys_ends")],
  ["f, v", say("player.keys_full")],
  [say("player.keys_focused"), ""],
  ["+ − 0", say("player.keys_zoom")],
  [say("player.key_shift_arrows"), say("player.keys_pan")],
  [say("player.key_walk"), say("player.keys_walk")],
  ["g", say("player.keys_ghost")],
  [say("player.key_alt_arrows"), say("player.keys_nudge")],
  [say("player.key_box"), say("player.keys_box")],
];

export function keysPanel() {
  const list = element("dl", { class: "keys" });
  for (const [keys, meaning] of KEYS) list.append(element("dt", { text: keys }), element("dd", { text: meaning }));
  return list;
}

// Takes no room on a Streamlit page: for components that show nothing.
export function hide({ host }) {
  const box = host?.closest('[data-testid="stElementContainer"]');
  if (box) box.style.display = "none";
}
