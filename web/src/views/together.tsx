/** What pairs of fixes do beyond what each does, by an index of choice. */
import { useMemo, useState } from "preact/hooks";
import type { Interaction } from "../data.js";
import { signed, visible } from "../words.js";

type Index = "sii" | "stii" | "fsii" | "bii";

const indices: [Index, string][] = [
  ["sii", "Shapley interaction index"],
  ["stii", "Shapley-Taylor interaction index"],
  ["fsii", "faithful Shapley interaction index"],
  ["bii", "Banzhaf interaction index"],
];
const mostSteps = 16;

export function Together({ interactions, steps }: { interactions: Interaction[]; steps: string[] }) {
  const [index, set] = useState<Index>("sii");
  const pairs = useMemo(() => new Map(interactions.flatMap((x) => [[key(...x.players), x], [key(x.players[1], x.players[0]), x]])), [interactions]);
  const { names, all, top } = useMemo(() => strongest(interactions, steps, index), [interactions, steps, index]);
  return (
    <>
      <div class="tools">
        <label>
          Index
          <select value={index} onChange={(e) => set(e.currentTarget.value as Index)}>
            {indices.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Pairs of fixes">
        <table class="heat">
          <caption>
            {indices.find(([i]) => i === index)![1]} of each pair of fixes, mean over cases
          </caption>
          <thead>
            <tr>
              <td />
              {names.map((n) => (
                <th scope="col" class="turned" key={n}>
                  <bdi title={visible(n)}>{visible(n)}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((a) => (
              <tr key={a}>
                <th scope="row">
                  <bdi>{visible(a)}</bdi>
                </th>
                {names.map((b) => (
                  <Cell key={b} same={a === b} pair={pairs.get(key(a, b))} index={index} top={top} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {all > names.length && (
        <p class="how">
          The {names.length} of {all} fixes that interact most.
        </p>
      )}
    </>
  );
}

const key = (a: string, b: string): string => JSON.stringify([a, b]);

function Cell({ same, pair, index, top }: { same: boolean; pair: Interaction | undefined; index: Index; top: number }) {
  if (same) return <td class="none" />;
  if (!pair) return <td class="zero">0</td>;
  const x = pair[index];
  return (
    <td class={x < 0 ? "redundancy" : "synergy"} style={{ "--s": String(top > 0 ? Math.abs(x) / top : 0) }} title={`${pair.players.map(visible).join(" + ")}: ${visible(pair.kind)}, ${signed(x)}`}>
      {signed(x, 2)}
    </td>
  );
}

/** The steps that interact most, in their order, and the strongest interaction. */
function strongest(interactions: Interaction[], steps: string[], index: Index) {
  const of = new Map<string, number>();
  for (const x of interactions) for (const p of x.players) of.set(p, (of.get(p) ?? 0) + Math.abs(x[index]));
  const names = steps.filter((s) => (of.get(s) ?? 0) > 0);
  const kept = new Set([...names].sort((a, b) => of.get(b)! - of.get(a)!).slice(0, mostSteps));
  return { names: names.filter((n) => kept.has(n)), all: names.length, top: Math.max(0, ...interactions.map((x) => Math.abs(x[index]))) };
}
