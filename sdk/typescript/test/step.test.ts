import assert from "node:assert/strict";
import { test } from "node:test";

import { functions, input, pipeline, program, runContext, score, step, UsageError } from "../src/index.js";
import { Host } from "../src/host.js";
import { versionOf } from "../src/version.js";

const plan = step("plan", ({ question }) => ({ query: `${question}?`, year: 2023 }), { needs: ["question"] })
  .variant("dated", ({ question }) => ({ query: `${question}?`, year: 2026 }), { cost: 2 });
const find = step("find", async ({ plan: p }) => p.year, { needs: [plan], cost: 3, key: (year) => year > 2025 })
  .gold("oracle");

test("outside an analysis a step simply runs, as it is", async () => {
  assert.deepEqual(await plan({ question: "why" }), { query: "why?", year: 2023 });
  assert.equal(await find({ plan: { query: "", year: 7 } }), 7);
  assert.equal(await find.at("a")({ plan: { query: "", year: 8 } }), 8);
  assert.equal(plan.name, "plan");
  await assert.rejects(step("s", () => { throw new RangeError("raw"); })({}), RangeError);
  await assert.rejects((plan as any)("why"), /takes one object of named inputs/);
});

test("types follow the wiring", async () => {
  const year: number = await find({ plan: { query: "", year: 1 } });
  // @ts-expect-error the plan's year is a number
  const wrong: Promise<unknown> = find({ plan: { query: "", year: "1" } });
  // @ts-expect-error a step has no such input
  const other: Promise<unknown> = find({ plam: { query: "", year: 1 } }).catch(() => {});
  // @ts-expect-error the variant's input has a type
  step("x", ({ plan: p }) => p.year, { needs: [plan] }).variant("y", ({ plan: p }) => p.yeer);
  assert.equal(year, 1);
  await Promise.all([wrong, other]);
});

test("code below a step finds its context", async () => {
  const deep = (): number => runContext().noise.uniform("deep");
  const one = step("one", (_: object, { noise }) => [deep(), noise.draws.length]);
  const [value, draws] = await one({});
  assert.ok(value > 0 && value < 1);
  assert.equal(draws, 1);
  assert.ok(runContext().noise.uniform("out here") > 0);
});

test("a pipeline and a program run outside an analysis", async () => {
  const p = pipeline({ name: "p", inputs: ["question"], steps: [plan, find], metric: ({ find: year }) => (year > 2025 ? 1 : 0) });
  assert.deepEqual(await p.run({ question: "why" }), { question: "why", plan: { query: "why?", year: 2023 }, find: 2023 });
  const q = program({
    name: "q", inputs: ["question"], steps: [plan, find],
    run: async ({ question }: { question: string }) => find({ plan: await plan({ question }) }),
    metric: (year) => (year > 2025 ? 1 : 0),
  });
  assert.equal(await q.run({ question: "why" }), 2023);
});

test("the manifest says what is declared", () => {
  const p = pipeline({
    name: "p",
    inputs: [input("question").variant("clear", ({ question }) => question + "!", { cost: 5 }), "user"],
    steps: [plan, find],
    metric: score(({ find: year }) => year, { needs: [find], cost: 1 }),
  });
  const m = JSON.parse(new Host(p, { inFlight: 7 }).manifest);
  assert.equal(m.protocol, 1);
  assert.equal(m.kind, "graph");
  assert.equal(m.in_flight, 7);
  assert.equal(m.inputs[0].name, "question");
  assert.equal(m.inputs[0].variants[0].cost, 5);
  assert.equal(m.inputs[1], "user");
  assert.deepEqual(m.steps[1].needs, ["plan"]);
  assert.equal(m.steps[1].key, true);
  assert.equal(m.steps[1].cost, 3);
  assert.deepEqual(m.steps[1].variants[0], { name: "oracle", version: "gold", deterministic: true, case: true });
  assert.deepEqual(m.score.needs, ["find"]);
  assert.notEqual(m.steps[0].version, m.steps[0].variants[0].version);
  assert.match(m.steps[0].version, /^[0-9a-f]{16}$/);
});

test("wrong declarations are errors", () => {
  const bare = step("bare", () => 1);
  const lost = step("lost", () => 1, { needs: ["nothing"] });
  const declare = (...steps: any[]) => () => pipeline({ name: "p", inputs: ["question"], steps, metric: () => 1 });
  assert.throws(declare(bare), /step bare of pipeline p says no needs/);
  assert.throws(declare(lost), /step lost needs nothing, which is neither an input nor a step/);
  assert.throws(declare(plan, plan), /two steps or inputs of p are called plan/);
  assert.throws(() => functions({ name: "f", steps: [plan, plan] }), UsageError);
  assert.throws(() => step("", () => 1), /a step needs a name/);
  assert.throws(() => step("s", () => 1).variant("v", () => 1).variant("v", () => 2), /two variants called v/);
  assert.throws(() => bare.at(""), /at needs a name/);
});

test("a version changes with the source, and is unknown without one", () => {
  assert.equal(versionOf(() => 1), versionOf(() => 1));
  assert.notEqual(versionOf(() => 1), versionOf(() => 2));
  assert.equal(versionOf(Math.max), undefined);
  assert.equal(versionOf(function f(this: unknown) {}.bind(null)), undefined);
});
