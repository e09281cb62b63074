/** A list of cases of which only the rows in sight exist. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Case } from "../data.js";
import { blamed, repairs, scores, visible } from "../words.js";

interface Props {
  cases: Case[];
  open: string;
  box: RefObject<HTMLDivElement | null>;
  onOpen: (c: Case) => void;
  onClose: () => void;
}

export function List({ cases, open, box, onOpen, onClose }: Props) {
  const [at, setAt] = useState(0);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(44);
  const view = 416;

  useLayoutEffect(() => {
    const narrow = matchMedia("(max-width: 40rem)");
    const set = () => setHeight(narrow.matches ? 64 : 44);
    set();
    narrow.addEventListener("change", set);
    return () => narrow.removeEventListener("change", set);
  }, []);
  const go = (to: number) => {
    const next = Math.max(0, Math.min(cases.length - 1, to));
    setAt(next);
    const e = box.current!;
    if (next * height < e.scrollTop) e.scrollTop = next * height;
    if ((next + 1) * height > e.scrollTop + e.clientHeight) e.scrollTop = (next + 1) * height - e.clientHeight;
  };
  // Other cases begin at the top, and the open one is in sight, however it was opened.
  useEffect(() => go(0), [cases]);
  useEffect(() => {
    const to = open === "" ? -1 : cases.findIndex((c) => c.id === open);
    if (to >= 0) go(to);
  }, [cases, open, height]);

  const key = (e: KeyboardEvent) => {
    const page = Math.floor(view / height);
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: cases.length - 1 };
    const to = steps[e.key];
    if (to !== undefined) {
      e.preventDefault();
      go(to);
    } else if (e.key === "Enter" || e.key === " ") {
      e.preventDefault();
      const c = cases[at];
      if (c) onOpen(c);
    } else if (e.key === "Escape") {
      onClose();
    }
  };
  const first = Math.max(0, Math.floor(top / height) - 8);
  const last = Math.min(cases.length, Math.ceil((top + view) / height) + 8);
  return (
    <>
      <div class="heads" aria-hidden="true">
        <span>case</span>
        <span>score</span>
        <span>most blamed</span>
        <span>what repairs it</span>
      </div>
      <div
        class="list"
        ref={box}
        role="listbox"
        tabIndex={0}
        aria-label="Cases"
        aria-activedescendant={at >= first && at < last ? `case-${at}` : undefined}
        style={{ height: `${Math.min(view, cases.length * height + 2)}px` }}
        onScroll={(e) => setTop(e.currentTarget.scrollTop)}
        onKeyDown={key}
      >
        <div role="presentation" style={{ height: `${cases.length * height}px` }}>
          {cases.slice(first, last).map((c, i) => (
            <Row key={first + i} case={c} at={first + i} of={cases.length} height={height} active={first + i === at} open={c.id === open} onOpen={() => (setAt(first + i), onOpen(c))} />
          ))}
        </div>
      </div>
    </>
  );
}

interface RowProps {
  case: Case;
  at: number;
  of: number;
  height: number;
  active: boolean;
  open: boolean;
  onOpen: () => void;
}

function Row({ case: c, at, of, height, active, open, onOpen }: RowProps) {
  return (
    <div
      class="row"
      role="option"
      id={`case-${at}`}
      aria-selected={open}
      aria-posinset={at + 1}
      aria-setsize={of}
      style={{ top: `${at * height}px`, outline: active ? "1px solid var(--quiet)" : undefined, outlineOffset: "-3px" }}
      onClick={onOpen}
    >
      <bdi>{visible(c.id)}</bdi>
      <span class="quiet">{scores(c)}</span>
      <bdi>{blamed(c)}</bdi>
      <bdi class="quiet">{repairs(c)}</bdi>
    </div>
  );
}
