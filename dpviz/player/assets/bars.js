// Cluster sizes as bars in the order of the clusters' numbers, one group per panel; in slow motion, the costs of the
// candidates instead.

import { Canvas, drawLevels } from "./canvas.js";
import { cssColor, PANEL_DASHES, panelColor } from "./theme.js";
import { distinctParts, formatFixed, formatNumber, niceTicks, shortened, tickLabels } from "./format.js";
import { fillCluster } from "./hatch.js";
import { clusterSizes } from "./sizes.js";
import { trackName } from "./texts.js";
import { say } from "../../words/say.js";

export class Bars extends Canvas {
  draw(run, snapshots, logarithmic, theme) {
    Object.assign(this, { run, snapshots, logarithmic, theme });
    const context = this.emptied(this.canvas);
    this.drawOn(context);
  }

  drawOn(context) {
    context.font = this.theme.type(12);
    const visited = this.snapshots.findIndex((snapshot) => snapshot.visit?.candidates.length > 0);
    if (visited >= 0) this.drawCosts(context, this.snapshots[visited].visit, visited);
    else this.drawSizes(context);
  }

  drawSizes(context) {
    const { theme, run } = this;
    const groups = this.snapshots.map((snapshot) => clusterSizes(snapshot.labels).sort((a, b) => a.track - b.track));
    const top = groups.length > 1 ? run.largestCluster() : Math.max(this.largestLater(), ...groups[0].map(({ size }) => size));
    const scale = this.logarithmic ? (size) => Math.log(size + 1) / Math.log(top + 1) : (size) => size / top;
    const ticks = this.logarithmic ? powersOfTen(top) : niceTicks(0, top, Math.max(2, this.height / (40 * theme.scale)), true);
    const labels = tickLabels(ticks);
    // a single run's bars bear their numbers, where there is room for them
    const numbered = groups.length === 1 && this.placesFor(groups[0], this.width - 8).length * 20 * theme.scale <= this.width - 8;
    const left = numbered ? 4 : Math.ceil(Math.max(...labels.map((label) => context.measureText(label).width))) + 10;
    const area = { x: left, y: 14 * theme.scale, width: this.width - left - 8, height: this.height - 34 * theme.scale };
    const y = (size) => area.y + area.height * (1 - scale(size));
    if (numbered) drawLevels(context, theme, area, [y(0)], [""]);
    else drawLevels(context, theme, area, ticks.map(y), labels);
    const groupWidth = area.width / groups.length;
    groups.forEach((clusters, number) => {
      const x = area.x + number * groupWidth;
      this.drawGroup(context, clusters, x, groupWidth - (groups.length > 1 ? 10 : 0), area, y);
      if (groups.length > 1) this.drawGroupName(context, number, groups.length, x, groupWidth - 12);
    });
  }

  drawGroup(context, clusters, left, width, area, y) {
    const { theme } = this;
    const tracks = this.placesFor(clusters, width);
    const step = Math.min(34 * theme.scale, width / tracks.length);
    const bar = Math.max(0.5, step - Math.min(3, step * 0.2));
    context.textAlign = "center";
    clusters.forEach(({ track, size }) => {
      const x = left + tracks.indexOf(track) * step;
      fillCluster(context, theme, track, x, y(size), bar, area.y + area.height - y(size));
      if (step < 20 * theme.scale) return;
      context.fillStyle = cssColor(theme.text);
      context.textBaseline = "bottom";
      const label = formatFixed(size, 0);
      if (context.measureText(label).width < step + 4) context.fillText(label, x + bar / 2, y(size) - 1);
      context.fillStyle = cssColor(theme.muted);
      context.textBaseline = "top";
      if (this.snapshots.length > 1) return;
      const name = this.run.panels[0].cluster_names[track + 1] ?? String(track + 1);
      context.fillText(shortened(context, name, step + 2), x + bar / 2, area.y + area.height + 6);
    });
  }

  // Size of the largest cluster after the start, which often is one of all points.
  largestLater() {
    const { rows } = this.run.sizes(0);
    return Math.max(...rows.slice(rows.length > 1 ? 1 : 0).flatMap(({ sizes }) => sizes));
  }

  // Clusters with a bar, or room for one: of a single run all it ever has, so that bars stay where they are.
  placesFor(clusters, width) {
    const { run, theme } = this;
    const alive = clusters.map(({ track }) => track);
    if (run.panels.length > 1) return alive;
    this.ever ??= new WeakMap();
    if (!this.ever.has(run)) {
      const seen = new Set(run.sizes(0).rows.flatMap(({ tracks }) => tracks));
      this.ever.set(run, [...seen].sort((a, b) => a - b));
    }
    const ever = this.ever.get(run);
    const fit = width / ever.length >= 20 * theme.scale && alive.every((track) => ever.includes(track));
    return fit ? ever : alive;
  }

  drawGroupName(context, number, count, x, width) {
    const { theme } = this;
    const y = this.height - 14 * theme.scale;
    context.strokeStyle = cssColor(panelColor(theme, number, count));
    context.lineWidth = 2;
    context.setLineDash(PANEL_DASHES[number]);
    context.beginPath();
    context.moveTo(x, y + 6 * theme.scale);
    context.lineTo(x + 21, y + 6 * theme.scale);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = cssColor(theme.text);
    context.textAlign = "left";
    context.textBaseline = "top";
    const name = distinctParts(this.run.panels.map((panel) => panel.title))[number];
    context.fillText(shortened(context, name, width - 26), x + 26, y);
  }

  // One row per candidate, cheapest first; bars and numbers say how much more than the cheapest each costs.
  drawCosts(context, visit, number) {
    const { theme } = this;
    const candidates = [...visit.candidates].sort((a, b) => a.cost - b.cost);
    const rows = Math.min(candidates.length, Math.max(3, Math.floor(this.height / (18 * theme.scale))));
    const height = Math.min(22 * theme.scale, this.height / rows);
    const largest = Math.max(...candidates.map((candidate) => candidate.cost - candidates[0].cost)) || 1;
    const left = 64 * theme.scale;
    const room = this.width - left - 70 * theme.scale;
    candidates.slice(0, rows).forEach((candidate, k) => {
      const y = k * height;
      const extra = candidate.cost - candidates[0].cost;
      const chosen = candidate.track === visit.to || (candidate.track === -1 && k === 0 && visit.to !== visit.from);
      const color = candidate.track < 0 ? theme.muted : theme.clusterColor(candidate.track);
      context.fillStyle = cssColor(color, chosen ? 1 : 0.5);
      context.fillRect(left, y + 3, Math.max(2, (extra / largest) * room), height - 6);
      context.textBaseline = "middle";
      context.textAlign = "right";
      context.fillStyle = cssColor(theme.text);
      const name = candidate.track < 0 ? say("player.new") : shortened(context, trackName(this.run.panels[number], candidate.track), left - 8);
      context.fillText(name, left - 6, y + height / 2);
      context.textAlign = "left";
      const x = left + Math.max(2, (extra / largest) * room) + 5;
      context.fillText(k === 0 ? say("player.lowest") : `+${formatNumber(extra, 4)}`, x, y + height / 2);
    });
  }
}

function powersOfTen(top) {
  const ticks = [];
  for (let power = 1; power <= top; power *= 10) ticks.push(power);
  return ticks;
}
