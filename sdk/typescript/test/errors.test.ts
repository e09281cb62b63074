import assert from "node:assert/strict";
import { test } from "node:test";

import { NoGoldError, RunOver, StepError, Transient, UsageError } from "../src/index.js";
import { isTransient, wireError } from "../src/errors.js";
import { EncodingError } from "../src/values.js";

const named = (name: string, more: object = {}): Error => Object.assign(new Error("no"), { name, ...more });

test("what may be gone at the next attempt is told from what stays", () => {
  const transient: unknown[] = [
    new Transient("busy"),
    named("RateLimitError"),
    named("APIConnectionError"),
    named("Error", { status: 429 }),
    named("Error", { statusCode: 503 }),
    named("AI_APICallError", { isRetryable: true }),
    named("Error", { code: "ECONNRESET" }),
    new TypeError("fetch failed", { cause: named("Error", { code: "UND_ERR_CONNECT_TIMEOUT" }) }),
    named("AI_RetryError", { lastError: named("Error", { statusCode: 500 }) }),
    new DOMException("late", "TimeoutError"),
  ];
  for (const e of transient) assert.ok(isTransient(e), String(e));
  const circular = new Error("round");
  circular.cause = circular;
  for (const e of [new Error("no"), named("Error", { status: 400 }), new TypeError("no"), "busy", null, undefined, circular]) {
    assert.ok(!isTransient(e), String(e));
  }
});

test("errors are written with their code, type and traceback", () => {
  const range = wireError(new RangeError("too far"));
  assert.equal(range.code, 1);
  assert.equal(range.message, "too far");
  assert.equal(range.data?.type, "RangeError");
  assert.equal(range.data?.transient, false);
  assert.match(range.data?.traceback ?? "", /errors\.test/);
  assert.equal(wireError(new EncodingError("no")).code, 2);
  assert.equal(wireError(new NoGoldError("no")).code, 3);
  assert.equal(wireError(new UsageError("no")).code, 4);
  assert.equal(wireError(new RunOver()).code, -32800);
  assert.deepEqual(wireError("just text"), { code: 1, message: 'threw "just text", which is no Error' });
  assert.equal(wireError(Object.assign(new Error("\ud800"))).message, "\ufffd");
});

test("whatever is thrown is told, and nothing of it throws once more", () => {
  const told = (value: unknown): string => wireError(value).message;
  assert.equal(told({ code: 42, message: "no quota" }), 'threw {"code":42,"message":"no quota"}, which is no Error');
  assert.equal(told(undefined), "threw undefined, which is no Error");
  assert.equal(told(Symbol("x")), "threw Symbol(x), which is no Error");
  assert.equal(told(new Proxy({}, { getPrototypeOf: () => null, ownKeys: () => { throw new Error("hidden"); } })), "threw something, which is no Error");
  assert.deepEqual(wireError({ status: 429, headers: { "retry-after": "2" } }).data, { transient: true, retry_after_ms: 2000 });
  class Secretive extends Error {
    override get message(): string { throw new Error("hidden"); }
    override get stack(): string { throw new Error("hidden"); }
    get status(): number { throw new Error("hidden"); }
  }
  assert.deepEqual(wireError(new Secretive()), { code: 1, message: "an error that can't be read", data: { type: "Error", transient: false } });
  assert.equal(told(Object.assign(new Error(), { message: { text: "no string" } })), "[object Object]");
});

test("a wait that is asked for is passed on", () => {
  assert.equal(wireError(new Transient("busy", { retryAfterMs: 250 })).data?.retry_after_ms, 250);
  assert.equal(wireError(named("Error", { status: 429, headers: { "retry-after": "2" } })).data?.retry_after_ms, 2000);
  assert.equal(wireError(named("Error", { status: 429, headers: new Headers({ "retry-after-ms": "30" }) })).data?.retry_after_ms, 30);
  assert.equal(wireError(named("Error", { status: 429, headers: { "retry-after": "soon" } })).data?.retry_after_ms, undefined);
});

test("a step's error that a program lets pass keeps its type, and isn't tried again", () => {
  const told = new StepError("find", { code: 1, message: "gone", data: { type: "LookupError", transient: true } });
  assert.equal(told.type, "LookupError");
  const wire = wireError(told);
  assert.equal(wire.message, "gone");
  assert.equal(wire.data?.type, "LookupError");
  assert.equal(wire.data?.transient, false);
});
