// What the player says about a sweep or a point, in words.

import { countOf, formatFixed, formatNumber, formatSeconds } from "./format.js";
import { OTHERS } from "./sizes.js";

// The name the reader gave to a cluster, or its number.
export function trackName(panel, track) {
  if (track < 0) return "none";
  return panel.cluster_names[track + 1] ?? `cluster ${track + 1}`;
}

export const AGREEMENT_WORDS = "ARI, the adjusted Rand index, and NMI, the normalised mutual information, of the clusters "
  + "and the true groups: 1 if they are the same, about 0 if they are unrelated. The algorithm never sees the true groups.";

// What the cost is, and by which symbol it goes.
export function costWords(hasNll, objective) {
  const lower = "The lower, the better.";
  if (hasNll) {
    const own = objective === "E" ? " E, its own objective, leaves out what the same data always cost." : "";
    return `nll: minus the log probability of the data and their partition together, in nats. ${lower}${own}`;
  }
  if (objective.includes("‖x − μ‖²")) {
    const penalty = objective.includes("λ") ? ", and λ for each cluster" : "";
    return `${objective}: the squared distances of all points to the centres of their clusters${penalty}. ${lower}`;
  }
  return `${objective}: what this method lowers. ${lower}`;
}

// Which panels have no line in the chart of the costs that the others share.
export function withoutCost(run) {
  const has = run.panels.map((panel) => panel.nll.some(Number.isFinite));
  const names = run.panels.filter((_, number) => !has[number]).map((panel) => panel.title.split(" · ")[0]);
  return has.includes(true) && names.length > 0 ? `none of this kind: ${names.join(", ")}` : "";
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
    const stays = visit.to === visit.from;
    const where = stays ? `stays in ${trackName(panel, visit.to)}` : `${trackName(panel, visit.from)} → ${trackName(panel, visit.to)}`;
    return `point ${visit.point}: ${where}`;
  }
  const parts = [`sweep ${sweep} of ${panel.n_sweeps}`, countOf(panel.n_clusters[sweep], "cluster")];
  if (run.panels.length === 1 && judges) parts.push(...agreementParts(panel, sweep));
  const nll = panel.nll[sweep]; // before what narrow panels have no room for
  if (run.panels.length > 1 && Number.isFinite(nll)) parts.push(`nll ${formatNumber(nll, 6)}`);
  if (sweep > 0) parts.push(`${formatFixed(panel.n_moved[sweep], 0)} moved`);
  if (panel.n_born[sweep] > 0) parts.push(`${panel.n_born[sweep]} born`);
  if (panel.n_died[sweep] > 0) parts.push(`${panel.n_died[sweep]} died`);
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
  const parts = [countOf(panel.n_clusters[sweep], "cluster")];
  if (sweep > 0) parts.push(moved > 0 ? `${countOf(moved, "point")} moved` : "no point moved");
  if (panel.n_born[sweep] > 0) parts.push(`${countOf(panel.n_born[sweep], "cluster")} opened`);
  if (panel.n_died[sweep] > 0) parts.push(`${countOf(panel.n_died[sweep], "cluster")} closed`);
  const cost = Number.isFinite(panel.nll[sweep]) ? panel.nll[sweep] : panel.objective[sweep];
  if (Number.isFinite(cost)) parts.push(`cost ${formatNumber(cost, 6)}`);
  parts.push(...agreementParts(panel, sweep));
  const where = sweep === 0 ? "Start" : `Sweep ${sweep} of ${panel.n_sweeps}`;
  return `${where}: ${parts.join(", ")}`;
}

// The playhead beside the slider.
export function positionText(run, deck) {
  if (deck.slow) return `visit ${deck.position} / ${deck.length}`;
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
    const sweep = line.faint || chart.byVisit || run.panels.length === 1 ? "" : ` (sweep ${chart.hoveredAt[k]})`;
    const written = line.decimals === undefined ? formatNumber(value, 7) : formatFixed(value, line.decimals);
    return `${line.label}  ${written}${line.unit && ` ${line.unit}`}${sweep}`;
  });
  return [chart.byVisit ? `after ${countOf(frame, "visit")}` : frameText(run, frame), ...texts.filter((text) => text !== null)];
}

function frameText(run, frame) {
  if (run.sync === "seconds" && run.duration > 0) return formatSeconds(run.frameTime(frame));
  if (run.sync === "fraction") return `${Math.round((100 * frame) / Math.max(1, run.last))} % of each run`;
  return `sweep ${frame}`;
}

// Lines of text about one cluster in one sweep.
export function bandLines(run, number, { sweep, track, size }) {
  const panel = run.panels[number];
  const name = track === OTHERS ? "smaller clusters" : trackName(panel, track);
  return [`sweep ${sweep} · ${name}`, `${countOf(size, "point")} (${formatNumber((100 * size) / panel.n_points, 3)} %)`];
}

// Lines of text about one point.
export function pointLines(panel, snapshot, point) {
  const label = snapshot.labels[point];
  const name = panel.point_names?.[point];
  const lines = [`point ${point}${name ? `, ${name}` : ""} · ${trackName(panel, label)}`];
  if (panel.true_labels) {
    const truth = panel.true_labels[point];
    lines.push(`known group ${panel.class_names[truth] ?? truth}`);
  }
  if (panel.values) {
    const width = panel.shapes.values[1];
    for (let f = 0; f < width; f += 1) {
      const name = panel.value_names[f] ?? `feature ${f + 1}`;
      const value = panel.values[point * width + f];
      lines.push(`${name}  ${Number.isNaN(value) ? "missing" : formatNumber(value)}`);
    }
  } else {
    panel.axis_names.forEach((name, axis) => {
      lines.push(`${name}  ${formatNumber((axis === 0 ? panel.x : panel.y)[point] + panel.origin[axis])}`);
    });
  }
  return lines;
}
