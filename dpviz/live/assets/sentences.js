// What is said beside the knobs: what moves, what was found here, and what the server found.

import { countOf, formatNumber } from "../../player/assets/format.js";
import { renumbered } from "./picture.js";

const SAME = 0.5; // nats

const FOLLOWS = { search: "Let go, and the search goes on.", sweeps: "Let go, and the whole chain runs.", "": "" };
const ON_SERVER = "A knob answers when you let go.";
const HINT = "Drag a knob: the clusters answer while it moves.";

// Of a strip that nobody has used: `fault` of the browser, and the sides.
export function opinionOf(fault, sides) {
  const idle = sides.filter((side) => !side.computes);
  if (idle.length === 0) return HINT;
  if (fault || idle.length === sides.length) {
    const why = fault || idle[0].facts.why;
    return why ? `${why} ${ON_SERVER}` : ON_SERVER;
  }
  return `${HINT} ${idle.map((side) => side.facts.why).filter((why, k, all) => why && all.indexOf(why) === k).join(" ")}`.trim();
}

// Of films that were just made.
export function filmWords(sides) {
  const made = sides.filter((side) => side.film);
  if (sides.length > 1) {
    const ends = made.every((side) => side.facts.left_out === "") ? "" : " Let go, and the server goes on.";
    return `Quick runs: ${made.map((side) => `${side.name} ${countOf(side.film.answer.n_clusters, "cluster")}`).join(", ")}.${ends}`;
  }
  const [{ film, facts }] = made;
  return `${countOf(film.answer.n_clusters, "cluster")} in a quick run. ${FOLLOWS[facts.left_out]}`.trim();
}

// While the server's runs are on their way; empty if there is nothing to say.
export function waitingWords(sides, state) {
  const several = sides.length > 1;
  if (state === "waiting") return several ? "These are quick runs; the server's take longer and wait for Run." : "This is a quick run; the server's takes longer and waits for Run.";
  if (state !== "running") return "";
  return sides.some((side) => side.facts.left_out === "search") ? "The search goes on …" : `The server runs ${several ? "them" : "it"} …`;
}

// What the server's runs have found, compared with the films that were here: [side, film] of those that have one.
export function verdictOn(compared, panels, nSides) {
  if (nSides > 1) return `The server's runs: ${compared.map(([side, film]) => inShort(side, film, panels[side.number])).join(", ")}.`;
  const [[{ facts }, film]] = compared, [panel] = panels;
  const { left_out: left, has_nll: has } = facts;
  const last = panel.n_sweeps;
  const gain = film.answer.nll - panel.nll[last];
  const clusters = countOf(panel.n_clusters[last], "cluster");
  if (has && differs(facts, film)) return `The server's run, for which the width was chosen anew: ${clusters}.`;
  if (left === "search" && Number.isFinite(gain)) {
    if (gain > SAME) return `Search: ${formatNumber(gain, 3)} nats lower, with ${clusters}.`;
    return gain < -SAME ? `The search found ${clusters}; the quick run was ${formatNumber(-gain, 3)} nats lower.` : `The search agrees: ${clusters}.`;
  }
  if (left !== "") return `The server's whole chain ends with ${clusters}.`;
  if (samePartition(panel, film)) return `The server agrees: ${clusters}.`;
  return has && Number.isFinite(gain) ? `The server's run: ${clusters}, ${formatNumber(Math.abs(gain), 3)} nats ${gain > 0 ? "lower" : "higher"}.` : `The server's run: ${clusters}.`;
}

function inShort({ name, facts }, film, panel) {
  const last = panel.n_sweeps;
  const gain = film.answer.nll - panel.nll[last];
  const compares = facts.left_out === "search" && facts.has_nll && !differs(facts, film) && Number.isFinite(gain) && gain > SAME;
  return `${name} ${countOf(panel.n_clusters[last], "cluster")}${compares ? ` (${formatNumber(gain, 3)} nats lower)` : ""}`;
}

// Whether the server chose what the film had otherwise.
function differs({ config, values }, film) {
  return config.family !== film.config.family || Object.keys(values).some((name) => values[name] !== film.values[name]);
}

function samePartition(panel, film) {
  const rows = [panel.labels.subarray(panel.n_sweeps * panel.n_points), film.tracks].map(renumbered);
  return rows[0].length === rows[1].length && rows[0].every((label, i) => label === rows[1][i]);
}
