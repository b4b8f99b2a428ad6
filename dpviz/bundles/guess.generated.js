// player/assets/format.js
function group(digits) {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}
function formatFixed(value, decimals) {
  if (!Number.isFinite(value)) return "–";
  const [whole, fraction] = Math.abs(value).toFixed(decimals).split(".");
  const sign = value < 0 && Number(Math.abs(value).toFixed(decimals)) !== 0 ? "−" : "";
  return sign + group(whole) + (fraction ? `.${fraction}` : "");
}

// player/assets/nodes.js
var element = (tag, ...content) => filled(document.createElement(tag), ...content);
function filled(node, attributes = {}, ...children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// words/say.js
var fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
var thousands = new Intl.NumberFormat("en");
function say(key, values) {
  return values ? fill(dpvizWords[key], values) : dpvizWords[key];
}

// course/assets/guess.js
var Guess = class {
  // `facts`: `low`, `high`, the `start` of keys, `unit`, `label`, and what was `given` before or null; `chosen(number)`: a
  // number was chosen.
  constructor(facts, chosen) {
    const { low, high, start, unit, label, given } = facts;
    Object.assign(this, { unit, chosen, made: given !== null });
    this.range = element("input", { type: "range", name: "guess", min: low, max: high, value: given ?? start, "aria-label": label });
    this.output = element("output");
    const said = element("span", { class: "said" }, this.output, ` ${unit}`);
    const ends = [low, high].map((end) => element("span", { class: "end", "aria-hidden": "true", text: formatFixed(end, 0) }));
    this.node = element("div", { class: "guess" }, ends[0], this.range, ends[1], said);
    this.range.addEventListener("input", () => this.choose());
    this.range.addEventListener("click", () => this.choose());
    this.range.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      this.choose();
    });
    this.show();
  }
  choose() {
    this.made = true;
    this.show();
    this.chosen(Number(this.range.value));
  }
  show() {
    const { range, made } = this;
    this.node.classList.toggle("open", !made);
    const number = formatFixed(Number(range.value), 0);
    this.output.textContent = made ? number : "–";
    range.setAttribute("aria-valuetext", made ? `${number} ${this.unit}` : say("bench.no_prediction"));
  }
};
var guesses = /* @__PURE__ */ new WeakMap();
function mountGuess({ data, parentElement, setStateValue }) {
  if (!guesses.has(parentElement)) {
    const made2 = { guess: new Guess(data, (number) => made2.tell(number)), tell: null };
    guesses.set(parentElement, made2);
    parentElement.append(made2.guess.node);
  }
  const made = guesses.get(parentElement);
  made.tell = (number) => setStateValue("guess", number);
  return () => {
    made.guess.node.remove();
    guesses.delete(parentElement);
  };
}
export {
  Guess,
  mountGuess as default
};
