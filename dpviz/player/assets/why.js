// Why the point that was asked about is where it is: the page's answer, beside the picture.

import { element } from "./layout.js";
import { say } from "../../words/say.js";

export class Why {
  constructor(player) {
    this.player = player;
    this.answer = null; // { key, point, sweep, title, bars }; of this page's own, { point, bars, local: true }
    this.received = null;
    this.asked = false; // and no answer came yet
    this.dismissed = null; // the point that the reader wants to hear of no more
    this.title = element("div", { class: "why-title" });
    this.body = element("div", {});
    this.node = element("section", { class: "why", "aria-label": say("player.why_here"), tabindex: "0", hidden: true }, this.title, this.body);
    this.listener = (event) => this.receive(event.detail);
    document.addEventListener("dpviz-why", this.listener);
  }

  close() { document.removeEventListener("dpviz-why", this.listener); }

  ask() {
    this.asked = true;
    this.dismissed = null;
  }

  dismiss() {
    this.dismissed = this.answer?.point ?? null;
    this.show();
  }

  // The answer may be there before the player that shows it.
  receive(key) {
    if (key === undefined || key !== this.player.opening?.key) return;
    const answer = globalThis.dpvizSent?.get(`why ${key}`);
    if (!answer || answer === this.received) return;
    this.received = this.answer = answer;
    this.title.textContent = answer.title;
    // the page wrote these bars, with every name in them escaped
    this.body.replaceChildren(...new DOMParser().parseFromString(answer.bars, "text/html").body.childNodes);
    if (answer.point === null && !this.asked) for (const { scatter } of this.player.panels) scatter.chosen = -1;
    this.showAsked();
  }

  // An answer that was found in this page: a node, of the sweep that is shown.
  tell(node, point) {
    this.answer = { point, bars: "here", local: true };
    this.title.textContent = "";
    this.body.replaceChildren(node);
    this.showAsked();
  }

  untell() {
    if (!this.answer?.local) return;
    this.answer = null;
    this.show();
  }

  showAsked() {
    this.show();
    if (this.asked && !this.node.hidden) this.node.scrollIntoView({ block: "nearest" });
    this.asked = false;
  }

  show() {
    const hidden = !this.answer?.bars || this.answer.point === this.dismissed;
    if (!hidden && this.player.run) for (const { scatter } of this.player.panels) scatter.chosen = this.answer.point;
    if (hidden !== this.node.hidden) {
      this.node.hidden = hidden;
      this.player.resize();
    } else this.player.redraw();
  }

  // What is said of another sweep than the one that is shown steps back until the page has followed.
  painted(sweep) {
    this.node.classList.toggle("old", this.answer !== null && !this.answer.local && this.answer.sweep !== sweep);
  }
}
