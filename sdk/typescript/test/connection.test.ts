import assert from "node:assert/strict";
import { test } from "node:test";

import { pipeline, step, Transient } from "../src/index.js";
import { Peer } from "./peer.js";

const gates = new Map<string, () => void>();
const opened = (name: string): Promise<void> => new Promise((resolve) => gates.set(name, resolve));

const slow = step("slow", async ({ name }: { name: string }) => {
  await opened(name);
  return name;
}, { needs: ["name"] }).variant("heeding", async (_, { signal }) => {
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  gates.get("aborted")?.();
});

const other = step("other", (): { id: number; text: string } => ({ id: 1, text: "" }), { needs: ["name"], key: ({ id }) => id });

const odd = step("odd", ({ name }) => name, { needs: ["name"] })
  .variant("nan", () => ({ scores: [1, NaN] }))
  .variant("throws", () => { throw new RangeError("too far"); })
  .variant("busy", async () => { throw new Transient("busy", { retryAfterMs: 5 }); })
  .variant("draws", (_, { noise, charge, tell, iteration }) => {
    charge(0.25);
    charge(0.5);
    tell({ usage: { tokens: 3 } });
    return [noise.categorical("c", { a: 0, no: -Infinity }), iteration];
  })
  .variant("twice", (_, { noise }) => [noise.uniform("k"), noise.uniform("k")])
  .variant("calls", async () => { try { return await other({ name: "x" }); } catch { return "hushed"; } })
  .variant("peeks", (_, { case: given }) => given?.id)
  .variant("sees", (_, { case: given }) => given?.expected, { case: true })
  .variant("undefined", () => undefined)
  .variant("progress", (_, { progress }) => progress("half way"))
  .gold();

const served = pipeline({
  name: "p", inputs: ["name"], steps: [slow, odd, other],
  metric: ({ odd: value }, { case: given }) => (value === given.expected ? 1 : value as number),
});
const run = { step: "odd", iteration: "1", inputs: { name: "n" }, noise: { seed: "18446744073709551615", world: "3", step: "odd", iteration: "1" } };

test("a request is answered with its result", async () => {
  const peer = new Peer(served);
  assert.equal((await peer.answer("initialize", { protocol: 1 })).result.name, "p");
  assert.deepEqual((await peer.answer("step/run", run)).result, { output: "n" });
  assert.deepEqual((await peer.answer("step/run", { ...run, variant: "undefined" })).result, { output: null });
  const drawn = (await peer.answer("step/run", { ...run, variant: "draws", iteration: "x" })).result;
  assert.deepEqual(drawn, {
    output: ["a", "x"], draws: [{ key: "c", kind: "categorical", logits: { a: 0, no: "-inf" }, chosen: "a" }], cost: 0.75, usage: { tokens: 3 },
  });
  const seen = { id: "q", inputs: {}, expected: 5, gold: { odd: { right: true } }, tags: null };
  assert.deepEqual((await peer.answer("step/run", { ...run, variant: "sees", case: seen })).result, { output: 5 });
  assert.deepEqual((await peer.answer("step/run", { ...run, variant: "gold", case: seen })).result, { output: { right: true } });
  assert.deepEqual((await peer.answer("step/key", { step: "other", output: { id: 7, text: "a" } })).result, { key: 7 });
  assert.deepEqual((await peer.answer("score", { case: seen, values: { odd: 5 } })).result, { score: 1 });
});

test("errors have the protocol's codes", async () => {
  const cases: [string, object, number, RegExp][] = [
    ["step/run", { ...run, variant: "nan" }, 2, /the output of step odd \(nan\) can't be written as JSON: at \.scores\[1\], the value is NaN/],
    ["step/run", { ...run, variant: "throws" }, 1, /^too far$/],
    ["step/run", { ...run, variant: "twice" }, 1, /used twice/],
    ["step/run", { ...run, variant: "gold", case: { id: "q7", inputs: {}, gold: null } }, 3, /case q7 has no known-good output of step odd/],
    ["step/run", { ...run, variant: "calls" }, 4, /step other was called from inside step odd/],
    ["step/run", { ...run, variant: "peeks", case: { id: "q" } }, 4, /declare it with case: true/],
    ["step/run", { ...run, variant: "draws", noise: undefined }, 4, /declared deterministic, and asks for noise/],
    ["step/run", { ...run, variant: "missing" }, -32602, /no such variant of step odd: missing/],
    ["step/run", { ...run, step: "missing" }, -32602, /no such step: missing/],
    ["step/key", { step: "odd", output: 1 }, -32602, /no key/],
    ["score", { case: { id: "q" }, values: { odd: 2 } }, 1, /the metric gave 2: a score is a number from 0 to 1/],
    ["run/start", { run: "1", inputs: {} }, -32601, /no program/],
    ["shutdown", {}, -32601, /no such method: shutdown/],
  ];
  for (const [method, params, code, message] of cases) {
    const { error } = await new Peer(served).answer(method, params);
    assert.equal(error?.code, code, JSON.stringify(error));
    assert.match(error.message, message);
  }
  const { error } = await new Peer(served).answer("step/run", { ...run, variant: "busy" });
  assert.equal(error?.data.transient, true);
  assert.equal(error?.data.retry_after_ms, 5);
  assert.equal(error?.data.type, "Transient");
});

test("many requests are in flight, and answers come in any order", async () => {
  const peer = new Peer(served);
  const ids = ["a", "b", "c"].map((name) => peer.ask("step/run", { step: "slow", inputs: { name } }));
  await new Promise(setImmediate);
  assert.equal(peer.told.length, 0);
  for (const name of ["c", "a", "b"]) gates.get(name)?.();
  await Promise.all(ids.map((id) => peer.reply(id)));
  assert.deepEqual(peer.told.map((m) => m.result.output), ["c", "a", "b"]);
});

test("a cancelled request is answered at once, and its step sees the signal", async () => {
  const peer = new Peer(served);
  const aborted = opened("aborted");
  const id = peer.ask("step/run", { step: "slow", variant: "heeding", inputs: {} });
  const hanging = peer.ask("step/run", { step: "slow", inputs: { name: "never" } });
  peer.send({ method: "$/cancel", params: { id } });
  peer.send({ method: "$/cancel", params: { id: hanging } });
  peer.send({ method: "$/cancel", params: { id: 77 } });
  assert.equal((await peer.reply(id)).error?.code, -32800);
  assert.equal((await peer.reply(hanging)).error?.code, -32800);
  await aborted;
  gates.get("never")?.();
  await new Promise(setImmediate);
  assert.equal(peer.told.length, 2, "an answer came twice");
});

test("a line may come in parts, and several at once", async () => {
  const peer = new Peer(served);
  const text = ["x1", "x2", "x3"].map((id) => JSON.stringify({ id, method: "step/run", params: { ...run, inputs: { name: "é" } } }) + "\n").join("\r\n");
  for (const part of text.match(/.{1,7}/gs) ?? []) peer.raw(part);
  await peer.reply("x3");
  assert.deepEqual(peer.told.map((m) => m.result.output), ["é", "é", "é"]);
  peer.raw("garbage\n");
  assert.equal((await peer.find((m) => m.error?.code === -32700)).error?.message, "not JSON: garbage");
  peer.send({ id: 9, result: {} }); // a reply to nothing, and a notification that nobody knows
  peer.send({ method: "$/news", params: {} });
  assert.deepEqual((await peer.answer("step/run", run)).result, { output: "n" });
});

test("a sign of life goes with the request's id", async () => {
  const peer = new Peer(served);
  const id = peer.ask("step/run", { ...run, variant: "progress" });
  await peer.reply(id);
  assert.deepEqual(peer.told[0].params, { id, message: "half way" });
});
