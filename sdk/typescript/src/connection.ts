import type { Requested } from "./context.js";
import { Code, RunOver, type WireError } from "./errors.js";
import { ProtocolError, failure, type Host, type Params } from "./host.js";
import type { Json } from "./json.js";
import { AskingRun, type Ask } from "./run.js";

/** A message, of either side. */
interface Message {
  id?: number | string | null;
  method?: string;
  params?: Params & { id?: number | string };
  result?: { output?: Json };
  error?: WireError;
}

type Reply = Pick<Message, "result" | "error">;

/** A request that has no answer yet. */
class Pending implements Requested {
  #controller: AbortController | undefined;
  #cancelled = false;

  constructor(readonly progress: (message: string) => void) {}

  signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#cancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  cancel(): void {
    this.#cancelled = true;
    this.#controller?.abort();
  }
}

/** Speaks the step protocol over a stream of lines: any number of requests at once. */
export class Connection {
  readonly #host: Host;
  readonly #write: (text: string) => void;
  readonly #open = new Map<number | string, Pending>();
  readonly #asked = new Map<string, (reply: Reply) => void>();
  #last = 0;
  #rest = "";
  #out = "";

  /** @param write writes text to agentblame */
  constructor(host: Host, write: (text: string) => void) {
    this.#host = host;
    this.#write = write;
  }

  /** Takes text from agentblame: any part of the stream. */
  receive(text: string): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      const line = this.#rest === "" ? text.slice(from, end) : this.#rest + text.slice(from, end);
      this.#rest = "";
      from = end + 1;
      if (line.length > 0 && line.trim() !== "") this.#line(line);
    }
    if (from < text.length) this.#rest += text.slice(from);
    this.#flush();
  }

  /** Ends all that goes on. */
  end(): void {
    for (const pending of this.#open.values()) pending.cancel();
    for (const answer of this.#asked.values()) answer({ error: { code: Code.cancelled, message: "agentblame is gone" } });
    this.#open.clear();
    this.#asked.clear();
  }

  #line(line: string): void {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      return this.#fail(null, { code: -32700, message: `not JSON: ${line.slice(0, 100).toWellFormed()}` });
    }
    const { id, method, params = {} } = message;
    if (method === undefined) {
      this.#asked.get(String(id))?.(message);
      this.#asked.delete(String(id));
    } else if (id === undefined || id === null) {
      if (method === "$/cancel" && params.id !== undefined) this.#cancel(params.id);
    } else {
      this.#request(id, method, params);
    }
  }

  #request(id: number | string, method: string, params: Params): void {
    const pending = new Pending((message) => {
      this.#send(`{"jsonrpc":"2.0","method":"$/progress","params":${JSON.stringify({ id, message: message.toWellFormed() })}}`);
    });
    try {
      const answer = method === "run/start" ? this.#start(params, pending) : this.#host.handle(method, params, pending);
      if (typeof answer === "string") return this.#answer(id, answer);
      this.#open.set(id, pending);
      const mine = (): boolean => this.#open.get(id) === pending && this.#open.delete(id);
      answer.then(
        (text) => mine() && this.#answer(id, text),
        (error: unknown) => mine() && this.#fail(id, failure(error)),
      );
    } catch (error) {
      this.#fail(id, failure(error));
    }
  }

  #start(params: Params, pending: Pending): Promise<string> {
    if (params.run === undefined || params.inputs === undefined) throw new ProtocolError(Code.invalid, "run/start needs run and inputs");
    const run = new AskingRun(this.#host, params.run, this.#ask);
    pending.signal().addEventListener("abort", () => run.end(new RunOver()));
    return run.start(params.inputs);
  }

  readonly #ask: Ask = (method, params) => {
    const id = `c${++this.#last}`;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.#send(`{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}`);
    });
  };

  /** A cancelled request is answered at once; what it runs goes on unheard if it doesn't mind its signal. */
  #cancel(id: number | string): void {
    const pending = this.#open.get(id);
    if (!pending) return; // it has been answered
    this.#open.delete(id);
    this.#fail(id, { code: Code.cancelled, message: "cancelled" });
    pending.cancel();
  }

  #answer(id: number | string, result: string): void {
    this.#send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
  }

  #fail(id: number | string | null, error: WireError): void {
    this.#send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error)}}`);
  }

  /** Messages of one turn are written together. */
  #send(line: string): void {
    if (this.#out === "") queueMicrotask(() => this.#flush());
    this.#out += line + "\n";
  }

  #flush(): void {
    if (this.#out === "") return;
    const out = this.#out;
    this.#out = "";
    this.#write(out);
  }
}
