// The way in for Streamlit, which calls again, without cleanup, whenever the data or the theme changes.

import { DrawingCanvas } from "./canvas.js";
import { make } from "./tools.js";

const canvases = new Map();

export function mountCanvas({ data, key, parentElement, setStateValue }) {
  if (!canvases.has(key)) {
    const root = make("div", { class: "dpviz-draw" });
    parentElement.append(root);
    canvases.set(key, new DrawingCanvas(root, data));
  }
  const canvas = canvases.get(key);
  canvas.channel = { setStateValue };
  canvas.paint();
  return () => {
    canvas.close();
    canvas.root.remove();
    canvases.delete(key);
  };
}
