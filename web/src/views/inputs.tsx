/** What a call was given, as run beside with every fix. */
import { useState } from "preact/hooks";
import type { Call, Result } from "../data.js";
import { visible } from "../words.js";
import { Beside } from "./beside.js";
import { Text } from "./text.js";

export function Inputs({ result, was, fixed }: { result: Result; was?: Call; fixed?: Call }) {
  const [open, setOpen] = useState(false);
  const names = [...new Set([...Object.keys(was?.inputs ?? {}), ...Object.keys(fixed?.inputs ?? {})])];
  if (names.length === 0) return null;
  const at = (call: Call | undefined, name: string) => (call?.inputs && Object.hasOwn(call.inputs, name) ? call.inputs[name] : undefined);
  const changed = was && fixed ? names.filter((n) => at(was, n) !== at(fixed, n)) : [];
  const values = result.values ?? [];
  return (
    <details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{changed.length === 0 ? (was && fixed ? "Inputs (the same in both)" : "Inputs") : "Inputs (they differ)"}</summary>
      {open &&
        names.map((n) => {
          const [a, b] = [at(was, n), at(fixed, n)];
          return (
            <div key={n}>
              <h5>
                <bdi>{visible(n)}</bdi>
              </h5>
              {changed.includes(n) ? (
                <Beside was={a === undefined ? undefined : values[a]} fixed={b === undefined ? undefined : values[b]} />
              ) : (
                <Text value={values[(a ?? b)!]} />
              )}
            </div>
          );
        })}
    </details>
  );
}
