import assert from "node:assert/strict";
import { test } from "node:test";

import { Newest } from "../../dpviz/stage/newest.js";

// Engines that answer at once, never, or die; all of them, and what they were told.
function engines() {
  const alive = new Set(), told = [];
  let begun = 0;
  const make = () => {
    const name = (begun += 1), ends = [];
    const end = () => ends.splice(0).forEach((reject) => reject(Object.assign(new Error(), { name: "Cancelled" })));
    alive.add(name);
    return {
      answer: () => name,
      forever: () => new Promise((_, reject) => ends.push(reject)),
      dies: async () => { throw Object.assign(new Error("it died"), { name: "Failed" }); },
      cancel: () => { told.push(`cancelled ${name}`); end(); },
      close: () => { alive.delete(name); end(); },
    };
  };
  return { make, alive, told };
}

function asking() {
  const { make, alive, told } = engines(), found = [];
  const newest = new Newest(make(), make);
  const ask = async (question, long = false) => found.push(await newest.ask((engine) => engine[question](), long).catch((error) => error.message));
  // the engine of quick answers is never cancelled for what takes long, and no other is left
  const check = (expected) => assert.deepEqual({ found, told, alive: [...alive], busy: newest.busy }, { found: expected, told: [], alive: [1], busy: false });
  return { newest, ask, alive, found, check };
}

test("what takes long ends with the next question", async () => {
  const { ask, alive, found, check } = asking();
  const search = ask("forever", true);
  found.push(alive.size);
  await ask("answer");
  await search;
  check([2, null, 1]);
});

test("an engine that dies of what takes long is replaced", async () => {
  const { ask, check } = asking();
  await ask("dies", true);
  await ask("answer", true);
  await ask("answer");
  check(["it died", 3, 1]);
});

test("an older answer that comes later is not shown", async () => {
  const { newest, ask, found, check } = asking();
  let late = null;
  const before = newest.ask(() => new Promise((resolve) => (late = resolve))).then((answer) => found.push(answer));
  await ask("answer", true);
  late("older");
  await before;
  check([2, null]);
});

test("whoever waits when it is closed gets nothing", async () => {
  const { newest, ask, found, alive } = asking();
  const answers = [ask("forever"), ask("forever", true), ask("answer")];
  newest.close();
  await Promise.all(answers);
  assert.deepEqual([found, [...alive], newest.busy], [[null, null, null], [], false]);
});
