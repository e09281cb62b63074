import assert from "node:assert/strict";
import { test } from "node:test";

import { canonical } from "../src/json.js";
import { EncodingError, encode } from "../src/values.js";

class Money {
  #cents = 5;
  constructor(readonly amount: number) {}
  get cents(): number {
    return this.#cents;
  }
}

class Celsius {
  constructor(private readonly degrees: number) {}
  toJSON(): unknown {
    return { celsius: this.degrees, at: new Date(0) };
  }
}

test("values are written by the rules of the documentation", () => {
  const shared = { a: 1 };
  const cases: [unknown, string][] = [
    [undefined, "null"],
    [null, "null"],
    [-0, "0"],
    ["é\u2028", '"é\u2028"'],
    [{ a: undefined, b: [undefined, 1] }, '{"b":[null,1]}'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [{ when: new Date(0) }, '{"when":"1970-01-01T00:00:00.000Z"}'],
    [new Map<unknown, unknown>([["a", new Set([1, 2])], [7, null], ["gone", undefined]]), '{"7":null,"a":[1,2]}'],
    [new Uint8Array([1, 2, 255]), '{"$bytes":"AQL/"}'],
    [Buffer.from("hi"), '{"$bytes":"aGk="}'],
    [new Uint8Array([0, 1, 2, 3]).subarray(1, 3).buffer, '{"$bytes":"AAECAw=="}'],
    [new Float64Array([0.5, 1]), "[0.5,1]"],
    [12n, "12"],
    [-9007199254740991n, "-9007199254740991"],
    [new Money(3), '{"amount":3}'],
    [[new Celsius(20)], '[{"celsius":20,"at":"1970-01-01T00:00:00.000Z"}]'],
    [new URL("https://a.example/b"), '"https://a.example/b"'],
    [new RangeError("too far"), '{"name":"RangeError","message":"too far"}'],
    [Object.assign(Object.create(null), { x: 1 }), '{"x":1}'],
    [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
    [{ d: new Date(0), o: JSON.parse('{"__proto__":{"x":1}}') }, '{"d":"1970-01-01T00:00:00.000Z","o":{"__proto__":{"x":1}}}'],
    [{ x: shared, y: shared }, '{"x":{"a":1},"y":{"a":1}}'],
    [new Number(5), "5"],
  ];
  for (const [value, want] of cases) assert.equal(encode(value, "it"), want);
});

test("what can't be written is an error that names the field", () => {
  const cycle: Record<string, unknown> = { name: "a" };
  cycle.parts = [{ whole: cycle }];
  let deep: unknown = 1;
  for (let i = 0; i < 3000; i++) deep = [deep];
  const cases: [unknown, string][] = [
    [NaN, "it is NaN"],
    [{ scores: [1, { top: Infinity }] }, "at .scores[1].top, the value is Infinity"],
    [{ "odd name": { f: () => 1 } }, 'at ["odd name"].f, the value is a function'],
    [{ s: Symbol("x") }, "at .s, the value is a symbol"],
    [{ n: 2n ** 60n }, "at .n, the value is the bigint 1152921504606846976"],
    [cycle, "at .parts[0].whole, the value is part of itself: a cycle"],
    [{ p: Promise.resolve(1) }, "at .p, the value is a promise: await it"],
    [{ g: [1].values() }, "at .g, the value is an iterator"],
    [{ r: /x/ }, "at .r, the value is a regular expression"],
    [new Date(NaN), "it is an invalid date"],
    [new Map([[{}, 1]]), "it is a Map with a key that is neither a string nor a number"],
    [new Map<unknown, unknown>([[1, 1], ["1", 2]]), 'it is a Map with both "1" and 1 as keys'],
    [{ t: "\ud800" }, "at .t, the value is a string with half a surrogate pair"],
    [{ "\ud800": 1 }, "which has half a surrogate pair"],
    [{ w: new WeakMap() }, "at .w, the value is a WeakMap"],
    [deep, "more than 1000 levels deep"],
  ];
  for (const [value, want] of cases) {
    assert.throws(() => encode(value, "the output of step x"), (e) => {
      assert.ok(e instanceof EncodingError);
      assert.ok(e.message.startsWith("the output of step x can't be written as JSON: "), e.message);
      return e.message.includes(want) || assert.fail(`${e.message}: want ${want}`);
    });
  }
});

test("equal values have one canonical text", () => {
  assert.equal(canonical({ b: [1, { d: null, c: "x" }], a: true }), '{"a":true,"b":[1,{"c":"x","d":null}]}');
});
