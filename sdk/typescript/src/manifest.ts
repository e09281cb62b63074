import { nameOf, type Input, type Served } from "./pipeline.js";
import type { Impl, StepSpec } from "./step.js";

/** The version of the step protocol. */
export const PROTOCOL = 1;

/** How many requests a process takes at once, unless it is told otherwise. */
export const IN_FLIGHT = 64;

/** This package, for messages. */
export const HOST = { name: "agentblame-typescript", version: "0.1.0" };

/** What a host says about itself: the result of initialize. */
export function manifest(served: Served, inFlight: number): object {
  const { score } = served;
  return {
    protocol: PROTOCOL,
    host: HOST,
    name: served.name,
    kind: served.kind,
    inputs: served.inputs.map(input),
    steps: served.steps.map(({ spec }) => step(spec)),
    score: score && {
      needs: served.kind === "program" ? undefined : score.needs,
      cost: score.options.cost,
      version: score.version,
      deterministic: score.options.deterministic,
      timeout_ms: score.options.timeoutMs,
      retries: score.options.retries,
    },
    in_flight: inFlight,
  };
}

function input(input: string | Input): string | object {
  if (typeof input === "string" || input.spec.impls.length === 1) return nameOf(input);
  return { name: input.name, variants: input.spec.impls.slice(1).map(impl) };
}

function step(spec: StepSpec): object {
  return {
    ...impl(spec.impls[0]),
    name: spec.name,
    needs: spec.needs,
    key: spec.options.key ? true : undefined,
    concurrency: spec.options.concurrency,
    variants: spec.impls.slice(1).map(impl),
  };
}

/** An implementation; undefined members aren't written. */
function impl(impl: Impl): object {
  return {
    name: impl.name,
    cost: impl.cost,
    version: impl.version,
    deterministic: impl.deterministic,
    case: impl.case,
    timeout_ms: impl.timeoutMs,
    retries: impl.retries,
  };
}
