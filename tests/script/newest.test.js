import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Newest } from "../../dpviz/stage/engines.js";

// An engine that answers at once, when it is told to, never, or dies; and what it was told.
function asking() {
  const told = [], found = [], ends = [], late = [];
  const end = () => ends.splice(0).forEach((reject) => reject(Object.assign(new Error(), { name: "Cancelled" })));
  const newest = new Newest({
    answer: async () => "answer",
    later: () => new Promise((resolve, reject) => { late.push(resolve); ends.push(reject); }),
    dies: async () => { throw Object.assign(new Error("it died"), { name: "Failed" }); },
    cancel: () => { told.push("cancelled"); end(); },
    close: () => { told.push("closed"); end(); },
  });
  const ask = async (question, long = false) => found.push(await newest.ask((engine) => engine[question](), long).catch((error) => error.message));
  const check = (expected, heard) => assert.deepEqual({ found, told, busy: newest.busy }, { found: expected, told: heard, busy: false });
  return { newest, ask, late, check };
}

test("what takes long ends with the next question", async () => {
  const { ask, check } = asking();
  const search = ask("later", true);
  await ask("answer");
  await search;
  check([null, "answer"], ["cancelled"]);
});

test("what takes long ends with the next that takes long", async () => {
  const { ask, late, check } = asking();
  const searches = [ask("later", true), ask("later", true)];
  await searches[0];
  late[1]("found");
  await Promise.all(searches);
  check([null, "found"], ["cancelled"]);
});

test("an engine that died is asked again", async () => {
  const { ask, check } = asking();
  await ask("dies", true);
  await ask("answer", true);
  check(["it died", "answer"], []);
});

test("what takes long waits for an older answer, which is shown, but not for ever", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { ask, late, check } = asking();
  const first = [ask("later"), ask("answer", true)];
  late[0]("older");
  await Promise.all(first);
  mock.timers.tick(5000); // of which nothing is cancelled
  const second = [ask("later"), ask("answer", true)];
  mock.timers.tick(5000);
  await Promise.all(second);
  mock.timers.reset();
  check(["older", "answer", null, "answer"], ["cancelled"]);
});

test("of questions that wait only the newest is asked", async () => {
  const { ask, late, check } = asking();
  const all = [ask("later"), ask("dies"), ask("answer")];
  late[0]("older");
  await Promise.all(all);
  check([null, "older", "answer"], []);
});

test("whoever waits when it is closed gets nothing", async () => {
  const { newest, ask, check } = asking();
  const answers = [ask("later"), ask("later", true), ask("answer")];
  newest.close();
  await Promise.all(answers);
  check([null, null, null], ["closed"]);
});
