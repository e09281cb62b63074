/** A logit: a number, or "-inf" as JSON has no number for it. */
export type Logit = number | "-inf";

/** A draw as it is logged, told to agentblame and observed. */
export type Draw =
  | { key: string; kind: "uniform" | "normal" | "exponential" | "seed"; value: number }
  | { key: string; kind: "int"; n: number; value: number }
  | { key: string; kind: "bool"; p: number; value: boolean }
  | { key: string; kind: "perm"; value: number[] }
  | { key: string; kind: "categorical"; logits: Record<string, Logit>; chosen: string }
  | { key: string; kind: "index"; logits: Logit[]; chosen: number };

/** What kinds of draws there are. */
export type Kind = Draw["kind"];

/** Reads a logit. */
export function logit(l: Logit): number {
  return l === "-inf" ? -Infinity : l;
}

/** Writes a logit. */
export function written(l: number): Logit {
  return l === -Infinity ? "-inf" : l;
}

/** The names of options in byte order, which is not that of UTF-16 code units. */
export function inByteOrder(names: Iterable<string>): string[] {
  const sorted = [...names].sort();
  // The default order compares code units; surrogates make it another one.
  if (sorted.some((name) => /[\ud800-\uffff]/.test(name))) {
    sorted.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }
  return sorted;
}
