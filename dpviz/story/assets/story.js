// The article: its figures begin one after the other, each with an engine of its own.

import { dpvizEngine } from "../../browser/loader.js";
import { contentOf, inflate } from "../../player/assets/decode.js";
import { Newest } from "../../stage/engines.js";
import { saidOf } from "./address.js";
import { Borders } from "./borders.js";
import { Film } from "./film.js";
import { Hill } from "./hill.js";
import { Knobbed } from "./knobbed.js";
import { Lecture } from "./lecture.js";
import { Overlap } from "./overlap.js";
import { Prices } from "./prices.js";
import { Starts } from "./starts.js";
import { Sticks } from "./sticks.js";
import { Stops } from "./stops.js";

// Whether the address names a figure, which then is all that is shown: for frames on other pages.
function alone(name, figures) {
  const figure = figures.find(({ node }) => node.id === name);
  document.documentElement.classList.toggle("alone", Boolean(figure));
  figure?.node.parentElement.classList.add("chosen");
  figure?.begin();
  return Boolean(figure);
}

async function open() {
  const facts = JSON.parse(new TextDecoder().decode(await inflate(contentOf("facts"))));
  const bytes = await inflate(contentOf("engine")), engines = new Map();
  const engine = (name) => {
    if (!engines.has(name)) engines.set(name, new Newest(dpvizEngine(bytes)));
    return engines.get(name);
  };
  const story = { facts, engine };
  const film = new Film("film", story), figures = [
    film, new Borders("borders", story), new Hill("hill", story), new Prices("prices", story), new Knobbed("seats", story, "concentration"),
    new Knobbed("width", story, "width"), new Starts("starts", story), new Overlap("overlap", story), new Sticks("sticks", story), new Stops("stops", story),
  ];
  Object.assign(window, { story: Object.fromEntries(figures.map((figure) => [figure.node.id, figure])) });
  if (alone(saidOf("figure"), figures)) return;
  film.begin();
  new Lecture(document.querySelector("main"), () => film.rewind());
  for (const figure of figures.slice(1)) {
    figure.begin();
    await new Promise((resume) => { setTimeout(resume); }); // so that the page answers meanwhile
  }
}

open();
