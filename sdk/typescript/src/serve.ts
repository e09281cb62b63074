import { Connection } from "./connection.js";
import { Host } from "./host.js";
import { serveHttp } from "./http.js";
import type { Served } from "./pipeline.js";

/** How a pipeline is served. */
export interface ServeOptions {
  /** The address of an HTTP service, such as "127.0.0.1:8000", instead of standard input and output. */
  http?: string;
  /** How many requests a process takes at once. Default 64. */
  inFlight?: number;
}

/**
 * Serves a pipeline, a program or functions to agentblame: call it at the end of
 * the module that `agentblame blame --host "node my_app.js"` names. Over standard
 * input and output, what the program prints goes to standard error, and the
 * process ends with its input.
 */
export async function serve(served: Served, options: ServeOptions = {}): Promise<void> {
  const host = new Host(served, options);
  if (options.http !== undefined) return serveHttp(host, options.http);
  if (process.stdin.isTTY) {
    process.stderr.write(`${served.name} is served on standard input and output, for agentblame: agentblame blame --host "node …" --cases cases.jsonl\n`);
  }
  await serveStdio(host);
}

function serveStdio(host: Host): Promise<never> {
  const connection = new Connection(host, standardOutput());
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (text: string) => connection.receive(text));
  // Nothing may keep a host alive that nobody asks any more: not even steps that hang.
  const leave = (): never => process.exit(0);
  process.stdin.on("end", leave);
  process.stdin.on("close", leave);
  process.stdin.on("error", leave);
  // A promise that a step forgot about is no reason to lose all other runs.
  process.on("unhandledRejection", (reason) => {
    process.stderr.write(`agentblame: a rejection that nobody handled: ${reason instanceof Error ? reason.stack : String(reason)}\n`);
  });
  return new Promise(() => {});
}

/**
 * Takes standard output for messages: everything else that is written to it goes
 * to standard error.
 */
function standardOutput(): (text: string) => void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.on("error", () => process.exit(0)); // agentblame is gone
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return (text) => void write(text);
}
