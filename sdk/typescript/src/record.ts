import { appendFile, mkdir } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";

import { current, runAsIs, type Run } from "./call.js";
import { Context, unasked } from "./context.js";
import { messageOf, wireError } from "./errors.js";
import { Noise } from "./noise/source.js";
import type { StepSpec } from "./step.js";
import { encode } from "./values.js";

/**
 * Runs a pipeline or a program in production. With AGENTBLAME_RECORD=dir in the
 * environment the run is recorded as a case, a line of dir/<name>.<pid>.jsonl.
 * Recording never fails the run.
 */
export function recorded<T>(name: string, inputs: object, run: () => Promise<T>): Promise<T> {
  const dir = process.env.AGENTBLAME_RECORD;
  if (!dir || current.getStore()) return run();
  const recording = new Recording(inputs);
  const write = (error?: unknown): void => {
    append(join(dir, `${name.replace(/[^\w.-]/g, "_")}.${process.pid}.jsonl`), recording.line(error));
  };
  const done = current.run({ run: recording }, run);
  done.then(() => write(), write);
  return done;
}

/** What is to be written, by file. */
const pending = new Map<string, string>();
let writing: Promise<void> | undefined;

function append(file: string, line: string): void {
  pending.set(file, (pending.get(file) ?? "") + line);
  writing ??= flush().finally(() => (writing = undefined));
}

async function flush(): Promise<void> {
  await undefined; // lines of one turn are written at once
  for (const [file, text] of pending) {
    pending.delete(file);
    try {
      await folder(dirname(file));
      await appendFile(file, text);
    } catch (error) {
      process.stderr.write(`agentblame: can't record in ${file}: ${String(error)}\n`);
    }
  }
  if (pending.size > 0) await flush();
}

/** Makes a folder. Node's recursive mkdir never ends where a file system takes none, as in /proc. */
async function folder(path: string): Promise<void> {
  const make = async (): Promise<boolean> => {
    try {
      await mkdir(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return false;
      if (code !== "EEXIST") throw error;
    }
    return true;
  };
  if (await make()) return;
  if (dirname(path) !== path) await folder(dirname(path));
  if (!(await make())) throw new Error(`no folder can be made at ${path}`);
}

/** Waits until everything that was recorded is on disk. */
export async function recordingWritten(): Promise<void> {
  while (writing) await writing;
}

/** A run that is recorded. Its noise is that of one world, whose seed is the case's. */
class Recording implements Run {
  readonly recording = true;
  readonly #seed = Number(randomBytes(8).readBigUInt64BE() >> 11n);
  readonly #counts = new Map<string, number>();
  readonly #runs: string[] = [];
  readonly #times: string[] = [];
  readonly #inputs: string;
  readonly #start = new Date();

  constructor(inputs: object) {
    this.#inputs = attempt(inputs, "the inputs") ?? "{}";
  }

  async call(spec: StepSpec, name: string, inputs: object): Promise<unknown> {
    const n = (this.#counts.get(spec.name) ?? 0) + (name === "" ? 1 : 0);
    this.#counts.set(spec.name, n);
    const iteration = name || String(n);
    const noise = new Noise({ seed: this.#seed, step: spec.name, iteration });
    const context = new Context({
      name: spec.name, iteration, noise, case: undefined, seesCase: true, request: unasked,
    });
    const label = iteration === "1" ? spec.name : `${spec.name}#${iteration}`;
    const given = attempt(inputs, "the inputs");
    const start = performance.now();
    const keep = (outcome: string | undefined): void => {
      if (given === undefined || outcome === undefined) return; // not to be written: it is run again in an analysis
      this.#times.push(`${JSON.stringify(`ms ${label}`)}:${(performance.now() - start).toFixed(3)}`);
      const draws = noise.draws.length > 0 ? `,"draws":${JSON.stringify(noise.draws)}` : "";
      this.#runs.push(`${JSON.stringify(label)}:{"inputs":${given},${outcome}${draws}}`);
    };
    try {
      const output = await runAsIs(spec, inputs, context);
      const text = attempt(output, "the output");
      keep(text && `"output":${text}`);
      return output;
    } catch (error) {
      const type = wireError(error).data?.type;
      keep(`"error":${JSON.stringify(messageOf(error))}${type ? `,"error_data":${JSON.stringify({ type })}` : ""}`);
      throw error;
    }
  }

  /** The run as a line of a file of cases. */
  line(error: unknown): string {
    const id = `${this.#start.toISOString()}-${this.#seed.toString(36)}`;
    const tags = [`"recorded":${JSON.stringify(this.#start.toISOString())}`, ...this.#times];
    if (error !== undefined) tags.push(`"error":${JSON.stringify(messageOf(error).slice(0, 200).toWellFormed())}`);
    return `{"id":${JSON.stringify(id)},"inputs":${this.#inputs},"seed":${this.#seed},"tags":{${tags.join(",")}},"recording":{${this.#runs.join(",")}}}\n`;
  }
}

function attempt(value: unknown, what: string): string | undefined {
  try {
    return encode(value, what);
  } catch {
    return undefined;
  }
}
