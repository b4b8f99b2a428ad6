// Elements of a page. All text from outside arrives through textContent.

const SVG = "http://www.w3.org/2000/svg";

export const element = (tag, ...content) => filled(document.createElement(tag), ...content);
export const svg = (tag, ...content) => filled(document.createElementNS(SVG, tag), ...content);

function filled(node, attributes = {}, ...children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}
