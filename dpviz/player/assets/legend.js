// What the marks mean: only those that this run can show.

import { element, svg } from "./layout.js";
import { say } from "../../words/say.js";

// Each drawing is a list of [tag, attributes] on a 30 × 16 canvas.
const LINE = { fill: "none", stroke: "currentColor", "stroke-width": 1.5 };
const DRAWINGS = {
  moved: [["circle", { cx: 15, cy: 8, r: 4, class: "mark" }], ["circle", { cx: 15, cy: 8, r: 6, ...LINE }]],
  inner: [["ellipse", { cx: 15, cy: 8, rx: 13, ry: 6, ...LINE, class: "outline" }]],
  outer: [["ellipse", { cx: 15, cy: 8, rx: 13, ry: 6, ...LINE, class: "outline", "stroke-dasharray": "4 3" }]],
  centre: [["path", { d: "M9 8H21M15 2V14", ...LINE, class: "outline", "stroke-width": 2 }]],
  curve: [["path", { d: "M1 15C10 15 10 2 15 2S20 15 29 15", ...LINE, class: "outline" }]],
  total: [["path", { d: "M1 15C10 15 10 2 15 2S20 15 29 15", ...LINE, "stroke-dasharray": "4 3" }]],
  variants: [
    ["circle", { cx: 5, cy: 8, r: 3.2, fill: "none", stroke: "currentColor", "stroke-width": 2.2 }],
    ["path", { d: "M12 5L18 11M18 5L12 11", ...LINE, "stroke-width": 2.2 }],
    ["path", { d: "M25 4L29 12H21Z", fill: "currentColor" }],
  ],
  truth: [["circle", { cx: 9, cy: 8, r: 4, class: "mark" }], ["circle", { cx: 21, cy: 8, r: 4, class: "other" }]],
  fresh: [["rect", { x: 3, y: 2, width: 24, height: 12, class: "fresh" }]],
  region: [["rect", { x: 3, y: 2, width: 24, height: 12, class: "region" }]],
  density: [["rect", { x: 3, y: 2, width: 24, height: 12, class: "density" }]],
  ghost: [["path", { d: "M1 12L10 6L29 4", ...LINE, class: "ghost", "stroke-width": 1 }]],
  echo: [["path", { d: "M1 12L10 6L29 4", ...LINE, class: "outline", "stroke-dasharray": "2 3" }]],
  steep: [["path", { d: "M11 12H19L15 4Z", class: "mark" }]],
  chosen: [["circle", { cx: 15, cy: 8, r: 3, class: "mark" }], ["circle", { cx: 15, cy: 8, r: 6.5, ...LINE }]],
  visit: [
    ["path", { d: "M6 8H26", ...LINE, class: "outline" }], ["circle", { cx: 6, cy: 8, r: 3, class: "mark" }],
    ["circle", { cx: 6, cy: 8, r: 5, ...LINE }],
  ],
  place: [["path", { d: "M15 1L22 8L15 15L8 8Z", ...LINE, "stroke-dasharray": "3 2" }]],
};

function drawing(name) {
  return svg("svg", { viewBox: "0 0 30 16", "aria-hidden": "true" }, ...DRAWINGS[name].map((mark) => svg(...mark)));
}

// [drawing, meaning] of every mark that the run has.
export function legendItems(run, clusters, placing) {
  const some = (name) => run.panels.some((panel) => panel[name] !== undefined);
  const shapes = run.panels.find((panel) => panel.ellipse_meanings)?.ellipse_meanings;
  const crowded = run.panels.some((_, number) => run.sizes(number).rows.some((row) => row.tracks.at(-1) >= clusters));
  const flat = run.panels.some((panel) => !panel.one_column);
  const items = [
    ["moved", say("player.legend_moved")],
    shapes && ["inner", shapes[0]],
    shapes && ["outer", shapes[1]],
    flat && ["centre", shapes ? say("player.legend_centre_alone") : say("player.legend_centre")],
    some("curve_offsets") && ["curve", say("player.legend_curve")],
    some("curve_offsets") && ["total", say("player.legend_total")],
    crowded && ["variants", say("player.legend_variants")],
    some("true_tracks") && ["truth", say("player.legend_truth")],
    some("region_image") && ["region", say("player.legend_region")],
    some("region_image") && ["fresh", say("player.legend_fresh")],
    some("density_image") && ["density", say("player.legend_density")],
    run.panels.some((panel) => panel.ghosts.length > 0) && ["ghost", say("player.legend_ghost")],
    ["steep", say("player.legend_steep")],
    ["chosen", say("player.legend_chosen")],
    placing && ["place", say("player.legend_place")],
    run.slowPanel() >= 0 && ["visit", say("player.legend_visit")],
  ];
  return items.filter(Boolean);
}

export class Legend {
  constructor() {
    this.list = element("ul", {});
    this.node = element("div", { class: "legend", id: "legend", role: "region", "aria-label": say("player.tool_legend"), hidden: true },
      this.list);
  }

  show(items) {
    const words = JSON.stringify(items);
    if (words === this.words) return;
    this.words = words;
    this.list.replaceChildren(...items.map(([name, meaning]) => {
      return element("li", {}, drawing(name), element("span", { text: meaning }));
    }));
  }
}
