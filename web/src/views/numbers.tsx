/** What the result says of each player of a case, as a table. */
import type { Bounds, Case } from "../data.js";
import { signed, visible } from "../words.js";

const range = (b: Bounds): string => `[${signed(b.low)}, ${signed(b.high)}]`;

export function Numbers({ case: c, players }: { case: Case; players: string[] }) {
  const columns: { head: string; of: (player: string) => string | undefined }[] = [];
  const add = <T,>(head: string, values: Record<string, T> | undefined, text: (v: T) => string) => {
    if (values) columns.push({ head, of: (p) => (Object.hasOwn(values, p) ? text(values[p]!) : undefined) });
  };
  const exact = c.shapley_exact ?? {};
  if (c.shapley) {
    const values = c.shapley;
    columns.push({ head: "blame", of: (p) => signed(values[p]!) + (Object.hasOwn(exact, p) && exact[p]!.includes("/") ? ` (= ${exact[p]})` : "") });
  }
  add("interval", c.intervals, range);
  add("certain bounds", c.bounds, range);
  add("fix alone", c.fix_alone, signed);
  add("leave-one-out", c.leave_one_out, signed);
  add("in the order of the wiring", c.shapley_ordered, signed);
  add("in groups (Owen)", c.owen, signed);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Numbers of each player">
      <table>
        <thead>
          <tr>
            <th scope="col">player</th>
            {columns.map((col) => (
              <th scope="col" class="num" key={col.head}>
                {col.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {players.map((p) => (
            <tr key={p}>
              <th scope="row">
                <bdi>{visible(p)}</bdi>
              </th>
              {columns.map((col) => (
                <td class="num" key={col.head}>
                  {col.of(p) ?? "–"}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {c.intervals_cover && (
        <p class="how">
          Intervals cover the randomness of <bdi>{visible(c.intervals_cover)}</bdi>.
        </p>
      )}
    </div>
  );
}
