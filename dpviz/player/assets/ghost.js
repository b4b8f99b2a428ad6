// The ghost point: a place in the empty plane, and how strongly each cluster and a new one pull at it.

import { cssColor } from "./theme.js";
import { formatBeside, formatNumber, shortened } from "./format.js";
import { clusterMeans } from "./overlay.js";
import { trackName } from "./texts.js";
import { KEY_STEP } from "./view.js";
import { say } from "../../words/say.js";

const MOST_ROWS = 6;
const UNANSWERED = say("player.no_pulls");
const REACH = 12; // pixels around the ghost that still are the ghost

export class Ghost {
  constructor(player) {
    this.player = player;
    this.at = null;
    this.answer = null;
    this.listener = (event) => this.receive(event.detail);
    document.addEventListener("dpviz-pulls", this.listener);
  }

  close() { document.removeEventListener("dpviz-pulls", this.listener); }

  offered() { return Boolean(this.player.opening?.placing); }

  // Put it somewhere, in the coordinates of the view; a click on it takes it away.
  click(number, x, y, projection) {
    const near = this.at?.number === number
      && Math.hypot((x - this.at.x) * projection.scaleX, (y - this.at.y) * projection.scaleY) < REACH;
    if (near) this.clear();
    else this.put(number, x, y);
  }

  put(number, x, y) {
    this.at = { number, x, y, pointsId: this.player.panels[number].pointsId };
    this.answer = null;
    this.send();
    this.player.redraw();
  }

  // By keyboard: into the middle of the view, then by small steps.
  step(number, dx, dy) {
    const { bounds: [xLow, xHigh, yLow, yHigh] } = this.player.panels[number].view;
    const from = this.at?.number === number ? this.at : { x: (xLow + xHigh) / 2, y: (yLow + yHigh) / 2 };
    this.put(number, from.x + KEY_STEP * dx * (xHigh - xLow), from.y + KEY_STEP * dy * (yHigh - yLow));
  }

  clear() {
    if (this.at === null) return;
    this.at = null;
    this.player.channel?.setStateValue("place", null);
    this.player.redraw();
  }

  send() {
    const { number, pointsId, x, y } = this.at;
    this.sent = this.player.snapshots()[number].sweep;
    this.player.channel?.setStateValue("place", { panel: number, points: pointsId, x, y, sweep: this.sent });
  }

  // The playhead came to rest at another sweep, or there is another run; `anew`: also of the same sweep.
  follow(anew = false) {
    if (this.at === null) return;
    if (this.player.panels[this.at.number]?.pointsId !== this.at.pointsId) this.clear();
    else if (anew || this.player.snapshots()[this.at.number].sweep !== this.sent) this.send();
    else this.announce(); // what was said of the sweep took its place
  }

  receive(key) {
    if (key === undefined || key !== this.player.opening?.key) return;
    const answer = globalThis.dpvizSent.get(`pulls ${key}`);
    if (this.at !== null && answer.sweep === null) return; // of a page that knows of no place, since others answer
    this.tell(answer);
  }

  // `answer`: { sweep, pulls } at the place that was sent.
  tell(answer) {
    this.answer = answer;
    this.announce();
    this.player.redraw();
  }

  announce() {
    const shares = this.shares();
    if (this.unanswered()) this.player.live.textContent = say("player.ghost_point", { words: UNANSWERED });
    else if (this.at && shares.length > 0 && this.player.run) {
      const panel = this.player.run.panels[this.at.number];
      const words = shares.map(({ track, share }) => `${nameOf(panel, track)} ${percent(share)}`);
      this.player.live.textContent = say("player.ghost_point", { words: words.slice(0, MOST_ROWS).join(", ") });
    }
  }

  // Python was asked and has no pulls at this place.
  unanswered() {
    return this.at !== null && this.answer !== null && this.answer.sweep !== null && this.answer.pulls.length === 0;
  }

  // [{ track, size, fit, share }], strongest first.
  shares() {
    const pulls = this.answer?.pulls ?? [];
    const weights = pulls.map(([, size, logFit]) => Math.log(size) + (logFit ?? -Infinity));
    const best = Math.max(...weights);
    const powers = weights.map((weight) => (best === -Infinity ? 0 : Math.exp(weight - best)));
    const total = powers.reduce((sum, power) => sum + power, 0) || 1;
    const shares = pulls.map(([track, size, logFit], k) => {
      return { track, size, fit: Math.exp(logFit ?? -Infinity), share: powers[k] / total };
    });
    return shares.sort((a, b) => b.share - a.share);
  }

  draw(context, number, scatter, projection) {
    if (this.at?.number !== number) return false;
    const { theme, panel, snapshot } = scatter;
    const plot = { ...scatter.plot, width: Math.max(scatter.plot.width / 2, scatter.plot.width - scatter.reserved) }; // not under what lies over it
    const x = projection.x(this.at.x);
    const y = projection.y(this.at.y);
    const shares = this.shares();
    context.save();
    scatter.clip(context);
    this.drawLines(context, shares, { x, y }, scatter, projection);
    for (const [color, width] of [[theme.background, 4], [theme.text, 1.75]]) {
      context.beginPath();
      [[0, -8], [8, 0], [0, 8], [-8, 0]].forEach(([dx, dy], k) => {
        if (k === 0) context.moveTo(x + dx, y + dy);
        else context.lineTo(x + dx, y + dy);
      });
      context.closePath();
      context.strokeStyle = cssColor(color);
      context.lineWidth = width;
      context.setLineDash(width < 2 ? [4, 2] : []);
      context.stroke();
    }
    context.setLineDash([]);
    context.restore();
    if (this.unanswered()) drawWord(context, { x, y }, { theme, plot });
    else if (shares.length > 0) drawTable(context, shares, { x, y }, { theme, plot, panel, sweep: this.answer.sweep, snapshot });
    return true;
  }

  // A line to the centre of each cluster, the wider the stronger it pulls.
  drawLines(context, shares, from, scatter, projection) {
    const { panel, snapshot, theme } = scatter;
    if (panel.one_column) return;
    const centres = new Map((snapshot.shapes ?? clusterMeans(panel, snapshot.labels)).map((c) => [c.track, c]));
    for (const { track, share } of shares) {
      const centre = centres.get(track);
      if (!centre || share < 0.005) continue;
      context.beginPath();
      context.moveTo(from.x, from.y);
      context.lineTo(projection.x(centre.x), projection.y(centre.y));
      context.strokeStyle = cssColor(theme.clusterColor(track), 0.8);
      context.lineWidth = 1 + 6 * share;
      context.stroke();
    }
  }
}

const percent = (share) => `${formatBeside(100 * share, 100, share < 0.1 ? 2 : 3)} %`;

function nameOf(panel, track) {
  return track < 0 ? say("player.new_cluster") : trackName(panel, track);
}

// Beside the ghost: cluster, size × fit, and its share of all pulls.
function drawTable(context, shares, at, { theme, plot, panel, sweep, snapshot }) {
  const { scale } = theme;
  const row = 17 * scale;
  const rows = shares.slice(0, MOST_ROWS);
  const strongest = Math.max(...shares.map(({ fit }) => fit));
  const old = sweep !== snapshot.sweep;
  const width = Math.min(250 * scale, plot.width - 8);
  const height = row * (rows.length + (old ? 2 : 1)) + 8;
  const [left, top] = freePlace(at, plot, width, height);
  context.fillStyle = cssColor(theme.background, 0.92);
  context.fillRect(left, top, width, height);
  context.strokeStyle = cssColor(theme.faint);
  context.lineWidth = 1;
  context.strokeRect(left, top, width, height);
  context.textBaseline = "middle";
  const write = (text, x, line, align, color) => {
    context.textAlign = align;
    context.fillStyle = cssColor(color);
    context.fillText(text, x, top + 4 + row * (line + 0.5));
  };
  context.font = theme.type(12);
  write(say("player.size_times_fit"), left + 0.68 * width, 0, "right", theme.muted);
  write(say("player.share"), left + width - 6, 0, "right", theme.muted);
  rows.forEach(({ track, size, fit, share }, k) => {
    const color = track < 0 ? theme.muted : theme.clusterColor(track);
    context.fillStyle = cssColor(color, 0.25);
    context.fillRect(left + 1, top + 5 + row * (k + 1), (width - 2) * share, row - 2);
    context.fillStyle = cssColor(color);
    context.fillRect(left + 6, top + 4 + row * (k + 1.5) - 4, 8, 8);
    write(shortened(context, nameOf(panel, track), 0.34 * width), left + 19, k + 1, "left", theme.text);
    write(`${formatNumber(size, Math.max(4, String(Math.trunc(size)).length))} × ${formatBeside(fit, strongest, 2)}`, left + 0.68 * width, k + 1, "right", theme.text);
    write(percent(share), left + width - 6, k + 1, "right", theme.text);
  });
  if (old) write(say("player.of_sweep", { sweep }), left + 6, rows.length + 1, "left", theme.muted);
}

// Beside the ghost, where nothing is known about it.
function drawWord(context, at, { theme, plot }) {
  context.font = theme.type(12);
  const [width, height] = [context.measureText(UNANSWERED).width + 12, 20 * theme.scale];
  const [left, top] = freePlace(at, plot, width, height);
  context.fillStyle = cssColor(theme.background, 0.92);
  context.fillRect(left, top, width, height);
  context.fillStyle = cssColor(theme.text);
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(UNANSWERED, left + 6, top + height / 2);
}

// Beside a place, or under or over it, inside the plot and not on the place itself.
function freePlace(at, plot, width, height) {
  const room = 16;
  const right = plot.x + plot.width - 4;
  const bottom = plot.y + plot.height - 4;
  const within = (value, low, high) => Math.max(low, Math.min(value, high));
  const top = within(at.y - height / 2, plot.y + 4, bottom - height);
  if (at.x + room + width <= right) return [at.x + room, top];
  if (at.x - room - width >= plot.x + 4) return [at.x - room - width, top];
  const left = within(at.x - width / 2, plot.x + 4, right - width);
  return [left, at.y + room + height <= bottom ? at.y + room : at.y - room - height];
}
