// The story for a room: a section at a time in large type, and what follows its picture only at the next step.

import { element } from "../../player/assets/layout.js";
import { say } from "../../words/say.js";
import { note, saidOf } from "./address.js";

const WAYS = { PageDown: 1, PageUp: -1, ArrowRight: 1, ArrowLeft: -1 }; // the first two are those of clickers

export class Lecture {
  // `begun()`: it has.
  constructor(main, begun) {
    this.begun = begun;
    this.steps = [...main.querySelectorAll("section")].flatMap((section) => {
      const answer = [...section.querySelectorAll(":scope > figure ~ *")];
      return answer.length > 0 ? [{ section, answer, isTold: false }, { section, answer, isTold: true }] : [{ section, answer, isTold: true }];
    });
    this.at = -1; // of nothing that is shown alone
    this.count = element("output");
    const button = (key, pressed) => {
      const node = element("button", { type: "button", text: say(`story.lecture_${key}`) });
      node.addEventListener("click", pressed);
      return node;
    };
    this.back = button("back", () => this.show(this.at - 1));
    this.next = button("next", () => this.show(this.at + 1));
    this.bar = element("nav", { class: "lecture", "aria-label": say("story.lecture"), hidden: true }, this.back, this.count, this.next, button("end", () => this.end()));
    main.after(this.bar);
    document.addEventListener("keydown", (event) => this.key(event), true);
    for (const link of main.querySelectorAll("a[href='?ui=present']")) {
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return; // in another tab
        event.preventDefault(); // the page stays as it is
        this.show(0);
      });
    }
    for (const link of main.querySelectorAll("a[href^='#']")) {
      link.addEventListener("click", (event) => {
        if (this.at < 0) return;
        event.preventDefault(); // what it leads to is a step
        this.show(this.steps.findIndex(({ section }) => section.contains(document.querySelector(link.hash))));
      });
    }
    const at = Number(saidOf("step")) - 1;
    if (saidOf("ui") === "present") this.show(this.steps[at] ? at : 0);
  }

  show(at) {
    if (!this.steps[at]) return;
    note("ui", "present");
    note("step", at + 1);
    if (this.at < 0) this.begun();
    this.at = at;
    const { section: shown, isTold } = this.steps[at];
    for (const { section, answer } of this.steps) {
      section.hidden = section !== shown;
      for (const node of answer) node.hidden = section === shown && !isTold;
    }
    document.documentElement.classList.add("present");
    this.back.disabled = at === 0;
    this.next.disabled = at === this.steps.length - 1;
    this.count.textContent = `${at + 1} / ${this.steps.length}`;
    this.bar.hidden = false;
    if (isTold && at > 0 && this.steps[at - 1].section === shown) this.steps[at].answer[0].scrollIntoView({ block: "nearest" });
    else scrollTo(0, 0);
  }

  end() {
    const { section } = this.steps[this.at];
    note("ui", null);
    note("step", null);
    for (const step of this.steps) for (const node of [step.section, ...step.answer]) node.hidden = false;
    document.documentElement.classList.remove("present");
    this.bar.hidden = true;
    this.at = -1;
    section.scrollIntoView();
  }

  // Arrows belong to what is dragged while it has the focus.
  key(event) {
    const way = WAYS[event.key];
    if (this.at < 0 || !way || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key.startsWith("Arrow") && event.target.closest?.("[role=slider], input, .film")) return;
    event.preventDefault();
    event.stopPropagation();
    this.show(this.at + way);
  }
}
