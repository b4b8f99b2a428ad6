// What all pictures share: the page's colours for the styles around them, a canvas as sharp as the screen, words in a box.

import { cssColor, readTheme } from "./theme.js";

// The theme of a root (as `readTheme` reads it), which its styles know from now on. `stamp`: of what drawings depend on.
export function takeTheme(root, colors, scale = 1) {
  const theme = readTheme(root, colors, scale);
  theme.stamp = JSON.stringify([theme.background, theme.text, theme.font, theme.scale, theme.clusters[0]]);
  for (const name of ["text", "muted", "grid", "background", "accent"]) root.style.setProperty(`--${name}`, cssColor(theme[name]));
  root.style.setProperty("--face", theme.font);
  root.style.setProperty("--scale", theme.scale);
  root.classList.toggle("dark", theme.dark);
  return theme;
}

// Draw into a canvas in CSS pixels.
export function fitted(canvas, draw) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width < 1 || height < 1) return;
  const sharpness = window.devicePixelRatio || 1;
  const [across, down] = [Math.round(width * sharpness), Math.round(height * sharpness)];
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
  const context = canvas.getContext("2d");
  context.setTransform(sharpness, 0, 0, sharpness, 0, 0);
  context.clearRect(0, 0, width, height);
  draw(context, width, height);
}

// Words in the middle of a box on a place, in the context's font. `half`: of the box's width; `edge`: { color, width } of its
// line, if it has one.
export function drawBoxed(context, theme, text, { x, y }, { half, height, ink = theme.text, edge = null, opacity = 0.9 }) {
  context.beginPath();
  context.roundRect(x - half, y - height / 2, 2 * half, height, 0.3 * height);
  context.fillStyle = cssColor(theme.background, opacity);
  context.fill();
  if (edge) {
    context.strokeStyle = cssColor(edge.color);
    context.lineWidth = edge.width;
    context.stroke();
  }
  Object.assign(context, { fillStyle: cssColor(ink), textAlign: "center", textBaseline: "middle" });
  context.fillText(text, x, y);
}
