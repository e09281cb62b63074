import { UsageError } from "./errors.js";
import { recorded } from "./record.js";
import { Score, asScore, type Metric } from "./score.js";
import { StepSpec, type AnyStep, type ImplOptions, type OutputOf, type StepFunction } from "./step.js";

/** An input that has variants of its own, such as a corrected question. */
export class Input<Name extends string = string> {
  readonly spec: StepSpec;

  constructor(readonly name: Name) {
    this.spec = new StepSpec(name, (inputs) => inputs[name], {});
  }

  /** Declares what else the input may be. The function takes the input by its name. */
  variant(name: string, fn: StepFunction<{ [K in Name]: any }, any>, options: ImplOptions = {}): this {
    this.spec.add(name, fn, options);
    return this;
  }
}

/** Declares an input that has variants. */
export function input<const Name extends string>(name: Name): Input<Name> {
  return new Input(name);
}

type InputName<I> = I extends string ? I : I extends Input<infer Name> ? Name : never;

/** The values of a run of a pipeline: its steps' outputs and its inputs, by name. */
export type ValuesOf<S extends readonly AnyStep[], I extends readonly (string | Input)[]> = {
  [K in S[number] as K["name"]]: OutputOf<K>;
} & { [K in InputName<I[number]>]: any };

/** What hosts serve: a pipeline, a program, or functions. */
export interface Served {
  readonly kind: "graph" | "program" | "steps";
  readonly name: string;
  readonly inputs: readonly (string | Input)[];
  readonly steps: readonly AnyStep[];
  readonly score: Score<any> | undefined;
  /** A program's own function. */
  readonly program?: (inputs: any) => unknown;
}

/** A pipeline whose wiring is declared: agentblame runs the steps along their needs. */
export interface Pipeline<In extends object = any, Values = any> extends Served {
  readonly kind: "graph";
  /** Runs the steps as they are, outside an analysis. */
  run(inputs: In): Promise<Values>;
}

/** Declares a pipeline by its steps. Each says what it `needs`. */
export function pipeline<const I extends readonly (string | Input)[], const S extends readonly AnyStep[]>(declared: {
  name: string;
  inputs: I;
  /** The steps, in the order of reports. */
  steps: S;
  metric: Metric<ValuesOf<S, I>> | Score<any>;
}): Pipeline<{ [K in InputName<I[number]>]: any }, ValuesOf<S, I>> {
  const { name, inputs, steps } = declared;
  const known = new Set(checkNames(name, inputs, steps));
  for (const { spec } of steps) {
    if (!spec.needs) {
      throw new UsageError(`step ${spec.name} of pipeline ${name} says no needs: JavaScript can't see what its function reads, so name it: { needs: ["${nameOf(inputs[0] ?? "question")}"] }`);
    }
    for (const need of spec.needs) {
      if (!known.has(need)) throw new UsageError(`step ${spec.name} needs ${need}, which is neither an input nor a step of pipeline ${name}`);
    }
  }
  return {
    kind: "graph",
    name,
    inputs,
    steps,
    score: asScore(declared.metric),
    run: (given) => recorded(name, given, () => runGraph(steps, given)) as Promise<ValuesOf<S, I>>,
  };
}

/**
 * Declares functions only, for a pipeline that is written down in agentblame.yaml:
 * its steps name them with `run: {host: …, function: …}`, its score with
 * `score: {host: …}`.
 */
export function functions(declared: { name: string; steps: readonly AnyStep[]; metric?: Metric<any> | Score<any> }): Served {
  const { name, steps, metric } = declared;
  checkNames(name, [], steps);
  return { kind: "steps", name, inputs: [], steps, score: asScore(metric) };
}

/** The name of an input. */
export function nameOf(input: string | Input): string {
  return typeof input === "string" ? input : input.name;
}

/** Finds names given twice, and returns all. */
export function checkNames(of: string, inputs: readonly (string | Input)[], steps: readonly AnyStep[]): string[] {
  const names = [...inputs.map(nameOf), ...steps.map((s) => s.name)];
  names.forEach((name, i) => {
    if (names.indexOf(name) !== i) throw new UsageError(`two steps or inputs of ${of} are called ${name}`);
  });
  return names;
}

/** Runs a graph's steps, each as soon as it has what it needs. */
async function runGraph(steps: readonly AnyStep[], inputs: object): Promise<object> {
  const values: Record<string, Promise<unknown>> = {};
  for (const [name, value] of Object.entries(inputs)) values[name] = Promise.resolve(value);
  const byName = new Map(steps.map((s) => [s.name, s]));
  const valueOf = (name: string): Promise<unknown> => {
    const step = byName.get(name);
    values[name] ??= step ? run(step) : Promise.reject(new UsageError(`there is no input ${name}`));
    return values[name];
  };
  const run = async (step: AnyStep): Promise<unknown> => {
    const given: Record<string, unknown> = {};
    for (const need of step.spec.needs ?? []) given[need] = await valueOf(need);
    return step(given);
  };
  const names = [...Object.keys(inputs), ...byName.keys()];
  const all = await Promise.all(names.map(valueOf));
  return Object.fromEntries(names.map((name, i) => [name, all[i]]));
}

