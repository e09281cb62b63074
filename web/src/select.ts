/** The cases that a state selects, in its order. */
import type { Case, Result } from "./data.js";
import { rangeOf, type State } from "./state.js";
import { blameOf, mostBlamed, outcome, searchText, stepOf } from "./words.js";

const texts = new WeakMap<Case, string>();

function textOf(r: Result, c: Case): string {
  let text = texts.get(c);
  if (text === undefined) texts.set(c, (text = searchText(r, c)));
  return text;
}

export function selected(r: Result, s: State): Case[] {
  const words = s.q.toLowerCase().split(/\s+/).filter(Boolean);
  const group = s.group === "" ? undefined : JSON.stringify(r.repair_groups?.[Number(s.group)]?.minimal_repairs ?? null);
  const range = rangeOf(s.range);
  const members = r.groups?.find((g) => g.name === s.step)?.members;
  const keep = (c: Case): boolean => {
    if (s.outcome === "failing" ? c.passed || (c.undefined !== undefined && c.score === undefined) : s.outcome && outcome(c) !== s.outcome) return false;
    if (s.step && !mostBlamed(c)?.players.some((p) => stepOf(p) === s.step || p === s.step || members?.includes(p))) return false;
    if (group !== undefined && JSON.stringify(c.minimal_repairs) !== group) return false;
    if (s.tag) {
      const at = s.tag.indexOf("=");
      if (c.tags?.[s.tag.slice(0, at)] !== s.tag.slice(at + 1)) return false;
    }
    if (range) {
      const value = blameOf(c, range.step);
      if (value === undefined || !(value >= range.from && value <= range.to)) return false;
    }
    if (words.length === 0) return true;
    const text = textOf(r, c);
    return words.every((w) => text.includes(w));
  };
  const out = r.cases.filter(keep);
  const by: Record<string, (c: Case) => number | string> = {
    id: (c) => c.id,
    blame: (c) => -(mostBlamed(c)?.value ?? -1),
    score: (c) => c.score ?? 2,
    cost: (c) => -c.cost,
  };
  const key = Object.hasOwn(by, s.sort) ? by[s.sort] : undefined;
  if (key) {
    const keys = new Map(out.map((c) => [c, key(c)]));
    out.sort((a, b) => {
      const x = keys.get(a)!;
      const y = keys.get(b)!;
      return x < y ? -1 : x > y ? 1 : 0;
    });
  }
  return out;
}
