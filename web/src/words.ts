/** Texts and numbers as the report shows them. */
import type { Case, Result, Value } from "./data.js";

/** A difference of scores, "+0.417". Nothing is shown as −0. */
export function signed(x: number, digits = 3): string {
  const s = x.toFixed(digits);
  return s.startsWith("-") && Number(s) !== 0 ? s : "+" + s.replace("-", "");
}

/** A score to four digits. */
export function score(x: number | undefined): string {
  return x === undefined ? "–" : String(Number(x.toPrecision(4)));
}

/** A cost to six digits. */
export function amount(x: number): string {
  return String(Number(x.toPrecision(6)));
}

const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** A text whose invisible characters, marks of direction among them, are shown as escapes. */
export function visible(text: string): string {
  return text.replace(invisible, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** A name for a figure. Names often begin alike, so both ends stay. */
export function short(name: string, most = 18): string {
  const letters = [...name];
  return letters.length <= most ? name : letters.slice(0, most / 2).join("") + "…" + letters.slice(letters.length - (most / 2 - 1)).join("");
}

/** The first part of a text that would take long to lay out. */
export function clipped(text: string, most = 20_000): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more characters)`;
}

/** A value of a story as text to read. */
export function valueText(v: Value | undefined): string {
  if (!v) return "";
  const text = v.error ?? v.text ?? (typeof v.value === "string" ? v.value : JSON.stringify(v.value, null, 2));
  return visible(clipped(text));
}

/** The blame of a step in a case: with calls as players, that of its calls added up. */
export function blameOf(c: Case, step: string): number | undefined {
  let sum: number | undefined;
  for (const [player, value] of Object.entries(c.shapley ?? {})) {
    if (stepOf(player) === step) sum = (sum ?? 0) + value;
  }
  return sum;
}

/** The step of a player: "search" of "search#2". */
export function stepOf(player: string): string {
  const at = player.indexOf("#");
  return at < 0 ? player : player.slice(0, at);
}

/** The players with the largest blame of a case, if it is any. */
export function mostBlamed(c: Case): { players: string[]; value: number } | undefined {
  const entries = Object.entries(c.shapley ?? {});
  const value = Math.max(0, ...entries.map(([, v]) => v));
  if (signed(value) === signed(0)) return undefined;
  return { players: entries.filter(([, v]) => signed(v) === signed(value)).map(([p]) => p), value };
}

/** Who is most to blame in a case, in a line. */
export function blamed(c: Case): string {
  const most = mostBlamed(c);
  return most ? `${signed(most.value)} ${most.players.map(visible).join(", ")}` : "";
}

/** A case's score as run, and with every fix. */
export function scores(c: Case): string {
  return score(c.score) + (c.score_fixed === undefined ? "" : ` → ${score(c.score_fixed)}`);
}

export type Outcome = "repairable" | "not repairable" | "estimated" | "undefined" | "passes";

/** What became of a case. */
export function outcome(c: Case): Outcome {
  if (c.undefined !== undefined) return "undefined";
  if (c.passed) return "passes";
  if (!c.minimal_repairs) return "estimated";
  return c.minimal_repairs.length > 0 ? "repairable" : "not repairable";
}

/** Minimal repairs in a line. */
export function repairs(c: Case, most = 3): string {
  if (c.undefined !== undefined) return "undefined: " + visible(clipped(c.undefined, 300));
  if (c.passed) return "passes";
  if (!c.minimal_repairs) return "not known";
  if (c.minimal_repairs.length === 0) return "nothing repairs it";
  const often = c.minimal_repairs_frequency;
  const sets = c.minimal_repairs.slice(0, most).map((s, i) => {
    const fixes = s.length > 0 ? s.map(visible).join(" + ") : "no fix";
    return often ? `${fixes} (in ${Number(((often[i] ?? 0) * 100).toFixed(1))} % of worlds)` : fixes;
  });
  if (c.minimal_repairs_cut || c.minimal_repairs.length > most) sets.push("…");
  return sets.join(" or ");
}

/** All texts of a case by which it can be found, in small letters. */
export function searchText(r: Result, c: Case): string {
  const parts = [c.id, c.undefined ?? "", ...Object.entries(c.tags ?? {}).map(([k, v]) => `${k}=${v}`), ...(c.errors ?? []).map((e) => e.message)];
  const numbers = new Set<number>();
  const add = (values?: Record<string, number>) => Object.values(values ?? {}).forEach((n) => numbers.add(n));
  add(c.story?.inputs);
  if (c.story?.expected !== undefined) numbers.add(c.story.expected);
  for (const call of [...(c.story?.as_run ?? []), ...(c.story?.fixed ?? [])]) numbers.add(call.output);
  for (const n of numbers) {
    const v = r.values?.[n];
    if (v) parts.push(typeof v.value === "string" ? v.value : (v.error ?? v.text ?? JSON.stringify(v.value)));
  }
  return parts.join("\n").toLowerCase();
}
