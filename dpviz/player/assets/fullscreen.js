// The player on the whole screen, where the page may have it.

export class FullScreen {
  constructor(root, changed) {
    this.root = root;
    this.possible = document.fullscreenEnabled === true;
    this.on = false;
    this.listener = () => {
      const on = (root.getRootNode().fullscreenElement ?? document.fullscreenElement) === root;
      if (on === this.on) return;
      this.on = on;
      changed();
    };
    document.addEventListener("fullscreenchange", this.listener);
  }

  toggle() {
    if (this.on) document.exitFullscreen();
    else if (this.possible) this.root.requestFullscreen().catch(() => {}); // the browser says why
  }

  close() { document.removeEventListener("fullscreenchange", this.listener); }
}
