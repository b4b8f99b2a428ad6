// What stands beside the picture: methods, knobs, the seed, where runs begin, and the link.

import { element } from "../../player/assets/layout.js";
import { Slider } from "../../stage/knobs.js";
import { option, select } from "./points.js";
import { say } from "../../words/say.js";

const NONE = "none";
const COPIED = 2500; // milliseconds that a button says so

const button = (text, title, action) => {
  const node = element("button", { type: "button", text, title });
  node.addEventListener("click", action);
  return node;
};

export class Controls {
  // `lab`: has the settings, and hears of what changes.
  constructor(lab) {
    const { facts } = lab;
    Object.assign(this, { lab, sliders: facts.knobs.map((knob) => new Slider(knob, lab)) });
    this.methods = Array.from({ length: facts.limits.panels }, (_, place) => select(say(`lab.method_${place + 1}`), [], () => this.choose()));
    this.seed = element("input", { type: "number", min: 0, max: 2 ** 32 - 1, step: 1, inputmode: "numeric" });
    this.seed.addEventListener("input", () => this.seed.checkValidity() && this.seed.value !== "" && lab.setSeed(Number(this.seed.value), false));
    this.start = button(say("live.from_start"), say("lab.about_start"), () => lab.begin(false));
    this.here = button(say("live.from_here"), say("lab.about_here"), () => lab.begin(true));
    const slow = button(say("lab.slow_motion"), say("lab.about_slow_motion"), () => lab.stage.replay());
    this.link = button(say("lab.copy_link"), say("lab.about_copy_link"), () => this.copy());
    const linked = location.protocol === "about:" ? [] : [this.link]; // a frame of a notebook, or of a page that waits, has no address
    const pair = element("div", { class: "pair", role: "group", "aria-label": say("live.where_runs_begin") }, this.start, this.here);
    this.nodes = [element("div", { class: "row methods" }, ...this.methods.map((method) => method.label)), element("div", { class: "knobs" }, ...this.sliders.map((slider) => slider.node)),
      element("div", { class: "row" }, element("label", {}, element("span", { text: say("lab.seed") }), this.seed), pair, slow, ...linked)];
  }

  choose() { this.lab.chooseMethods(this.methods.map(({ node }) => node.value).filter((name) => name !== NONE)); }

  show(settings) {
    const { methods, offers, seed, from } = settings, knobs = new Set(settings.offered());
    for (const slider of this.sliders) {
      slider.node.hidden = !knobs.has(slider.knob);
      if (!slider.node.hidden) slider.show();
    }
    this.methods.forEach(({ node }, place) => {
      node.replaceChildren(...(place > 0 ? [option(NONE, "–")] : []), ...offers.map(({ name, title }) => option(name, title)));
      node.value = methods[place] ?? NONE;
    });
    this.seed.value = String(seed);
    this.start.setAttribute("aria-pressed", String(from === null));
    this.here.setAttribute("aria-pressed", String(from !== null));
  }

  async copy() {
    const written = this.lab.write();
    try {
      await navigator.clipboard.writeText(location.href);
      this.link.textContent = say(written.includes("rows=long") ? "lab.copied_without_table" : "lab.copied");
    } catch {
      this.link.textContent = say("lab.address_is_link");
    }
    setTimeout(() => (this.link.textContent = say("lab.copy_link")), COPIED);
  }
}
