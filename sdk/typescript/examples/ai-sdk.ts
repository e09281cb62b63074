// An agent on the Vercel AI SDK: one call of a model makes a query, a tool looks
// it up, the model answers, and another model checks the answer. Here the models
// are mocks; put openai("…") or anthropic("…") in their place.
//
//   agentblame blame --host "node dist/examples/ai-sdk.js" --cases examples/ai-sdk.jsonl
import { pathToFileURL } from "node:url";
import { generateText, isStepCount, simulateStreamingMiddleware, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { program, runContext, serve, step, type Case } from "../src/index.js";
import { modelStep, type CallOptions, type GenerateResult, type Model } from "../src/ai-sdk.js";

/** A mock of a model: what it says depends on its prompt, and on noise. */
function mock(modelId: string, say: (options: CallOptions) => GenerateResult["content"]): Model {
  const model = new MockLanguageModelV4({
    modelId,
    doGenerate: async (options) => {
      const content = say(options);
      const unified = content.some((part) => part.type === "tool-call") ? "tool-calls" : "stop";
      return {
        content,
        finishReason: { unified, raw: undefined },
        usage: {
          inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 5, text: 5, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
  return wrapLanguageModel({ model, middleware: simulateStreamingMiddleware() });
}

/** Asks for a search first, and answers from what that found. A better one asks for this year's rules. */
const assistant = (dated: boolean) =>
  mock(dated ? "large" : "small", ({ prompt }) => {
    const last = prompt[prompt.length - 1];
    if (last.role !== "tool") {
      const query = dated ? "refunds 2026" : "refunds";
      return [{ type: "tool-call", toolCallId: "search-1", toolName: "search", input: JSON.stringify({ query }) }];
    }
    const found = last.content[0];
    const days = found.type === "tool-result" && found.output.type === "text" ? found.output.value : "?";
    return [{ type: "text", text: `You can return it within ${days} days.` }];
  });

/** Lets answers pass, or corrects them at a low temperature; now and then it doesn't look. */
const checker = mock("checker", ({ prompt, temperature = 1 }) => {
  const said = JSON.stringify(prompt);
  const awake = runContext().noise.bool("awake", 0.75);
  return [{ type: "text", text: temperature < 0.5 && awake ? "30 days" : said.includes("90 days") ? "90 days" : "30 days" }];
});

const answering = modelStep("answering", assistant(false), { deterministic: true, price: (usage) => (usage.inputTokens.total ?? 0) / 100 })
  .variant("larger-model", { model: assistant(true), cost: 3 });

const checking = modelStep("checking", checker, { deterministic: undefined })
  .variant("cold", { params: { temperature: 0 } });

const search = step("search", ({ query }: { query: string }) => (query.includes("2026") ? "30" : "90"), { deterministic: true })
  .variant("newest-first", () => "30");

/** The agent: its models and its tool are the steps. */
export const agent = program({
  name: "support",
  inputs: ["question"],
  steps: [answering.step, search, checking.step],
  async run({ question }: { question: string }) {
    const { text } = await generateText({
      model: answering.model,
      prompt: question,
      stopWhen: isStepCount(3),
      tools: {
        search: tool({
          description: "Searches the handbook.",
          inputSchema: z.object({ query: z.string() }),
          execute: ({ query }) => search({ query }),
        }),
      },
    });
    const checked = streamText({ model: checking.model, temperature: 1, prompt: `Check: ${text}` });
    return checked.text;
  },
  metric: (text, { case: given }) => (text.includes(`${given.expected} days`) ? 1 : 0),
});

/** The cases: one question, in several worlds. */
export const agentCases: Case[] = Array.from({ length: 8 }, (_, i) => ({
  id: `q${i}`,
  inputs: { question: "How long do I have to return it?" },
  expected: 30,
  seed: i,
}));

if (import.meta.url === pathToFileURL(process.argv[1]).href) await serve(agent);
