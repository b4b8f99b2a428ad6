// A link with its QR code. Streamlit calls again, without cleanup, whenever the link or the theme changes.

export default function mountShare({ data, parentElement }) {
  parentElement.querySelector(".share")?.remove();
  const root = element("div", { class: "share" });
  const shown = element("div", { class: "code", tabindex: "-1" }, title(data.title), drawing(data), line(data.url));
  const full = button("Full screen", () => toFull(shown));
  root.append(shown, row("Link", data.url, full));
  if (data.frame) root.append(row("For another site", data.frame));
  parentElement.append(root);
  return () => root.remove();
}

const SVG = "http://www.w3.org/2000/svg";

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function title(words) {
  return element("strong", { class: "title" }, words);
}

function line(url) {
  return element("span", { class: "url" }, url);
}

function drawing({ size, path, url }) {
  const svg = document.createElementNS(SVG, "svg");
  const attributes = {
    viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": `QR code of ${url}`, "shape-rendering": "crispEdges",
  };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  const ground = document.createElementNS(SVG, "rect");
  for (const [name, value] of [["width", size], ["height", size], ["fill", "#fff"]]) ground.setAttribute(name, value);
  const modules = document.createElementNS(SVG, "path");
  modules.setAttribute("d", path);
  modules.setAttribute("fill", "#000");
  svg.append(ground, modules);
  return svg;
}

function button(words, press) {
  const node = element("button", { type: "button" }, words);
  node.addEventListener("click", press);
  return node;
}

// The button says for a moment that it worked, to assistive technology too.
function row(label, text, ...more) {
  const field = element("input", { type: "text", readonly: "", "aria-label": label, value: text });
  field.addEventListener("focus", () => field.select());
  const said = element("span", { role: "status" });
  const copy = button("Copy", async () => {
    said.textContent = (await copied(field)) ? "Copied" : "Press Ctrl+C or ⌘C";
    setTimeout(() => (said.textContent = ""), 4000);
  });
  copy.setAttribute("aria-label", `Copy: ${label}`);
  return element("div", { class: "row" }, element("label", {}, label), field, copy, ...more, said);
}

async function copied(field) {
  try {
    await navigator.clipboard.writeText(field.value); // not there without TLS, except on this machine
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand("copy");
  }
}

// Where a frame may not use the whole screen, the code covers the page; the same button, Escape or a click end it.
async function toFull(shown) {
  if (shown.classList.contains("covers")) return shown.classList.remove("covers");
  if (document.fullscreenElement) return document.exitFullscreen();
  try {
    await shown.requestFullscreen();
  } catch {
    shown.classList.add("covers");
    shown.focus();
    const end = () => shown.classList.remove("covers");
    shown.addEventListener("click", end, { once: true });
    shown.addEventListener("keydown", (event) => event.key === "Escape" && end(), { once: true });
  }
}
