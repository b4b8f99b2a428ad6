// The strip above the picture: knobs, where runs begin, twenty seeds, and what was found.

import { chip, element } from "../../player/assets/layout.js";
import { Slider } from "../../stage/knobs.js";
import liveStyles from "./live.css";
import { say } from "../../words/say.js";

export class Strip {
  // `live`: which hears of what is done here.
  constructor(live) {
    this.live = live;
    this.names = "";
    this.sliders = [];
    this.knobs = element("div", { class: "live-knobs" });
    this.here = chip(say("live.from_here"), say("strip.about_here"), () => live.begin("here"));
    this.start = chip(say("live.from_start"), say("strip.about_start"), () => live.begin("start"));
    this.dice = chip("", "", () => live.throwDice());
    this.said = element("span", { role: "status" });
    this.added = element("span", { class: "live-added" }); // of numbers that run
    this.begins = element("div", { class: "live-begins", role: "group", "aria-label": say("live.where_runs_begin") }, this.here, this.start);
    this.seeds = element("div", { class: "live-seeds" });
    this.node = element("section", { class: "live-strip", "aria-label": say("strip.knobs") }, element("style", { text: liveStyles }),
      this.knobs, this.begins, this.dice, element("div", { class: "live-said" }, this.said, this.added), this.seeds);
    this.node.addEventListener("keydown", (event) => event.stopPropagation()); // arrows move a knob, not the playhead
  }

  // `live`: { facts, sides, used, draws, watched, begins }. Until a knob was moved there is nothing to begin from, only room for what asks
  // it; several runs begin as each of them answers best.
  show({ facts, sides, used, draws, watched, begins }) {
    const names = JSON.stringify(facts.knobs);
    if (names !== this.names) {
      this.names = names;
      this.sliders = facts.knobs.map((knob) => this.slider(knob));
      this.knobs.replaceChildren(...this.sliders.map((slider) => slider.node));
    }
    for (const slider of this.sliders) slider.show();
    this.begins.hidden = sides.length > 1 || !sides[0].computes;
    Object.assign(this.dice, { textContent: draws?.words ?? say("strip.dice"), title: draws?.about ?? say("strip.about_dice") });
    this.dice.hidden = !sides.some((side) => side.computes && (draws || !side.facts.given));
    this.begins.style.visibility = used ? "" : "hidden";
    this.dice.style.visibility = used || (draws && watched) ? "" : "hidden";
    this.showBegins(begins ?? sides[0].facts.begins);
  }

  showBegins(begins) {
    this.here.setAttribute("aria-pressed", String(begins === "here"));
    this.start.setAttribute("aria-pressed", String(begins === "start"));
  }

  slider(knob) {
    const slider = new Slider(knob, this.live);
    slider.range.addEventListener("change", () => this.live.rest());
    return slider;
  }

  say(text) {
    if (this.said.textContent === text) return;
    this.said.textContent = text;
    this.added.textContent = "";
  }

  // Add more to a text, as long as that is what is said.
  add(text, more) {
    if (this.said.textContent === text) this.added.textContent = ` ${more}`;
  }
}
