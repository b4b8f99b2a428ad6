// The row of view options and exports above the panels.

import { element, iconButton, keysPanel, toggle } from "./layout.js";
import { filmType } from "./export.js";
import { say } from "../../words/say.js";

const CHIPS = ["truth", "clusters", "moved", "shapes", "ribbon", "density", "region", "moving", "painting"];

const TOOLS = ["show", "legend", "select", "reset", "charts", "save", "keys"]; // with words beside the icons on a phone

const DRAGS = ["selecting", "moving", "painting"]; // dragging does one thing at a time

let offersAll = false; // whether players show every control: those that come later follow what the reader chose

const SYNCHRONISATIONS = ["sweep", "fraction", "seconds"];

export class Toolbar {
  // `actions`: optionsChanged(), setSync(name), reset(), save(kind),
  // showLegend(shown), showChart(name, shown), fullScreen() or null. `charts`: [name, title] of each.
  constructor(options, actions, charts) {
    this.options = options;
    this.chips = CHIPS.map((name) => {
      const chip = toggle(name, say(`player.chip_${name}`), say(`player.tip_${name}`));
      chip.addEventListener("click", () => this.flip(name));
      return chip;
    });
    this.select = iconButton("box", say("player.select_box"), say("player.or_shift"));
    this.select.dataset.option = "selecting";
    this.select.addEventListener("click", () => this.flip("selecting"));
    this.legend = iconButton("legend", say("player.tool_legend"));
    for (const [name, value] of [["aria-expanded", "false"], ["aria-controls", "legend"]]) {
      this.legend.setAttribute(name, value);
    }
    this.legend.addEventListener("click", () => {
      const shown = this.legend.getAttribute("aria-expanded") !== "true";
      this.legend.setAttribute("aria-expanded", String(shown));
      actions.showLegend(shown);
    });
    const reset = iconButton("home", say("player.reset_view"), say("player.key_reset"));
    reset.addEventListener("click", actions.reset);
    this.sync = element("select", { "aria-label": say("player.synchronise"), title: say("player.synchronise") });
    for (const name of SYNCHRONISATIONS) this.sync.append(element("option", { value: name, text: say(`player.same_${name}`) }));
    this.sync.addEventListener("change", () => actions.setSync(this.sync.value));
    this.progress = element("span", { class: "progress" });
    this.fold = this.foldButton();
    this.more = iconButton("more", say("player.more"));
    this.more.classList.add("more");
    this.more.addEventListener("click", () => this.showAll(this.more.getAttribute("aria-expanded") !== "true"));
    this.choices = element("div", { class: "choices" }, ...this.chips);
    this.chartItems = charts.map(([name, title]) => this.chartItem(name, title, actions));
    const icons = [this.fold, this.legend, this.select, reset, this.menu("charts", say("player.tool_charts"), this.chartItems),
      this.menu("save", say("player.tool_save"), this.saveButtons(actions)), this.menu("keys", say("player.tool_keys"), [keysPanel()])];
    for (const node of icons) if (node !== this.fold) node.classList.add("extra");
    icons.forEach((node, k) => ((node.querySelector("summary") ?? node).dataset.word = say(`player.tool_${TOOLS[k]}`)));
    const always = [this.more];
    if (actions.fullScreen) {
      always.push(iconButton("full", say("player.full_screen"), "f"));
      always.at(-1).addEventListener("click", actions.fullScreen);
    }
    this.node = element("div", { class: "tools", role: "toolbar", "aria-label": say("player.view") }, this.progress, this.choices,
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
    const fold = iconButton("view", say("player.tool_show"));
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
    return ["png", "svg", "webm"].filter((kind) => kind !== "webm" || filmType()).map((kind) => {
      const button = element("button", { type: "button", class: "item", "data-save": kind, text: say(`player.save_${kind}`) });
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
