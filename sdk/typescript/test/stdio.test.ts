import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

function start(name: string, args: string[] = [], env: NodeJS.ProcessEnv = process.env) {
  const child = spawn(process.execPath, [file(name), ...args], { stdio: ["pipe", "pipe", "pipe"], env });
  const told = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (told.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (told.err += text));
  const ask = (id: number, how: string): void => {
    child.stdin.write(JSON.stringify({ jsonrpc: "2.0", id, method: "step/run", params: { step: "talk", inputs: { how } } }) + "\n");
  };
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await once(child.stdout, "data");
  };
  return { child, told, ask, until };
}

test("what a host prints goes to standard error, and only messages to standard output", async () => {
  const { child, told, ask, until } = start("fixtures/noisy.js");
  ask(1, "é");
  await until(() => told.out.includes('"id":1'));
  assert.deepEqual(told.out.trim().split("\n").slice(1).map((line) => JSON.parse(line)), [{ jsonrpc: "2.0", id: 1, result: { output: "é" } }]);
  child.stdin.end();
  const [code] = await once(child, "close");
  assert.equal(code, 0);
  for (const line of ['{"id":1}', "half a line", "and more"]) assert.ok(told.err.includes(line), told.err);
});

test("a host ends with its input, whatever its steps do", async () => {
  const { child, told, ask, until } = start("fixtures/noisy.js");
  ask(1, "hangs");
  ask(2, "fine");
  await until(() => told.out.includes('"id":2'));
  child.stdin.end();
  const [code] = await once(child, "close");
  assert.equal(code, 0);
  assert.ok(!told.out.includes('"id":1,'));
});

test("a rejection that nobody handles is told, and ends nothing", async () => {
  const { child, told, ask, until } = start("fixtures/noisy.js");
  ask(1, "forgets");
  await until(() => told.out.includes('"id":1'));
  ask(2, "fine");
  await until(() => told.out.includes('"id":2'));
  child.stdin.end();
  await once(child, "close");
  assert.match(told.err, /a rejection that nobody handled: Error: forgotten/);
});

test("an error outside of any step ends the host, which agentblame starts again", async () => {
  const { child, told, ask } = start("fixtures/noisy.js");
  ask(1, "dies");
  const [code] = await once(child, "close");
  assert.notEqual(code, 0);
  assert.match(told.err, /Error: died/);
});

test("an HTTP service says where it is, and answers", async () => {
  const { child, told } = start("../examples/refund.js", [], { ...process.env, HTTP: "127.0.0.1:0" });
  while (!/http:\S+/.test(told.err)) await once(child.stderr, "data");
  const at = /http:\S+/.exec(told.err)![0];
  const post = (body: string, type = "application/json"): Promise<Response> => fetch(at, { method: "POST", body, headers: { "content-type": type } });
  const reply = (await (await post('{"jsonrpc":"2.0","id":4,"method":"initialize","params":{}}')).json()) as any;
  assert.equal(reply.id, 4);
  assert.equal(reply.result.name, "refund");
  assert.equal((await post("{}", "text/plain")).status, 415);
  assert.equal((await fetch(at)).status, 405);
  child.kill();
  await once(child, "close");
});

test("an address that is taken is an error", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const { child, told } = start("../examples/refund.js", [], { ...process.env, HTTP: `127.0.0.1:${port}` });
  const [code] = await once(child, "close");
  taken.close();
  assert.notEqual(code, 0);
  assert.match(told.err, /EADDRINUSE/);
});
