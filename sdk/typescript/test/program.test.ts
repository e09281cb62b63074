import assert from "node:assert/strict";
import { test } from "node:test";

import { handler, program, RunOver, step, StepError } from "../src/index.js";
import { Peer } from "./peer.js";

const look = step("look", ({ n }: { n: number }) => n, {});
const shard = step("shard", ({ of }: { of: number }) => of, {});
const stranger = step("stranger", () => 1);
let fate = "";

const agent = program({
  name: "agent",
  inputs: ["goal"],
  steps: [look, shard],
  async run({ goal, odd }: { goal: number; odd?: string }) {
    fate = "";
    const found: number[] = [];
    try {
      if (odd === "stranger") await stranger({}).catch(() => {});
      if (odd === "nan") await look({ n: NaN }).catch(() => {});
      if (odd === "forgets") void look({ n: 9 });
      if (odd === "random") await look({ n: Math.random() });
      while (found.length < goal) {
        try {
          found.push(await look({ n: found.length }));
        } catch (error) {
          if (!(error instanceof StepError)) throw error;
          found.push(-1);
        }
      }
      const sums = await Promise.all([0, 1].map((of) => shard.at(`s${of}`)({ of })));
      return { found, sums };
    } catch (error) {
      fate = (error as Error).name;
      if (odd === "stubborn") return "whatever";
      throw error;
    } finally {
      fate += " unwound";
    }
  },
  metric: () => 1,
});

test("calls inside a program ask agentblame", async () => {
  const peer = new Peer(agent);
  const id = peer.ask("run/start", { run: "r1", inputs: { goal: 2 } });
  const first = await peer.call(1);
  assert.deepEqual(first.params, { run: "r1", step: "look", inputs: { n: 0 } });
  peer.send({ id: first.id, result: { output: 5 } });
  const second = await peer.call(2);
  peer.send({ id: second.id, error: { code: 1, message: "nothing there", data: { type: "LookupError" } } });
  const [third, fourth] = [await peer.call(3), await peer.call(4)];
  assert.deepEqual([third.params.name, fourth.params.name], ["s0", "s1"]);
  peer.send({ id: fourth.id, result: { output: 41 } });
  peer.send({ id: third.id, result: { output: 40 } });
  assert.deepEqual((await peer.reply(id)).result, { output: { found: [5, -1], sums: [40, 41] } });
});

test("runs go on at once, each with its own calls", async () => {
  const peer = new Peer(agent);
  const ids = ["a", "b"].map((run) => peer.ask("run/start", { run, inputs: { goal: 1 } }));
  const calls = [await peer.call(1), await peer.call(2)];
  assert.deepEqual(calls.map((c) => c.params.run), ["a", "b"]);
  for (const c of calls) peer.send({ id: c.id, result: { output: c.params.run } });
  for (let n = 3; n <= 6; n++) peer.send({ id: (await peer.call(n)).id, result: { output: 0 } });
  const outputs = await Promise.all(ids.map(async (id) => (await peer.reply(id)).result.output.found));
  assert.deepEqual(outputs, [["a"], ["b"]]);
});

test("a run that is over unwinds, whatever the program makes of it", async () => {
  for (const odd of ["", "stubborn"]) {
    const peer = new Peer(agent);
    const id = peer.ask("run/start", { run: "1", inputs: { goal: 1, odd } });
    peer.send({ id: (await peer.call(1)).id, error: { code: -32800, message: "the run is over" } });
    assert.equal((await peer.reply(id)).error?.code, -32800);
    assert.equal(fate, "RunOver unwound");
    assert.equal(peer.told.length, 2);
  }
  const cancelled = new Peer(agent);
  const id = cancelled.ask("run/start", { run: "1", inputs: { goal: 1 } });
  await cancelled.call(1);
  cancelled.send({ method: "$/cancel", params: { id } });
  assert.equal((await cancelled.reply(id)).error?.code, -32800);
});

test("wrong use ends the run with code 4, though the program hushes it up", async () => {
  for (const [odd, want] of [["stranger", /step stranger was called, but it is not among the steps of agent/], ["nan", /the input of step look can't be written as JSON: at \.n/]] as const) {
    const { error } = await new Peer(agent).answer("run/start", { run: "1", inputs: { goal: 1, odd } });
    assert.equal(error?.code, 4);
    assert.match(error.message, want);
  }
  const peer = new Peer(agent);
  const id = peer.ask("run/start", { run: "1", inputs: { goal: 1 } });
  peer.send({ id: (await peer.call(1)).id, error: { code: 4, message: "used wrongly" } });
  assert.deepEqual((await peer.reply(id)).error, { code: 4, message: "used wrongly" });
});

test("over HTTP a program goes as far as the answers lead", async () => {
  const answer = handler(agent);
  const post = async (method: string, params: object): Promise<any> => {
    const request = new Request("http://a.example/", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ jsonrpc: "2.0", id: 3, method, params }),
    });
    const reply = await (await answer(request)).json() as any;
    assert.equal(reply.id, 3);
    return reply;
  };
  const answers: object[] = [];
  const start = (inputs: object = { goal: 2 }): Promise<any> => post("run/start", { run: "1", inputs, answers });
  assert.deepEqual((await start()).result, { calls: [{ step: "look", inputs: { n: 0 } }] });
  assert.equal(fate, "RunOver unwound");
  answers.push({ step: "look", iteration: "1", inputs: { n: 0 }, output: 5 });
  assert.deepEqual((await start()).result, { calls: [{ step: "look", inputs: { n: 1 } }] });
  answers.push({ step: "look", iteration: "2", inputs: { n: 1 }, error: { code: 1, message: "gone" } });
  assert.deepEqual((await start()).result.calls.map((c: any) => c.name), ["s0", "s1"]);
  answers.push({ step: "shard", iteration: "s1", inputs: { of: 1 }, output: 41 });
  assert.deepEqual((await start()).result, { calls: [{ step: "shard", inputs: { of: 0 }, name: "s0" }] });
  answers.push({ step: "shard", iteration: "s0", inputs: { of: 0 }, output: 40 });
  assert.deepEqual((await start()).result, { output: { found: [5, -1], sums: [40, 41] } });

  answers[0] = { step: "look", iteration: "1", inputs: { n: 1 }, output: 5 };
  assert.match((await start()).error.message, /not deterministic given its steps' outputs.*look#1 with other inputs/);
  answers.length = 0;
  assert.equal((await start({ goal: 0, odd: "nan" })).error.code, 4);
  answers.push({ step: "shard", iteration: "s1", inputs: { of: 1 }, output: 1 }, { step: "shard", iteration: "s0", inputs: { of: 0 }, output: 0 });
  assert.match((await start({ goal: 0, odd: "forgets" })).error.message, /ended without waiting for a call/);
  assert.equal((await post("initialize", {})).result.kind, "program");
  assert.equal((await post("nonsense", {})).error.code, -32601);

  const bad = (init: RequestInit): Promise<Response> => answer(new Request("http://a.example/", init));
  assert.equal((await bad({ method: "GET" })).status, 405);
  assert.equal((await bad({ method: "POST", body: "a=1", headers: { "content-type": "text/plain" } })).status, 415);
  assert.equal(((await (await bad({ method: "POST", body: "{", headers: { "content-type": "application/json" } })).json()) as any).error.code, -32700);
});

test("a run's own end leaves nothing to wait for", async () => {
  assert.equal(new RunOver().message, "the run is over");
  const peer = new Peer(agent);
  const id = peer.ask("run/start", { run: "1", inputs: { goal: 1 } });
  await peer.call(1);
  peer.end();
  await new Promise(setImmediate);
  assert.equal(fate, "RunOver unwound");
  assert.equal(peer.told.find((m) => m.id === id), undefined);
});
