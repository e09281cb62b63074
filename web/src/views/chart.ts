/** Puts a chart of Observable Plot into the page, as one image with a text. */
export function place(box: HTMLElement, chart: SVGSVGElement | HTMLElement, text: string): void {
  for (const part of chart.querySelectorAll("[aria-label], [aria-description]")) {
    part.removeAttribute("aria-label");
    part.removeAttribute("aria-description");
  }
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", text);
  box.replaceChildren(chart);
}
