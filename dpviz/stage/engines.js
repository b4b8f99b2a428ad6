// The engines of a stage, each begun when it is first asked: what one of them computes keeps no other waiting.

import { Newest } from "./newest.js";

const NEXT_TRY = 2; // failures one after the other, after which nothing is tried any more

export class Engines {
  // `make()`: an engine.
  constructor(make) {
    Object.assign(this, { make, runs: [], failures: 0 });
  }

  // Of a run in the picture, so that all of them answer at once.
  run(number) { return (this.runs[number] ??= new Newest(this.make())); }

  // For what takes longer than a picture: seeds, draws, maps.
  get aside() { return (this.slow ??= this.make()); }

  // For questions about a point, and about the ghost point while a knob moves: the newest cancels those before it alone.
  get prices() { return (this.asked ??= new Newest(this.make())); }
  get places() { return (this.weighing ??= new Newest(this.make())); }

  // Whether an error is so many failures one after the other that nothing more is tried.
  ended(error) {
    if (error.name !== "Refused") this.failures += globalThis.WebAssembly ? 1 : NEXT_TRY;
    return this.failures >= NEXT_TRY;
  }

  get busy() { return this.runs.some((run) => run.busy); }

  close() {
    this.slow?.close();
    for (const newest of [...this.runs, this.asked, this.weighing]) newest?.close();
  }
}
