// Saving what the player shows: the scene of an export, pictures, and films of the playback.

import { copyOf, download, Film, scenePng, sceneSvg } from "./export.js";
import { say } from "../../words/say.js";

export class Recorder {
  constructor(player) {
    this.player = player;
    this.film = null;
  }

  // Called after every paint.
  painted() {
    if (this.film) this.film.add(this.scene());
  }

  // Each visible block at its place on the page.
  scene() {
    const { root, panelGrid, panels, run, theme, charts, sizes } = this.player;
    const origin = root.getBoundingClientRect();
    const { top } = panelGrid.getBoundingClientRect();
    const place = (stage) => {
      const box = stage.getBoundingClientRect();
      return { x: box.left - origin.left + 8, y: box.top - top + 16 * theme.scale };
    };
    const visible = Object.values(charts).filter((block) => !block.block.hidden);
    const bars = sizes.block.hidden ? [] : [sizes];
    const ribbons = panels.filter((part) => part.ribbonBlock.stage.clientHeight > 0);
    const parts = panels.map((part, number) => ({
      ...place(part.stage), title: run.panels[number].title, note: part.status.textContent,
      draw: copyOf(part.canvas), drawVector: (context) => part.scatter.drawVector(context),
    }));
    for (const block of visible) parts.push({ ...place(block.stage), ...this.chartPart(block) });
    for (const block of bars) {
      const drawVector = (context) => this.player.bars.drawOn(context);
      parts.push({ ...place(block.stage), title: titleOf(block), note: "", draw: copyOf(block.canvas), drawVector });
    }
    for (const part of ribbons) {
      const { canvas, overlay, stage } = part.ribbonBlock;
      const drawVector = (context) => {
        part.ribbon.drawOn(context);
        part.ribbon.drawPlayheadOn(context, this.player.playheadFrame());
      };
      parts.push({ ...place(stage), title: "", note: "", draw: copyOf(canvas, overlay), drawVector });
    }
    const stages = [...panels, ...ribbons.map((part) => part.ribbonBlock), ...visible, ...bars].map((part) => part.stage);
    const bottom = Math.max(...stages.map((stage) => place(stage).y + stage.clientHeight));
    return { theme, width: root.clientWidth + 16, height: bottom + 8, parts };
  }

  chartPart(block) {
    const { chart, canvas, overlay, readout } = block;
    const drawVector = (context) => {
      chart.drawCurves(context);
      chart.drawPlayheadOn(context, chart.playhead.frame, chart.playhead.at);
    };
    return { title: titleOf(block), note: readout.textContent, draw: copyOf(canvas, overlay), drawVector };
  }

  async save(kind) {
    const title = this.player.run.panels[0].title || say("player.run");
    const name = title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 40);
    if (kind === "webm") {
      if (!this.film) await this.record(name);
      return;
    }
    this.player.resize(2);
    this.player.paint(performance.now());
    try {
      download(kind === "png" ? await scenePng(this.scene(), 2) : sceneSvg(this.scene()), `${name}.${kind}`);
    } finally {
      this.player.resize();
    }
  }

  // A film is the playback itself, from the first sweep to the last, at the chosen speed.
  async record(name) {
    const { deck, transport } = this.player;
    deck.moveTo(0, false);
    this.player.paint(performance.now());
    this.film = new Film(this.scene());
    this.player.say(say("player.recording"));
    deck.setLoop(false);
    transport.loop.setAttribute("aria-pressed", "false");
    deck.toggle();
    while (deck.playing && this.player.run) await new Promise(requestAnimationFrame);
    if (this.player.run) this.player.paint(performance.now());
    await this.film.save(name, () => this.player.run); // the page may have been left
    this.film = null;
    if (this.player.run) this.player.say("");
  }
}

function titleOf(block) {
  return block.head.querySelector(".chart-title").textContent;
}
