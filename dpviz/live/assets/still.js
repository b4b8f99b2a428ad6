// The picture stays where it is on the screen while what is said above it is written anew.

const LONGEST = 60_000; // milliseconds
const AFTERWARDS = 1000; // milliseconds in which texts may still change after the last picture
const FARTHEST = 130; // pixels that a few lines take; what moves farther is on its way to another place

export class Still {
  // `strip`: above the picture, which has the room that it leaves.
  constructor(strip) {
    Object.assign(this, { strip, player: null, root: null, request: null, until: 0, height: 0, left: null });
    new ResizeObserver(() => this.fit()).observe(strip);
    for (const name of ["wheel", "touchmove"]) addEventListener(name, () => (this.until = 0), { passive: true }); // the reader's
  }

  // Hold a player's root from now on, until a moment after `release`.
  hold(root) {
    cancelAnimationFrame(this.request);
    this.scroller = scrollerOf(root);
    if (!this.scroller) return;
    Object.assign(this, { root, until: performance.now() + LONGEST });
    this.top = this.place();
    this.request = requestAnimationFrame(() => this.tick());
  }

  // Another player may have come in the place of the one before, whose view it takes over.
  follow(player) {
    if (this.player && this.player !== player) this.left = this.player.panels[0];
    this.player = player;
    if (this.root) this.root = player.root;
  }

  takeView() {
    const [part] = this.player.panels;
    if (this.left?.view && !this.left.view.atHome && this.left.pointsId === part.pointsId) part.view.set(this.left.view.bounds);
    this.left = null;
  }

  fit() {
    const height = this.strip.offsetHeight;
    if (!this.player?.run || height === 0 || height === this.height) return;
    this.height = height;
    this.player.placed.key = null;
    this.player.resize();
  }

  // The words above the picture differ from run to run, and may need another line.
  holdHead(holds) {
    const head = this.player?.root.querySelector(".tools");
    if (head) head.style.minHeight = holds ? head.style.minHeight || `${head.offsetHeight}px` : "";
  }

  release() {
    this.until = Math.min(this.until, performance.now() + AFTERWARDS);
  }

  get pad() { return parseFloat(this.root.style.paddingTop) || 0; }

  // Of the picture, below the room that was left above it.
  place() { return this.root.getBoundingClientRect().top + this.pad; }

  tick() {
    const { root } = this;
    if (performance.now() > this.until) return;
    if (root.isConnected && root.clientWidth > 0) this.correct();
    this.request = requestAnimationFrame(() => this.tick());
  }

  correct() {
    const { root, scroller } = this;
    let moved = this.place() - this.top;
    if (Math.abs(moved) < 0.5 || Math.abs(moved) > FARTHEST) return;
    const padded = moved > 0 ? Math.max(0, this.pad - moved) : this.pad;
    moved += padded - this.pad;
    root.style.paddingTop = `${padded}px`;
    const before = scroller.scrollTop;
    scroller.scrollTop += moved;
    moved -= scroller.scrollTop - before;
    if (moved < -0.5) root.style.paddingTop = `${padded - moved}px`; // the page is at its beginning
  }
}

function scrollerOf(node) {
  for (let at = node; at; at = at.parentNode ?? at.host) if (at.matches?.('[data-testid="stMain"]')) return at;
  return null;
}
