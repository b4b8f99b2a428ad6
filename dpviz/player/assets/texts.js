// What the player says about a sweep or a point, in words.

import { countOf, formatFixed, formatNumber, formatSeconds } from "./format.js";
import { OTHERS } from "./sizes.js";

// The name the reader gave to a cluster, or its number.
export function trackName(panel, track) {
  if (track < 0) return "none";
  return panel.cluster_names[track + 1] ?? `cluster ${track + 1}`;
}

// One panel at one moment: "sweep 4 of 11 · 3 clusters · 37 moved".
export function statusText(run, number, snapshot) {
  const panel = run.panels[number];
  const { sweep, visit } = snapshot;
  if (visit) {
    const stays = visit.to === visit.from;
    const where = stays ? `stays in ${trackName(panel, visit.to)}` : `${trackName(panel, visit.from)} → ${trackName(panel, visit.to)}`;
    return `point ${visit.point}: ${where}`;
  }
  const parts = [`sweep ${sweep} of ${panel.n_sweeps}`, countOf(panel.n_clusters[sweep], "cluster")];
  const agreement = panel.agreement?.[sweep];
  if (run.panels.length === 1 && Number.isFinite(agreement)) parts.push(`NMI ${formatFixed(agreement, 2)}`);
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
  const lines = [`row ${point} · ${trackName(panel, label)}`];
  if (panel.true_labels) {
    const truth = panel.true_labels[point];
    lines.push(`true class ${panel.class_names[truth] ?? truth}`);
  }
  if (panel.values) {
    const width = panel.shapes.values[1];
    for (let f = 0; f < width; f += 1) {
      const name = panel.value_names[f] ?? `feature ${f + 1}`;
      lines.push(`${name}  ${formatNumber(panel.values[point * width + f])}`);
    }
  } else {
    panel.axis_names.forEach((name, axis) => {
      lines.push(`${name}  ${formatNumber((axis === 0 ? panel.x : panel.y)[point] + panel.origin[axis])}`);
    });
  }
  return lines;
}
