import { callStep } from "./call.js";
import type { StepContext } from "./context.js";
import { NoGoldError, UsageError } from "./errors.js";
import { versionOf } from "./version.js";

/** Options of a step and of a variant. What a variant leaves out is its step's. */
export interface ImplOptions {
  /** The price of one run, in your unit. Default 1. */
  cost?: number;
  /** Anything that changes when the code does. Default: a digest of the function's source. */
  version?: string;
  /**
   * Absent: all randomness is drawn from the noise. false: there is randomness
   * that isn't, such as a hosted model's. true: there is none at all.
   */
  deterministic?: boolean;
  /** true: runs see the case, as `case` of their context. */
  case?: boolean;
  /** How long a run may take, in milliseconds. Default 60000. */
  timeoutMs?: number;
  /** How often a run is tried again after a transient failure. Default 2. */
  retries?: number;
}

/** Options of a step. */
export interface StepOptions<Out = any> extends ImplOptions {
  /** The inputs and steps that the step reads: names, or steps. A pipeline needs them; a program's calls say it themselves. */
  needs?: readonly Need[];
  /** What of the output matters downstream: outputs with equal keys count as the same. */
  key?: (output: Out) => unknown;
  /** How many runs of the step go on at once, at most. */
  concurrency?: number;
}

/** A step of any types. */
export type AnyStep = Step<any, any, any>;

/** Something that a step reads: an input or a step, by name, or the step itself. */
export type Need = string | AnyStep;

/** The inputs of a step that needs these: typed where steps are given, `any` where names are. */
export type InputsOf<N extends readonly Need[]> = {
  [K in N[number] as K extends string ? K : K extends AnyStep ? K["name"] : never]: K extends Step<any, infer Out, any> ? Out : any;
};

/** What a step gives. */
export type OutputOf<S> = S extends Step<any, infer Out, any> ? Out : never;

/** What a step runs: it takes one object of named inputs, and may be async. */
export type StepFunction<In, Out> = (inputs: In, context: StepContext) => Out | Promise<Out>;

/** An implementation of a step. */
export interface Impl extends ImplOptions {
  /** The variant's name; "" for the as-run implementation. */
  readonly name: string;
  readonly fn: StepFunction<any, any>;
}

/** What is declared of a step. */
export class StepSpec {
  /** The as-run implementation and the variants. */
  readonly impls: Impl[];

  constructor(
    readonly name: string,
    fn: StepFunction<any, any>,
    readonly options: StepOptions,
  ) {
    if (name === "") throw new UsageError("a step needs a name");
    this.impls = [implementation("", fn, options)];
  }

  /** An implementation by its name. */
  impl(name: string): Impl | undefined {
    return this.impls.find((impl) => impl.name === name);
  }

  add(name: string, fn: StepFunction<any, any>, options: ImplOptions): void {
    if (name === "") throw new UsageError(`step ${this.name}: a variant needs a name`);
    if (this.impl(name)) throw new UsageError(`step ${this.name} has two variants called ${name}`);
    this.impls.push(implementation(name, fn, options));
  }

  /** What the step reads, by name. */
  get needs(): string[] | undefined {
    return this.options.needs?.map((need) => (typeof need === "string" ? need : need.name));
  }
}

function implementation(name: string, fn: StepFunction<any, any>, options: ImplOptions): Impl {
  const { cost, version = versionOf(fn), deterministic, case: seesCase, timeoutMs, retries } = options;
  return { name, fn, cost, version, deterministic, case: seesCase, timeoutMs, retries };
}

/**
 * A named unit of a pipeline: an as-run implementation and variants of it. It is
 * called like its function. Outside an analysis the as-run implementation simply
 * runs; in one, agentblame answers.
 */
export interface Step<In extends object, Out, out Name extends string = string> {
  (inputs: In): Promise<Out>;
  readonly name: Name;
  /** Declares another implementation. The first is the fix that an analysis tries by default. */
  variant(name: string, fn: StepFunction<In, any>, options?: ImplOptions): this;
  /** Declares the case's known-good output (`gold`) as a variant. */
  gold(name?: string, options?: Pick<ImplOptions, "cost">): this;
  /** Names a call, for calls that go on at once: `shard.at("3")` would be a number, "shard-3" is a name. */
  at(name: string): (inputs: In) => Promise<Out>;
  /** @internal */
  readonly spec: StepSpec;
}

/**
 * Declares a step.
 *
 * @param name names the step in reports
 * @param fn takes one object of named inputs; what else a run may use is its second argument
 * @example
 * const retriever = step("retriever", ({ planner }) => search(planner.query), { needs: [planner] })
 *   .variant("reranker", ({ planner }) => rerank(search(planner.query)), { cost: 2 });
 */
export function step<const Name extends string, const N extends readonly Need[], Out>(
  name: Name,
  fn: StepFunction<InputsOf<N>, Out>,
  options: StepOptions<NoInfer<Awaited<Out>>> & { needs: N },
): Step<InputsOf<N>, Awaited<Out>, Name>;
export function step<const Name extends string, In extends object, Out>(
  name: Name,
  fn: StepFunction<In, Out>,
  options?: StepOptions<NoInfer<Awaited<Out>>>,
): Step<In, Awaited<Out>, Name>;
export function step(name: string, fn: StepFunction<any, any>, options: StepOptions = {}): AnyStep {
  return callable(new StepSpec(name, fn, options));
}

/** The callable form of a step. */
function callable(spec: StepSpec): AnyStep {
  const self = ((inputs: object) => callStep(spec, "", inputs)) as AnyStep;
  Object.defineProperty(self, "name", { value: spec.name });
  return Object.assign(self, {
    spec,
    variant(name: string, fn: StepFunction<any, any>, options: ImplOptions = {}) {
      spec.add(name, fn, options);
      return self;
    },
    gold(name = "gold", options: Pick<ImplOptions, "cost"> = {}) {
      spec.add(name, goldOf(spec.name), { ...options, version: "gold", deterministic: true, case: true });
      return self;
    },
    at(name: string) {
      if (typeof name !== "string" || name === "") throw new UsageError(`step ${spec.name}: at needs a name`);
      return (inputs: object) => callStep(spec, name, inputs);
    },
  });
}

/** Gives the known-good output of a step. */
function goldOf(name: string): StepFunction<any, any> {
  return (_, { case: given }) => {
    if (!given?.gold || !Object.hasOwn(given.gold, name)) {
      throw new NoGoldError(`case ${given?.id ?? ""} has no known-good output of step ${name}`);
    }
    return given.gold[name];
  };
}
