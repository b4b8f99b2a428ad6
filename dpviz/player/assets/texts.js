// What the player says about a sweep or a point, in words.

import { formatFixed, formatNumber, formatSeconds } from "./format.js";
import { OTHERS } from "./sizes.js";
import { ownPlace } from "./turns.js";
import { say, sayCount } from "../../words/say.js";

// The name the reader gave to a cluster, or its number.
export function trackName(panel, track) {
  if (track < 0) return say("player.none");
  return panel.cluster_names[track + 1] ?? say("player.cluster", { cluster: track + 1 });
}

// What the cost is, and by which symbol it goes.
export function costWords(hasNll, objective) {
  if (hasNll) return say("player.about_nll") + (objective === "E" ? ` ${say("player.about_e")}` : "");
  const squares = objective.includes("λ") ? "player.about_squares_and_penalty" : "player.about_squares";
  return say(objective.includes("‖x − μ‖²") ? squares : "player.about_other", { objective });
}

// Which panels have no line in the chart of the costs that the others share.
export function withoutCost(run) {
  const has = run.panels.map((panel) => panel.nll.some(Number.isFinite));
  const names = run.panels.filter((_, number) => !has[number]).map((panel) => panel.title.split(" · ")[0]);
  return has.includes(true) && names.length > 0 ? say("player.no_nll", { names: [...new Set(names)].join(", ") }) : "";
}

// "ARI 0.95", "NMI 0.97" at a sweep; nothing where the true groups are unknown.
export function agreementParts(panel, sweep) {
  return [["ARI", panel.adjusted_rand], ["NMI", panel.agreement]]
    .filter(([, curve]) => Number.isFinite(curve?.[sweep]))
    .map(([name, curve]) => `${name} ${formatFixed(curve[sweep], 2)}`);
}

// One panel at one moment: "sweep 4 of 11 · 3 clusters · 37 moved". `judges`: also how far it agrees with the truth.
export function statusText(run, number, snapshot, judges = true) {
  const panel = run.panels[number];
  const { sweep, visit } = snapshot;
  if (visit) {
    const [from, to] = [trackName(panel, visit.from), trackName(panel, visit.to)];
    return say(visit.to === visit.from ? "player.point_stays" : "player.point_moves", { point: visit.point, from, to });
  }
  const parts = [say("player.sweep_of", { sweep, all: panel.n_sweeps }), sayCount("player.clusters", panel.n_clusters[sweep])];
  if (run.panels.length === 1 && judges) parts.push(...agreementParts(panel, sweep));
  const nll = panel.nll[sweep]; // before what narrow panels have no room for
  if (run.panels.length > 1 && Number.isFinite(nll)) parts.push(say("player.nll", { nll: formatNumber(nll, 6) }));
  if (sweep > 0) parts.push(sayCount("player.moved", panel.n_moved[sweep]));
  if (panel.n_born[sweep] > 0) parts.push(sayCount("player.born", panel.n_born[sweep]));
  if (panel.n_died[sweep] > 0) parts.push(sayCount("player.died", panel.n_died[sweep]));
  return parts.join(" · ");
}

// All panels, for a screen reader.
export function spokenText(run, snapshots) {
  const texts = snapshots.map((snapshot, number) => {
    const text = statusText(run, number, snapshot).replaceAll(" · ", ", ");
    return snapshots.length > 1 ? `${run.panels[number].title}: ${text}` : text;
  });
  return texts.join("; ");
}

// The same as a sentence for each panel.
export function sentences(run, snapshots) {
  return snapshots.map((snapshot, number) => {
    const title = snapshots.length > 1 ? `${run.panels[number].title}: ` : "";
    const text = snapshot.visit ? statusText(run, number, snapshot) : sentence(run.panels[number], snapshot.sweep);
    return `${title}${text}.`;
  }).join(" ");
}

function sentence(panel, sweep) {
  const moved = panel.n_moved[sweep];
  const parts = [sayCount("player.clusters", panel.n_clusters[sweep])];
  if (sweep > 0) parts.push(moved > 0 ? sayCount("player.points_moved", moved) : say("player.no_point_moved"));
  if (panel.n_born[sweep] > 0) parts.push(sayCount("player.clusters_opened", panel.n_born[sweep]));
  if (panel.n_died[sweep] > 0) parts.push(sayCount("player.clusters_closed", panel.n_died[sweep]));
  const cost = Number.isFinite(panel.nll[sweep]) ? panel.nll[sweep] : panel.objective[sweep];
  if (Number.isFinite(cost)) parts.push(say("player.cost", { cost: formatNumber(cost, 6) }));
  parts.push(...agreementParts(panel, sweep));
  const where = sweep === 0 ? say("player.start") : say("player.sweep_of_all", { sweep, all: panel.n_sweeps });
  return `${where}: ${parts.join(", ")}`;
}

// The playhead beside the slider.
export function positionText(run, deck) {
  if (deck.slow) return say("player.visit", { visit: deck.position, all: deck.length });
  if (run.sync === "seconds" && run.duration > 0) {
    return `${formatSeconds(run.frameTime(deck.frame))} / ${formatSeconds(run.duration)}`;
  }
  if (run.sync === "fraction") return `${Math.round((100 * deck.frame) / Math.max(1, run.last))} %`;
  return `${deck.frame} / ${run.last}`;
}

// Lines of text about one sweep of a chart's curves.
export function chartLines(run, chart, frame) {
  const texts = chart.lines.map((line, k) => {
    const value = line.y[chart.hoveredAt[k]];
    if (!Number.isFinite(value)) return null;
    const sweep = line.faint || chart.byVisit || run.panels.length === 1 ? "" : ` (${say("player.at_sweep", { sweep: chart.hoveredAt[k] })})`;
    const written = line.decimals === undefined ? formatNumber(value, 7) : formatFixed(value, line.decimals);
    return `${line.label}  ${written}${line.unit && ` ${line.unit}`}${sweep}`;
  });
  return [chart.byVisit ? sayCount("player.after_visits", frame) : frameText(run, frame), ...texts.filter((text) => text !== null)];
}

function frameText(run, frame) {
  if (run.sync === "seconds" && run.duration > 0) return formatSeconds(run.frameTime(frame));
  if (run.sync === "fraction") return say("player.share_of_runs", { percent: Math.round((100 * frame) / Math.max(1, run.last)) });
  return say("player.at_sweep", { sweep: frame });
}

// Lines of text about one cluster in one sweep.
export function bandLines(run, number, { sweep, track, size }) {
  const panel = run.panels[number];
  const name = track === OTHERS ? say("player.smaller_clusters") : trackName(panel, track);
  return [`${say("player.at_sweep", { sweep })} · ${name}`, `${sayCount("player.points", size)} (${formatNumber((100 * size) / panel.n_points, 3)} %)`];
}

// Lines of text about one point.
export function pointLines(panel, snapshot, point) {
  const label = snapshot.labels[point];
  const name = panel.point_names?.[point];
  const lines = [`${say("player.point", { point })}${name ? `, ${name}` : ""} · ${trackName(panel, label)}`];
  if (panel.true_labels) {
    const truth = panel.true_labels[point];
    lines.push(say("player.known_group", { group: panel.class_names[truth] ?? truth }));
  }
  if (panel.values) {
    const width = panel.shapes.values[1];
    for (let f = 0; f < width; f += 1) {
      const name = panel.value_names[f] ?? say("player.feature", { number: f + 1 });
      const value = panel.values[point * width + f];
      lines.push(`${name}  ${Number.isNaN(value) ? say("player.missing") : formatNumber(value)}`);
    }
  } else {
    panel.axis_names.forEach((name, axis) => {
      lines.push(`${name}  ${formatNumber(ownPlace(panel, axis, (axis === 0 ? panel.x : panel.y)[point]) + panel.origin[axis])}`);
    });
  }
  return lines;
}
