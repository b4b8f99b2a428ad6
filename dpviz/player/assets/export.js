// Pictures and films of what the player shows.

import { cssColor } from "./theme.js";
import { SvgContext } from "./vector.js";

const HOLD_LAST = 1500; // milliseconds that a film rests on its last picture

export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// Draw the whole picture: parts are { node, title, note, draw(context) }, placed where the page has them.
function compose(context, scene) {
  const { theme, width, height, parts } = scene;
  context.fillStyle = cssColor(theme.background);
  context.fillRect(0, 0, width, height);
  for (const part of parts) {
    context.save();
    context.translate(part.x, part.y);
    part.draw(context);
    context.restore();
    context.fillStyle = cssColor(theme.text);
    context.font = theme.type(13, "600");
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    context.fillText(part.title, part.x + 4, part.y - 8);
    const after = context.measureText(part.title).width + 14;
    context.font = theme.type(12);
    context.fillStyle = cssColor(theme.muted);
    context.fillText(part.note, part.x + after, part.y - 8);
  }
}

export function sceneSvg(scene) {
  const context = new SvgContext(scene.width, scene.height);
  compose(context, { ...scene, parts: scene.parts.map((part) => ({ ...part, draw: part.drawVector })) });
  return new Blob([context.toString()], { type: "image/svg+xml" });
}

export function paintScene(canvas, scene, ratio) {
  // Even sizes, because video encoders ask for them.
  canvas.width = 2 * Math.ceil((scene.width * ratio) / 2);
  canvas.height = 2 * Math.ceil((scene.height * ratio) / 2);
  repaintScene(canvas, scene, ratio);
}

function repaintScene(canvas, scene, ratio) {
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  compose(context, scene);
}

export async function scenePng(scene, ratio) {
  const canvas = document.createElement("canvas");
  paintScene(canvas, scene, ratio);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

// What canvases show, as a part of a scene.
export function copyOf(...canvases) {
  return (context) => {
    for (const canvas of canvases) context.drawImage(canvas, 0, 0, canvas.clientWidth, canvas.clientHeight);
  };
}

export function filmType() {
  const types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
  const records = typeof MediaRecorder !== "undefined" && typeof HTMLCanvasElement.prototype.captureStream === "function";
  return records ? types.find((type) => MediaRecorder.isTypeSupported(type)) : undefined;
}

// Records every frame that it is given, until it is saved.
export class Film {
  constructor(scene) {
    this.scene = scene;
    this.canvas = document.createElement("canvas");
    paintScene(this.canvas, scene, 1);
    this.chunks = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(30), {
      mimeType: filmType(), videoBitsPerSecond: 6_000_000,
    });
    this.recorder.addEventListener("dataavailable", (event) => this.chunks.push(event.data));
    this.stopped = new Promise((resolve) => { this.recorder.addEventListener("stop", resolve); });
    this.recorder.start();
  }

  add(scene) {
    this.scene = scene;
    repaintScene(this.canvas, scene, 1);
  }

  // As a file of this name, when it has rested on its last picture; where nobody waits for it any more it is not saved.
  async save(name, isAwaited) {
    for (const end = performance.now() + HOLD_LAST; performance.now() < end;) {
      repaintScene(this.canvas, this.scene, 1); // a picture that stays is recorded for as long as it is painted
      await new Promise(requestAnimationFrame);
    }
    if (this.recorder.state !== "inactive") this.recorder.stop(); // browsers may end it by themselves
    await this.stopped;
    const [type, kind] = /^video\/(\w+)/.exec(this.recorder.mimeType);
    if (isAwaited()) download(new Blob(this.chunks, { type }), `${name}.${kind}`);
  }
}
