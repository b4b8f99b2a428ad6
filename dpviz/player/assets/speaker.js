// A sentence for every sweep that is shown, for those who hear the film; silent until it is asked for.

import { sentences } from "./texts.js";

export const SPOKEN_RATE = 0.4; // sweeps per second: as long as a sentence takes

export class Speaker {
  constructor(player) {
    this.player = player;
    this.on = false;
    this.said = null;
  }

  turn(on) {
    this.on = on;
    this.said = null;
    this.player.deck.slowest = on ? SPOKEN_RATE : Infinity;
    if (on) this.player.redraw();
  }

  // Called with every paint.
  painted(snapshots) {
    if (!this.on) return;
    const text = sentences(this.player.run, snapshots);
    if (text === this.said) return;
    this.said = text;
    this.player.live.textContent = text;
  }
}
