// What the server need not hear at once: where the playhead rests, and which point is asked about, as long as the
// reader is at the picture. It hears of the last of them when the reader turns to something else on the page.

export class Quiet {
  // `live`: which answers what it can, and hears what is done at the picture.
  constructor(live) {
    Object.assign(this, { live, player: null, here: false, sweep: null, point: null });
    this.entered = () => (this.here = true);
    this.left = () => {
      this.here = false;
      this.flush();
    };
    this.focusLeft = ({ relatedTarget }) => !this.player.root.contains(relatedTarget) && this.flush();
    document.addEventListener("visibilitychange", () => document.hidden && this.flush());
  }

  // The channel of a player, through which its messages go from now on.
  wrap(player) {
    if (this.player !== player) {
      this.player = player;
      this.forget();
      player.root.addEventListener("pointerenter", this.entered);
      player.root.addEventListener("pointerleave", this.left);
      player.root.addEventListener("focusout", this.focusLeft);
    }
    const { channel } = player;
    if (!channel || channel.quiet) return;
    player.channel = {
      quiet: true, channel,
      setTriggerValue: (name, value) => (name === "point" ? this.ask(value) : channel.setTriggerValue(name, value)),
      setStateValue: (name, value) => this.note(name, value),
    };
  }

  ask(value) {
    if (!this.live.explain(value.panel, value.index)) this.player.channel.channel.setTriggerValue("point", value);
    else if (!this.player.opening.film) this.point = value; // the server knows nothing of a film
    if (!this.here) this.flush();
  }

  note(name, value) {
    if (name === "place" && this.live.weigh(value)) return;
    if (name !== "sweep") {
      this.player.channel.channel.setStateValue(name, value);
      return;
    }
    this.live.watch();
    this.sweep = value;
    if (!this.here) this.flush();
  }

  forget() { Object.assign(this, { sweep: null, point: null }); }

  // The playhead goes first, so that the server sees it and the point together.
  flush() {
    const { sweep, point, player } = this;
    this.forget();
    const to = player?.channel?.channel;
    if (!to || player.opening?.film) return;
    if (sweep !== null && sweep.command === player.opening.command) to.setStateValue("sweep", sweep);
    if (point !== null && point.id === player.opening.id) to.setTriggerValue("point", point);
  }
}
