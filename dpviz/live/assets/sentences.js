// What is said beside the knobs: what moves, what was found here, and what the server found.

import { formatFixed, formatNumber } from "../../player/assets/format.js";
import { renumbered } from "../../stage/film.js";
import { say, sayCount } from "../../words/say.js";

const SAME = 0.5; // nats

const FOLLOWS = { search: "strip.then_search", sweeps: "strip.then_chain" };

// Of a strip that nobody has used: `fault` of the browser, and the sides.
export function opinionOf(fault, sides) {
  const idle = sides.filter((side) => !side.computes);
  if (idle.length === 0) return say("strip.hint");
  if (fault || idle.length === sides.length) {
    const why = fault || idle[0].facts.why;
    return why ? `${why} ${say("strip.on_server")}` : say("strip.on_server");
  }
  return `${say("strip.hint")} ${idle.map((side) => side.facts.why).filter((why, k, all) => why && all.indexOf(why) === k).join(" ")}`.trim();
}

// Of films that were just made.
export function filmWords(sides) {
  const made = sides.filter((side) => side.film);
  if (sides.length > 1) {
    const ends = made.every((side) => leftOut(side) === "") ? "" : ` ${say("strip.then_server")}`;
    const found = made.map((side) => `${side.name}: ${sayCount("strip.clusters", side.film.answer.n_clusters)}`).join(", ");
    return `${say("strip.quick_runs", { found })}${ends}`;
  }
  const [side] = made, { film } = side, left = leftOut(side);
  const then = left === "" ? "" : ` ${say(FOLLOWS[left])}`;
  return `${sayCount(film.searched ? "strip.search_found" : "strip.quick_run", film.answer.n_clusters)}${then}`;
}

// What is still to come after the film of a side.
const leftOut = ({ film, facts }) => (film.searched ? "" : facts.left_out);

// While the server's runs are on their way; empty if there is nothing to say.
export function waitingWords(sides, state) {
  const several = sides.length > 1;
  if (state === "waiting") return say(several ? "strip.wait_for_run_several" : "strip.wait_for_run");
  if (state !== "running") return "";
  const goesOn = sides.some((side) => side.facts.left_out === "search" && !side.film?.searched);
  return say(goesOn ? "strip.search_goes_on" : several ? "strip.server_runs_several" : "strip.server_runs");
}

// How far the searches are here.
export function progressWords(sides) {
  const told = sides.filter((side) => side.told && !side.film?.searched);
  return told.map(({ name, told: { share, nll } }) => {
    const so = say("strip.search_so_far", { percent: Math.floor(100 * share), nats: formatFixed(nll, 1) });
    return sides.length > 1 ? `${name}: ${so}` : so;
  }).join("; ");
}

// What the server's runs have found, compared with the films that were here: [side, film] of those that have one.
export function verdictOn(compared, panels, nSides) {
  if (nSides > 1) return say("strip.server_found_several", { found: compared.map(([side, film]) => inShort(side, film, panels[side.number])).join(", ") });
  const [[{ facts }, film]] = compared, [panel] = panels;
  const { left_out: left, has_nll: has } = facts;
  const last = panel.n_sweeps;
  const gain = film.answer.nll - panel.nll[last];
  const clusters = sayCount("strip.clusters", panel.n_clusters[last]);
  if (has && differs(facts, film)) return say("strip.width_anew", { clusters });
  if (left === "search" && Number.isFinite(gain)) {
    if (gain > SAME) return say("strip.search_lower", { nats: formatNumber(gain, 3), clusters });
    return gain < -SAME ? say("strip.search_higher", { nats: formatNumber(-gain, 3), clusters }) : say("strip.search_agrees", { clusters });
  }
  if (left !== "") return say("strip.chain_ends", { clusters });
  if (samePartition(panel, film)) return say("strip.server_agrees", { clusters });
  if (!has || !Number.isFinite(gain)) return say("strip.server_found", { clusters });
  return say(gain > 0 ? "strip.server_lower" : "strip.server_higher", { clusters, nats: formatNumber(Math.abs(gain), 3) });
}

function inShort({ name, facts }, film, panel) {
  const last = panel.n_sweeps;
  const gain = film.answer.nll - panel.nll[last];
  const compares = facts.left_out === "search" && facts.has_nll && !differs(facts, film) && Number.isFinite(gain) && gain > SAME;
  return `${name}: ${sayCount("strip.clusters", panel.n_clusters[last])}${compares ? ` ${say("strip.lower", { nats: formatNumber(gain, 3) })}` : ""}`;
}

// Whether the server chose what the film had otherwise.
function differs({ config, values }, film) {
  return config.family !== film.config.family || Object.keys(values).some((name) => values[name] !== film.values[name]);
}

function samePartition(panel, film) {
  const rows = [panel.labels.subarray(panel.n_sweeps * panel.n_points), film.tracks].map(renumbered);
  return rows[0].length === rows[1].length && rows[0].every((label, i) => label === rows[1][i]);
}
