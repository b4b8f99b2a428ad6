// Between a picture and the server: what that makes, whether it has to wait, and what it is asked for once a knob rests.

import { Side } from "./side.js";
import { verdictOn, waitingWords } from "./sentences.js";

export class Exchange {
  constructor(live) {
    Object.assign(this, { live, sent: 0, moving: false, touched: new Set(), served: null, servedRun: null, compared: null });
  }

  // Something moves here; `name`: of a knob.
  moved(name = null) {
    this.moving = true;
    if (name !== null) this.touched.add(name);
  }

  // Whether a picture of the server's has to wait, since a newer one is made here.
  keeps(player, opening) {
    const { live } = this, { live: facts } = opening;
    live.attach(player);
    live.strip.node.hidden = !facts;
    if (!facts) {
      live.drop();
      Object.assign(live, { facts: null, sides: [] });
      return false;
    }
    const another = !this.isOf(facts), waits = this.moving || facts.answered < this.sent;
    const same = live.drawn && this.served.id === opening.id; // only the page around it changed
    const keeps = live.film && !another && (same || waits || facts.state !== "done");
    if (keeps) {
      live.facts.state = facts.state;
      this.served = opening;
      if (!waits) this.wait(facts.state);
      if (player.run) player.refreshTheme(); // films of the same runs leave it as it is
      else live.reopen();
    } else {
      this.accept(player, opening, another);
      this.served = opening;
    }
    return keeps;
  }

  // Whether facts are of the runs that are shown, perhaps with other values.
  isOf({ panels }) {
    const known = this.live.facts?.panels ?? [];
    return known.length === panels.length && known.every(({ points, method }, k) => points === panels[k].points && method === panels[k].method);
  }

  accept(player, opening, another) {
    const { live } = this, { live: facts } = opening;
    this.compared = another ? null : live.sides.filter((side) => side.film).map((side) => [side.number, side.film]);
    if (live.film && player.opening) { // the playhead stays where it is
      player.opening = { ...player.opening, command: opening.command };
      player.believed = opening.sweep;
    }
    if (another) {
      Object.assign(live, { begins: null, watched: false });
      live.stage.dice.cancel();
      live.strip.seeds.replaceChildren();
    }
    live.drop();
    live.facts = facts;
    live.sides = facts.panels.map((panel, number) => (another ? new Side(live, number, panel) : Object.assign(live.sides[number], { facts: panel })));
    if (!this.moving) {
      Object.assign(live, { values: { ...facts.values }, seed: facts.seed });
      this.touched.clear();
    }
    this.sent = Math.max(this.sent, facts.answered);
    if (facts.state === "done") live.still.release();
    live.refresh();
  }

  // The player has opened a picture of the server's.
  pictured(player) {
    if (player.opening.film) return;
    const { live } = this, { run } = player;
    this.servedRun = run;
    live.take(run);
    const compared = (this.compared ?? []).map(([number, film]) => [live.sides[number], film]).filter(([side]) => side?.base);
    if (compared.length) live.strip.say(verdictOn(compared, run.panels, live.count));
    this.compared = null;
  }

  // Ask for the runs of what the knobs say now.
  send() {
    const { live } = this, { shared, key, facts, seed, count, sides: [only] } = live;
    if (!shared.send) { // the way to the server comes with the engine
      live.stage.rest();
      return;
    }
    this.moving = false;
    this.sent += 1;
    const values = Object.fromEntries([...this.touched].map((name) => [name, live.values[name]]));
    const film = count === 1 ? only.film : null, start = film && only.start();
    live.quiet.forget();
    shared.send("rest", { player: key, points: facts.points, number: this.sent, values, seed,
      tracks: film ? written(film.tracks) : "", start: start ? written(start) : "" });
    this.wait("running");
  }

  wait(state) {
    const words = waitingWords(this.live.sides, state);
    if (words) this.live.strip.say(words);
  }
}

// Tracks (N) as text: base 64 of two bytes each.
function written(tracks) {
  const bytes = new Uint8Array(Uint16Array.from(tracks).buffer);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
