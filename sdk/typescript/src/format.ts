import type { Result, StepResult } from "./result.js";

/**
 * Lays a result out as a table for a terminal or a log, the steps with the most
 * blame first. It shows what the result has and computes nothing.
 */
export function formatBatch(result: Result): string {
  const { summary: s, settings, pipeline } = result;
  const fix = new Map(pipeline.steps.map((step) => [step.name, step.fix ?? ""]));
  const rows = [
    ["step", "fix", "blame", "interval", "fix alone resolves", "leave-one-out", "share"],
    ...[...result.steps].sort((a, b) => b.shapley.mean - a.shapley.mean).map((step) => row(step, fix.get(step.name) ?? "")),
  ];
  const head = [
    `${pipeline.name}: ${s.failures} of ${s.cases} cases fail; ${s.analyzed} analysed, ${s.repairable} repairable, ${s.unfixable} unfixable, ${s.undefined} undefined`,
    settings.estimand,
  ];
  return [...head, "", ...table(rows), "", `cost ${number(s.cost, 6)}, stopped: ${s.stopped}`, ""].join("\n");
}

function row(step: StepResult, fix: string): string[] {
  const { mean, low, high } = step.shapley;
  const interval = low === undefined || high === undefined ? "" : `${signed(low)} … ${signed(high)}`;
  const share = step.share === undefined ? "" : percent(step.share);
  return [step.name, fix, signed(mean), interval, percent(step.resolves), signed(step.leave_one_out), share];
}

function table(rows: string[][]): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join("  ").trimEnd(),
  );
}

function signed(x: number): string {
  return `${x < 0 ? "-" : "+"}${Math.abs(x).toFixed(3)}`;
}

function percent(x: number): string {
  return `${(100 * x).toFixed(1)} %`;
}

function number(x: number, digits: number): string {
  return String(Number(x.toPrecision(digits)));
}
