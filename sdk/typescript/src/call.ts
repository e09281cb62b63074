import { AsyncLocalStorage } from "node:async_hooks";

import { alone, type StepContext } from "./context.js";
import { UsageError } from "./errors.js";
import type { StepSpec } from "./step.js";

const frames = Symbol.for("agentblame.frames/1");

/** A run of a program, which answers the calls of steps. */
export interface Run {
  call(spec: StepSpec, name: string, inputs: object): Promise<unknown>;
  /** Whether the run is one in production that is written down, not one of an analysis. */
  readonly recording?: boolean;
}

/** Where code runs: in a program under analysis, or inside a step of one. */
export type Frame =
  | { readonly run: Run }
  | {
      /** The step that runs. */
      readonly inside: string;
      /** Whether a step belongs to the pipeline under analysis. */
      readonly given: (spec: StepSpec) => boolean;
      /** What the step may use beside its inputs. */
      readonly context: StepContext;
      /** What was done wrongly, to be told whatever the step makes of it. */
      fault?: UsageError;
    };

const shared = globalThis as { [frames]?: AsyncLocalStorage<Frame> };

/**
 * The frame that the current code runs in, if any. All copies of this package in
 * a process share it: a step of one must not pass by an analysis of another.
 */
export const current = (shared[frames] ??= new AsyncLocalStorage<Frame>());

/** Calls a step: an analysis answers, and outside of one it simply runs. */
export function callStep(spec: StepSpec, name: string, inputs: object = {}): Promise<unknown> {
  const frame = current.getStore();
  if (typeof inputs !== "object" || inputs === null || Array.isArray(inputs)) {
    return Promise.reject(new UsageError(`step ${spec.name} was called with ${inputs === null ? "null" : Array.isArray(inputs) ? "a list" : typeof inputs}: it takes one object of named inputs`));
  }
  if (!frame) return runAlone(spec, inputs);
  if ("run" in frame) {
    const answer = frame.run.call(spec, name, inputs);
    // A call that the program doesn't wait for must not end the process when the run is over.
    answer.catch(() => {});
    return answer;
  }
  if (frame.given(spec)) {
    frame.fault ??= new UsageError(
      `step ${spec.name} was called from inside step ${frame.inside}, where it can't be replayed on its own: call it from the program, or take it out of the pipeline's steps`,
    );
    return Promise.reject(frame.fault);
  }
  return runAlone(spec, inputs);
}

/**
 * The context of the step run that the current code belongs to: what a step's
 * function gets as its second argument, for code that is called from it. Outside
 * of a step it is one with the noise of a fresh world.
 */
export function runContext(): StepContext {
  const frame = current.getStore();
  return frame && "inside" in frame ? frame.context : alone("none", "1");
}

/** Runs the as-run implementation, with the noise of a fresh world. */
async function runAlone(spec: StepSpec, inputs: object): Promise<unknown> {
  return runAsIs(spec, inputs, alone(spec.name, "1"));
}

/** Runs the as-run implementation outside an analysis: the steps that it calls run too. */
export function runAsIs(spec: StepSpec, inputs: object, context: StepContext): unknown {
  return current.run({ inside: spec.name, given: () => false, context }, () => spec.impls[0].fn(inputs, context));
}
