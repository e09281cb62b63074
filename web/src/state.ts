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
  now = { ...now, ...to };
  const given = new URLSearchParams(Object.entries(now).filter(([, v]) => v !== ""));
  const hash = given.size > 0 ? "#cases?" + given.toString() : location.hash.startsWith("#cases?") ? "#cases" : location.hash;
  history.replaceState(null, "", hash || location.pathname + location.search);
  for (const tell of listeners) tell(now);
}

/** Shows all cases again. */
export const reset = (): void => change({ ...empty });

/** Calls a function now and whenever the state has changed. */
export function watch(tell: (s: State) => void): () => void {
  listeners.add(tell);
  tell(now);
  return () => listeners.delete(tell);
}

export function useShown(): State {
  const [s, set] = useState(now);
  useEffect(() => watch(set), []);
  return s;
}

addEventListener("hashchange", () => {
  if (location.hash.startsWith("#cases?")) change(fromHash());
});
