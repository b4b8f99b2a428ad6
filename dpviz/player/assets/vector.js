// A 2-D context that writes SVG elements: the subset of drawing calls the player uses.
// Text becomes text nodes of a document, so nothing a user typed is ever parsed as markup.

import { svg } from "./layout.js";

export class SvgContext {
  constructor(width, height) {
    this.root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
    this.root.setAttribute("xmlns", this.root.namespaceURI);
    this.group = this.root;
    this.saved = [];
    this.clips = 0;
    this.path = "";
    Object.assign(this, {
      fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, font: "12px sans-serif",
      textAlign: "left", textBaseline: "alphabetic", lineJoin: "miter", dash: [],
    });
    this.ruler = document.createElement("canvas").getContext("2d");
  }

  add(tag, attributes) {
    const node = svg(tag, attributes);
    if (this.globalAlpha !== 1) node.setAttribute("opacity", this.globalAlpha);
    this.group.append(node);
    return node;
  }

  nest(attributes) {
    const group = svg("g", attributes);
    this.group.append(group);
    this.group = group;
  }

  save() {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, dash, group } = this;
    this.saved.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, dash, group });
  }

  restore() { Object.assign(this, this.saved.pop()); }
  translate(x, y) { this.nest({ transform: `translate(${round(x)} ${round(y)})` }); }
  setLineDash(dash) { this.dash = dash; }
  measureText(text) {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${round(x)} ${round(y)}`; }
  lineTo(x, y) { this.path += `L${round(x)} ${round(y)}`; }
  closePath() { this.path += "Z"; }
  rect(x, y, width, height) {
    this.path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`;
  }

  arc(x, y, radius) { this.ellipse(x, y, radius, radius, 0); }

  // Whole ellipses only.
  ellipse(x, y, rx, ry, angle) {
    const dx = rx * Math.cos(angle);
    const dy = rx * Math.sin(angle);
    const arc = `A${round(rx)} ${round(ry)} ${round((angle * 180) / Math.PI)} 1 1 `;
    const [start, far] = [`${round(x + dx)} ${round(y + dy)}`, `${round(x - dx)} ${round(y - dy)}`];
    this.path += `M${start}${arc}${far}${arc}${start}Z`;
  }

  fill(rule = "nonzero") {
    const node = this.add("path", { d: this.path, fill: this.fillStyle });
    if (rule !== "nonzero") node.setAttribute("fill-rule", rule);
  }

  stroke() {
    const pen = { stroke: this.strokeStyle, "stroke-width": this.lineWidth };
    const node = this.add("path", { d: this.path, fill: "none", ...pen });
    if (this.dash.length > 0) node.setAttribute("stroke-dasharray", this.dash.join(" "));
  }

  clip() {
    this.clips += 1;
    const clip = svg("clipPath", { id: `clip${this.clips}` }, svg("path", { d: this.path }));
    this.group.append(clip);
    this.nest({ "clip-path": `url(#clip${this.clips})` });
  }

  fillRect(x, y, width, height) {
    this.add("rect", { x: round(x), y: round(y), width: round(width), height: round(height), fill: this.fillStyle });
  }

  strokeRect(x, y, width, height) {
    const box = { x: round(x), y: round(y), width: round(width), height: round(height) };
    this.add("rect", { ...box, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth });
  }

  drawImage(canvas, x, y, width, height) {
    const node = this.add("image", { x: round(x), y: round(y), width: round(width), height: round(height) });
    node.setAttribute("preserveAspectRatio", "none");
    node.setAttribute("href", canvas.toDataURL("image/png"));
  }

  fillText(text, x, y) {
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    const shift = { top: "0.8em", middle: "0.35em", bottom: "-0.2em", alphabetic: "0" }[this.textBaseline];
    const [, weight, size, family] = /^(?:(\d+) )?([\d.]+)px (.*)$/.exec(this.font);
    const node = this.add("text", {
      x: round(x), y: round(y), dy: shift, "text-anchor": anchor, fill: this.fillStyle, "font-size": size,
      "font-family": family, "font-weight": weight ?? "400",
    });
    node.textContent = text;
  }

  toString() { return new XMLSerializer().serializeToString(this.root); }
}

function round(value) {
  return Math.round(value * 100) / 100;
}
