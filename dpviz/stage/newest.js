// An engine of which one thing is asked at a time: of the questions that come meanwhile only the newest is asked.

const PATIENCE = 1500; // milliseconds that a question waits for an older answer, which is shown meanwhile if it comes

export class Newest {
  // `make()`: another engine, for what takes long, so that the question after it finds this one ready.
  constructor(engine, make = null) {
    Object.assign(this, { engine, make, waiting: null, asking: false, aside: null, asked: 0, answered: 0 });
  }

  get busy() { return this.asking || this.aside !== null; }

  // Resolves to what `question(engine)` does, or to null if another one overtook it. `long`: it has an engine of its own,
  // which ends with it, and it ends with the next question.
  ask(question, long = false) {
    this.aside?.close();
    this.waiting?.resolve(null);
    this.waiting = null;
    const number = (this.asked += 1);
    if (long) {
      clearTimeout(this.patience); // nothing waits for the older answer
      this.patience = null;
      return this.alone(question, number);
    }
    return new Promise((resolve, reject) => {
      this.waiting = { question, number, resolve, reject };
      if (!this.asking) this.next();
      else this.patience ??= setTimeout(() => this.engine.cancel(), PATIENCE);
    });
  }

  // Whoever still waits gets null.
  close() {
    this.aside?.close();
    this.waiting?.resolve(null);
    clearTimeout(this.patience);
    Object.assign(this, { waiting: null, patience: null });
    this.engine.close();
  }

  async next() {
    const { question, number, resolve, reject } = this.waiting;
    Object.assign(this, { waiting: null, asking: true });
    await this.answer(question, this.engine, number).then(resolve, reject);
    clearTimeout(this.patience);
    Object.assign(this, { patience: null, asking: false });
    if (this.waiting) this.next();
  }

  async alone(question, number) {
    const engine = this.make();
    this.aside = engine;
    try {
      return await this.answer(question, engine, number);
    } finally {
      engine.close();
      if (this.aside === engine) this.aside = null;
    }
  }

  async answer(question, engine, number) {
    try {
      const found = await question(engine);
      if (number < this.answered) return null;
      this.answered = number;
      return found;
    } catch (error) {
      if (error.name === "Cancelled" || number < this.answered) return null;
      throw error;
    }
  }
}
