// What a chart or a ribbon says about the sweep under the pointer.

import { element } from "./layout.js";
import { bandLines, chartLines } from "./texts.js";

export class Hints {
  constructor(player) {
    this.player = player;
  }

  chart(block, frame, x, y) {
    const { chart } = block;
    chart.hovered = frame;
    const { run } = this.player;
    if (!run || !chart.playhead) return;
    if (frame !== null) chart.hoveredAt = chart.indicesAt(run, frame);
    chart.drawOverlay();
    show(block, frame === null ? [] : chartLines(run, chart, frame), x, y, false);
  }

  ribbon(number, part, frame, x, y) {
    const { run } = this.player;
    if (!run || !part.ribbon.area) return;
    show(part.ribbonBlock, frame === null ? [] : bandLines(run, number, part.ribbon.read(frame, y)), x, y, true);
  }
}

// Put lines of text beside the pointer, below it or above what must stay in sight.
function show({ tip, stage }, lines, x, y, above) {
  tip.hidden = lines.length === 0;
  if (tip.hidden) return;
  tip.replaceChildren(...lines.map((text) => element("div", { text })));
  const left = x + 14 + tip.offsetWidth > stage.clientWidth ? x - 14 - tip.offsetWidth : x + 14;
  const limited = Math.min(Math.max(0, left), Math.max(0, stage.clientWidth - tip.offsetWidth));
  tip.style.transform = `translate(${limited}px, ${above ? y - tip.offsetHeight - 10 : y + 12}px)`;
}
