// A curve of each prior in one chart: the law of K, or shares by rank, drawn anew at each position of a dial.

import { fitted, takeTheme } from "../../../player/assets/surface.js";
import { cssColor, PANEL_DASHES } from "../../../player/assets/theme.js";
import { formatNumber, niceTicks, tickLabels } from "../../../player/assets/format.js";
import { element, lineSample } from "../../../player/assets/layout.js";

const EDGE = { left: 46, right: 12, top: 22, bottom: 34 };
const MARK = 3; // pixels of radius

export class Curves {
  constructor(root) {
    this.root = root;
    this.legend = element("div", { class: "curve-names" });
    this.chart = element("canvas", { class: "law-chart", role: "img" });
    this.said = element("div", { class: "curve-said", role: "status" });
    this.root.append(this.legend, this.chart, this.said);
    this.at = null;
    this.chart.addEventListener("pointermove", (event) => this.point(event.offsetX));
    this.chart.addEventListener("pointerleave", () => this.point(null));
    this.observer = new ResizeObserver(() => this.paint());
    this.observer.observe(root);
  }

  // `axes`: { x, y, log }; panels: [{ title, said, values, marks, open }], values from x = 1 on, marks [x, y], also open ones.
  open({ axes, panels, palette }) {
    Object.assign(this, { axes, panels, palette });
    this.rows = panels.map(({ title, said }) => ({ swatch: lineSample(), text: element("span", { text: `${title}: ${said}` }) }));
    this.legend.replaceChildren(...this.rows.map(({ swatch, text }) => element("div", {}, swatch, text)));
    this.chart.setAttribute("aria-label", `${axes.y} by ${axes.x}. ${panels.map(({ title, said }) => `${title}: ${said}`).join("; ")}`);
    this.paint();
  }

  invalidate() { this.paint(); }

  close() { this.observer.disconnect(); }

  // Read the chart under the pointer.
  point(offset) {
    const { left, right, most } = this.frame ?? {};
    const share = offset === null || !this.frame ? -1 : (offset - left) / (right - left);
    const x = this.axes?.log ? most ** share : 1 + share * (most - 1);
    this.at = share < 0 || share > 1 ? null : Math.round(x);
    this.paint();
  }

  paint() {
    if (!this.panels || this.root.clientWidth === 0) return;
    const theme = takeTheme(this.root, this.palette);
    this.rows.forEach(({ swatch }, number) => {
      swatch.style.setProperty("--line", cssColor(theme.clusterColor(number)));
      swatch.style.setProperty("--dashes", dashesOf(number).join(" ") || "none");
    });
    fitted(this.chart, (context, width, height) => this.draw(context, theme, width, height));
    this.said.textContent = this.read();
  }

  read() {
    const { at, axes, panels } = this;
    if (at === null) return "";
    const told = panels.map(({ title, values }) => `${title.split(",")[0]} ${formatNumber(values[at - 1] ?? 0, 3)}`);
    return `${axes.x} ${at}: ${told.join("; ")}`;
  }

  draw(context, theme, width, height) {
    const { axes, panels, at } = this;
    const points = panels.flatMap(({ marks, open }) => [...(marks ?? []), ...(open ?? [])]);
    const most = Math.max(2, ...panels.map(({ values }) => values.length), ...points.map(([x]) => x));
    const shown = [...panels.flatMap(({ values }) => values), ...points.map(([, y]) => y)].filter((y) => y > 0);
    const [highest, lowest] = [Math.max(...shown), Math.min(...shown)];
    const [left, right, bottom] = [EDGE.left * theme.scale, width - EDGE.right, height - EDGE.bottom * theme.scale];
    const top = EDGE.top * theme.scale;
    const across = (x) => left + (right - left) * (axes.log ? Math.log(x) / Math.log(most) : (x - 1) / (most - 1));
    const floor = axes.log ? Math.log(lowest) - 0.1 : 0, ceiling = axes.log ? Math.log(highest) + 0.1 : 1.05 * highest;
    const down = (y) => bottom - ((bottom - top) * ((axes.log ? Math.log(y) : y) - floor)) / (ceiling - floor);
    this.frame = { left, right, most };
    this.drawFrame(context, theme, { left, right, top, bottom, across, down, most, lowest, highest });
    context.lineWidth = 2;
    panels.forEach(({ values, marks, open }, number) => {
      const color = theme.clusterColor(number);
      context.setLineDash(dashesOf(number));
      context.beginPath();
      values.forEach((y, k) => y > 0 || !axes.log ? context.lineTo(across(k + 1), down(y)) : null);
      context.strokeStyle = cssColor(color);
      context.stroke();
      context.setLineDash([]);
      for (const [list, filled] of [[marks, true], [open, false]]) for (const [x, y] of list ?? []) drawMark(context, color, across(x), down(y), filled);
    });
    if (at === null) return;
    context.fillStyle = cssColor(theme.faint);
    context.fillRect(across(at) - 0.5, top, 1, bottom - top);
  }

  drawFrame(context, theme, { left, right, top, bottom, across, down, most, lowest, highest }) {
    const { axes } = this;
    context.font = theme.type(12);
    context.textBaseline = "middle";
    context.textAlign = "right";
    const ticks = axes.log ? powersBetween(lowest, highest) : niceTicks(0, highest, 4);
    const labels = axes.log ? ticks.map((tick) => `${formatNumber(100 * tick, 2)} %`) : tickLabels(ticks);
    ticks.forEach((tick, k) => {
      context.fillStyle = cssColor(theme.grid);
      context.fillRect(left, down(tick), right - left, 1);
      context.fillStyle = cssColor(theme.muted);
      context.fillText(labels[k], left - 5, down(tick));
    });
    context.textBaseline = "top";
    context.textAlign = "center";
    const columns = axes.log ? [1, 2, 5, 10, 20, 50, 100, 200].filter((x) => x <= most) : niceTicks(1, most, 8, true);
    for (const x of columns) context.fillText(String(x), across(x), bottom + 4);
    context.textAlign = "right";
    context.fillText(axes.x, right, bottom + 4 + 15 * theme.scale);
    context.textAlign = "left";
    context.fillText(axes.y, 2, 2);
  }
}

const dashesOf = (number) => PANEL_DASHES[number % PANEL_DASHES.length];

function drawMark(context, color, x, y, filled) {
  context.beginPath();
  context.arc(x, y, MARK, 0, 2 * Math.PI);
  context.fillStyle = cssColor(color);
  context.strokeStyle = cssColor(color);
  context.lineWidth = 1.25;
  if (filled) context.fill();
  else context.stroke();
  context.lineWidth = 2;
}

// 1, 2 and 5 times powers of ten, fewer where there are many.
function powersBetween(low, high) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power += 1) found.push(...[1, 2, 5].map((factor) => factor * 10 ** power));
  const inside = found.filter((value) => value >= low && value <= high);
  return inside.length > 7 ? inside.filter((value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9) : inside;
}
