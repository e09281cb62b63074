/** All sets of fixes, the smallest at the bottom, filled by their score. */
import type { Story } from "../data.js";
import { score, visible } from "../words.js";

export function Lattice({ story, pass }: { story: Story; pass: number }) {
  const sets = story.coalitions ?? [];
  const size = Math.max(...sets.map((s) => s.fixes.length));
  const rows: (typeof sets)[] = Array.from({ length: size + 1 }, () => []);
  for (const s of sets) rows[s.fixes.length]!.push(s);
  const widest = Math.max(...rows.map((r) => r.length));
  const width = Math.max(320, widest * 74);
  const height = 40 + size * 62;
  const place = new Map<string, [number, number]>();
  for (const row of rows) {
    row.forEach((s, i) => place.set(s.fixes.join("\n"), [((i + 0.5) / row.length) * width, height - 22 - s.fixes.length * 62]));
  }
  const at = (fixes: string[]) => place.get(fixes.join("\n"))!;
  return (
    <details>
      <summary>All {sets.length} sets of fixes</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Sets of fixes">
        <svg class="lattice" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label="Sets of fixes by size, filled by score; the list below has the same">
          {sets.flatMap((s) =>
            s.fixes.map((f) => {
              const [x0, y0] = at(s.fixes);
              const [x1, y1] = at(s.fixes.filter((g) => g !== f));
              return <line key={s.fixes.join() + f} x1={x0} y1={y0} x2={x1} y2={y1} stroke="var(--line)" />;
            }),
          )}
          {sets.map((s) => {
            const [x, y] = at(s.fixes);
            const name = s.fixes.length > 0 ? s.fixes.map(visible).join(" + ") : "no fix";
            return (
              <g key={s.fixes.join()}>
                <title>{`${name}: ${score(s.score)}`}</title>
                <circle cx={x} cy={y} r={11} fill="var(--paper)" />
                <circle cx={x} cy={y} r={11} fill="var(--accent)" fill-opacity={Math.max(0, Math.min(1, s.score)) * 0.85} stroke-width={s.score >= pass ? 2.5 : 1} />
                <text x={x} y={y + 24} text-anchor="middle" fill="currentColor">
                  {s.fixes.map((f) => visible(f).slice(0, 3)).join("+") || "none"}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
      <ul class="notes">
        {sets.map((s) => (
          <li key={s.fixes.join()}>
            <bdi>{s.fixes.length > 0 ? s.fixes.map(visible).join(" + ") : "no fix"}</bdi>: {score(s.score)}
            {s.score >= pass && " (passes)"}
          </li>
        ))}
      </ul>
    </details>
  );
}
