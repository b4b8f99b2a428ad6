// The film of two methods on the same points, under one button.

import { contentOf, openEnvelope } from "../../player/assets/decode.js";
import { element } from "../../player/assets/layout.js";
import { Hero } from "../../film/assets/hero.js";

export class Film {
  constructor(name, story) { Object.assign(this, { story, node: document.getElementById(name) }); }

  // Its pictures have styles of their own, as on the app's page.
  begin() {
    const place = this.node.querySelector(".stage").appendChild(element("div", { class: "film" }));
    const root = element("div", { class: "dpviz-player dpviz-hero" }), shadow = place.attachShadow({ mode: "open" });
    shadow.append(element("style", { text: new TextDecoder().decode(contentOf("styles")) }), root);
    const { opening, payload } = openEnvelope(contentOf("film-payload"));
    this.hero = new Hero(root, false);
    this.opened = this.hero.open(opening, payload).then(() => this.hero.takeEngine(() => this.story.engine("film")));
  }

  // So that its end is not seen before it is played.
  rewind() { this.opened?.then(() => this.hero.moveTo(0)); }
}
