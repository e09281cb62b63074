/** The cases: search, filters, a list that holds any number, and the one that is open. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Case, Result } from "../data.js";
import { selected } from "../select.js";
import { change, rangeOf, reset, useShown, type State } from "../state.js";
import { clipped, short, visible } from "../words.js";
import { List } from "./list.js";
import { Printed } from "./printed.js";
import { StoryView } from "./story.js";

const outcomes: [string, string][] = [
  ["", "all"],
  ["failing", "all that fail"],
  ["repairable", "repairable"],
  ["not repairable", "not repairable"],
  ["estimated", "estimated"],
  ["undefined", "undefined"],
  ["passes", "passes"],
];
const orders: [string, string][] = [
  ["", "as given"],
  ["blame", "most blame first"],
  ["score", "lowest score first"],
  ["cost", "highest cost first"],
  ["id", "id"],
];

export function Cases({ result }: { result: Result }) {
  const s = useShown();
  const search = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => selected(result, s), [result, s.q, s.step, s.group, s.tag, s.outcome, s.sort, s.range]);
  const open = s.open === "" ? undefined : result.cases.find((c) => c.id === s.open);
  const steps = result.steps.map((p) => p.name);
  const groups = (result.groups ?? []).map((g) => g.name).filter((g) => !steps.includes(g));
  const repairedBy = useMemo(() => repairChoices(result), [result]);
  const tags = useMemo(() => tagsOf(result), [result]);
  const [typed, type] = useState(s.q);

  useEffect(() => type(s.q), [s.q]);
  useEffect(() => {
    const wait = setTimeout(() => typed !== s.q && change({ q: typed }), 150);
    return () => clearTimeout(wait);
  }, [typed]);
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (e.key === "/" && !(e.target as Element).matches("input, select, textarea")) {
        e.preventDefault();
        search.current?.focus();
      }
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);

  const was = useRef(s.open);
  useLayoutEffect(() => {
    // The focus was in the case that is closed now.
    if (was.current !== "" && s.open === "" && document.activeElement === document.body) list.current?.focus();
    was.current = s.open;
  }, [s.open]);
  const close = () => change({ open: "" });
  return (
    <>
      <p class="how">
        Search with <kbd>/</kbd>, move with the arrow keys, open with Enter, close with Escape.
      </p>
      <div class="tools">
        <label>
          Search ids, tags and texts
          <input type="search" ref={search} value={typed} onInput={(e) => type(e.currentTarget.value)} />
        </label>
        <Choice label="Outcome" name="outcome" now={s} options={outcomes} />
        <Choice label="Most blamed" name="step" now={s} options={[["", "any step"], ...[...steps, ...groups].map((n): [string, string] => [n, n])]} />
        {repairedBy.length > 0 && <Choice label="Repaired by" name="group" now={s} options={[["", "anything or nothing"], ...repairedBy]} />}
        {tags.length > 0 && <Choice label="Tag" name="tag" now={s} options={[["", "any"], ...tags.map((t): [string, string] => [t, t])]} />}
        <Choice label="Order" name="sort" now={s} options={orders} />
      </div>
      <Chips now={s} />
      <p aria-live="polite" class="how" id="count">
        {shown.length === result.cases.length ? `${shown.length} cases` : `${shown.length} of ${result.cases.length} cases`}
      </p>
      {shown.length > 0 && <List cases={shown} open={s.open} box={list} onOpen={(c) => change({ open: c.id })} onClose={close} />}
      <Printed cases={shown} />
      {open && <StoryView key={open.id} result={result} case={open} beside={beside(shown, open)} onOpen={(c) => change({ open: c.id })} onClose={close} />}
      {s.open !== "" && !open && (
        <p class="careful">
          There is no case <bdi>{visible(clipped(s.open, 200))}</bdi> in this report.
        </p>
      )}
    </>
  );
}

/** The cases before and after one, of those that are listed. */
function beside(shown: Case[], open: Case): { before?: Case; after?: Case } {
  const at = shown.indexOf(open);
  return at < 0 ? {} : { before: shown[at - 1], after: shown[at + 1] };
}

function Choice({ label, name, now, options }: { label: string; name: keyof State; now: State; options: [string, string][] }) {
  return (
    <label>
      {label}
      <select value={now[name]} onChange={(e) => change({ [name]: e.currentTarget.value })}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {visible(text)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What was chosen elsewhere in the page. */
function Chips({ now }: { now: State }) {
  const chips: [string, Partial<State>][] = [];
  if (now.group !== "") chips.push([`repair group ${Number(now.group) + 1}`, { group: "" }]);
  const range = rangeOf(now.range);
  if (range) chips.push([`blame of ${visible(range.step)}${between(range)}`, { range: "" }]);
  const any = Object.entries(now).some(([key, v]) => v !== "" && key !== "open" && key !== "sort");
  if (!any) return null;
  return (
    <div class="chips">
      {chips.map(([text, off]) => (
        <button type="button" key={text} onClick={() => change(off)} aria-label={`Remove: ${text}`}>
          {text} ×
        </button>
      ))}
      <button type="button" onClick={reset}>
        Show all cases
      </button>
    </div>
  );
}

/** The limits of a range in words. */
function between({ from, to }: { from: number; to: number }): string {
  return (from === -Infinity ? "" : ` from ${from}`) + (to === Infinity ? "" : ` to ${to}`) || ", any";
}

/** Failures by what repairs them, as choices. */
function repairChoices(r: Result): [string, string][] {
  const fixes = (set: string[]) => (set.length === 0 ? "no fix" : set.join(" + "));
  const sets = (g: string[][]) => (g.length === 0 ? "nothing" : g.map(fixes).join(" or "));
  return (r.repair_groups ?? []).map((g, i) => [String(i), `${short(sets(g.minimal_repairs), 60)} (${g.count})`]);
}

function tagsOf(r: Result): string[] {
  const out = new Set<string>();
  for (const c of r.cases) {
    for (const [k, v] of Object.entries(c.tags ?? {})) out.add(`${k}=${v}`);
    if (out.size > 200) break; // labels that are as many as cases select nothing
  }
  return out.size > 200 ? [] : [...out].sort();
}
