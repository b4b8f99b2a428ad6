// A chapter asks, and plays its runs once a prediction was made.

import { formatFixed } from "../../player/assets/format.js";
import { standalonePlayer, USUAL_OPENING } from "../../player/assets/mount.js";
import { contentOf, inflate } from "../../player/assets/decode.js";
import { Bench } from "./bench.js";
import { Guess } from "./guess.js";
import { LeadIn } from "./lead.js";
import { learningSystem } from "./scorm.js";
import { trialOf } from "./trial.js";
import { say } from "../../words/say.js";

const COURSE = "dpviz course";
const OPENED = { ...USUAL_OPENING, height: 420 };

// Files opened from a disk may have no storage; then progress lasts as long as the page.
function progress(change) {
  try {
    const kept = JSON.parse(localStorage.getItem(COURSE)) ?? {};
    if (change) localStorage.setItem(COURSE, JSON.stringify({ ...kept, ...change }));
    return { ...kept, ...change };
  } catch {
    return change ?? {};
  }
}

function showProgress(done) {
  for (const entry of document.querySelectorAll("[data-chapter]")) {
    entry.classList.toggle("done", entry.dataset.chapter in done);
  }
}

// Answers that are numbers have an axis; the runs' answer is on it.
function putOnAxis(guess, { low, high }) {
  const axis = document.querySelector(".answer-axis");
  const place = `${(100 * (guess - low)) / (high - low)}%`;
  for (const node of axis.querySelectorAll(".you, .said")) node.style.setProperty("--at", place);
  const said = formatFixed(guess, 0);
  axis.querySelector(".said").textContent = say("bench.you", { answer: said });
  axis.setAttribute("aria-label", axis.dataset.label.replace("{said}", said));
}

// The player takes the place of the still picture.
function takeStage() {
  document.getElementById("film").hidden = false;
  document.querySelector("#stage > figure").hidden = true;
}

// The film plays, and what can be tried is above it.
async function playAndTry(player, trying) {
  player.bench?.close(); // what was tried before
  takeStage();
  player.open({ ...OPENED, start: "play", editable: true }, contentOf("payload"));
  const { trial, engine } = await trying;
  new Bench(player, trial, engine);
}

// What can be tried before: it waits until the page is read.
async function leadIn(player) {
  const part = async (id) => inflate(contentOf(id));
  const damaged = () => new Uint8Array(); // of which the engine says what is wrong
  const [bytes, engine] = await Promise.all([part("trial"), part("engine").catch(damaged)]);
  const trial = trialOf(bytes), revealed = !document.getElementById("reveal").hidden;
  if (!revealed) new LeadIn(player, trial, engine, { opened: OPENED, pictured: takeStage });
  return { trial, engine };
}

function startChapter() {
  const { name, marks, guess: facts } = JSON.parse(document.getElementById("marks").textContent);
  const form = document.getElementById("question");
  const reveal = document.getElementById("reveal");
  const line = facts && new Guess(facts, () => line.range.setCustomValidity(""));
  if (line) document.getElementById("guess").replaceWith(line.node);
  const player = standalonePlayer("film");
  const trying = leadIn(player), report = learningSystem();
  showProgress(progress());
  addEventListener("storage", () => showProgress(progress())); // another page has written
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const guess = form.elements.guess.value;
    if (line && !line.made) {
      line.range.setCustomValidity(say("bench.predict_first"));
      form.reportValidity();
      return;
    }
    const { words, is_right: isRight } = marks[guess];
    const verdict = document.getElementById("verdict");
    verdict.textContent = words;
    verdict.className = isRight ? "right" : "other";
    if (line) putOnAxis(Number(guess), facts);
    const first = reveal.hidden;
    for (const part of [reveal, document.getElementById("after")]) part.hidden = false;
    document.querySelector("main").classList.add("revealed");
    if (first) {
      report(isRight);
      playAndTry(player, trying);
    }
    showProgress(progress({ [name]: guess }));
    verdict.scrollIntoView({ block: "start" });
  });
}

startChapter();
