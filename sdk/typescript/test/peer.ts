import { Connection } from "../src/connection.js";
import { Host } from "../src/host.js";
import type { Served } from "../src/index.js";

/** A message of the host. */
export interface Told {
  id?: number | string;
  method?: string;
  params?: any;
  result?: any;
  error?: { code: number; message: string; data?: any };
}

/** The other side of a connection: what agentblame does, by hand. */
export class Peer {
  readonly told: Told[] = [];
  readonly #connection: Connection;
  #last = 0;
  #waiting: (() => void)[] = [];

  constructor(served: Served) {
    this.#connection = new Connection(new Host(served), (text) => {
      for (const line of text.split("\n")) if (line !== "") this.told.push(JSON.parse(line) as Told);
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  /** Sends text as it is. */
  raw(text: string): void {
    this.#connection.receive(text);
  }

  send(message: object): void {
    this.raw(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  }

  /** Sends a request, and returns its id. */
  ask(method: string, params: object = {}): number {
    this.send({ id: ++this.#last, method, params });
    return this.#last;
  }

  /** Sends a request, and waits for its answer. */
  async answer(method: string, params: object = {}): Promise<Told> {
    return this.reply(this.ask(method, params));
  }

  reply(id: number | string): Promise<Told> {
    return this.find((m) => m.method === undefined && m.id === id);
  }

  /** Waits for the n-th call of a step. */
  call(n: number): Promise<Told> {
    let seen = 0;
    return this.find((m) => m.method === "step/call" && ++seen === n, () => (seen = 0));
  }

  async find(matches: (message: Told) => boolean, again: () => void = () => {}): Promise<Told> {
    for (;;) {
      again();
      const found = this.told.find(matches);
      if (found) return found;
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    }
  }

  end(): void {
    this.#connection.end();
  }
}
