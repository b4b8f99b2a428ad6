// The row of view options and exports above the panels.

import { element, iconButton, keysPanel, toggle } from "./layout.js";
import { filmType } from "./export.js";

const CHIPS = [
  ["truth", "True labels", "Colour by the known classes"],
  ["clusters", "Clusters", "Show ellipses, centres or density curves"],
  ["moved", "Moved", "Ring the points that changed cluster in this sweep"],
  ["shapes", "Shapes", "Use a marker shape per cluster"],
  ["ribbon", "Size ribbon", "Show how the clusters grow and shrink over the sweeps"],
  ["density", "Density", "Show the predictive density behind the points"],
  ["region", "Regions", "Show which cluster would take a new point"],
  ["moving", "Move points", "Drag points to other places"],
  ["painting", "Paint points", "Draw new points"],
];

const TOOL_WORDS = ["Show", "Legend", "Select", "Reset view", "Charts", "Save", "Keys"]; // beside the icons on a phone

const DRAGS = ["selecting", "moving", "painting"]; // dragging does one thing at a time

let offersAll = false; // whether players show every control: those that come later follow what the reader chose

const SYNC_NAMES = { sweep: "same sweep", fraction: "same fraction", seconds: "same seconds" };

export class Toolbar {
  // `actions`: optionsChanged(), setSync(name), reset(), save(kind),
  // showLegend(shown), showChart(name, shown), fullScreen() or null. `charts`: [name, title] of each.
  constructor(options, actions, charts) {
    this.options = options;
    this.chips = CHIPS.map(([name, label, title]) => {
      const chip = toggle(name, label, title);
      chip.addEventListener("click", () => this.flip(name));
      return chip;
    });
    this.select = iconButton("box", "Select points with a box", "or Shift and drag");
    this.select.dataset.option = "selecting";
    this.select.addEventListener("click", () => this.flip("selecting"));
    this.legend = iconButton("legend", "Legend");
    for (const [name, value] of [["aria-expanded", "false"], ["aria-controls", "legend"]]) {
      this.legend.setAttribute(name, value);
    }
    this.legend.addEventListener("click", () => {
      const shown = this.legend.getAttribute("aria-expanded") !== "true";
      this.legend.setAttribute("aria-expanded", String(shown));
      actions.showLegend(shown);
    });
    const reset = iconButton("home", "Reset the view", "0 or double click");
    reset.addEventListener("click", actions.reset);
    this.sync = element("select", { "aria-label": "Synchronise by", title: "Synchronise by" });
    for (const [name, text] of Object.entries(SYNC_NAMES)) this.sync.append(element("option", { value: name, text }));
    this.sync.addEventListener("change", () => actions.setSync(this.sync.value));
    this.progress = element("span", { class: "progress" });
    this.fold = this.foldButton();
    this.more = iconButton("more", "More controls");
    this.more.classList.add("more");
    this.more.addEventListener("click", () => this.showAll(this.more.getAttribute("aria-expanded") !== "true"));
    this.choices = element("div", { class: "choices" }, ...this.chips);
    this.chartItems = charts.map(([name, title]) => this.chartItem(name, title, actions));
    const icons = [this.fold, this.legend, this.select, reset, this.menu("charts", "Charts", this.chartItems),
      this.menu("save", "Save", this.saveButtons(actions)), this.menu("keys", "Keys", [keysPanel()])];
    for (const node of icons) if (node !== this.fold) node.classList.add("extra");
    icons.forEach((node, k) => ((node.querySelector("summary") ?? node).dataset.word = TOOL_WORDS[k]));
    const always = [this.more];
    if (actions.fullScreen) {
      always.push(iconButton("full", "Full screen", "f"));
      always.at(-1).addEventListener("click", actions.fullScreen);
    }
    this.node = element("div", { class: "tools", role: "toolbar", "aria-label": "View" }, this.progress, this.choices,
      this.sync, element("div", { class: "tool-icons" }, element("div", { class: "more-tools" }, ...icons), ...always));
    this.actions = actions;
    this.showOptions();
  }

  // A player begins with what is needed to watch a run; all else comes with this button.
  showAll(all) {
    offersAll = all;
    this.more.setAttribute("aria-expanded", String(all));
    this.actions.showAll(all);
  }

  begin() { this.showAll(offersAll); }

  // Where there is little room, the options are behind this button.
  foldButton() {
    const fold = iconButton("view", "Show");
    fold.classList.add("fold");
    fold.setAttribute("aria-expanded", "false");
    fold.addEventListener("click", () => {
      const open = fold.getAttribute("aria-expanded") !== "true";
      fold.setAttribute("aria-expanded", String(open));
      this.node.classList.toggle("unfolded", open);
    });
    return fold;
  }

  chartItem(name, title, actions) {
    const state = { "aria-pressed": "false", "data-shows": name };
    const item = element("button", { type: "button", class: "item check", text: title, ...state });
    item.addEventListener("click", () => actions.showChart(name, item.getAttribute("aria-pressed") !== "true"));
    return item;
  }

  // `shown`: names of the charts that are; `judged`: whether there are known classes to agree with.
  showCharts(shown, judged) {
    for (const item of this.chartItems) {
      item.setAttribute("aria-pressed", String(shown.includes(item.dataset.shows)));
      item.hidden = item.dataset.shows === "agreement" && !judged;
    }
  }

  saveButtons(actions) {
    const kinds = [["png", "Picture (PNG)"], ["svg", "Picture (SVG)"], ["webm", "Film (WebM)"]];
    return kinds.filter(([kind]) => kind !== "webm" || filmType()).map(([kind, text]) => {
      const button = element("button", { type: "button", class: "item", "data-save": kind, text });
      button.addEventListener("click", () => {
        button.closest("details").open = false;
        actions.save(kind);
      });
      return button;
    });
  }

  menu(name, label, content) {
    const summary = element("summary", { class: "icon", "aria-label": label, title: label });
    summary.append(...iconButton(name, label).childNodes);
    const sheet = element("div", { class: "sheet" }, ...content);
    const details = element("details", { class: `menu menu-${name}` }, summary, sheet);
    details.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !details.contains(event.relatedTarget)) details.open = false;
    });
    details.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !details.open) return;
      details.open = false;
      summary.focus();
      event.stopPropagation();
    });
    return details;
  }

  flip(name) {
    this.options[name] = !this.options[name];
    if (DRAGS.includes(name)) for (const other of DRAGS) if (other !== name) this.options[other] = false;
    this.showOptions();
    this.actions.optionsChanged();
  }

  showOptions() {
    for (const chip of [...this.chips, this.select]) {
      chip.setAttribute("aria-pressed", String(Boolean(this.options[chip.dataset.option])));
    }
  }

  // Offer only what this run has and what the page asked for.
  offer(run, { editable = false }) {
    if (!editable) Object.assign(this.options, { moving: false, painting: false });
    const some = (name) => run.panels.some((panel) => panel[name] !== undefined);
    const available = {
      truth: some("true_tracks"), moved: true, shapes: true, ribbon: run.last > 0, moving: editable, painting: editable,
      density: some("density_image"), region: some("region_image"),
      clusters: run.panels.some((panel) => !panel.one_column) || some("curve_offsets"),
    };
    for (const chip of this.chips) chip.hidden = !available[chip.dataset.option];
    this.sync.hidden = run.panels.length === 1;
    this.sync.value = run.sync;
    this.progress.textContent = run.progress;
    this.progress.hidden = run.progress === "";
    this.progress.classList.toggle("growing", run.partial);
  }
}
