import assert from "node:assert/strict";
import { test } from "node:test";

import { generateText, streamText, wrapLanguageModel, simulateStreamingMiddleware } from "ai";
import { MockLanguageModelV4 } from "ai/test";

import { agent, agentCases } from "../examples/ai-sdk.js";
import { blameBatch, analyzeCase, program } from "../src/index.js";
import { modelOf, modelStep, type CallOptions, type ModelStep } from "../src/ai-sdk.js";
import { Peer } from "./peer.js";

const skip = process.env.AGENTBLAME_BIN ? false : "AGENTBLAME_BIN doesn't name an agentblame command: nothing of the analysis is tested";

/** A model that says what it was called with. */
function parrot(modelId: string): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    modelId,
    doGenerate: async ({ temperature, seed, prompt }) => ({
      content: [{ type: "text", text: JSON.stringify({ modelId, temperature, seed, said: (prompt.at(-1) as any).content[0].text ?? (prompt.at(-1) as any).content[0].data?.data?.length }) }],
      finishReason: { unified: "stop", raw: undefined },
      usage: { inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 5, text: 5, reasoning: 0 } },
      response: { id: String(Math.random()), timestamp: new Date(), modelId, headers: { date: String(Math.random()) } },
      warnings: [],
    }),
  });
}

test("an agent's calls of models and tools are steps", { skip, timeout: 60_000 }, async () => {
  assert.equal(await agent.run({ question: "How long?" }), "90 days");
  const result = await blameBatch(agent, agentCases);
  assert.deepEqual(result.cases.flatMap((c) => c.errors ?? []), []);
  assert.equal(result.summary.failures, 8);
  assert.deepEqual(result.steps.map((s) => [s.name, s.resolves]), [["answering", 1], ["search", 1], ["checking", 0.875]]);
  assert.deepEqual(await blameBatch(agent, agentCases), result);
});

const run = async (p: ModelStep, params: object, more: object = {}): Promise<any> => {
  const host = program({ name: "p", inputs: [], steps: [p.step], run: () => 1, metric: () => 1 });
  const { result, error } = await new Peer(host).answer("step/run", {
    step: p.step.name, iteration: "1", inputs: params, noise: { seed: "1", world: "0", step: p.step.name, iteration: "1" }, ...more,
  });
  assert.equal(error, undefined, JSON.stringify(error));
  return { ...result, said: JSON.parse(result.output.content[0].text) };
};

test("variants are other models and other parameters", async () => {
  const writer = modelStep("writer", parrot("small"), { cost: 1, price: (u) => (u.inputTokens.total ?? 0) / 10, seed: true })
    .variant("large", { model: parrot("large"), cost: 4, price: () => 7 })
    .variant("cold", { params: { temperature: 0 } })
    .variant("told", { params: (p) => ({ ...p, prompt: [{ role: "user", content: [{ type: "text", text: "be brief" }] }] }) });
  const inputs = { prompt: [{ role: "user", content: [{ type: "text", text: "hello" }] }], temperature: 1 };
  const asRun = await run(writer, inputs);
  assert.equal(asRun.said.modelId, "small");
  assert.equal(asRun.said.seed, asRun.draws[0].value);
  assert.equal(asRun.cost, 1);
  assert.equal(asRun.usage.inputTokens.total, 10);
  assert.deepEqual(asRun.output.response, { modelId: "small" });
  const large = await run(writer, inputs, { variant: "large" });
  assert.deepEqual([large.said.modelId, large.said.temperature, large.cost, large.said.seed], ["large", 1, 7, asRun.said.seed]);
  assert.equal((await run(writer, inputs, { variant: "cold" })).said.temperature, 0);
  assert.equal((await run(writer, inputs, { variant: "told" })).said.said, "be brief");
  const versions = writer.step.spec.impls.map((impl) => impl.version);
  assert.equal(new Set(versions).size, 4, versions.join());
  assert.ok(writer.step.spec.impls.every((impl) => impl.name !== "" || impl.deterministic === false));
});

test("bytes and addresses of files come back as what they were", async () => {
  const seen: CallOptions[] = [];
  const model = new MockLanguageModelV4({
    doGenerate: async (options) => {
      seen.push(options);
      return { ...(await parrot("x").doGenerate(options)), content: [{ type: "text", text: "1" }] };
    },
  });
  const looker = modelStep("looker", model);
  const host = program({
    name: "p", inputs: [], steps: [looker.step],
    run: async () => (await generateText({
      model: looker.model,
      headers: { authorization: "secret" },
      messages: [{ role: "user", content: [{ type: "file", data: new Uint8Array([1, 2, 3]), mediaType: "image/png" }, { type: "text", text: "what is it?" }] }],
    })).text,
    metric: () => 1,
  });
  const peer = new Peer(host);
  const id = peer.ask("run/start", { run: "1", inputs: {} });
  const call = await peer.call(1);
  assert.ok(!JSON.stringify(call).includes("secret"));
  const { result, error } = await peer.answer("step/run", { ...call.params, noise: { seed: "1", world: "0", step: "looker" } });
  assert.equal(error, undefined, JSON.stringify(error));
  peer.send({ id: call.id, result });
  assert.deepEqual((await peer.reply(id)).result, { output: "1" });
  const part = (seen[0].prompt[0] as any).content[0];
  assert.deepEqual(part.data.data, new Uint8Array([1, 2, 3]));
});

test("one model serves several steps, named by the call", { skip }, async () => {
  const model = wrapLanguageModel({ model: parrot("m"), middleware: simulateStreamingMiddleware() });
  const [plan, write] = [modelStep("plan", model, { deterministic: true }), modelStep("write", model, { deterministic: true }).variant("large", { model: parrot("large") })];
  const both = modelOf(plan, write);
  const p = program({
    name: "p", inputs: ["question"], steps: [plan.step, write.step],
    async run({ question }: { question: string }) {
      const { text } = await generateText({ model: both, prompt: question, providerOptions: { agentblame: { step: "plan" } } });
      const drafts = await Promise.all(["a", "b"].map((call) => streamText({ model: both, prompt: text, providerOptions: { agentblame: { step: "write", call } } }).text));
      return drafts.map((draft) => (JSON.parse(draft) as { modelId: string }).modelId);
    },
    metric: (models) => (models.every((m) => m === "large") ? 1 : 0),
  });
  assert.deepEqual(await p.run({ question: "why" }), ["m", "m"]);
  const c = await analyzeCase(p, { id: "a", inputs: { question: "why" } });
  assert.deepEqual(c.shapley, { write: 1 });
  await assert.rejects(generateText({ model: both, prompt: "x" }), /a call of a model names no step: set providerOptions.agentblame.step to one of plan, write/);
});

test("outside an analysis the model is simply called, with its headers and signal", async () => {
  const model = parrot("m");
  const step = modelStep("s", model);
  const { response } = await generateText({ model: step.model, prompt: "hi", headers: { "x-a": "1" }, providerOptions: { agentblame: { call: "c" }, other: { k: 1 } } });
  assert.equal(model.doGenerateCalls[0].headers?.["x-a"], "1");
  assert.deepEqual(model.doGenerateCalls[0].providerOptions, { other: { k: 1 } });
  assert.ok(response.headers?.date);
});
