// The playhead: where it is, whether it runs, how fast. No drawing here.

const WHOLE_RUN_SECONDS = 8; // a run plays in about this time at 1×

export class Deck {
  // `changed(settled)` is called after every movement; `settled` means that it came to rest.
  constructor(changed) {
    this.changed = changed;
    Object.assign(this, { run: null, frame: 0, step: 0, slow: false, playing: false, speed: 1, loop: false });
    this.following = false;
    this.slowest = Infinity; // frames per second that are not exceeded, at 1×
  }

  // A new run under the same playhead: the end stays the end, everything else keeps its sweep.
  load(run, frame) {
    const wasAtEnd = this.run !== null && this.frame === this.run.last && this.run.last > 0;
    const follows = run.partial && (this.run === null || wasAtEnd || this.following);
    const place = this.run === null ? frame : this.frame;
    this.run = run;
    this.slow = this.slow && run.slowPanel() >= 0;
    this.step = Math.min(this.step, this.visits());
    this.following = follows;
    this.frame = follows || wasAtEnd ? run.last : Math.min(place, run.last);
    this.exact = this.position;
  }

  visits() {
    const number = this.run.slowPanel();
    return number < 0 ? 0 : this.run.panels[number].event_points.length;
  }

  get length() { return this.slow ? this.visits() : this.run.last; }
  get position() { return this.slow ? this.step : this.frame; }

  // Frames (or visits) per second.
  rate() {
    const [slowest, fastest] = this.slow ? [3, 30] : [1.25, 60];
    const rate = Math.min(fastest, Math.max(slowest, this.length / WHOLE_RUN_SECONDS));
    return this.speed * Math.min(this.slowest, rate);
  }

  place(position) {
    const limited = Math.min(this.length, Math.max(0, Math.round(position)));
    if (this.slow) this.step = limited;
    else this.frame = limited;
  }

  moveTo(position, settled) {
    if (this.run === null) return;
    this.playing = false;
    this.place(position);
    this.exact = this.position;
    this.following = this.run.partial && this.frame === this.run.last;
    this.changed(settled);
  }

  moveBy(steps) { this.moveTo(this.position + steps, true); }

  toggle() {
    if (this.run === null) return;
    if (!this.playing && this.position === this.length) this.place(0);
    this.playing = !this.playing;
    this.following = false;
    this.exact = this.position;
    this.time = null;
    this.changed(!this.playing);
  }

  setSpeed(speed) { this.speed = speed; }
  setLoop(loop) { this.loop = loop; }

  // Slow motion starts at once, from the first visit of its sweep.
  setSlow(slow) {
    const number = this.run.slowPanel();
    const sweep = this.run.panels[number].events_sweep;
    this.following = false;
    this.frame = Math.min(this.run.last, slow || this.step < this.length ? sweep - 1 : sweep);
    this.slow = slow;
    this.step = 0;
    this.playing = slow;
    this.exact = 0;
    this.time = null;
    this.changed(!slow);
  }

  // Advance to the time of an animation frame; true if the position changed.
  advance(now) {
    if (!this.playing) return false;
    const before = this.position;
    if (this.time !== null) this.exact += ((now - this.time) / 1000) * this.rate();
    this.time = now;
    if (this.exact >= this.length && !this.loop) {
      this.place(this.length);
      this.playing = false;
      this.changed(true);
      return true;
    }
    // A looping run rests at its end for a moment before it starts again.
    if (this.exact > this.length + this.rate()) this.exact = 0;
    this.place(Math.floor(this.exact));
    return this.position !== before;
  }
}
