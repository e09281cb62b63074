import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";

import { current } from "./call.js";
import type { Case } from "./case.js";
import { Connection } from "./connection.js";
import { Host } from "./host.js";
import type { Served } from "./pipeline.js";
import type { CaseResult, Result } from "./result.js";
import { encode } from "./values.js";

/** Choices of an analysis: the flags of `agentblame blame`, which docs/cli.md explains. */
export interface AnalysisOptions {
  /** Which noise counterfactual replays see. Default "recorded". */
  mode?: "recorded" | "posterior" | "prior";
  /** Worlds of noise in posterior and prior mode. Default 8. */
  worlds?: number;
  method?: "auto" | "exact" | "permutation";
  /** What blame goes to. Default "steps". */
  players?: "steps" | "calls";
  /** The variant to try, by step, where it isn't the first. */
  fixes?: Record<string, string>;
  /** The pass mark. Default 1. */
  pass?: number;
  seed?: number;
  budget?: number;
  delta?: number;
  stop?: "top1" | "topk" | "ranking" | "width";
  rule?: string;
  claim?: "traffic" | "batch";
  topK?: number;
  width?: number;
  permutations?: number;
  evaluations?: number;
  antithetic?: boolean;
  independent?: boolean;
  ordered?: boolean;
  checkKeys?: number;
  /** On how many passing cases to measure what fixes break; -1 for none. */
  harm?: number;
  keepCases?: number;
  nodes?: number;
  /** Step runs at once. Default 4. */
  concurrency?: number;
  /** The agentblame command. Default: AGENTBLAME_BIN, or agentblame on the PATH. */
  command?: string;
  /** Ends the analysis early; the promise is rejected. */
  signal?: AbortSignal;
  /** Takes agentblame's diagnostics, such as its progress. Default: standard error. */
  onLog?: (text: string) => void;
}

/** An analysis failed: what agentblame said. */
export class AnalysisError extends Error {
  override readonly name = "AnalysisError";

  constructor(
    message: string,
    /** The command's exit code; 2 is wrong usage. */
    readonly exitCode?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Analyses one case of a pipeline or a program, whose steps run in this process.
 * It needs the agentblame command.
 */
export async function analyzeCase(served: Served, given: Case, options: AnalysisOptions = {}): Promise<CaseResult> {
  const { cases } = await blameBatch(served, [given], { keepCases: 1, ...options });
  return cases[0];
}

/**
 * Analyses a batch of cases of a pipeline or a program, whose steps run in this
 * process. It needs the agentblame command.
 *
 * @returns the result, as docs/result.schema.json describes it
 */
export async function blameBatch(served: Served, cases: Iterable<Case>, options: AnalysisOptions = {}): Promise<Result> {
  const lines = Array.from(cases, (c) => `${encode(c, `case ${c.id}`)}\n`).join("");
  const dir = await mkdtemp(join(tmpdir(), "agentblame-"));
  try {
    const file = join(dir, "result.json");
    await current.exit(() => run(served, lines, [...flags(options), "-o", file], options));
    return JSON.parse(await readFile(file, "utf8")) as Result;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Runs agentblame with a socket to this process, and waits for its end. */
function run(served: Served, cases: string, args: string[], options: AnalysisOptions): Promise<void> {
  const host = new Host(served);
  const command = options.command ?? process.env.AGENTBLAME_BIN ?? "agentblame";
  const child = spawn(command, ["blame", "--host", "fd:3", "--cases", "-", ...args], {
    stdio: ["pipe", "ignore", "pipe", "pipe"],
  });
  const abort = (): void => void child.kill("SIGTERM");
  options.signal?.addEventListener("abort", abort);
  if (options.signal?.aborted) abort();

  const socket = child.stdio[3] as Duplex;
  const connection = new Connection(host, (text) => void socket.write(text));
  socket.setEncoding("utf8");
  socket.on("data", (text: string) => connection.receive(text));
  socket.on("close", () => connection.end());
  socket.on("error", () => {}); // the command's end says more
  child.stdin!.on("error", () => {});
  child.stdin!.end(cases);

  let told = "";
  child.stderr!.setEncoding("utf8");
  child.stderr!.on("data", (text: string) => {
    told = (told + text).slice(-20_000);
    if (options.onLog) options.onLog(text);
    else process.stderr.write(text);
  });
  return new Promise((resolve, reject) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOENT" ? `there is no command ${command}: install agentblame, or name it in AGENTBLAME_BIN` : `${command}: ${error.message}`;
      reject(new AnalysisError(why, undefined, { cause: error }));
    });
    child.on("close", (code, signal) => {
      options.signal?.removeEventListener("abort", abort);
      connection.end();
      if (options.signal?.aborted) return reject(new AnalysisError("the analysis was ended early", code ?? undefined, { cause: options.signal.reason }));
      if (code === 0) return resolve();
      reject(new AnalysisError(ofCases(told.trim().replace(/^agentblame: /, "")) || `${command} ended with ${signal ?? `exit code ${code}`}`, code ?? undefined));
    });
  });
}

/** What the command said of lines of its standard input, said of the cases. */
function ofCases(text: string): string {
  return text.replace(/\bstandard input:(\d+)/g, "case $1").replace(/^standard input:/gm, "cases:");
}

/** The flags of options: camelCase names are kebab-case flags. */
function flags(options: AnalysisOptions): string[] {
  const { fixes = {}, command: _, signal: __, onLog: ___, ...rest } = options;
  const out = Object.entries(rest)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => `--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}=${String(value)}`);
  return [...out, ...Object.entries(fixes).flatMap(([step, variant]) => ["--fix", `${step}=${variant}`])];
}
