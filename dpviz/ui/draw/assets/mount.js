// The way in for Streamlit, which calls again, without cleanup, whenever the data or the theme changes.

import { DrawingCanvas } from "../../../player/drawing/canvas.js";
import { element } from "../../../player/assets/nodes.js";

const canvases = new Map();

// What was drawn outlives a reload: the session's memory, which knows better, wins if it has anything.
function remembered(key, points) {
  if (points.x.length > 0) return points;
  try {
    return JSON.parse(sessionStorage.getItem(`dpviz ${key}`)) ?? points;
  } catch {
    return points;
  }
}

function remember(key, points) {
  try {
    sessionStorage.setItem(`dpviz ${key}`, JSON.stringify(points));
  } catch {
    // Without storage a drawing lasts as long as the session.
  }
}

export default function mountCanvas({ data, key, parentElement, setStateValue }) {
  if (!canvases.has(key)) {
    const root = element("div", { class: "dpviz-draw" });
    parentElement.append(root);
    const points = remembered(data.storage, data.points);
    canvases.set(key, new DrawingCanvas(root, { ...data, points }));
    if (points === data.points) remember(data.storage, points); // it may have changed on another page
    else canvases.get(key).sendSoon();
  }
  const canvas = canvases.get(key);
  canvas.channel = {
    setStateValue: (name, points) => {
      remember(data.storage, points);
      setStateValue(name, points);
    },
  };
  canvas.paint();
  return () => {
    canvas.close();
    canvas.root.remove();
    canvases.delete(key);
  };
}
