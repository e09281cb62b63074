/**
 * Steps that are calls of a language model, for the Vercel AI SDK.
 *
 * @packageDocumentation
 */
import { simulateStreamingMiddleware, wrapLanguageModel } from "ai";

import { current } from "./call.js";
import type { StepContext } from "./context.js";
import { UsageError } from "./errors.js";
import { step, type ImplOptions, type Step, type StepOptions } from "./step.js";

/** A language model: what the AI SDK's providers make. */
export type Model = Parameters<typeof wrapLanguageModel>[0]["model"];
type LanguageModel = ReturnType<typeof wrapLanguageModel>;
/** The parameters of a call of a model. */
export type CallOptions = Parameters<LanguageModel["doGenerate"]>[0];
/** What a call of a model gives. */
export type GenerateResult = Awaited<ReturnType<LanguageModel["doGenerate"]>>;
type StreamResult = Awaited<ReturnType<LanguageModel["doStream"]>>;
type Middleware = Exclude<Parameters<typeof wrapLanguageModel>[0]["middleware"], readonly unknown[]>;

/** What a step of a model is given: a call's parameters without its signal and headers. */
export type ModelInputs = Omit<CallOptions, "abortSignal" | "headers">;

/** Options of a step that calls a model. */
export interface ModelOptions extends StepOptions<GenerateResult> {
  /** What a call has cost, by its usage, on top of `cost`. */
  price?: (usage: GenerateResult["usage"]) => number;
  /** Whether each call is given a `seed`, drawn from the noise. */
  seed?: boolean;
}

/** What a variant of a model's step changes. */
export interface ModelChange extends ImplOptions {
  /** Another model. */
  model?: Model;
  /** Other parameters, such as a temperature; or what makes them of a call's own. */
  params?: Partial<ModelInputs> | ((params: ModelInputs) => ModelInputs | Promise<ModelInputs>);
  /** What a call has cost, by its usage, where it isn't as for the step. */
  price?: ModelOptions["price"];
}

/** A step whose runs are calls of a language model. */
export interface ModelStep<Name extends string = string> {
  /** The step, for the `steps` of a program. */
  readonly step: Step<ModelInputs, GenerateResult, Name>;
  /** The model to give to generateText, streamText or an agent. */
  readonly model: LanguageModel;
  /** Declares a variant: another model, other parameters, or both. */
  variant(name: string, change: ModelChange): this;
}

/**
 * Declares a step that calls a language model. In an analysis its calls are
 * answered by agentblame; outside, the model is simply called. A hosted model's
 * randomness can't be seen: `deterministic` is false unless it is given.
 */
export function modelStep<const Name extends string>(name: Name, model: Model, options: ModelOptions = {}): ModelStep<Name> {
  const { price, seed = false, ...rest } = options;
  const base = wrapLanguageModel({ model, middleware: [] });
  const label = (m: LanguageModel, about: string): string => `${m.provider}/${m.modelId}/${about}`;
  const declared = step<Name, ModelInputs, GenerateResult>(name, generation(base, price, seed), {
    deterministic: false,
    version: label(base, ""),
    ...rest,
  });
  bases.set(declared, base);
  const self: ModelStep<Name> = {
    step: declared,
    model: pickModel(base, () => declared),
    variant(variant, change) {
      const { model: other, params, price: otherPrice = price, ...implementation } = change;
      const changed = other ? wrapLanguageModel({ model: other, middleware: [] }) : base;
      const about = typeof params === "function" ? params.toString() : JSON.stringify(params ?? {});
      const changing = typeof params === "function" ? params : (p: ModelInputs) => ({ ...p, ...params });
      const run = generation(changed, otherPrice, seed);
      declared.variant(variant, async (inputs, context) => run(await changing(revive(inputs)), context), {
        version: label(changed, about),
        ...implementation,
      });
      return self;
    },
  };
  return self;
}

/**
 * Makes one model of the steps of several roles, for an agent that has one model
 * for all it does. Each call says which step it is:
 * `providerOptions: { agentblame: { step: "writer" } }`.
 */
export function modelOf(first: ModelStep, ...others: ModelStep[]): LanguageModel {
  const steps = new Map([first, ...others].map((s) => [s.step.name, s.step]));
  return pickModel(first.model, (name) => {
    const found = steps.get(name ?? "");
    if (!found) {
      throw new UsageError(`a call of a model names ${name === undefined ? "no step" : `the step ${name}`}: set providerOptions.agentblame.step to one of ${[...steps.keys()].join(", ")}`);
    }
    return found;
  });
}

/** The model whose calls are those of a step that is picked by its name. */
function pickModel(base: LanguageModel, pick: (name: string | undefined) => Step<ModelInputs, GenerateResult>): LanguageModel {
  const called = (params: CallOptions): Promise<GenerateResult> => {
    const { abortSignal, headers, providerOptions, ...inputs } = params;
    const { agentblame: own, ...others } = providerOptions ?? {};
    const declared = pick(text(own?.step));
    const given: ModelInputs = Object.keys(others).length > 0 ? { ...inputs, providerOptions: others } : inputs;
    const name = text(own?.call);
    // What can't be written down goes along outside an analysis.
    aside.set(given, { abortSignal, headers });
    return name === undefined ? declared(given) : declared.at(name)(given);
  };
  const middleware: Middleware = {
    specificationVersion: "v4",
    wrapGenerate: ({ params }) => called(params),
    wrapStream: async (options) => {
      const { params } = options;
      const frame = current.getStore();
      if (frame && !("run" in frame && frame.run.recording)) return simulate(options, () => called(params));
      const { agentblame: own, ...providerOptions } = params.providerOptions ?? {};
      return bases.get(pick(text(own?.step)))!.doStream({ ...params, providerOptions });
    },
  };
  return wrapLanguageModel({ model: base, middleware });
}

/** The as-run models of steps, for streaming outside an analysis. */
const bases = new WeakMap<Step<ModelInputs, GenerateResult>, LanguageModel>();

/** A call's signal and headers, which are no inputs of a step. */
const aside = new WeakMap<object, Pick<CallOptions, "abortSignal" | "headers">>();

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Streams what a call without streaming gives. */
function simulate(options: Parameters<NonNullable<Middleware["wrapStream"]>>[0], doGenerate: () => Promise<GenerateResult>): PromiseLike<StreamResult> {
  return simulateStreamingMiddleware().wrapStream!({ ...options, doGenerate });
}

/** What a step of a model runs. */
function generation(model: LanguageModel, price: ModelOptions["price"], seed: boolean) {
  return async (inputs: ModelInputs, context: StepContext): Promise<GenerateResult> => {
    const own = aside.get(inputs);
    const params: CallOptions = { ...revive(inputs), abortSignal: own?.abortSignal ?? context.signal };
    if (own?.headers) params.headers = own.headers;
    if (seed) params.seed = context.noise.int("seed", 2 ** 31 - 1);
    const result = await model.doGenerate(params);
    context.tell({ usage: result.usage });
    if (price) context.charge(price(result.usage));
    if (own) return result; // outside an analysis
    // Ids, times and headers of the transport differ every time and mean nothing to the agent.
    const { request: _, response, ...rest } = result;
    return response?.modelId === undefined ? rest : { ...rest, response: { modelId: response.modelId } };
  };
}

/** Makes of JSON what models take: bytes and addresses of files. */
function revive<T>(value: T): T {
  if (Array.isArray(value)) return value.map(revive) as T;
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const { $bytes, type, url } = value as { $bytes?: unknown; type?: unknown; url?: unknown };
  if (typeof $bytes === "string") return new Uint8Array(Buffer.from($bytes, "base64")) as T;
  if (type === "url" && typeof url === "string") return { ...value, url: new URL(url) };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, revive(member)])) as T;
}
