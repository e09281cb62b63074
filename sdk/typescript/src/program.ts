import { recorded } from "./record.js";
import { checkNames, type Input, type Served } from "./pipeline.js";
import { asScore, type Metric, type Score } from "./score.js";
import type { AnyStep } from "./step.js";

/** A pipeline that is a function of your own, which calls steps as it goes. */
export interface Program<In extends object = any, Out = any> extends Served {
  readonly kind: "program";
  /** Runs the function as it is, outside an analysis. */
  run(inputs: In): Promise<Out>;
}

/**
 * Declares a program: any control flow, with calls of steps inside, such as
 * `await planner({ question })`. It must be deterministic given its steps'
 * outputs; an analysis runs it many times, several at once.
 */
export function program<In extends object, Out>(declared: {
  name: string;
  /** Names of the inputs that a case must have. */
  inputs: readonly (string | Input)[];
  /** The steps that blame may go to, in the order of reports. */
  steps: readonly AnyStep[];
  run: (inputs: In) => Out | Promise<Out>;
  metric: Metric<NoInfer<Awaited<Out>>> | Score<any>;
}): Program<In, Awaited<Out>> {
  const { name, inputs, steps, run } = declared;
  checkNames(name, inputs, steps);
  return {
    kind: "program",
    name,
    inputs,
    steps,
    score: asScore(declared.metric),
    program: run,
    run: (given) => recorded(name, given, async () => run(given)) as Promise<Awaited<Out>>,
  };
}
