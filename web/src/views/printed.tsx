/** On paper: the listed cases as a table, and everything that is folded open. */
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Case } from "../data.js";
import { blamed, repairs, scores, visible } from "../words.js";

const most = 2000;

export function Printed({ cases }: { cases: Case[] }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let opened: HTMLDetailsElement[] = [];
    const before = () => {
      render(<Table cases={cases} />, box.current!);
      for (const d of document.querySelectorAll<HTMLDetailsElement>("details:not([open])")) {
        opened.push(d);
        d.open = true;
        d.dispatchEvent(new Event("toggle")); // what renders when opened must not wait
      }
    };
    const after = () => {
      render(null, box.current!);
      for (const d of opened) d.open = false;
      opened = [];
    };
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  }, [cases]);
  return <div class="paper" ref={box} />;
}

function Table({ cases }: { cases: Case[] }) {
  return (
    <>
      <table>
        <caption>Cases</caption>
        <thead>
          <tr>
            <th scope="col">case</th>
            <th scope="col">score</th>
            <th scope="col">most blamed</th>
            <th scope="col">repairs</th>
          </tr>
        </thead>
        <tbody>
          {cases.slice(0, most).map((c, i) => (
            <tr key={i}>
              <th scope="row">
                <bdi>{visible(c.id)}</bdi>
              </th>
              <td>{scores(c)}</td>
              <td>
                <bdi>{blamed(c)}</bdi>
              </td>
              <td>
                <bdi>{repairs(c)}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {cases.length > most && (
        <p class="how">
          The first {most} of {cases.length} cases.
        </p>
      )}
    </>
  );
}
