import type { Run } from "./call.js";
import { Code, RunOver, StepError, UsageError, type WireError } from "./errors.js";
import type { Answer, Host } from "./host.js";
import { canonical, type Json } from "./json.js";
import type { StepSpec } from "./step.js";
import { encode } from "./values.js";

/** What a run of a program shares, however its calls are answered. */
abstract class ProgramRun implements Run {
  /** Rejected when the run is over before the program has ended. */
  readonly over: Promise<never>;
  #why: Error | undefined;
  #reject: (why: Error) => void = () => {};

  constructor(readonly host: Host) {
    this.over = new Promise((_, reject) => (this.#reject = reject));
    this.over.catch(() => {}); // it is for who runs the program to hear of
  }

  /** Runs the program: the text of its result. */
  async start(inputs: object): Promise<string> {
    try {
      const text = await Promise.race([this.host.runProgram(this, inputs), this.over]);
      if (this.#why) throw this.#why; // whatever the program made of it
      return text;
    } catch (error) {
      throw this.#why ?? error;
    } finally {
      this.end(new RunOver());
    }
  }

  /** Ends the run: all further calls of it fail. */
  end(why: Error): Error {
    this.#why ??= why;
    this.#reject(this.#why);
    return this.#why;
  }

  call(spec: StepSpec, name: string, inputs: object): Promise<unknown> {
    if (this.#why) return Promise.reject(this.#why);
    if (!this.host.given(spec)) {
      return Promise.reject(this.end(new UsageError(`step ${spec.name} was called, but it is not among the steps of ${this.host.served.name}`)));
    }
    let text: string;
    try {
      text = encode(inputs, `the input of step ${spec.name}`);
    } catch (error) {
      return Promise.reject(this.end(new UsageError((error as Error).message)));
    }
    return this.ask(spec, name, text);
  }

  /** Asks for a call's outcome; the inputs are JSON. */
  protected abstract ask(spec: StepSpec, name: string, inputs: string): Promise<unknown>;

  /** Makes the error that the program sees. */
  protected failed(step: string, error: WireError): Error {
    if (error.code === Code.cancelled) return this.end(new RunOver());
    if (error.code === Code.misuse) return this.end(new UsageError(error.message));
    return new StepError(step, error);
  }
}

/** Sends a request to agentblame: `method` with the text of its parameters. */
export type Ask = (method: string, params: string) => Promise<{ result?: { output?: Json }; error?: WireError }>;

/** A run whose calls are requests to agentblame. */
export class AskingRun extends ProgramRun {
  constructor(
    host: Host,
    readonly id: string,
    readonly askEngine: Ask,
  ) {
    super(host);
  }

  protected override async ask(spec: StepSpec, name: string, inputs: string): Promise<unknown> {
    const named = name === "" ? "" : `,"name":${JSON.stringify(name)}`;
    const reply = await this.askEngine(
      "step/call",
      `{"run":${JSON.stringify(this.id)},"step":${JSON.stringify(spec.name)},"inputs":${inputs}${named}}`,
    );
    if (reply.error) throw this.failed(spec.name, reply.error);
    return reply.result?.output ?? null;
  }
}

/** A run that goes as far as the answers known lead, and then tells what it needs. */
export class AnsweredRun extends ProgramRun {
  readonly #answers: Map<string, Answer>;
  readonly #counts = new Map<string, number>();
  readonly #missing: string[] = [];
  #stuck: (text: string) => void = () => {};

  constructor(host: Host, answers: readonly Answer[]) {
    super(host);
    this.#answers = new Map(answers.map((a) => [`${a.step}#${a.iteration}`, a]));
  }

  /** Runs the program: the text of its result, or of the calls that it can't go on without. */
  answer(inputs: object): Promise<string> {
    const stuck = new Promise<string>((resolve) => (this.#stuck = resolve));
    const ended = this.start(inputs).then((text) => {
      if (this.#missing.length === 0) return text;
      throw new UsageError(`the program ended without waiting for a call that it has made: ${this.#missing[0]}`);
    });
    return Promise.race([ended, stuck]);
  }

  protected override async ask(spec: StepSpec, name: string, inputs: string): Promise<unknown> {
    const n = (this.#counts.get(spec.name) ?? 0) + (name === "" ? 1 : 0);
    this.#counts.set(spec.name, n);
    const label = `${spec.name}#${name || n}`;
    const answer = this.#answers.get(label);
    if (answer) {
      if (canonical(answer.inputs) !== canonical(JSON.parse(inputs) as Json)) {
        throw this.end(new UsageError(`program ${this.host.served.name} is not deterministic given its steps' outputs: run again on the same outputs, it called ${label} with other inputs: ${inputs.slice(0, 200)}`));
      }
      if (answer.error) throw this.failed(spec.name, answer.error);
      return answer.output ?? null;
    }
    const named = name === "" ? "" : `,"name":${JSON.stringify(name)}`;
    this.#missing.push(`{"step":${JSON.stringify(spec.name)},"inputs":${inputs}${named}}`);
    if (this.#missing.length === 1) setImmediate(this.#stop); // once all that can go on has
    return this.over;
  }

  /** Tells what is missing, and unwinds the program. */
  readonly #stop = (): void => {
    this.#stuck(`{"calls":[${this.#missing.join(",")}]}`);
    this.end(new RunOver());
  };
}
