import type { Json } from "./json.js";
import { EncodingError, encode } from "./values.js";

/** The codes of the protocol's errors. */
export const Code = {
  failed: 1,
  encoding: 2,
  noGold: 3,
  misuse: 4,
  cancelled: -32800,
  noMethod: -32601,
  invalid: -32602,
} as const;

/** An error as the protocol writes it. */
export interface WireError {
  code: number;
  message: string;
  data?: { type?: string; traceback?: string; transient?: boolean; retry_after_ms?: number } & { [name: string]: Json | undefined };
}

/**
 * A step of an analysed program has failed. The program may handle it as it
 * handles the step's own errors, whose message it has.
 */
export class StepError extends Error {
  override readonly name: string = "StepError";
  /** The name of the error that the step's function threw. */
  readonly type: string | undefined;
  /** What else the step's process told of it. */
  readonly data: WireError["data"];

  constructor(
    readonly step: string,
    error: WireError,
  ) {
    super(error.message);
    this.type = typeof error.data?.type === "string" ? error.data.type : undefined;
    this.data = error.data;
  }
}

/** A failure that may be gone at the next attempt. A step that throws it is tried again. */
export class Transient extends Error {
  override readonly name = "Transient";
  /** How long to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A pipeline, or agentblame, is used wrongly. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The case has no known-good output for a step. */
export class NoGoldError extends Error {
  override readonly name = "NoGoldError";
}

/**
 * A program's run is over: what it does no longer matters. Every further call of
 * a step throws it; let it pass.
 */
export class RunOver extends Error {
  override readonly name = "RunOver";

  constructor() {
    super("the run is over");
  }
}

const NAMES = new Set([
  "Transient",
  "RateLimitError",
  "APIConnectionError",
  "APIConnectionTimeoutError",
  "InternalServerError",
  "OverloadedError",
  "TimeoutError",
]);
const CODES = /^(ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|ETIMEDOUT|EAI_AGAIN|UND_ERR_(CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|SOCKET))$/;

/** What is known of the errors of SDKs and of fetch. */
interface Told {
  name?: unknown;
  status?: unknown;
  statusCode?: unknown;
  code?: unknown;
  isRetryable?: unknown;
  retryAfterMs?: unknown;
  headers?: unknown;
  responseHeaders?: unknown;
  cause?: unknown;
  lastError?: unknown;
}

/** Says whether an error, or one that caused it, may be gone at the next attempt. */
export function isTransient(error: unknown): boolean {
  return causes(error).some((e) => {
    const status = e.status ?? e.statusCode;
    return (
      (typeof status === "number" && (status === 408 || status === 429 || (status >= 500 && status < 600))) ||
      e.isRetryable === true ||
      (typeof e.name === "string" && NAMES.has(e.name)) ||
      (typeof e.code === "string" && CODES.test(e.code))
    );
  });
}

/** How long an error asks to wait, in milliseconds. */
function retryAfter(error: unknown): number | undefined {
  for (const e of causes(error)) {
    if (typeof e.retryAfterMs === "number") return e.retryAfterMs;
    const headers = e.headers ?? e.responseHeaders;
    const read = (name: string): number => {
      const value: unknown = headers instanceof Headers ? headers.get(name) : (headers as Record<string, unknown> | undefined)?.[name];
      return typeof value === "string" && value !== "" ? Number(value) : NaN;
    };
    const ms = read("retry-after-ms");
    if (ms >= 0) return ms;
    const seconds = read("retry-after");
    if (seconds >= 0) return 1000 * seconds;
  }
  return undefined;
}

function causes(error: unknown): Told[] {
  const found: Told[] = [];
  for (let e: unknown = error; typeof e === "object" && e !== null && found.length < 10; ) {
    const told = e as Told;
    found.push(told);
    e = told.cause ?? told.lastError;
  }
  return found;
}

/** Writes the error of a step, a score or a program for the protocol. */
export function wireError(error: unknown): WireError {
  const message = messageOf(error);
  if (!(error instanceof Error)) {
    const data = again(error, {});
    return { code: Code.failed, message, ...(data.transient ? { data } : {}) };
  }
  if (error instanceof EncodingError) return { code: Code.encoding, message };
  if (error instanceof NoGoldError) return { code: Code.noGold, message };
  if (error instanceof UsageError) return { code: Code.misuse, message };
  if (error instanceof RunOver) return { code: Code.cancelled, message };
  const told = attempt(() => (error instanceof StepError ? error.type : error.name), undefined);
  const data: NonNullable<WireError["data"]> = { type: wellFormed(told ?? "Error"), transient: false };
  const stack = attempt(() => error.stack, undefined);
  if (stack) data.traceback = wellFormed(stack).slice(0, 20_000).toWellFormed();
  // Agentblame has tried again for the step what the program has not handled.
  if (!(error instanceof StepError)) again(error, data);
  return { code: Code.failed, message, data };
}

/** Notes whether what was thrown may be gone at the next attempt, and when that may be made. */
function again(error: unknown, data: NonNullable<WireError["data"]>): NonNullable<WireError["data"]> {
  if (!attempt(() => isTransient(error), false)) return data;
  data.transient = true;
  const ms = attempt(() => retryAfter(error), undefined);
  if (ms !== undefined) data.retry_after_ms = ms;
  return data;
}

/** What an error says, or its name; of what is no Error, what it is. It never throws. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return attempt(() => wellFormed(error.message) || wellFormed(error.name), "") || "an error that can't be read";
  return `threw ${attempt(() => describe(error), "something")}, which is no Error`;
}

function describe(value: unknown): string {
  const plain = typeof value !== "string" && (typeof value !== "object" || value === null);
  const text = plain ? String(value) : encode(value, "it");
  return text.toWellFormed().slice(0, 200).toWellFormed();
}

function wellFormed(text: unknown): string {
  return String(text).toWellFormed();
}

/** What fn gives, or something else where it throws: a getter of an error may. */
function attempt<T, U>(fn: () => T, otherwise: U): T | U {
  try {
    return fn();
  } catch {
    return otherwise;
  }
}
