import { current, type Frame, type Run } from "./call.js";
import type { Case } from "./case.js";
import { Context, alone, type Requested } from "./context.js";
import { Code, UsageError, wireError, type WireError } from "./errors.js";
import type { Json } from "./json.js";
import { IN_FLIGHT, manifest } from "./manifest.js";
import type { NoiseAddress } from "./noise/source.js";
import { Input, type Served } from "./pipeline.js";
import type { StepSpec } from "./step.js";
import { encode } from "./values.js";

/** The parameters of requests, as agentblame sends them. */
export interface Params {
  step?: string;
  variant?: string;
  iteration?: string;
  inputs?: Record<string, Json>;
  noise?: NoiseAddress;
  case?: Case;
  output?: Json;
  values?: Record<string, Json>;
  run?: string;
  answers?: Answer[];
}

/** A call's outcome that is known already. */
export interface Answer {
  step: string;
  iteration: string;
  inputs: Json;
  output?: Json;
  error?: WireError;
}

/** An error of the protocol's own, with its code. */
export class ProtocolError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** A value, or the promise of one: what is known at once need not wait. */
export type Now<T> = T | Promise<T>;

/** Runs what is served. It knows nothing of how requests come in. */
export class Host {
  /** The text of the manifest. */
  readonly manifest: string;
  readonly #steps = new Map<string, StepSpec>();

  constructor(
    readonly served: Served,
    options: { inFlight?: number } = {},
  ) {
    if (!Array.isArray(served?.steps)) throw new TypeError("what is served must be a pipeline or a program");
    for (const { spec } of served.steps) this.#steps.set(spec.name, spec);
    for (const input of served.inputs) if (input instanceof Input) this.#steps.set(input.name, input.spec);
    this.manifest = JSON.stringify(manifest(served, options.inFlight ?? IN_FLIGHT));
  }

  /** Whether a step is one of those served. */
  readonly given = (spec: StepSpec): boolean => this.#steps.get(spec.name) === spec;

  /** Answers a request other than run/start: the text of its result. */
  handle(method: string, params: Params, request: Requested): Now<string> {
    switch (method) {
      case "step/run":
        return this.#runStep(params, request);
      case "score":
        return this.#score(params, request);
      case "step/key":
        return this.#key(params);
      case "initialize":
        return this.manifest;
    }
    throw new ProtocolError(Code.noMethod, `no such method: ${method}`);
  }

  #step(name: string | undefined): StepSpec {
    const spec = this.#steps.get(name ?? "");
    if (!spec) throw new ProtocolError(Code.invalid, `no such step: ${name}`);
    return spec;
  }

  #runStep(params: Params, request: Requested): Now<string> {
    const spec = this.#step(params.step);
    const impl = spec.impl(params.variant ?? "");
    if (!impl) throw new ProtocolError(Code.invalid, `no such variant of step ${spec.name}: ${params.variant}`);
    const context = new Context({
      name: spec.name,
      iteration: params.iteration ?? "1",
      noise: params.noise,
      case: params.case,
      seesCase: impl.case ?? spec.impls[0].case ?? false,
      request,
    });
    return this.#inside(
      spec.name,
      context,
      () => impl.fn(params.inputs ?? {}, context),
      (output) => {
        const what = `the output of step ${spec.name}${impl.name && ` (${impl.name})`}`;
        return result("output", encode(output, what), context);
      },
    );
  }

  #score(params: Params, request: Requested): Now<string> {
    const { score } = this.served;
    if (!score) throw new ProtocolError(Code.noMethod, "this host has no score");
    const context = new Context({
      name: "score", iteration: params.iteration ?? "1", noise: params.noise, case: params.case, seesCase: true, request,
    });
    const values = this.served.kind === "program" ? params.output : params.values;
    return this.#inside(
      "score",
      context,
      // The case is always there, as the context promises a metric.
      () => score.fn(values, context as Context & { case: Case }),
      (given: unknown) => {
        const number = typeof given === "boolean" ? Number(given) : given;
        if (typeof number !== "number" || !(number >= 0 && number <= 1)) {
          throw new Error(`the metric gave ${String(given)}: a score is a number from 0 to 1`);
        }
        return result("score", String(number), context);
      },
    );
  }

  #key(params: Params): Now<string> {
    const spec = this.#step(params.step);
    const key = spec.options.key;
    if (!key) throw new ProtocolError(Code.invalid, `step ${spec.name} has no key`);
    return this.#inside(
      spec.name,
      alone(spec.name, "1"),
      () => key(params.output),
      (value) => `{"key":${encode(value, `the key of step ${spec.name}`)}}`,
    );
  }

  /** Runs a function inside a step, where steps of the pipeline mustn't be called. */
  #inside<T>(name: string, context: Context, fn: () => Now<T>, finish: (value: T) => string): Now<string> {
    const frame: Frame & { fault?: UsageError } = { inside: name, given: this.given, context };
    const done = (value: T): string => {
      if (frame.fault) throw frame.fault;
      return finish(value);
    };
    try {
      const value = current.run(frame, fn);
      if (!isThenable(value)) return done(value);
      return Promise.resolve(value).then(done, (error: unknown) => {
        throw frame.fault ?? error;
      });
    } catch (error) {
      throw frame.fault ?? error;
    }
  }

  /** Runs the program, whose calls the run answers. */
  runProgram(run: Run, inputs: object): Promise<string> {
    const { program } = this.served;
    if (!program) throw new ProtocolError(Code.noMethod, "this host has no program");
    return Promise.resolve(current.run({ run }, async () => program(inputs))).then(
      (output) => `{"output":${encode(output, `the output of program ${this.served.name}`)}}`,
    );
  }
}

function isThenable<T>(value: Now<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** The text of a run's result. */
function result(member: "output" | "score", text: string, context: Context): string {
  let out = `{"${member}":${text}`;
  const draws = context.noiseUsed?.draws;
  if (draws && draws.length > 0) out += `,"draws":${JSON.stringify(draws)}`;
  if (context.cost > 0) out += `,"cost":${context.cost}`;
  if (context.usage !== undefined) out += `,"usage":${encode(context.usage, "the usage")}`;
  if (context.logprobs !== undefined) out += `,"logprobs":${encode(context.logprobs, "the logprobs")}`;
  return out + "}";
}

/** Writes what a request failed with. */
export function failure(error: unknown): WireError {
  return error instanceof ProtocolError ? { code: error.code, message: error.message } : wireError(error);
}
