import type { ScoreContext } from "./context.js";
import type { InputsOf, Need } from "./step.js";
import { versionOf } from "./version.js";

/** Options of a metric. */
export interface ScoreOptions {
  /** The steps and inputs that the metric reads. Default: all. */
  needs?: readonly Need[];
  /** The price of one run, in your unit. Default 0. */
  cost?: number;
  /** Anything that changes when the code does. Default: a digest of the function's source. */
  version?: string;
  /** As for steps: false for a metric with randomness that isn't drawn from the noise. */
  deterministic?: boolean;
  /** How long a run may take, in milliseconds. Default 60000. */
  timeoutMs?: number;
  /** How often a run is tried again after a transient failure. Default 2. */
  retries?: number;
}

/** What scores a run: a number from 0, failed, to 1, or whether it is good. */
export type Metric<In> = (values: In, context: ScoreContext) => number | boolean | Promise<number | boolean>;

/** A metric with options. */
export class Score<In> {
  constructor(
    readonly fn: Metric<In>,
    readonly options: ScoreOptions = {},
  ) {}

  /** What the metric reads, by name. */
  get needs(): string[] | undefined {
    return this.options.needs?.map((need) => (typeof need === "string" ? need : need.name));
  }

  get version(): string | undefined {
    return this.options.version ?? versionOf(this.fn);
  }
}

/** Declares a metric with options, where a plain function won't do. */
export function score<const N extends readonly Need[]>(
  fn: Metric<InputsOf<N>>,
  options: ScoreOptions & { needs: N },
): Score<InputsOf<N>>;
export function score<In = any>(fn: Metric<In>, options?: ScoreOptions): Score<In>;
export function score(fn: Metric<any>, options: ScoreOptions = {}): Score<any> {
  return new Score(fn, options);
}

/** The metric, however it was declared. */
export function asScore<In>(metric: Metric<In> | Score<In> | undefined): Score<In> | undefined {
  return typeof metric === "function" ? new Score(metric) : metric;
}
