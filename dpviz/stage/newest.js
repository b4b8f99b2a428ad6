// An engine of which one thing is asked at a time: of the questions that come meanwhile only the newest is asked.

const PATIENCE = 1500; // milliseconds that a question waits for an older answer, which is shown meanwhile if it comes

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
