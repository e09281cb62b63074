import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Noise, NoiseError, type Draw } from "../src/index.js";
import { PRIOR, Stream, address, bits, philox, prefix } from "../src/noise/address.js";
import { exp, exponential, gumbel, ln, log1p, normal, uniform } from "../src/noise/numbers.js";

interface At {
  seed: string;
  index: string;
  step: string;
  call: string;
  key: string;
}

const vectors = JSON.parse(readFileSync(new URL("../../../../noise/testdata/vectors.json", import.meta.url), "utf8"));

const place = (at: At): Buffer => prefix({ seed: BigInt(at.seed), world: BigInt(at.index), step: at.step, iteration: at.call });
const hex = (...xs: number[]): string => {
  const b = Buffer.alloc(8 * xs.length);
  xs.forEach((x, i) => b.writeDoubleBE(x, 8 * i));
  return b.toString("hex");
};

/** Draws what a vector asks for: the text that it wants. */
function drawn(at: At, ask: any, observed?: any): string {
  const seen = observed && ({ ...observed, key: at.key } as Draw);
  const noise = new Noise({ seed: at.seed, world: at.index, step: at.step, iteration: at.call, observed: seen && [seen] });
  const logit = (l: number | "-inf"): number => (l === "-inf" ? -Infinity : l);
  switch (ask.kind as Draw["kind"]) {
    case "uniform":
      return hex(noise.uniform(at.key));
    case "normal":
      return hex(noise.normal(at.key));
    case "exponential":
      return hex(noise.exponential(at.key));
    case "seed":
      return String(noise.seed(at.key));
    case "int":
      return String(noise.int(at.key, ask.n));
    case "bool":
      return String(noise.bool(at.key, ask.p ?? 0));
    case "perm":
      return String(noise.perm(at.key, ask.n ?? 0));
    case "index": {
      const pattern = Array.from({ length: ask.pattern ?? 0 }, (_, i) => ((7919 * i) % 1000) / 100);
      return String(noise.index(at.key, ask.pattern ? pattern : ask.logits.map(logit)));
    }
    case "categorical":
      return noise.categorical(at.key, Object.fromEntries(Object.entries(ask.logits).map(([o, l]) => [o, logit(l as number)])));
  }
}

test("the noise is that of the test vectors, to the last bit", () => {
  let checked = 0;
  const check = (vector: unknown, got: unknown, want: unknown): void => {
    assert.equal(String(got), String(want), JSON.stringify(vector).slice(0, 300));
    checked++;
  };
  for (const v of vectors.addresses) {
    const b = address(PRIOR, place(v.at), v.at.key, v.option);
    const u = uniform(bits(b));
    check(v, [b.toString("hex"), bits(b), ...[u, exponential(u), gumbel(u), normal(u)].map((x) => hex(x))], [v.bytes, v.k, v.u, v.exp, v.gumbel, v.normal]);
  }
  for (const [name, f] of Object.entries({ ln, exp, log1p, normal })) {
    for (const v of vectors[name]) check([name, v], hex(f(Buffer.from(v.x, "hex").readDoubleBE())), v.y);
  }
  for (const v of vectors.philox) check(v, philox(v.counter, v.key[0], v.key[1]), v.out);
  for (const v of vectors.streams) check(v, new Stream(address(PRIOR, place(v.at), v.at.key)).bits(v.id), v.k);
  for (const v of [...vectors.draws, ...vectors.posterior]) check(v, drawn(v.at, v.ask, v.observed), v.want);
  for (const v of vectors.digest) {
    const h = createHash("sha256");
    const stream = new Stream(address(PRIOR, place(v.at), v.at.key));
    for (let i = 0; i < v.n; i++) {
      const u = stream.uniform(i);
      h.update(hex(ln(u), gumbel(u), normal(u)), "hex");
    }
    check(v, h.digest("hex"), v.sha256);
  }
  assert.ok(checked > 200, `only ${checked} vectors`);
});

test("an observed draw is repeated, and tells what it was", () => {
  const first = new Noise({ seed: 1, step: "s" });
  first.categorical("c", { a: 0, b: 0.5, no: -Infinity });
  first.index("i", [0, 1, 2]);
  first.perm("p", 5);
  first.normal("n");
  first.int("k", 10);
  first.bool("b", 0.3);
  const written = JSON.parse(JSON.stringify(first.draws)) as Draw[];
  assert.deepEqual(written[0], { key: "c", kind: "categorical", logits: { a: 0, b: 0.5, no: "-inf" }, chosen: (written[0] as any).chosen });
  for (let world = 0; world < 20; world++) {
    const again = new Noise({ seed: 99, world, step: "s", observed: written });
    again.categorical("c", { a: 0, b: 0.5, no: -Infinity });
    again.index("i", [0, 1, 2]);
    again.perm("p", 5);
    again.normal("n");
    again.int("k", 10);
    again.bool("b", 0.3);
    assert.deepEqual(JSON.parse(JSON.stringify(again.draws)), written);
  }
});

test("misuse of noise is an error that names the step and the key", () => {
  const cases: [RegExp, (noise: Noise) => unknown][] = [
    [/step s#2: key "k": used twice/, (n) => [n.uniform("k"), n.bool("k", 0.5)]],
    [/key "k": int\(0\)/, (n) => n.int("k", 0)],
    [/key "k": int\(2147483648\)/, (n) => n.int("k", 2 ** 31)],
    [/key "k": bool\(NaN\)/, (n) => n.bool("k", NaN)],
    [/key "k": perm\(-1\)/, (n) => n.perm("k", -1)],
    [/key "k": logit 1 is NaN/, (n) => n.index("k", [0, NaN])],
    [/key "k": logit 0 is Infinity/, (n) => n.categorical("k", { a: Infinity })],
    [/key "k": every logit is -Infinity/, (n) => n.categorical("k", { a: -Infinity })],
    [/key "k": no options/, (n) => n.categorical("k", {})],
    [/not valid Unicode/, (n) => n.uniform("\ud800")],
  ];
  for (const [want, misuse] of cases) {
    assert.throws(() => misuse(new Noise({ seed: 1, step: "s", iteration: "2" })), (e) => e instanceof NoiseError && want.test(e.message), String(want));
  }
});

test("worlds of a fresh noise differ", () => {
  assert.notEqual(Noise.fresh("s").uniform("k"), Noise.fresh("s").uniform("k"));
});
