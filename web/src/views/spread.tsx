/** Each case's blame of each step: dragging over dots lists their cases. */
import * as Plot from "@observablehq/plot";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Result } from "../data.js";
import { change } from "../state.js";
import { blameOf, outcome, short, visible } from "../words.js";
import { place } from "./chart.js";

const row = 52;
const mostDots = 4000;

interface Dot {
  step: string;
  value: number;
  id: string;
  open: boolean;
  off: number;
}

/** The dots of the first cases, those that share a place spread around it. */
function dotsOf(r: Result, steps: string[]): { dots: Dot[]; all: number } {
  const dots: Dot[] = [];
  let all = 0;
  const here = new Map<string, Dot[]>();
  for (const c of r.cases) {
    for (const step of steps) {
      const value = blameOf(c, step);
      if (value === undefined) continue;
      if (++all > mostDots) continue;
      const dot = { step, value, id: c.id, open: outcome(c) === "not repairable", off: 0 };
      const place = `${step}\n${Math.round(value * 60)}`;
      const others = here.get(place);
      if (others) others.push(dot);
      else here.set(place, [dot]);
      dots.push(dot);
    }
  }
  for (const same of here.values()) {
    const gap = Math.min(4.5, 40 / same.length);
    same.forEach((d, i) => (d.off = (i - (same.length - 1) / 2) * gap));
  }
  return { dots, all };
}

export function Spread({ result }: { result: Result }) {
  const box = useRef<HTMLDivElement>(null);
  const steps = useMemo(() => [...result.steps].sort((a, b) => b.shapley.mean - a.shapley.mean).map((s) => s.name), [result]);
  const { dots, all } = useMemo(() => dotsOf(result, steps), [result, steps]);
  const [form, setForm] = useState({ step: steps[0] ?? "", from: "0.5", to: "1" });

  useEffect(() => {
    const e = box.current!;
    const width = Math.max(300, Math.min(760, e.clientWidth || 760));
    const chart = Plot.plot({
      width,
      height: 46 + row * steps.length,
      marginLeft: width < 500 ? 92 : 160,
      marginTop: 4,
      marginBottom: 42,
      style: { background: "transparent", color: "inherit", fontSize: "12px", fontFamily: "inherit" },
      x: { label: "blame", labelOffset: 38, grid: true, nice: true },
      y: { domain: [0, steps.length * row], reverse: true, axis: null, range: [4 + row * steps.length, 4] },
      marks: [
        Plot.ruleX([0], { stroke: "var(--quiet)" }),
        Plot.text(steps, { x: null, y: (_: string, i: number) => (i + 0.5) * row, frameAnchor: "left", dx: -8, textAnchor: "end", text: (s: string) => short(visible(s)), fill: "var(--ink)" }),
        Plot.dot(dots, { x: "value", y: (d: Dot) => (steps.indexOf(d.step) + 0.5) * row + d.off, r: 2.6, symbol: (d: Dot) => (d.open ? "times" : "circle"), fill: (d: Dot) => (d.open ? "none" : "var(--accent)"), stroke: (d: Dot) => (d.open ? "var(--quiet)" : "none"), fillOpacity: 0.6 }),
      ],
    });
    place(e, chart, "Blame of each step in each case. The fields below select the same cases.");
    return brush(chart as SVGSVGElement, (x0, x1, y) => {
      const x = chart.scale("x")!;
      const step = steps[Math.max(0, Math.min(steps.length - 1, Math.floor((y - 4) / row)))];
      const from = Number(x.invert!(x0));
      const to = Number(x.invert!(x1));
      change({ range: `${step}|${from.toFixed(3)}|${to.toFixed(3)}`, open: "" });
      document.getElementById("cases")?.scrollIntoView({ block: "start" });
    });
  }, [dots]);
  return (
    <>
      <div ref={box} class="scroll" tabIndex={0} />
      <p class="how">
        A cross is a case that no combination of the fixes repairs.{all > dots.length && ` The first ${dots.length} of ${all} values are shown.`}
      </p>
      <form
        class="tools"
        onSubmit={(e) => {
          e.preventDefault();
          change({ range: `${form.step}|${form.from}|${form.to}`, open: "" });
          document.getElementById("cases")?.scrollIntoView({ block: "start" });
        }}
      >
        <label>
          Cases by blame of
          <select value={form.step} onChange={(e) => setForm({ ...form, step: e.currentTarget.value })}>
            {steps.map((s) => (
              <option key={s} value={s}>
                {visible(s)}
              </option>
            ))}
          </select>
        </label>
        <label>
          from
          <input type="number" step="any" value={form.from} onInput={(e) => setForm({ ...form, from: e.currentTarget.value })} />
        </label>
        <label>
          to
          <input type="number" step="any" value={form.to} onInput={(e) => setForm({ ...form, to: e.currentTarget.value })} />
        </label>
        <button type="submit">List them</button>
      </form>
    </>
  );
}

/** Lets a range be dragged in a chart; tells its ends and the height at which it began, in the chart's units. */
function brush(svg: SVGSVGElement, done: (x0: number, x1: number, y: number) => void): () => void {
  const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  rect.setAttribute("fill", "var(--accent-soft)");
  rect.setAttribute("stroke", "var(--accent)");
  let from: { x: number; y: number } | undefined;
  const at = (e: PointerEvent) => {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    return { x: (e.clientX - box.left) * scale, y: (e.clientY - box.top) * scale };
  };
  const down = (e: PointerEvent) => {
    from = at(e);
    svg.append(rect);
    svg.setPointerCapture(e.pointerId);
  };
  const move = (e: PointerEvent) => {
    if (!from) return;
    const to = at(e);
    const top = 4 + Math.floor((from.y - 4) / row) * row;
    for (const [name, v] of Object.entries({ x: Math.min(from.x, to.x), y: top, width: Math.abs(to.x - from.x), height: row })) rect.setAttribute(name, String(v));
  };
  const up = (e: PointerEvent) => {
    if (!from) return;
    const to = at(e);
    const begun = from;
    from = undefined;
    rect.remove();
    if (Math.abs(to.x - begun.x) > 4) done(Math.min(begun.x, to.x), Math.max(begun.x, to.x), begun.y);
  };
  svg.style.cursor = "crosshair";
  svg.style.touchAction = "pan-y";
  svg.addEventListener("pointerdown", down);
  svg.addEventListener("pointermove", move);
  svg.addEventListener("pointerup", up);
  return () => {
    svg.removeEventListener("pointerdown", down);
    svg.removeEventListener("pointermove", move);
    svg.removeEventListener("pointerup", up);
  };
}
