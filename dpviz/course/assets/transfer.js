// A second question: what the runs find where some numbers stand elsewhere.

import { chip, element } from "../../player/assets/layout.js";
import { measured, within } from "./measures.js";
import { say } from "../../words/say.js";

export class Transfer {
  // `find(values)`: shows the runs with these numbers, and resolves to { points, runs }, or to null if others are newer;
  // `onwards()`: it was answered.
  constructor({ prompt, values, answers, reveal }, find, onwards) {
    Object.assign(this, { values, answers, reveal, find, onwards });
    this.verdict = element("p", { class: "verdict", role: "status" });
    this.chips = answers.map(({ text }, place) => chip(text, prompt, () => this.choose(place)));
    this.node = element("section", { class: "transfer", "aria-label": prompt }, element("p", { text: prompt }), element("div", { class: "row" }, ...this.chips), this.verdict);
  }

  async choose(place) {
    const { answers, chips, verdict } = this;
    chips.forEach((node, k) => node.setAttribute("aria-pressed", String(k === place)));
    const found = await this.find(this.values);
    if (!found) return;
    const { runs, points } = found, right = answers.findIndex(({ bounds }) => within(bounds, runs, points));
    const [said, run] = [place, right].map((k) => say("course.quoted", { answer: answers[k]?.text ?? "–" }));
    const mark = place === right ? say("course.predicted_right", { said }) : say("course.predicted_another", { said, right: run });
    const told = this.reveal.replace(/\{(\w+)((?: \d+)*)\}/g, (_, quantity, places) => measured(quantity, runs, places.trim().split(" ").map(Number), points));
    verdict.textContent = `${mark} ${told}`;
    this.onwards();
  }
}
