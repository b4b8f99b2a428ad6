// The way in, as a Streamlit component that shows nothing: it brings a lesson's draws, and what the server found in them.

import { inflate, openEnvelope } from "../../../player/assets/decode.js";
import { hide } from "../../../player/assets/layout.js";
import { trialOf } from "../../../course/assets/trial.js";
import { LessonDraws } from "./draws.js";

const SOON = 100; // milliseconds
const findings = new Map(); // by lesson: what the server found, or will

function findingOf(lesson) {
  if (!findings.has(lesson)) {
    let settle = null;
    const come = new Promise((resolve) => (settle = resolve));
    findings.set(lesson, { come, settle });
  }
  return findings.get(lesson);
}

// `header`: { lesson, fault, runs: places, draws, n_points }; `bytes`: labels by run and draw.
function received({ lesson, fault, runs, draws, n_points: nPoints }, bytes) {
  const { settle } = findingOf(lesson);
  if (fault) findings.delete(lesson); // asked once more, it is tried once more
  settle((place, number) => {
    if (fault) throw new Error(fault);
    const from = (runs.indexOf(place) * draws + number) * nPoints;
    return Int32Array.from(bytes.subarray(from, from + nPoints));
  });
}

export default function mountLesson({ data, parentElement }) {
  hide(parentElement);
  const { opening: header, payload } = openEnvelope(data);
  const live = () => globalThis.dpvizLive?.lives.get(header.player);
  if (header.kind === "found") {
    inflate(payload).then((bytes) => received(header, bytes));
    return () => {};
  }
  let closed = false;
  inflate(payload).then((bytes) => {
    const attach = () => {
      if (closed || live()?.draws?.title === header.lesson) return;
      if (!live()?.facts) setTimeout(attach, SOON);
      else live().offer(new LessonDraws(live(), trialOf(bytes), () => findingOf(header.lesson).come));
    };
    attach();
  });
  return () => {
    closed = true;
    if (live()?.draws?.title === header.lesson) live().offer(null);
  };
}
