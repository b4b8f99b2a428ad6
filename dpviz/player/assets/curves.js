// Which lines the charts draw for a run.

import { PANEL_DASHES, panelColor } from "./theme.js";
import { say } from "../../words/say.js";

const LEAST_NATS = 2; // that a chart of costs shows: less than that between two partitions is next to nothing
const LONGEST_GHOST = 2; // times the run itself: beyond, the run would be squeezed into a corner

function axisOf(run, last) {
  if (run.sync === "seconds" && run.duration > 0) return { from: 0, to: run.duration, whole: false };
  if (run.sync === "fraction") return { from: 0, to: 1, whole: false };
  return { from: 0, to: Math.max(1, last), whole: true };
}

// The last frame that the charts show: a longer ghost keeps its length where that is possible.
function lastShown(run) {
  if (run.sync !== "sweep") return run.last;
  const ghosts = run.panels.flatMap((panel) => panel.ghosts.map((ghost) => ghost.nll.length - 1));
  return Math.max(run.last, Math.min(Math.max(0, ...ghosts), LONGEST_GHOST * run.last));
}

// One line per panel; ghosts of other runs go behind. `label` and `unit` are what is read out.
function lines(run, theme, name, { steps, connect, skipFirst, ghosts, label, unit = "", decimals, named }) {
  const count = run.panels.length;
  const result = [];
  run.panels.forEach((panel, number) => {
    if (panel[name] === undefined) return;
    const positions = Array.from(panel[name], (_, sweep) => run.frameOfSweep(number, sweep));
    const color = panelColor(theme, number, count);
    const style = { panel: number, steps, connect, unit, decimals, named, color, dash: PANEL_DASHES[number] };
    for (const ghost of ghosts ? panel.ghosts : []) {
      const x = Array.from(ghost[name], (_, sweep) => sweep);
      const own = { label: ghost.name, color: theme.muted, dash: [], faint: true };
      result.push({ ...style, ...own, x, y: Array.from(ghost[name]) });
    }
    const values = Array.from(panel[name]);
    if (skipFirst) values[0] = NaN;
    result.push({ ...style, label: count === 1 ? label : panel.title, x: positions, y: values });
  });
  return result;
}

export function hasNll(run) {
  return run.panels.some((panel) => panel.nll.some(Number.isFinite));
}

// In slow motion: the values after each visit of the sweep, over the visits.
function visitData(run, theme) {
  const number = run.slowPanel();
  const curves = run.visits();
  const last = run.panels[number].event_points.length;
  const style = { panel: number, color: panelColor(theme, number, run.panels.length), dash: [], byVisit: true };
  const chart = (y, settings, line) => ({
    lines: [{ ...style, ...line, x: Array.from(y, (_, visit) => visit), y }],
    settings: { last, axis: { from: 0, to: last, whole: true }, byVisit: true, ...settings },
  });
  const counts = { whole: true, fromZero: true };
  return {
    ...(curves.nll && { nll: chart(curves.nll, { least: LEAST_NATS }, { label: "NLL", unit: "nats" }) }),
    k: chart(curves.n_clusters, counts, { steps: true, label: say("player.curve_clusters") }),
    moved: chart(curves.n_moved, counts, { steps: true, label: say("player.curve_moved_so_far"), unit: say("player.unit_points") }),
  };
}

export function chartData(run, theme, options, slow) {
  return { ...sweepData(run, theme, options), ...(slow && visitData(run, theme)) };
}

// ARI of every panel; of a single one NMI, too.
function agreementData(run, theme, shared) {
  const style = { connect: true, decimals: 3, named: run.panels.length === 1 };
  const ari = lines(run, theme, "adjusted_rand", { ...style, label: "ARI" });
  const nmi = run.panels.length > 1 && ari.length > 0 ? [] : lines(run, theme, "agreement", { ...style, label: "NMI" });
  const dashed = ari.length > 0 ? nmi.map((line) => ({ ...line, dash: [5, 3], color: theme.muted })) : nmi;
  const lowest = Math.min(0, ...ari.flatMap((line) => line.y.filter(Number.isFinite)));
  return { lines: [...ari, ...dashed], settings: { ...shared, limits: [lowest, 1] } };
}

function sweepData(run, theme, options) {
  const last = lastShown(run);
  const shared = { last, axis: axisOf(run, last) };
  const objectiveName = run.panels[0].objective_name;
  const objective = lines(run, theme, "objective", { label: objectiveName });
  const nll = hasNll(run) ? lines(run, theme, "nll", { ghosts: true, label: "NLL", unit: "nats" }) : objective;
  const shown = hasNll(run) && options.objective ? objective : [];
  const echoes = shown.map((line) => ({
    ...line, dash: [2, 3], echo: true, label: run.panels.length === 1 ? line.label : `${line.label}, ${objectiveName}`,
  }));
  return {
    nll: { lines: [...nll, ...echoes], settings: { ...shared, full: options.full_nll, least: hasNll(run) ? LEAST_NATS : 0 } },
    k: {
      lines: lines(run, theme, "n_clusters", { steps: true, ghosts: true, label: say("player.curve_clusters") }),
      settings: { ...shared, whole: true, fromZero: true, full: options.full_k },
    },
    agreement: agreementData(run, theme, shared),
    moved: {
      lines: lines(run, theme, "n_moved", { skipFirst: true, label: say("player.curve_moved"), unit: say("player.unit_points") }),
      settings: { ...shared, whole: true, fromZero: true, full: options.full_moved },
    },
  };
}
