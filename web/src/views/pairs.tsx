/** Which curves the picture of the pipeline has: pairs that need each other, pairs that do each other's work. */
import { useLayoutEffect, useState } from "preact/hooks";

const names: Record<string, string> = { synergy: "need each other (+)", redundancy: "do each other's work (−)" };

/** The kinds of pairs in the picture. */
export function pairKinds(): string[] {
  return Object.keys(names).filter((kind) => document.querySelector(`#graph .pair.${kind}`));
}

export function Pairs({ kinds }: { kinds: string[] }) {
  const [off, set] = useState<string[]>([]);
  useLayoutEffect(() => {
    for (const kind of kinds) {
      for (const g of document.querySelectorAll<SVGElement>(`#graph .pair.${kind}`)) g.style.display = off.includes(kind) ? "none" : "";
    }
  }, [off]);
  return (
    <fieldset class="tools">
      <legend>Pairs of fixes that</legend>
      {kinds.map((kind) => (
        <label key={kind} class="check">
          <input type="checkbox" checked={!off.includes(kind)} onChange={(e) => set(e.currentTarget.checked ? off.filter((k) => k !== kind) : [...off, kind])} />
          {names[kind]}
        </label>
      ))}
    </fieldset>
  );
}
