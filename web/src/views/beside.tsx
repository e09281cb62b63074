/** A value as run beside that with every fix, with what differs marked. */
import type { Value } from "../data.js";
import { valueText } from "../words.js";
import { Difference } from "./difference.js";

export function Beside({ was, fixed }: { was: Value | undefined; fixed: Value | undefined }) {
  const [from, to] = [valueText(was), valueText(fixed)];
  const side = (name: "from" | "to", head: string, v: Value | undefined) => (
    <div>
      <p class="how">
        {head}
        {v?.error !== undefined && ": an error"}
      </p>
      {v === undefined ? <p>nothing</p> : <Difference from={from} to={to} side={name} />}
      {v?.bytes !== undefined && <p class="how">The first part of {v.bytes} bytes.</p>}
    </div>
  );
  return (
    <div class="two">
      {side("from", "as run", was)}
      {side("to", "with every fix", fixed)}
    </div>
  );
}
