// What the reader points at, asks about and selects.

import { element } from "./layout.js";
import { pointLines } from "./texts.js";

export class Reader {
  constructor(player) {
    this.player = player;
    this.selection = null;
    this.pointed = null; // { number, point, x, y }: what the card tells about
  }

  // The point under the pointer (−1: none), marked in every panel with the same points.
  hover(number, point, x, y, aloud = false) {
    const part = this.player.panels[number];
    const same = this.player.panels.filter((other) => other.pointsId === part.pointsId);
    for (const other of same) {
      if (other.scatter.hovered === point) continue;
      other.scatter.hovered = point;
      other.scatter.drawOverlay();
    }
    this.pointed = point < 0 ? null : { number, point, x, y };
    if (point < 0) part.tip.hidden = true;
    const lines = this.showCard();
    if (aloud) this.player.live.textContent = lines.join(", ");
  }

  // The card beside the pointer, which tells of the sweep that is shown: it is written anew with every one.
  showCard() {
    if (this.pointed === null || !this.player.current) return [];
    const { number, point, x, y } = this.pointed;
    const part = this.player.panels[number];
    const lines = pointLines(this.player.run.panels[number], this.player.current[number], point);
    part.tip.hidden = false;
    part.tip.replaceChildren(...lines.map((text) => element("div", { text })));
    const left = Math.min(x + 14, part.stage.clientWidth - part.tip.offsetWidth - 4);
    const above = y - part.tip.offsetHeight - 14;
    part.tip.style.transform = `translate(${Math.max(0, left)}px, ${above < 0 ? y + 18 : above}px)`;
    return lines;
  }

  // Say something on a plot for a moment.
  hint(part, text) {
    part.tip.replaceChildren(element("div", { text }));
    part.tip.hidden = false;
    part.tip.style.transform = `translate(${part.scatter.plot.x + 8}px, ${part.scatter.plot.y + 8}px)`;
    clearTimeout(this.hinting);
    this.hinting = setTimeout(() => (part.tip.hidden = true), 1800);
  }

  // "Why here?": the state goes first, so that Python sees the playhead and the point together.
  choose(number, point) {
    const { deck, panels } = this.player;
    if (deck.playing) deck.toggle();
    for (const part of panels) part.scatter.chosen = part.pointsId === panels[number].pointsId ? point : -1;
    this.player.report();
    this.player.why.ask();
    const { sweep } = this.player.snapshots()[number];
    this.player.channel?.setTriggerValue("point", { id: this.player.opening.id, panel: number, index: point, sweep });
    this.player.redraw();
  }

  // `box`: [x low, x high, y low, y high] in data units, or null for nothing.
  select(number, box) {
    this.selection = box ? { number, box, pointsId: this.player.panels[number].pointsId } : null;
    if (!box) this.player.ghost.clear();
    if (!box) for (const part of this.player.panels) part.scatter.chosen = -1;
    if (!box) this.player.why.dismiss();
    if (!box) this.player.knobs?.hush();
    this.applySelection();
    this.player.redraw();
  }

  // Panels have other points, or have gone: what was said of a point that is not there goes, too.
  matchPanels() {
    const { pointed } = this, { panels, run } = this.player;
    if (pointed && !(pointed.point < (run.panels[pointed.number]?.n_points ?? 0))) {
      if (panels[pointed.number]) panels[pointed.number].tip.hidden = true;
      this.pointed = null;
    }
    this.applySelection();
  }

  applySelection() {
    const { selection } = this;
    this.player.panels.forEach((part, number) => {
      part.scatter.selected = null;
      if (selection?.pointsId !== part.pointsId) {
        part.scatter.box = null;
        return;
      }
      const { x, y } = this.player.run.panels[number];
      const [xLow, xHigh, yLow, yHigh] = selection.box;
      part.scatter.box = selection.box;
      part.scatter.selected = Uint8Array.from(x, (value, i) => {
        return value >= xLow && value <= xHigh && y[i] >= yLow && y[i] <= yHigh;
      });
    });
  }
}
