/** One side of a word diff. */
import { diffWordsWithSpace } from "diff";
import { useMemo } from "preact/hooks";

export function Difference({ from, to, side }: { from: string; to: string; side: "from" | "to" }) {
  // Texts that have hardly anything in common are not worth the time.
  const parts = useMemo(() => diffWordsWithSpace(from, to, { timeout: 200, maxEditLength: 4000 }), [from, to]);
  if (!parts) return <pre tabIndex={0}>{side === "from" ? <del>{from}</del> : <ins>{to}</ins>}</pre>;
  return (
    <pre tabIndex={0}>
      {parts
        .filter((p) => (side === "from" ? !p.added : !p.removed))
        .map((p, i) => (p.removed ? <del key={i}>{p.value}</del> : p.added ? <ins key={i}>{p.value}</ins> : <span key={i}>{p.value}</span>))}
    </pre>
  );
}
