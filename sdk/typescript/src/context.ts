import { UsageError } from "./errors.js";
import type { Case } from "./case.js";
import { Noise, type NoiseAddress } from "./noise/source.js";

/** What a run of a step, or of a metric, may use beside its inputs. */
export interface RunContext {
  /** The randomness of the run. All that is random must come from it, or the step says `deterministic: false`. */
  readonly noise: Noise;
  /** Aborted when the run is no longer wanted. */
  readonly signal: AbortSignal;
  /** The number of the call of the step in its run, "1", "2", …, or the call's name. */
  readonly iteration: string;
  /** Adds to what the run costs, on top of the step's declared price. */
  charge(cost: number): void;
  /** Gives a sign of life of a long run. */
  progress(message: string): void;
  /** Keeps anything known about a model call with the run's trace. */
  tell(about: { usage?: unknown; logprobs?: unknown }): void;
}

/** What a run of a step may use beside its inputs. */
export interface StepContext extends RunContext {
  /** The case, in an analysis, for steps with the option `case: true`; undefined outside. */
  readonly case: Case | undefined;
}

/** What a run of a metric may use beside what it scores. */
export interface ScoreContext extends RunContext {
  /** The case that is scored. */
  readonly case: Case;
}

/** What agentblame, or a test, gives a run. */
export interface Given {
  readonly name: string;
  readonly iteration: string;
  /** Where the noise is; undefined where there is none. */
  readonly noise: NoiseAddress | Noise | undefined;
  readonly case: Case | undefined;
  /** Whether the run may see its case. */
  readonly seesCase: boolean;
  readonly request: Requested;
}

/** What a run may ask of the request that it answers. */
export interface Requested {
  signal(): AbortSignal;
  progress?(message: string): void;
}

/** The context of one run. It makes the noise and the signal when they are asked for. */
export class Context implements StepContext {
  cost = 0;
  usage: unknown;
  logprobs: unknown;
  #noise: Noise | undefined;
  readonly #given: Given;

  constructor(given: Given) {
    this.#given = given;
    // Functions take these off the context: they must work without it.
    this.charge = this.charge.bind(this);
    this.tell = this.tell.bind(this);
    this.progress = this.progress.bind(this);
  }

  get noise(): Noise {
    if (!this.#noise) {
      const { noise, name } = this.#given;
      if (!noise) throw new UsageError(`step ${name} is declared deterministic, and asks for noise`);
      this.#noise = noise instanceof Noise ? noise : new Noise(noise);
    }
    return this.#noise;
  }

  /** The noise if it was asked for. */
  get noiseUsed(): Noise | undefined {
    return this.#noise;
  }

  get case(): Case | undefined {
    if (!this.#given.seesCase) throw new UsageError(`step ${this.#given.name} asks for its case: declare it with case: true`);
    return this.#given.case;
  }

  get signal(): AbortSignal {
    return this.#given.request.signal();
  }

  get iteration(): string {
    return this.#given.iteration;
  }

  charge(cost: number): void {
    if (!(cost >= 0 && cost < Infinity)) throw new UsageError(`step ${this.#given.name} charges ${cost}`);
    this.cost += cost;
  }

  progress(message: string): void {
    this.#given.request.progress?.(message);
  }

  tell(about: { usage?: unknown; logprobs?: unknown }): void {
    this.usage = about.usage ?? this.usage;
    this.logprobs = about.logprobs ?? this.logprobs;
  }
}

const never = new AbortController().signal;

/** The request of a run that nobody cancels. */
export const unasked: Requested = { signal: () => never };

/** The context of a run outside an analysis: with the noise of a fresh world. */
export function alone(name: string, iteration: string, fresh: Noise = Noise.fresh(name, iteration)): Context {
  return new Context({ name, iteration, noise: fresh, case: undefined, seesCase: true, request: unasked });
}
