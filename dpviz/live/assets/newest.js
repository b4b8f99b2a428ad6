// An engine of which one thing is asked at a time: of the questions that come meanwhile only the newest is asked.

const PATIENCE = 1500; // milliseconds that a question waits for an older answer, which is shown meanwhile if it comes

export class Newest {
  constructor(engine) {
    Object.assign(this, { engine, waiting: null, busy: false, yields: false });
  }

  // Resolves to what `question(engine)` does, or to null if another one overtook it. `yields`: the next one stops it.
  ask(question, yields = false) {
    this.waiting?.resolve(null);
    return new Promise((resolve, reject) => {
      this.waiting = { question, yields, resolve, reject };
      if (!this.busy) this.next();
      else if (this.yields) this.engine.cancel();
      else this.patience ??= setTimeout(() => this.engine.cancel(), PATIENCE);
    });
  }

  async next() {
    const { question, yields, resolve, reject } = this.waiting;
    Object.assign(this, { waiting: null, busy: true, yields });
    try {
      resolve(await question(this.engine));
    } catch (error) {
      if (error.name === "Cancelled") resolve(null);
      else reject(error);
    }
    clearTimeout(this.patience);
    Object.assign(this, { patience: null, busy: false });
    if (this.waiting) this.next();
  }
}
