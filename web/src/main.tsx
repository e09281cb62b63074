/** Brings the report's page to life: what is in it can be read without. */
import { render } from "preact";
import { load } from "./data.js";
import { clickable } from "./page.js";
import { Cases } from "./views/cases.js";
import { Pairs, pairKinds } from "./views/pairs.js";
import { Spread } from "./views/spread.js";
import { Theme } from "./views/theme.js";
import { Together } from "./views/together.js";

function show(section: string, view: preact.ComponentChild, instead = false): void {
  const live = document.querySelector<HTMLElement>(`#${section} > .live`);
  if (!live) return;
  live.hidden = false;
  render(view, live);
  if (instead) document.querySelector<HTMLElement>(`#${section} > .static`)!.hidden = true;
}

async function start(): Promise<void> {
  const theme = document.getElementById("theme");
  if (theme) render(<Theme />, theme);
  const r = await load();
  document.documentElement.classList.add("js");
  for (const e of document.querySelectorAll<HTMLElement>(".js-only")) e.hidden = false;
  show("cases", <Cases result={r} />);
  clickable();
  const kinds = pairKinds();
  if (kinds.length > 0) show("graph", <Pairs kinds={kinds} />);
  if (r.interactions?.length) show("interactions", <Together interactions={r.interactions} steps={r.steps.map((s) => s.name)} />, true);
  // What is further down waits until the first screen is there.
  requestIdleCallback(() => show("spread", <Spread result={r} />, true), { timeout: 1000 });
}

start().catch((error: unknown) => {
  const p = document.createElement("p");
  p.className = "alarm";
  p.textContent = `The page's data can't be read, so cases can't be opened: ${String(error)}`;
  document.querySelector("header")?.append(p);
});
