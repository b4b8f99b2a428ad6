// What is drawn at most once in a frame: at once where nothing was since the last one, else in the next.

export class EveryFrame {
  constructor(draw) {
    Object.assign(this, { draw, request: null, again: false });
  }

  ask() {
    if (this.request !== null) this.again = true;
    else this.act();
  }

  act() {
    this.again = false;
    this.request = requestAnimationFrame(() => {
      this.request = null;
      if (this.again) this.act();
    });
    this.draw();
  }
}
