import assert from "node:assert/strict";
import { test } from "node:test";

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, RemoveMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { Annotation, Command, END, MessagesAnnotation, Send, START, StateGraph } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";

import { graph, graphAgent, plainAgent, researchCases } from "../examples/langgraph.js";
import { blameBatch, analyzeCase, type Program } from "../src/index.js";
import { graphProgram } from "../src/langgraph.js";
import { numbers } from "./numbers.js";
import { Peer } from "./peer.js";

const skip = process.env.AGENTBLAME_BIN ? false : "AGENTBLAME_BIN doesn't name an agentblame command: nothing of the analysis is tested";

test("a graph with a loop and the same agent as a program have the same result", { skip, timeout: 120_000 }, async () => {
  for (const players of ["steps", "calls"] as const) {
    const asGraph = await blameBatch(graphAgent, researchCases(8), { players });
    const asProgram = await blameBatch(plainAgent, researchCases(8), { players });
    assert.deepEqual(numbers(asGraph), numbers(asProgram));
    assert.ok(asGraph.summary.failures > 2);
    assert.deepEqual(asGraph.cases.flatMap((c) => c.errors ?? []), []);
    if (players === "calls") assert.ok(asGraph.cases.some((c) => c.shapley?.["search#3"]));
  }
});

test("the graph stays as it was", async () => {
  const before = graph.nodes.search.bound;
  const out = await graphAgent.run({ question: "q" });
  assert.ok(["right", "stale"].includes(out.answer));
  assert.equal(graph.nodes.search.bound, before);
  assert.equal((await graph.invoke({ question: "q" })).question, "q");
});

/** Runs a program by hand, its steps too, and returns the calls that it made. */
async function replay(p: Program, inputs: object): Promise<{ calls: object[]; output: any }> {
  const peer = new Peer(p);
  const id = peer.ask("run/start", { run: "1", inputs });
  const calls: object[] = [];
  for (let n = 1; ; n++) {
    const next = await peer.find((m) => m.id === id || (m.method === "step/call" && peer.told.filter((o) => o.method === "step/call").indexOf(m) === n - 1));
    if (next.id === id) {
      assert.equal(next.error, undefined, JSON.stringify(next.error));
      return { calls, output: next.result.output };
    }
    const { run: _, ...params } = next.params;
    calls.push(params);
    const { error, result } = await peer.answer("step/run", { ...params, iteration: "1", noise: { seed: "1", world: "0", step: params.step } });
    assert.equal(error, undefined, JSON.stringify(error));
    peer.send({ id: next.id, result });
  }
}

test("messages go through as what they are, and runs are the same every time", async () => {
  const seen: unknown[] = [];
  const chat = new StateGraph(MessagesAnnotation)
    .addNode("model", ({ messages }) => {
      seen.push(...messages.map((m) => m.constructor.name));
      const last = messages[messages.length - 1];
      if (last instanceof ToolMessage) return { messages: [new AIMessage(`it is ${last.content as string}`)] };
      return { messages: [new AIMessage({ content: "", tool_calls: [{ name: "look", args: { at: "clock" }, id: "t1" }] })] };
    })
    .addNode("tools", ({ messages }) => {
      const { tool_calls } = messages[messages.length - 1] as AIMessage;
      return { messages: tool_calls!.map((call) => new ToolMessage({ content: `${call.args.at as string} five`, tool_call_id: call.id! })) };
    })
    .addNode("forget", ({ messages }) => ({ messages: [new RemoveMessage({ id: messages[0].id! })] }))
    .addEdge(START, "model")
    .addConditionalEdges("model", ({ messages }) => ((messages[messages.length - 1] as AIMessage).tool_calls?.length ? "tools" : "forget"))
    .addEdge("tools", "model")
    .addEdge("forget", END)
    .compile();
  const p = graphProgram(chat, {
    name: "chat", inputs: ["question"],
    state: ({ question }: { question: string }) => ({ messages: [new HumanMessage(question)] }),
    metric: () => 1,
  });
  const first = await replay(p, { question: "what time is it?" });
  assert.deepEqual([...new Set(seen)], ["HumanMessage", "AIMessage", "ToolMessage"]);
  assert.deepEqual(first.calls.map((c: any) => c.step), ["model", "tools", "model", "forget"]);
  assert.deepEqual(first.output.messages.map((m: any) => [m.id[2], m.kwargs.content]), [
    ["AIMessage", ""], ["ToolMessage", "clock five"], ["AIMessage", "it is clock five"],
  ]);
  assert.deepEqual(await replay(p, { question: "what time is it?" }), first);
  const outside = await p.run({ question: "what time is it?" });
  assert.deepEqual(JSON.parse(JSON.stringify(outside)), first.output);
});

const Tally = Annotation.Root({
  words: Annotation<string[]>({ reducer: (_, b) => b, default: () => [] }),
  lengths: Annotation<number[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  total: Annotation<number>,
});

test("Command and Send work; what is sent at once has names", { skip }, async () => {
  const tally = new StateGraph(Tally)
    .addNode("split", (s: { words: string[] }) => new Command({ update: { words: s.words.map((w) => w.trim()) }, goto: s.words.map((w) => new Send("measure", { words: [w.trim()] })) }), { ends: ["measure"] })
    .addNode("measure", (s: { words: string[] }) => ({ lengths: [s.words[0].length] }))
    .addNode("add", (s) => ({ total: s.lengths.reduce((a, b) => a + b, 0) }))
    .addEdge(START, "split")
    .addEdge("measure", "add")
    .addEdge("add", END)
    .compile();
  const p = graphProgram(tally, {
    name: "tally", inputs: ["words"],
    variants: { measure: { generous: (s: { words: string[] }) => ({ lengths: [s.words[0].length + 1] }) } },
    metric: (s) => Math.min(1, s.total / 10),
  });
  assert.equal((await tally.invoke({ words: ["a ", "bcd"] })).total, 4);
  const { calls, output } = await replay(p, { words: ["a ", "bcd"] });
  assert.equal(output.total, 4);
  assert.equal(calls.length, 4);
  const names = calls.slice(1, 3).map((c: any) => c.name);
  assert.equal(new Set(names).size, 2);
  assert.ok(names.every((name) => typeof name === "string"), JSON.stringify(names));
  const c = await analyzeCase(p, { id: "one", inputs: { words: ["a ", "bcd"] } });
  assert.ok(Math.abs(c.shapley!.measure - 0.2) < 1e-12, JSON.stringify(c));
});

test("a node that isn't there is an error", () => {
  assert.throws(() => graphProgram(graph, { name: "g", inputs: [], variants: { serach: { x: () => ({}) } }, metric: () => 1 }), /graph g has no node serach: it has search, judge, write/);
});

test("a node that fails is the step's error, without the graph's own retries", { skip }, async () => {
  let runs = 0;
  const failing = new StateGraph(Tally)
    .addNode("split", () => { runs++; throw new RangeError("no words"); }, { retryPolicy: { maxAttempts: 4, initialInterval: 1, retryOn: () => true } })
    .addEdge(START, "split")
    .addEdge("split", END)
    .compile();
  const p = graphProgram(failing, {
    name: "failing", inputs: ["words"], metric: (s) => s.total,
    variants: { split: { fixed: { node: () => ({ total: 1 }), cost: 2 } } },
  });
  const c = await analyzeCase(p, { id: "one", inputs: { words: [] } });
  assert.deepEqual([c.score, c.shapley?.split, runs], [0, 1, 1]);
  assert.equal(c.errors?.[0]?.message, "no words");
});

/** A chat model that asks for two tools at once, and answers with what they gave. */
class Scripted extends BaseChatModel {
  override _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const found = messages.filter((m) => m instanceof ToolMessage).map((m) => m.content as string);
    const call = (id: string, at: string) => ({ name: "look", args: { at }, id });
    const message = found.length > 0
      ? new AIMessage(found.join(" and "))
      : new AIMessage({ content: "", tool_calls: [call("t1", "clock"), call("t2", "calendar")] });
    return { generations: [{ text: "", message }] };
  }
}

test("a prebuilt agent, whose tools run at once, works as it is", { skip }, async () => {
  const look = tool(({ at }) => `${at} read`, { name: "look", description: "Looks.", schema: z.object({ at: z.string() }) });
  for (const version of ["v1", "v2"] as const) {
    const agent = createReactAgent({ llm: new Scripted({}), tools: [look], version });
    const p = graphProgram(agent as never, {
      name: "agent", inputs: ["question"],
      state: ({ question }: { question: string }) => ({ messages: [new HumanMessage(question)] }),
      variants: { agent: { brief: () => ({ messages: [new AIMessage("five")] }) } },
      metric: (s) => s.messages.at(-1).kwargs.content === "five",
    });
    const { calls, output } = await replay(p, { question: "when?" });
    assert.deepEqual(calls.map((c: any) => c.step), version === "v1" ? ["agent", "tools", "agent"] : ["agent", "tools", "tools", "agent"]);
    assert.equal(output.messages.at(-1).kwargs.content, "clock read and calendar read");
    assert.deepEqual(await replay(p, { question: "when?" }), { calls, output });
    const c = await analyzeCase(p, { id: "a", inputs: { question: "when?" } });
    assert.deepEqual(c.shapley, { agent: 1 });
  }
});
