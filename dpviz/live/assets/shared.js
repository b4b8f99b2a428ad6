// What all players of a page share: the engine's bytes, points, and the way to the server.

import { dpvizEngine } from "../../browser/loader.js";
import { Engines } from "../../stage/engines.js";
import { Live } from "./live.js";
import { say } from "../../words/say.js";

const MOST_SETS = 8; // of points that are kept

class Shared {
  constructor() {
    Object.assign(this, { bytes: null, points: new Map(), lives: new Map(), send: null, fault: "" });
    this.engines = new Engines(() => dpvizEngine(this.bytes));
    if (typeof WebAssembly !== "object" || typeof Worker !== "function") this.fail(say("strip.computes_nothing"));
  }

  get ready() { return !this.fault && this.bytes !== null; }
  get busy() { return this.engines.busy; }

  takeEngine(bytes) {
    if (this.bytes !== null) return;
    this.bytes = bytes;
    this.refresh();
  }

  takePoints(id, points) {
    if (this.points.has(id)) return;
    const [oldest] = this.points.keys();
    if (this.points.size === MOST_SETS) this.points.delete(oldest);
    this.points.set(id, points);
    this.refresh();
  }

  refresh() { for (const live of this.lives.values()) live.refresh(); }

  fail(reason) {
    this.fault = reason;
    this.refresh();
  }

  liveOf(key) {
    if (!this.lives.has(key)) this.lives.set(key, new Live(this, key));
    return this.lives.get(key);
  }

  // Whether a picture from the server has to wait, since a newer one is made here. Players ask before they open one.
  keeps(player, opening) {
    if (opening.film || opening.key === undefined) return false;
    if (!opening.live && !this.lives.has(opening.key)) return false;
    return this.liveOf(opening.key).exchange.keeps(player, opening);
  }

  // No Worker stays where no knobs are. The next question begins them anew.
  left() {
    if (![...globalThis.dpvizPlayers.values()].some((player) => player.knobs)) this.engines.close();
  }

  // Players that were there before this script.
  greet(players) {
    for (const player of players) {
      if (!player.opening?.live || this.lives.has(player.opening.key)) continue;
      this.keeps(player, player.opening);
      if (player.run) this.shown(player);
    }
  }

  shown(player) { this.lives.get(player.opening.key)?.exchange.pictured(player); }
}

export const liveShared = (globalThis.dpvizLive ??= new Shared());
