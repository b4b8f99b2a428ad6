// Transport bar and keys. It knows how to ask for movement, not what moves.

import { element, iconButton, icon, setIcon, write } from "./layout.js";
import { say } from "../../words/say.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8];

export class Transport {
  // `deck`: toggle(), moveBy(steps), moveTo(position, settled), setSpeed(x), setLoop(on), setSlow(on), length,
  // position. `speak(on)`, if there is one, says every sweep, or no longer.
  constructor(deck, speak = null) {
    this.deck = deck;
    this.fullScreen = undefined; // what the key f does
    const button = (name, label, keys, action) => {
      const node = iconButton(name, label, keys);
      node.addEventListener("click", action);
      return node;
    };
    const extra = (...described) => {
      const node = button(...described);
      node.classList.add("extra");
      return node;
    };
    this.play = button("play", say("player.play"), say("player.key_space"), () => deck.toggle());
    this.play.classList.add("play");
    this.range = element("input", { type: "range", min: "0", max: "1", step: "1", value: "0", "aria-label": say("player.sweep") });
    this.range.addEventListener("input", () => deck.moveTo(Number(this.range.value), false));
    this.range.addEventListener("change", () => deck.moveTo(Number(this.range.value), true));
    this.position = element("span", { class: "position" });
    this.speed = element("select", { "aria-label": say("player.speed"), title: say("player.speed") });
    for (const speed of SPEEDS) this.speed.append(element("option", { value: speed, text: `${speed}×` }));
    this.speed.value = "1";
    this.speed.addEventListener("change", () => deck.setSpeed(Number(this.speed.value)));
    this.loop = extra("loop", say("player.loop"), "", () => deck.setLoop(this.flip(this.loop)));
    this.loop.setAttribute("aria-pressed", "false");
    this.speak = extra("speak", say("player.speak"), "v", () => speak(this.flip(this.speak)));
    this.speak.setAttribute("aria-pressed", "false");
    this.speak.hidden = speak === null;
    this.slow = element("button", { type: "button", class: "chip slow", "aria-pressed": "false" }, icon("slow"));
    this.slowText = element("span");
    this.slow.append(this.slowText);
    this.slow.addEventListener("click", () => deck.setSlow(this.slow.getAttribute("aria-pressed") !== "true"));
    this.node = element("div", { class: "transport", role: "group", "aria-label": say("player.playback") },
      element("div", { class: "buttons" },
        extra("first", say("player.first"), say("player.key_home"), () => deck.moveTo(0, true)),
        extra("back10", say("player.back_10"), "[", () => deck.moveBy(-10)),
        button("back", say("player.step_back"), "←", () => deck.moveBy(-1)),
        this.play,
        button("forward", say("player.step"), "→", () => deck.moveBy(1)),
        extra("forward10", say("player.on_10"), "]", () => deck.moveBy(10)),
        extra("last", say("player.last"), say("player.key_end"), () => deck.moveTo(deck.length, true))),
      this.range, this.position,
      element("div", { class: "settings" }, this.speed, this.loop, this.speak, this.slow));
  }

  flip(button) {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    return on;
  }

  // The label of the slow-motion chip, or null when the run has no recorded visits.
  offerSlow(text) {
    this.slow.hidden = text === null;
    this.slowText.textContent = text ?? "";
  }

  show({ playing, slow, spoken, written }) {
    const { length, position } = this.deck;
    if (this.playing !== playing) {
      this.playing = playing;
      setIcon(this.play, playing ? "pause" : "play");
      const word = playing ? say("player.pause") : say("player.play");
      this.play.setAttribute("aria-label", word);
      this.play.title = `${word} (${say("player.key_space")})`;
    }
    this.slow.setAttribute("aria-pressed", String(slow));
    this.range.max = String(length);
    this.range.value = String(position);
    this.range.style.setProperty("--done", `${(100 * position) / Math.max(1, length)}%`);
    this.range.setAttribute("aria-valuetext", spoken);
    write(this.position, written);
  }

  // Keys that work anywhere inside the player, except where a control needs them itself.
  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === "SELECT") return;
    const pressesButton = event.target.tagName === "BUTTON" || event.target.tagName === "SUMMARY";
    const { deck } = this;
    const action = {
      " ": pressesButton ? undefined : () => deck.toggle(),
      ArrowLeft: () => deck.moveBy(-1),
      ArrowRight: () => deck.moveBy(1),
      "[": () => deck.moveBy(-10),
      "]": () => deck.moveBy(10),
      Home: () => deck.moveTo(0, true),
      End: () => deck.moveTo(deck.length, true),
      v: this.speak.hidden ? undefined : () => this.speak.click(),
      f: this.fullScreen,
    }[event.key];
    if (!action || (event.shiftKey && event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}
