/** Steps and repair groups in the page's figures and tables select cases. */
import { change, state, watch } from "./state.js";

export function clickable(): void {
  for (const svg of document.querySelectorAll<SVGElement>(".static svg")) {
    const steps = svg.querySelectorAll<SVGElement>("[data-step]");
    if (steps.length === 0) continue;
    svg.setAttribute("role", "group");
    for (const g of steps) {
      g.setAttribute("role", "button");
      g.setAttribute("tabindex", "0");
    }
  }
  document.addEventListener("click", (e) => pick(e.target));
  document.addEventListener("keydown", (e) => {
    if ((e.key === "Enter" || e.key === " ") && (e.target as Element).matches("svg [data-step]")) {
      e.preventDefault();
      pick(e.target);
    }
  });
  watch((s) => {
    for (const e of document.querySelectorAll<HTMLElement>(".static [data-step], .static [data-group]")) {
      const on = e.dataset.step !== undefined ? e.dataset.step === s.step : e.dataset.group === s.group;
      e.classList.toggle("picked", on);
      if (e.getAttribute("role") === "button") e.setAttribute("aria-pressed", String(on));
    }
  });
}

/** Shows the cases that were chosen elsewhere in the page. */
function show(): void {
  document.getElementById("cases")?.scrollIntoView({ block: "start" });
}

function pick(target: EventTarget | null): void {
  const at = (target as Element).closest<HTMLElement>(".static [data-step], .static [data-group]");
  if (!at) return;
  const { step, group } = at.dataset;
  const now = state();
  if (step !== undefined) change({ step: now.step === step ? "" : step, open: "" });
  else if (group !== undefined) change({ group: now.group === group ? "" : group, open: "" });
  if (state().step !== "" || state().group !== "") show();
}
