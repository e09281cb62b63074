/** Which cases are shown, and which one is open. It stands in the address, so that a link reopens it. */
import { useEffect, useState } from "preact/hooks";

export interface State {
  q: string;
  step: string;
  group: string;
  tag: string;
  outcome: string;
  sort: string;
  open: string;
  /** A range of blame: "step|from|to". */
  range: string;
}

/** The parts of a range. A step's name may have any sign in it, numbers have no bar; one that is left out is no limit. */
export function rangeOf(range: string): { step: string; from: number; to: number } | undefined {
  const parts = /^(.*)\|([^|]*)\|([^|]*)$/s.exec(range);
  const limit = (text: string, none: number) => (text.trim() === "" ? none : Number(text));
  return parts ? { step: parts[1]!, from: limit(parts[2]!, -Infinity), to: limit(parts[3]!, Infinity) } : undefined;
}

const empty: State = { q: "", step: "", group: "", tag: "", outcome: "", sort: "", open: "", range: "" };

const listeners = new Set<(s: State) => void>();
let now: State = fromHash();

function fromHash(): State {
  const given = new URLSearchParams(location.hash.startsWith("#cases?") ? location.hash.slice(7) : "");
  const out = { ...empty };
  for (const key of Object.keys(empty) as (keyof State)[]) out[key] = given.get(key) ?? "";
  return out;
}

/** The state now. */
export const state = (): State => now;

/** Changes the state, and tells those who show it. */
export function change(to: Partial<State>): void {
  const before = now;
  now = { ...now, ...to };
  const given = new URLSearchParams(Object.entries(now).filter(([, v]) => v !== ""));
  const hash = given.size > 0 ? "#cases?" + given.toString() : location.hash.startsWith("#cases?") ? "#cases" : location.hash;
  const url = hash || location.pathname + location.search;
  if (before.open === "" && now.open !== "") {
    // The way back from an open case is to where it was opened.
    history.replaceState(before, "");
    history.pushState(now, "", url);
  } else {
    history.replaceState(now, "", url);
  }
  tell();
}

function tell(): void {
  for (const told of listeners) told(now);
}

/** Shows all cases again. */
export const reset = (): void => change({ ...empty });

/** Calls a function now and whenever the state has changed. */
export function watch(told: (s: State) => void): () => void {
  listeners.add(told);
  told(now);
  return () => listeners.delete(told);
}

export function useShown(): State {
  const [s, set] = useState(now);
  useEffect(() => watch(set), []);
  return s;
}

addEventListener("hashchange", () => {
  if (!location.hash.startsWith("#cases?")) return;
  now = fromHash();
  tell();
});
addEventListener("popstate", (e) => {
  if (!e.state) return; // a link to a part of the page
  now = { ...empty, ...(e.state as Partial<State>) };
  tell();
});
