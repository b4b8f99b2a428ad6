// The state of the page in the fragment of its address, and back. Whatever is in a link may be damaged.

import { OWN_DATA, Settings } from "./settings.js";
import { say } from "../../words/say.js";

const FORMAT = "1";
const LONG = "long"; // in place of a table that a link cannot hold
const WHOLE = /^\d{1,10}$/;

const numbersText = (rows) => rows.map((row) => row.join("_")).join("~");

// Whole numbers of one width, to base 36, after that width.
function wholesText(wholes) {
  const digits = Math.max(0, ...wholes).toString(36).length;
  return digits + Array.from(wholes, (whole) => whole.toString(36).padStart(digits, "0")).join("");
}

// Names with the sign that stands between names are written in another way, which older pages do not know.
const namesText = (names) => (names.some((name) => name.includes("~")) ? { columns: JSON.stringify(names) } : { names: names.join("~") });

// Half a letter of two code units cannot be in an address.
const encoded = (value) => encodeURIComponent(String(value).replace(/\p{Surrogate}/gu, "\ufffd"));

export function fragmentOf(settings) {
  const { facts, table, from } = settings;
  const parts = { v: FORMAT, data: settings.data, methods: settings.methods.join("~"), seed: settings.seed };
  if (settings.draw > 0) parts.draw = settings.draw;
  if (settings.axes.join() !== "0,1") parts.axes = settings.axes.join("~");
  for (const { name, usual } of settings.offered()) if (settings.knobs[name] !== usual) parts[name] = settings.knobs[name];
  if (!settings.set() && table?.rows.length > 0) {
    parts.rows = numbersText(table.rows);
    if (parts.rows.length > facts.limits.address) parts.rows = LONG;
    else {
      Object.assign(parts, namesText(table.names));
      if (table.groups) parts.groups = wholesText(table.groups);
      if (table.rowNats) parts.row_nats = table.rowNats; // of points of scaled columns that were moved
    }
  }
  if (from && parts.rows !== LONG) parts.from = from.map((labels) => (labels ? wholesText(labels) : "")).join("~");
  return Object.entries(parts).map(([name, value]) => `${name}=${encoded(value)}`).join("&");
}

class Damaged extends Error {}

const demand = (condition, sentence) => { if (!condition) throw new Damaged(sentence); };

function numberOf(text, largest) {
  const value = text.trim() === "" ? NaN : Number(text);
  demand(Math.abs(value) <= largest, say("lab.link_no_number", { text: text.slice(0, 20) }));
  return value;
}

function wholeOf(text, low, high) {
  demand(WHOLE.test(text) && Number(text) >= low && Number(text) <= high, say("lab.link_no_whole", { text: text.slice(0, 20), low, high }));
  return Number(text);
}

function wholesOf(text, count) {
  const digits = Number(text[0]);
  demand(/^[1-4][0-9a-z]*$/.test(text) && text.length === 1 + digits * count, say("lab.link_clusters"));
  return Array.from({ length: count }, (_, i) => parseInt(text.slice(1 + i * digits, 1 + (i + 1) * digits), 36));
}

function namesIn(parts) {
  if (parts.columns === undefined) return (parts.names ?? "").split("~");
  const names = JSON.parse(parts.columns);
  demand(Array.isArray(names) && names.every((name) => typeof name === "string"), say("lab.link_names"));
  return names;
}

function tableIn(parts, limits) {
  demand(parts.rows !== LONG, say("lab.link_too_long"));
  const rows = parts.rows.split("~").map((row) => row.split("_").map((cell) => numberOf(cell, limits.shown)));
  const names = namesIn(parts);
  demand(rows.every((row) => row.length === names.length), say("lab.link_unequal"));
  demand(rows.length <= limits.points && names.length >= 2 && names.length <= limits.columns, say("lab.link_size"));
  const rowNats = parts.row_nats === undefined ? 0 : numberOf(parts.row_nats, limits.shown);
  return { rows, names, groups: parts.groups ? wholesOf(parts.groups, rows.length) : null, rowNats };
}

// How each part is read into the settings, in this order; others are knobs.
const READERS = {
  v: (_, text) => demand(text === FORMAT, say("lab.link_version")),
  data: (settings, text, parts) => {
    const { sets, limits } = settings.facts;
    const isOwn = OWN_DATA.includes(text);
    demand(isOwn || sets.some((set) => set.name === text), say("lab.link_unknown_data", { text: text.slice(0, 30) }));
    if (!isOwn) Object.assign(settings, { data: text }).fitMethods();
    else if (parts.rows || text !== "drawn") {
      demand(parts.rows, say("lab.link_no_table"));
      const table = tableIn(parts, limits);
      Object.assign(settings, { table, data: text });
    } else settings.data = text;
  },
  draw: (settings, text) => (settings.draw = wholeOf(text, 0, (settings.set()?.draws.length ?? 1) - 1)),
  axes: (settings, text) => {
    const axes = text.split("~").map((axis) => wholeOf(axis, 0, (settings.points()?.nFeatures ?? 2) - 1));
    demand(axes.length === 2 && axes[0] !== axes[1], say("lab.link_two_columns"));
    settings.axes = axes;
  },
  methods: (settings, text) => {
    const { offers: methods, facts: { limits } } = settings;
    const names = text.split("~");
    demand(names.length <= limits.panels, say("lab.link_most_methods", { most: limits.panels }));
    const unknown = names.find((name) => !methods.some((method) => method.name === name));
    demand(unknown === undefined, say("lab.link_unknown_method", { text: unknown?.slice(0, 30) }));
    settings.methods = names;
  },
  seed: (settings, text) => (settings.seed = wholeOf(text, 0, 2 ** 32 - 1)),
};

function readKnob(settings, name, text) {
  const knob = settings.facts.knobs.find((one) => one.name === name);
  demand(knob, say("lab.link_unknown"));
  const { largest } = settings.facts.limits;
  const value = numberOf(text, largest);
  const [low, high] = knob.low === null ? [Number.MIN_VALUE, largest] : [knob.low, knob.high];
  demand(value >= low && value <= high, say("lab.link_out_of_range", { text: text.slice(0, 20), low, high }));
  demand(knob.step < 1 || Number.isInteger(value), say("lab.link_not_whole", { text: text.slice(0, 20) }));
  settings.knobs[name] = value;
}

function readFrom(settings, text) {
  const nPoints = settings.points()?.nPoints ?? 0;
  const all = text.split("~").map((labels) => (labels === "" ? null : wholesOf(labels, nPoints)));
  demand(all.length === settings.methods.length, say("lab.link_starts"));
  settings.from = all;
}

// Name and text of one part; a part of a damaged link may be anything.
function partOf(pair) {
  const at = pair.indexOf("=");
  demand(at > 0, say("lab.link_says_nothing", { text: pair.slice(0, 20) }));
  return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))];
}

// { settings, fault }: everything that could be read, and a sentence about the rest, or "".
export function settingsOf(fragment, facts) {
  const settings = new Settings(facts);
  const faults = [];
  const attempt = (name, action) => {
    try { return action(); } catch (error) { faults.push(`${name}: ${error instanceof Damaged ? error.message : say("lab.link_unreadable")}`); }
    return [];
  };
  const pairs = fragment.split("&").filter((pair) => pair !== "").map((pair) => attempt(say("lab.link_part"), () => partOf(pair)));
  const parts = Object.fromEntries(pairs.filter((pair) => pair.length === 2));
  const knobs = Object.keys(parts).filter((name) => !(name in READERS) && !["rows", "names", "columns", "groups", "row_nats", "from"].includes(name));
  for (const [name, read] of Object.entries(READERS)) {
    if (name in parts) attempt(name, () => read(settings, parts[name], parts));
    if (name === "draw") settings.takePenalty();
  }
  for (const name of knobs) attempt(name, () => readKnob(settings, name, parts[name]));
  if ("from" in parts) attempt("from", () => readFrom(settings, parts.from));
  const fault = faults.length > 0 ? say("lab.link_damaged", { faults: faults.join("; ") }) : "";
  return { settings, fault };
}
