// The engines of a stage, each begun when it is first asked: what one of them computes keeps no other waiting.

const NEXT_TRY = 2; // failures one after the other, after which nothing is tried any more
const PATIENCE = 1500; // milliseconds that a question waits for an older answer, which is shown meanwhile if it comes

// An engine of which one thing is asked at a time: of the questions that come meanwhile only the newest is asked.
export class Newest {
  constructor(engine) {
    Object.assign(this, { engine, waiting: null, asked: null });
  }

  get busy() { return this.asked !== null; }

  // Resolves to what `question(engine)` does, or to null if another one overtook it. `long`: it ends with the next one.
  ask(question, long = false) {
    this.waiting?.resolve(null);
    return new Promise((resolve, reject) => {
      this.waiting = { question, long, resolve, reject };
      if (!this.asked) this.next();
      else if (this.asked.long) this.engine.cancel();
      else this.patience ??= setTimeout(() => this.engine.cancel(), PATIENCE);
    });
  }

  // Whoever still waits gets null.
  close() {
    this.waiting?.resolve(null);
    clearTimeout(this.patience);
    Object.assign(this, { waiting: null, patience: null });
    this.engine.close();
  }

  async next() {
    const { question, resolve, reject } = (this.asked = this.waiting);
    this.waiting = null;
    const found = async () => question(this.engine); // which may also throw at once
    await found().then(resolve, (error) => (error.name === "Cancelled" ? resolve(null) : reject(error)));
    clearTimeout(this.patience);
    Object.assign(this, { patience: null, asked: null });
    if (this.waiting) this.next();
  }
}

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
