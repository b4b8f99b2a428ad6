// Which lines the three charts draw for a run.

import { PANEL_DASHES, panelColor } from "./theme.js";

function axisOf(run) {
  if (run.sync === "seconds" && run.duration > 0) return { from: 0, to: run.duration, whole: false };
  if (run.sync === "fraction") return { from: 0, to: 1, whole: false };
  return { from: 0, to: Math.max(1, run.last), whole: true };
}

// One line per panel; ghosts of other runs go behind.
function lines(run, theme, name, { steps, skipFirst, ghosts }) {
  const count = run.panels.length;
  const result = [];
  run.panels.forEach((panel, number) => {
    const positions = Array.from(panel[name], (_, sweep) => run.frameOfSweep(number, sweep));
    const style = { panel: number, steps, color: panelColor(theme, number, count), dash: PANEL_DASHES[number] };
    for (const ghost of ghosts ? panel.ghosts : []) {
      const x = Array.from(ghost[name], (_, sweep) => Math.min(sweep, run.last));
      result.push({ ...style, x, y: Array.from(ghost[name]), color: theme.muted, dash: [], faint: true });
    }
    const values = Array.from(panel[name]);
    if (skipFirst) values[0] = NaN;
    result.push({ ...style, x: positions, y: values });
  });
  return result;
}

export function hasNll(run) {
  return run.panels.some((panel) => panel.nll.some(Number.isFinite));
}

export function chartData(run, theme, options) {
  const axis = axisOf(run);
  const shared = { last: run.last, axis };
  const objective = lines(run, theme, "objective", { steps: false });
  const nll = hasNll(run) ? lines(run, theme, "nll", { steps: false, ghosts: true }) : objective;
  const shown = hasNll(run) && options.objective ? objective : [];
  const echoes = shown.map((line) => ({ ...line, dash: [2, 3], echo: true }));
  return {
    nll: { lines: [...nll, ...echoes], settings: { ...shared, whole: false, fromZero: false } },
    k: {
      lines: lines(run, theme, "n_clusters", { steps: true, ghosts: true }),
      settings: { ...shared, whole: true, fromZero: true },
    },
    moved: {
      lines: lines(run, theme, "n_moved", { steps: false, skipFirst: true }),
      settings: { ...shared, whole: true, fromZero: true },
    },
  };
}
