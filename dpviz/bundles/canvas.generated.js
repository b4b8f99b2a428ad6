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

// player/assets/theme.js
var colorProbe = null;
var parsedColors = /* @__PURE__ */ new Map();
function parseColor(css, fallback) {
  const key = `${css} ${fallback}`;
  if (!parsedColors.has(key)) parsedColors.set(key, probedColor(css, fallback));
  return parsedColors.get(key);
}
function probedColor(css, fallback) {
  colorProbe ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  colorProbe.canvas.width = 1;
  colorProbe.canvas.height = 1;
  colorProbe.fillStyle = fallback;
  colorProbe.fillStyle = css;
  colorProbe.fillRect(0, 0, 1, 1);
  return Array.from(colorProbe.getImageData(0, 0, 1, 1).data.subarray(0, 3));
}
function mixColors(from, to, share) {
  return from.map((channel, i) => Math.round(channel + (to[i] - channel) * share));
}
function cssColor([red, green, blue], alpha = 1) {
  return alpha === 1 ? `rgb(${red}, ${green}, ${blue})` : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}
function brightness([red, green, blue]) {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
var VARIANTS = 4;
var READABLE = 4.8;
function contrast(one, other) {
  const luminance = (color) => {
    const [red, green, blue] = color.map((channel) => {
      const value = channel / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
function quietText(text, background) {
  let share = 0.38;
  while (share > 0 && contrast(mixColors(text, background, share), background) < READABLE) share -= 0.02;
  return mixColors(text, background, Math.max(0, share));
}
function readTheme(element2, colors, scale) {
  const style = getComputedStyle(element2);
  const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const variable = (name, light, dark2) => {
    const value = style.getPropertyValue(`--st-${name}`).trim();
    return value && value !== "unset" ? value : prefersDark ? dark2 : light;
  };
  const background = parseColor(variable("background-color", "#ffffff", "#0e1117"), "#ffffff");
  const text = parseColor(variable("text-color", "#31333f", "#fafafa"), "#31333f");
  const dark = brightness(background) < 128;
  const enlarged = scale * parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
  const font = variable("font", "system-ui, sans-serif", "system-ui, sans-serif");
  const clusters = (colors?.[dark ? "dark" : "light"] ?? []).map((color) => parseColor(color, "#888888"));
  return {
    dark,
    background,
    text,
    muted: quietText(text, background),
    faint: mixColors(text, background, 0.7),
    grid: mixColors(text, background, dark ? 0.88 : 0.91),
    accent: parseColor(variable("primary-color", "#0072b2", "#4aa3e0"), "#0072b2"),
    font,
    scale: enlarged,
    type: (size, weight = "") => `${weight && `${weight} `}${size * enlarged}px ${font}`,
    clusters,
    clusterColor: (track) => clusters[track % clusters.length],
    // Clusters beyond the colours repeat them; the variant tells those of one colour apart.
    clusterVariant: (track) => Math.floor(track / clusters.length) % VARIANTS
  };
}

// player/assets/surface.js
function takeTheme(root, colors, scale = 1) {
  const theme = readTheme(root, colors, scale);
  theme.stamp = JSON.stringify([theme.background, theme.text, theme.font, theme.scale, theme.clusters[0]]);
  for (const name of ["text", "muted", "grid", "background", "accent"]) root.style.setProperty(`--${name}`, cssColor(theme[name]));
  root.style.setProperty("--face", theme.font);
  root.style.setProperty("--scale", theme.scale);
  root.classList.toggle("dark", theme.dark);
  return theme;
}

// player/drawing/sketch.js
var MOST_STEPS = 200;
var Sketch = class {
  constructor(points, extent, most) {
    this.points = points;
    this.extent = extent;
    this.most = most;
    this.past = [];
    this.future = [];
    this.before = null;
  }
  // One gesture is one step back: everything between begin() and end().
  begin() {
    this.before = this.points;
  }
  end() {
    const before = this.before;
    this.before = null;
    if (before === null || before === this.points) return false;
    this.past.push(before);
    if (this.past.length > MOST_STEPS) this.past.shift();
    this.future = [];
    return true;
  }
  get full() {
    return this.points.length >= this.most;
  }
  add(places, color) {
    const [halfWidth, halfHeight] = this.extent.map((length) => length / 2);
    const inside = places.filter(([x, y]) => Math.abs(x) <= halfWidth && Math.abs(y) <= halfHeight);
    const room = inside.slice(0, this.most - this.points.length);
    if (room.length === 0) return;
    const rounded = (number) => Math.round(number * 1e3) / 1e3;
    this.points = this.points.concat(room.map(([x, y]) => ({ x: rounded(x), y: rounded(y), color })));
  }
  erase(x, y, radius) {
    const kept = this.points.filter((point) => Math.hypot(point.x - x, point.y - y) > radius);
    if (kept.length < this.points.length) this.points = kept;
  }
  clear() {
    this.begin();
    if (this.points.length > 0) this.points = [];
    return this.end();
  }
  undo() {
    return this.travel(this.past, this.future);
  }
  redo() {
    return this.travel(this.future, this.past);
  }
  travel(from, to) {
    if (from.length === 0) return false;
    to.push(this.points);
    this.points = from.pop();
    return true;
  }
};
function normal() {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}
var BRUSHES = {
  point: (x, y) => [[x, y]],
  blob: (x, y, radius, count) => Array.from({ length: count }, () => [x + radius / 2 * normal(), y + radius / 2 * normal()]),
  disc: (x, y, radius, count) => Array.from({ length: count }, () => {
    const distance = radius * Math.sqrt(Math.random());
    const angle = 2 * Math.PI * Math.random();
    return [x + distance * Math.cos(angle), y + distance * Math.sin(angle)];
  })
};

// words/say.js
var fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
var thousands = new Intl.NumberFormat("en");
var fillForm = (forms, n, values = {}) => fill(forms[formOf(n)], { n: thousands.format(n), ...values });
function say(key, values) {
  return values ? fill(dpvizWords[key], values) : dpvizWords[key];
}
function sayCount(key, n, values) {
  return fillForm(dpvizWords[key], n, values);
}

// player/drawing/tools.js
var TOOL_BUTTONS = [
  ["point", say("canvas.point"), say("canvas.about_point")],
  ["blob", say("canvas.blob"), say("canvas.about_blob")],
  ["disc", say("canvas.disc"), say("canvas.about_disc")],
  ["erase", say("canvas.erase"), say("canvas.about_erase")]
];
var Tools = class {
  // `actions`: undo(), redo(), clear(), changed().
  constructor(names, actions) {
    this.tool = "point";
    this.color = 0;
    this.actions = actions;
    this.tools = TOOL_BUTTONS.map(([name, text, title]) => this.button(text, title, { "data-tool": name, "aria-pressed": "false" }, () => this.choose(name)));
    this.colors = names.map((name, number) => {
      const label = say("canvas.brush_colour", { colour: say(`canvas.colour_${name}`) });
      const attributes = { class: "color", "data-color": number, "aria-label": label, "aria-pressed": "false" };
      return this.button("", `${label} (${number + 1})`, attributes, () => this.paint(number));
    });
    this.undo = this.button(say("canvas.undo"), say("canvas.about_undo"), { "data-do": "undo" }, actions.undo);
    this.redo = this.button(say("canvas.redo"), say("canvas.about_redo"), { "data-do": "redo" }, actions.redo);
    this.clear = this.button(say("canvas.clear"), say("canvas.about_clear"), { "data-do": "clear" }, actions.clear);
    this.size = this.slider(say("canvas.size"), 0.2, 3, 0.1, 1);
    this.density = this.slider(say("canvas.density"), 1, 60, 1, 15);
    this.node = element(
      "div",
      { class: "tools" },
      element("div", { class: "row", role: "toolbar", "aria-label": say("canvas.brush") }, ...this.tools),
      element("div", { class: "row", role: "toolbar", "aria-label": say("canvas.brush_colours") }, ...this.colors),
      element("div", { class: "row", role: "toolbar", "aria-label": say("canvas.history") }, this.undo, this.redo, this.clear),
      element("div", { class: "row" }, this.size.parentNode, this.density.parentNode)
    );
    this.choose("point");
    this.paint(0);
  }
  button(text, title, attributes, action) {
    const node = element("button", { type: "button", text, title, ...attributes });
    node.addEventListener("click", action);
    return node;
  }
  slider(text, min, max, step, value) {
    const input = element("input", { type: "range", min, max, step, value, "aria-label": text });
    input.addEventListener("input", () => this.actions.changed());
    element("label", {}, element("span", { text }), input);
    return input;
  }
  choose(tool) {
    this.tool = tool;
    for (const node of this.tools) node.setAttribute("aria-pressed", String(node.dataset.tool === tool));
    this.size.disabled = tool === "point";
    this.density.disabled = tool === "point" || tool === "erase";
    this.actions.changed();
  }
  paint(color) {
    this.color = color;
    for (const node of this.colors) node.setAttribute("aria-pressed", String(Number(node.dataset.color) === color));
    this.actions.changed();
  }
  resize(change) {
    this.size.value = String(Number(this.size.value) + change);
    this.actions.changed();
  }
  get radius() {
    return this.tool === "point" ? 0.15 : Number(this.size.value);
  }
  show(sketch, palette) {
    this.undo.disabled = sketch.past.length === 0;
    this.redo.disabled = sketch.future.length === 0;
    this.clear.disabled = sketch.points.length === 0;
    this.colors.forEach((node, number) => node.style.setProperty("--brush", palette[number]));
  }
};

// player/drawing/canvas.js
var PAUSE = 350;
var ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
var LETTERS = { p: "point", b: "blob", d: "disc", e: "erase" };
var DrawingCanvas = class {
  constructor(root, { points, palette, names, extent, most }) {
    const drawn = points.x.map((x, i) => ({ x, y: points.y[i], color: points.color[i] }));
    this.sketch = new Sketch(drawn, extent, most);
    this.palette = palette;
    this.extent = extent;
    this.cursor = null;
    this.surface = element("canvas", {
      tabindex: "0",
      role: "application",
      "aria-roledescription": say("canvas.kind"),
      "aria-label": say("canvas.about")
    });
    this.status = element("div", { class: "status", role: "status", "aria-live": "polite" });
    this.tools = new Tools(names, {
      undo: () => this.step(() => this.sketch.undo()),
      redo: () => this.step(() => this.sketch.redo()),
      clear: () => this.step(() => this.sketch.clear()),
      changed: () => this.tools && this.paint()
    });
    root.append(this.tools.node, this.surface, this.status);
    this.root = root;
    const listen = (name, handler) => this.surface.addEventListener(name, handler.bind(this));
    listen("pointerdown", this.onDown);
    listen("pointermove", this.onMove);
    listen("pointerup", this.onUp);
    listen("pointercancel", this.onUp);
    listen("pointerleave", this.onLeave);
    listen("keydown", this.onKey);
    this.observer = new ResizeObserver(() => this.paint());
    this.observer.observe(this.surface);
  }
  place(event) {
    const box = this.surface.getBoundingClientRect();
    const [width, height] = this.extent;
    return {
      x: ((event.clientX - box.left) / box.width - 0.5) * width,
      y: (0.5 - (event.clientY - box.top) / box.height) * height
    };
  }
  onDown(event) {
    if (event.button !== 0 || this.drawing) return;
    this.surface.setPointerCapture(event.pointerId);
    this.surface.focus({ preventScroll: true });
    this.drawing = true;
    this.sketch.begin();
    this.cursor = this.place(event);
    this.dab();
  }
  onMove(event) {
    this.cursor = this.place(event);
    const { tool, radius } = this.tools;
    const moved = this.last ? Math.hypot(this.cursor.x - this.last.x, this.cursor.y - this.last.y) : 0;
    const apart = tool === "point" ? 0.35 : tool === "erase" ? 0 : radius / 2;
    if (this.drawing && moved > apart) this.dab();
    else this.paint();
  }
  onUp() {
    if (!this.drawing) return;
    this.drawing = false;
    if (this.sketch.end()) this.sendSoon();
    this.paint();
  }
  onLeave() {
    if (!this.drawing) this.cursor = null;
    this.paint();
  }
  // Leave one dab of the present brush under the cursor.
  dab() {
    const { x, y } = this.cursor;
    const { tool, color, radius, density } = this.tools;
    this.last = { x, y };
    if (tool === "erase") this.sketch.erase(x, y, radius);
    else this.sketch.add(BRUSHES[tool](x, y, radius, Number(density.value)), color);
    this.paint();
  }
  step(change) {
    if (!this.drawing && change()) this.sendSoon();
    this.paint();
  }
  onKey(event) {
    const letter = event.key.toLowerCase();
    const arrow = ARROWS[event.key];
    const [width, height] = this.extent;
    if (event.ctrlKey || event.metaKey) {
      if (letter === "y" || letter === "z" && event.shiftKey) this.step(() => this.sketch.redo());
      else if (letter === "z") this.step(() => this.sketch.undo());
      else return;
    } else if (arrow) {
      const stride = event.shiftKey ? 1 : 0.25;
      const from = this.cursor ?? { x: 0, y: 0 };
      const within = (value, half) => Math.min(half, Math.max(-half, value));
      this.cursor = { x: within(from.x + stride * arrow[0], width / 2), y: within(from.y + stride * arrow[1], height / 2) };
    } else if (event.key === " " || event.key === "Enter") {
      this.cursor ??= { x: 0, y: 0 };
      this.sketch.begin();
      this.dab();
      if (this.sketch.end()) this.sendSoon();
    } else if (LETTERS[letter]) this.tools.choose(LETTERS[letter]);
    else if (/^[1-9]$/.test(letter) && Number(letter) <= this.tools.colors.length) this.tools.paint(Number(letter) - 1);
    else if (letter === "[" || letter === "]") this.tools.resize(letter === "[" ? -0.2 : 0.2);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.paint();
  }
  sendSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), PAUSE);
  }
  send() {
    const { points } = this.sketch;
    const column = (name) => points.map((point) => point[name]);
    this.channel.setStateValue("points", { x: column("x"), y: column("y"), color: column("color") });
  }
  paint() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }
  draw() {
    const box = this.surface.getBoundingClientRect();
    if (box.width < 1) return;
    const sharpness = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(box.width * sharpness), Math.round(box.height * sharpness)];
    if (this.surface.width !== width || this.surface.height !== height) Object.assign(this.surface, { width, height });
    const theme = takeTheme(this.root, this.palette);
    const context = this.surface.getContext("2d");
    const scale = width / this.extent[0];
    const across = (x) => width / 2 + x * scale;
    const down = (y) => height / 2 - y * scale;
    context.clearRect(0, 0, width, height);
    context.fillStyle = cssColor(theme.grid);
    for (let x = -6; x <= 6; x += 2) context.fillRect(Math.round(across(x)), 0, sharpness, height);
    for (let y = -4; y <= 4; y += 2) context.fillRect(0, Math.round(down(y)), width, sharpness);
    for (const { x, y, color } of this.sketch.points) {
      context.fillStyle = cssColor(theme.clusterColor(color), 0.85);
      context.beginPath();
      context.arc(across(x), down(y), 3.2 * sharpness, 0, 2 * Math.PI);
      context.fill();
    }
    if (this.cursor) this.drawCursor(context, theme, across(this.cursor.x), down(this.cursor.y), sharpness, scale);
    this.tools.show(this.sketch, theme.clusters.map((color) => cssColor(color)));
    this.report();
  }
  drawCursor(context, theme, x, y, sharpness, scale) {
    const { tool, color, radius } = this.tools;
    context.strokeStyle = cssColor(tool === "erase" ? theme.text : theme.clusterColor(color));
    context.lineWidth = 1.5 * sharpness;
    context.setLineDash(tool === "erase" ? [4 * sharpness, 3 * sharpness] : []);
    context.beginPath();
    context.arc(x, y, Math.max(radius * scale, 5 * sharpness), 0, 2 * Math.PI);
    context.stroke();
    context.setLineDash([]);
  }
  report() {
    const count = this.sketch.points.length;
    const hint = count === 0 ? `${say("canvas.draw_here")} ` : "";
    const limit = this.sketch.full ? ` ${say("canvas.full")}` : "";
    const text = `${hint}${sayCount("canvas.points", count)}${limit}`;
    if (this.status.textContent !== text) this.status.textContent = text;
  }
  close() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.waiting);
    this.observer.disconnect();
  }
};

// ui/draw/assets/mount.js
var canvases = /* @__PURE__ */ new Map();
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
  }
}
function mountCanvas({ data, key, parentElement, setStateValue }) {
  if (!canvases.has(key)) {
    const root = element("div", { class: "dpviz-draw" });
    parentElement.append(root);
    const points = remembered(data.storage, data.points);
    canvases.set(key, new DrawingCanvas(root, { ...data, points }));
    if (points === data.points) remember(data.storage, points);
    else canvases.get(key).sendSoon();
  }
  const canvas = canvases.get(key);
  canvas.channel = {
    setStateValue: (name, points) => {
      remember(data.storage, points);
      setStateValue(name, points);
    }
  };
  canvas.paint();
  return () => {
    canvas.close();
    canvas.root.remove();
    canvases.delete(key);
  };
}
export {
  mountCanvas as default
};
