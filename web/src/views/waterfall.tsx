/** From the score as run to that with every fix, one player's blame after the other. */
import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Case } from "../data.js";
import { score, short, signed, stepOf, visible } from "../words.js";
import { place } from "./chart.js";
import { Numbers } from "./numbers.js";

export function Waterfall({ case: c, order }: { case: Case; order: string[] }) {
  const [by, setBy] = useState<"pipeline" | "largest">("pipeline");
  const box = useRef<HTMLDivElement>(null);
  const most = 30;
  const entries = Object.entries(c.shapley ?? {});
  if (by === "largest") entries.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  else entries.sort((a, b) => order.indexOf(stepOf(a[0])) - order.indexOf(stepOf(b[0])));
  const begin = c.score_as_run ?? c.score ?? 0;
  let at = begin;
  const bars = entries.map(([player, value]) => ({ player: visible(player), value, from: at, to: (at += value) }));

  useEffect(() => {
    const e = box.current!;
    const shown = bars.slice(0, most);
    const chart = Plot.plot({
      width: Math.max(280, Math.min(760, e.clientWidth || 760)),
      height: 58 + 26 * shown.length,
      marginBottom: 42,
      marginLeft: Math.min(160, 20 + 7 * Math.max(4, ...shown.map((b) => b.player.length))),
      marginRight: 56,
      style: { background: "transparent", color: "inherit", fontSize: "12px", fontFamily: "inherit" },
      x: { label: "score", labelOffset: 38, grid: true },
      y: { label: null, domain: shown.map((b) => b.player), tickFormat: (p: string) => short(p) },
      marks: [
        Plot.barX(shown, { y: "player", x1: "from", x2: "to", fill: (b: { value: number }) => (b.value < 0 ? "var(--bad)" : "var(--accent)"), fillOpacity: 0.75, insetTop: 3, insetBottom: 3 }),
        Plot.ruleX([begin], { stroke: "var(--quiet)", strokeDasharray: "3 3" }),
        ...(c.score_fixed === undefined ? [] : [Plot.ruleX([c.score_fixed], { stroke: "var(--good)", strokeDasharray: "3 3" })]),
        Plot.text(shown, { y: "player", x: (b: { from: number; to: number }) => Math.max(b.from, b.to), text: (b: { value: number }) => signed(b.value), textAnchor: "start", dx: 6, fill: "var(--ink)", stroke: "var(--paper)", strokeWidth: 5 }),
      ],
    });
    place(e, chart, `From ${score(begin)}: ${shown.map((b) => `${b.player} ${signed(b.value)}`).join(", ")}`);
  });
  return (
    <>
      <div class="tools">
        <label>
          Blame, in the order of
          <select value={by} onChange={(e) => setBy(e.currentTarget.value as typeof by)}>
            <option value="pipeline">the pipeline</option>
            <option value="largest">size</option>
          </select>
        </label>
      </div>
      <div ref={box} class="scroll" tabIndex={0} />
      {bars.length > most && <p class="how">The first {most} of {bars.length} are shown.</p>}
      <details>
        <summary>As a table</summary>
        <Numbers case={c} players={entries.map(([p]) => p)} />
      </details>
    </>
  );
}
