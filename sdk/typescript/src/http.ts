import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import type { Requested } from "./context.js";
import { Code, type WireError } from "./errors.js";
import { Host, ProtocolError, failure, type Params } from "./host.js";
import type { Served } from "./pipeline.js";
import { AnsweredRun } from "./run.js";

/** The longest body that is read. */
const LIMIT = 64 * 2 ** 20;

/**
 * Makes a handler of HTTP requests in the style of fetch, for a service that is
 * already up: mount it at an address, and give agentblame that as its `--host`.
 */
export function handler(served: Served, options: { inFlight?: number } = {}): (request: Request) => Promise<Response> {
  const host = new Host(served, options);
  return async (request) => {
    const json = (request.headers.get("content-type") ?? "").startsWith("application/json");
    const refused = refusal(request.method, json);
    if (refused) return new Response(refused.message, { status: refused.status });
    const reply = await answer(host, await request.text(), { signal: () => request.signal });
    return new Response(reply, { headers: { "content-type": "application/json" } });
  };
}

/** Why a request isn't one of the protocol. Only JSON is taken, which keeps other sites' forms out. */
function refusal(method: string | undefined, json: boolean): { status: number; message: string } | undefined {
  if (method !== "POST") return { status: 405, message: "the step protocol is spoken by POST" };
  if (!json) return { status: 415, message: "the step protocol is spoken in application/json" };
  return undefined;
}

/** Answers the text of one request with the text of its reply. */
async function answer(host: Host, text: string, request: Requested): Promise<string> {
  let id: unknown = null;
  const fail = (error: WireError): string => JSON.stringify({ jsonrpc: "2.0", id, error });
  try {
    const message = JSON.parse(text) as { id?: unknown; method?: string; params?: Params };
    id = message.id ?? null;
    const { method = "", params = {} } = message;
    const result = method === "run/start" ? await start(host, params) : await host.handle(method, params, request);
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
  } catch (error) {
    return fail(error instanceof SyntaxError && id === null ? { code: -32700, message: "not JSON" } : failure(error));
  }
}

function start(host: Host, params: Params): Promise<string> {
  if (!params.inputs || !params.answers) throw new ProtocolError(Code.invalid, "over HTTP, run/start needs inputs and answers");
  return new AnsweredRun(host, params.answers).answer(params.inputs);
}

/** Serves a host at an address, such as "127.0.0.1:8000", until the process ends. */
export function serveHttp(host: Host, at: string): Promise<void> {
  const colon = at.lastIndexOf(":");
  const port = Number(at.slice(colon + 1));
  if (colon < 0 || !Number.isInteger(port)) throw new TypeError(`http: ${JSON.stringify(at)} is no address such as "127.0.0.1:8000"`);
  const name = at.slice(0, colon).replace(/^\[(.*)\]$/, "$1") || "127.0.0.1";
  const server = createServer((request, response) => void respond(host, request, response));
  return new Promise((_, reject) => {
    server.on("error", reject);
    server.listen(port, name, () => {
      const bound = server.address();
      const actual = typeof bound === "object" && bound ? bound.port : port;
      process.stderr.write(`${host.served.name} is served at http://${name.includes(":") ? `[${name}]` : name}:${actual}\n`);
    });
  });
}

async function respond(host: Host, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const controller = new AbortController();
  response.on("close", () => controller.abort());
  const refused = refusal(request.method, (request.headers["content-type"] ?? "").startsWith("application/json"));
  if (refused) return void response.writeHead(refused.status).end(refused.message);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      if ((size += chunk.length) > LIMIT) return void response.writeHead(413, { connection: "close" }).end();
    }
  } catch {
    return; // the connection broke
  }
  const reply = await answer(host, Buffer.concat(chunks).toString("utf8"), { signal: () => controller.signal });
  response.writeHead(200, { "content-type": "application/json" }).end(reply);
}
