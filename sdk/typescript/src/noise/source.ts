import { randomBytes } from "node:crypto";

import { ABDUCTED, PRIOR, Stream, address, bits, prefix, type Place } from "./address.js";
import { inByteOrder, logit, written, type Draw, type Kind } from "./draw.js";
import { below, exponential, gumbel, normal, uniform } from "./numbers.js";
import { choose, span, swaps, type Observed, type ScalarDraw } from "./posterior.js";

const MAX = 2 ** 31 - 1;

/** The address of a step run's noise, as agentblame sends it. */
export interface NoiseAddress {
  /** The world's seed: a whole number below 2**64, in decimal where it may exceed 2**53. */
  seed: string | number | bigint;
  /** The world's index, written like the seed. Default 0. */
  world?: string | number | bigint;
  /** The step's name. */
  step: string;
  /** The number of the call, or its name. Default "1". */
  iteration?: string;
  /** The draws that the noise must explain, in a posterior world. */
  observed?: Draw[];
}

/** A misuse of the noise: a key used twice, a logit that is not a number. */
export class NoiseError extends Error {
  override readonly name = "NoiseError";
}

/**
 * The noise of one run of a step. Its methods draw: each key names one draw of
 * the run, and may be used once. A draw depends on its address only, never on
 * what else is drawn; see docs/noise.md.
 */
export class Noise {
  /** The draws made so far. */
  readonly draws: Draw[] = [];
  readonly #at: Place;
  readonly #used = new Set<string>();
  readonly #known: Map<string, Draw> | undefined;
  #prefix: Buffer | undefined;

  constructor(at: NoiseAddress) {
    this.#at = {
      seed: BigInt(at.seed),
      world: BigInt(at.world ?? 0),
      step: at.step,
      iteration: at.iteration ?? "1",
    };
    if (at.observed?.length) this.#known = new Map(at.observed.map((draw) => [draw.key, draw]));
  }

  /** The noise of a fresh world, for runs outside an analysis. */
  static fresh(step: string, iteration = "1"): Noise {
    return new Noise({ seed: randomBytes(8).readBigUInt64BE(), step, iteration });
  }

  /** A number in the open interval (0, 1), all equally likely. */
  uniform(key: string): number {
    return this.#real(key, "uniform", (u) => u);
  }

  /** A number of the standard normal distribution. */
  normal(key: string): number {
    return this.#real(key, "normal", normal);
  }

  /** A number of the exponential distribution with mean 1. */
  exponential(key: string): number {
    return this.#real(key, "exponential", exponential);
  }

  /** A whole number from 0 to n-1, all equally likely; n is from 1 to 2**31-1. */
  int(key: string, n: number): number {
    if (!Number.isInteger(n) || n < 1 || n > MAX) throw this.#error(key, `int(${n}): n must be from 1 to 2^31-1`);
    this.#claim(key);
    const value = below(this.#bits(key), n);
    this.draws.push({ key, kind: "int", n, value });
    return value;
  }

  /** True with probability p. */
  bool(key: string, p: number): boolean {
    if (!(p >= 0 && p <= 1)) throw this.#error(key, `bool(${p}): p must be from 0 to 1`);
    this.#claim(key);
    const value = uniform(this.#bits(key)) < p;
    this.draws.push({ key, kind: "bool", p, value });
    return value;
  }

  /** A number from 0 to 2**53-1 to seed a third party's generator with. */
  seed(key: string): number {
    this.#claim(key);
    const value = this.#bits(key);
    this.draws.push({ key, kind: "seed", value });
    return value;
  }

  /** A permutation of 0 … n-1, all equally likely; n is from 0 to 2**31-1. */
  perm(key: string, n: number): number[] {
    if (!Number.isInteger(n) || n < 0 || n > MAX) throw this.#error(key, `perm(${n}): n must be from 0 to 2^31-1`);
    this.#claim(key);
    const o = this.#observed(key, "perm");
    const known = o ? swaps(o.value) : [];
    const stream = new Stream(this.#address(PRIOR, key));
    const p = Array.from({ length: n }, (_, i) => i);
    for (let i = n - 1; i > 0; i--) {
      const j = i < known.length ? known[i] : below(stream.bits(i), i + 1);
      [p[i], p[j]] = [p[j], p[i]];
    }
    this.draws.push({ key, kind: "perm", value: [...p] });
    return p;
  }

  /**
   * One of the named options, with probability proportional to e to the logit.
   * A logit of -Infinity excludes its option. Temperature is the caller's: divide
   * the logits first.
   */
  categorical<Option extends string>(key: string, logits: Readonly<Record<Option, number>>): Option {
    const names = inByteOrder(Object.keys(logits)) as Option[];
    this.#checkLogits(key, names.map((name) => logits[name]));
    for (const name of names) if (!name.isWellFormed()) throw this.#error(key, `option ${JSON.stringify(name)} is not valid Unicode`);
    this.#claim(key);
    const chosen = choose(
      names.map((name) => [name, logits[name]] as const),
      (abducted, option) => gumbel(uniform(bits(this.#address(abducted ? ABDUCTED : PRIOR, key, option)))),
      named(this.#observed(key, "categorical")) as Observed<Option> | undefined,
    ) as Option;
    const draw: Record<string, number | "-inf"> = Object.create(null);
    for (const name of names) draw[name] = written(logits[name]);
    this.draws.push({ key, kind: "categorical", logits: draw, chosen });
    return chosen;
  }

  /**
   * One of the options 0 … logits.length-1, as categorical does for named ones.
   * It is made for many options, such as token ids.
   */
  index(key: string, logits: readonly number[]): number {
    this.#checkLogits(key, logits);
    this.#claim(key);
    const own = new Stream(this.#address(PRIOR, key));
    const o = numbered(this.#observed(key, "index"));
    const abducted = o && new Stream(this.#address(ABDUCTED, key));
    const chosen = choose(
      logits.entries(),
      (again, i) => gumbel((again && abducted ? abducted : own).uniform(i)),
      o,
    ) as number;
    this.draws.push({ key, kind: "index", logits: logits.map(written), chosen });
    return chosen;
  }

  #real(key: string, kind: "uniform" | "normal" | "exponential", f: (u: number) => number): number {
    this.#claim(key);
    // What was observed is repeated as it was logged.
    const o = this.#known?.get(key);
    const value = o?.kind === kind ? (o.value as number) : f(uniform(this.#bits(key)));
    this.draws.push({ key, kind, value });
    return value;
  }

  /** The 53 bits behind the scalar draws at a key, given what is known of them. */
  #bits(key: string): number {
    const o = this.#known?.get(key);
    if (!o || o.kind === "perm" || o.kind === "categorical" || o.kind === "index") {
      return bits(this.#address(PRIOR, key));
    }
    const [lo, hi] = span(o satisfies ScalarDraw);
    return lo === hi ? lo : lo + below(bits(this.#address(ABDUCTED, key)), hi - lo + 1);
  }

  #observed<K extends Kind>(key: string, kind: K): Extract<Draw, { kind: K }> | undefined {
    const o = this.#known?.get(key);
    return o?.kind === kind ? (o as Extract<Draw, { kind: K }>) : undefined;
  }

  #address(domain: number, key: string, option?: string): Buffer {
    this.#prefix ??= prefix(this.#at);
    return address(domain, this.#prefix, key, option);
  }

  #claim(key: string): void {
    if (this.#used.has(key)) throw this.#error(key, "used twice in one step run: both draws would be the same noise");
    if (!key.isWellFormed()) throw this.#error(key, "not valid Unicode");
    this.#used.add(key);
  }

  #checkLogits(key: string, logits: readonly number[]): void {
    let possible = false;
    logits.forEach((l, i) => {
      if (!(typeof l === "number" && l < Infinity)) throw this.#error(key, `logit ${i} is ${String(l)}`);
      possible ||= l > -Infinity;
    });
    if (!possible) throw this.#error(key, logits.length ? "every logit is -Infinity" : "no options");
  }

  #error(key: string, why: string): NoiseError {
    const { step, iteration } = this.#at;
    return new NoiseError(`noise: step ${step}#${iteration}: key ${JSON.stringify(key)}: ${why}`);
  }
}

function named(o: Extract<Draw, { kind: "categorical" }> | undefined): Observed<string> | undefined {
  if (!o) return undefined;
  const names = inByteOrder(Object.keys(o.logits));
  return { logits: new Map(names.map((name) => [name, logit(o.logits[name])])), chosen: o.chosen };
}

function numbered(o: Extract<Draw, { kind: "index" }> | undefined): Observed<number> | undefined {
  return o && { logits: new Map(o.logits.map((l, i) => [i, logit(l)])), chosen: o.chosen };
}
