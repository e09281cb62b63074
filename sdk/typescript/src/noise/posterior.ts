import type { Draw } from "./draw.js";
import { below, exp, exponential, ln, log1p, normal, uniform } from "./numbers.js";

const LAST = 2 ** 53 - 1;

/** The kinds of draws that are functions of one uniform. */
export type ScalarDraw = Extract<Draw, { kind: "uniform" | "normal" | "exponential" | "seed" | "int" | "bool" }>;

/** The smallest 53 bits at which a monotone condition holds. */
function first(condition: (k: number) => boolean): number {
  let lo = 0;
  let hi = LAST + 1;
  while (lo < hi) {
    const mid = lo + Math.floor((hi - lo) / 2);
    if (condition(mid)) hi = mid;
    else lo = mid + 1;
  }
  return lo;
}

/** The least and the largest 53 bits that give an observed value. */
export function span(o: ScalarDraw): [number, number] {
  switch (o.kind) {
    case "int":
      return [first((k) => below(k, o.n) >= o.value), first((k) => below(k, o.n) > o.value) - 1];
    case "bool": {
      const no = first((k) => uniform(k) >= o.p);
      return o.value ? [0, no - 1] : [no, LAST];
    }
    case "seed":
      return [o.value, o.value];
  }
  const f = { uniform: (u: number) => u, normal, exponential }[o.kind];
  const falls = o.kind === "exponential";
  const k = first((k) => (falls ? f(uniform(k)) <= o.value : f(uniform(k)) >= o.value));
  return [Math.min(k, LAST), Math.min(k, LAST)];
}

/** The swaps of the Fisher-Yates shuffle that made a permutation. */
export function swaps(p: readonly number[]): number[] {
  const q = p.map((_, i) => i);
  const at = p.map((_, i) => i);
  const swap = p.map(() => 0);
  for (let i = p.length - 1; i > 0; i--) {
    const j = at[p[i]];
    swap[i] = j;
    [q[i], q[j]] = [q[j], q[i]];
    at[q[i]] = i;
    at[q[j]] = j;
  }
  return swap;
}

/** What was observed of a choice: its logits and the option chosen. */
export interface Observed<Option> {
  readonly logits: ReadonlyMap<Option, number>;
  readonly chosen: Option;
}

/**
 * Chooses one of the options. Options come in ascending order, so that the first
 * of equals stays. Given an observation, the noise is that of the posterior, by
 * the top-down construction of Maddison, Tarlow and Minka ("A* sampling", 2014).
 *
 * @param gumbelOf the Gumbel of an option; abducted: that which completes the
 * observation.
 * @returns the option, or undefined if none is possible
 */
export function choose<Option>(
  logits: Iterable<readonly [Option, number]>,
  gumbelOf: (abducted: boolean, option: Option) => number,
  observed?: Observed<Option>,
): Option | undefined {
  let top = -Infinity;
  let z = 0;
  let g0 = 0;
  if (observed) {
    for (const l of observed.logits.values()) top = Math.max(top, l);
    for (const l of observed.logits.values()) z += exp(l - top);
    z = ln(z);
    g0 = gumbelOf(true, observed.chosen);
  }
  let best = -Infinity;
  let at: Option | undefined;
  let found = false;
  for (const [option, l] of logits) {
    if (l === -Infinity) continue;
    let v: number;
    if (!observed) {
      v = l + gumbelOf(false, option);
    } else if (option === observed.chosen) {
      v = l - (observed.logits.get(option) as number);
    } else {
      const old = observed.logits.get(option) ?? -Infinity;
      const g = gumbelOf(old !== -Infinity, option);
      const x = top - old + z + (g0 - g);
      v = x > 0 ? l - top - z + (g - g0) - log1p(exp(-x)) : l - old - log1p(exp(x));
    }
    if (!found || v > best) [best, at, found] = [v, option, true];
  }
  return at;
}
