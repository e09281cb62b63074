// A LangGraph.js graph with a loop, and the same agent as a plain program. The
// agent looks for facts until its judge is content, three times at most, and
// writes an answer. Both give the same blame.
//
//   agentblame blame --host "node dist/examples/langgraph.js" --cases examples/langgraph.jsonl
//   … --players calls                        which round went wrong
import { pathToFileURL } from "node:url";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { program, runContext, serve, step, type Case } from "../src/index.js";
import { graphProgram } from "../src/langgraph.js";

type Fact = "right" | "stale";

interface State {
  question: string;
  facts: Fact[];
  content: boolean;
  answer: string;
}

type Update = Partial<State>;

/** Finds one more fact. A better index holds fewer stale ones. */
const search = (stale: number) => (state: State): Update => {
  const { noise } = runContext();
  return { facts: [noise.categorical<Fact>(`fact ${state.facts.length}`, { right: 0, stale })] };
};

/** Says whether the facts will do. A careful judge wants one that is right. */
const judge = (careful: boolean) => (state: State): Update => {
  const { noise } = runContext();
  const enough = careful ? state.facts.includes("right") : noise.bool("content", 0.5);
  return { content: enough };
};

/** Answers from the last fact, or from the best one. */
const write = (best: boolean) => (state: State): Update => {
  const facts = best ? [...state.facts].sort().reverse() : state.facts;
  return { answer: facts[facts.length - 1] };
};

const onwards = (state: State): "search" | "write" => (state.content || state.facts.length >= 3 ? "write" : "search");

const Facts = Annotation.Root({
  question: Annotation<string>,
  facts: Annotation<Fact[]>({ reducer: (old, more) => [...old, ...more], default: () => [] }),
  content: Annotation<boolean>,
  answer: Annotation<string>,
});

/** The graph, as it would be without agentblame. */
export const graph = new StateGraph(Facts)
  .addNode("search", search(1))
  .addNode("judge", judge(false))
  .addNode("write", write(false))
  .addEdge(START, "search")
  .addEdge("search", "judge")
  .addConditionalEdges("judge", onwards, ["search", "write"])
  .addEdge("write", END)
  .compile();

const variants = { search: search(-2), judge: judge(true), write: write(true) };
const metric = (state: State): number => (state.answer === "right" ? 1 : 0);

/** The graph's nodes as steps. */
export const graphAgent = graphProgram<{ question: string }, State>(graph, {
  name: "research",
  inputs: ["question"],
  variants: {
    search: { "fresh-index": variants.search },
    judge: { careful: { node: variants.judge, cost: 2 } },
    write: { "best-fact": variants.write },
  },
  metric,
});

const steps = {
  search: step("search", ({ state }: { state: State }) => search(1)(state)).variant("fresh-index", ({ state }) => variants.search(state)),
  judge: step("judge", ({ state }: { state: State }) => judge(false)(state)).variant("careful", ({ state }) => variants.judge(state), { cost: 2 }),
  write: step("write", ({ state }: { state: State }) => write(false)(state)).variant("best-fact", ({ state }) => variants.write(state)),
};

/** The same agent as a plain program. */
export const plainAgent = program({
  name: "research",
  inputs: ["question"],
  steps: [steps.search, steps.judge, steps.write],
  async run({ question }: { question: string }) {
    let state: State = { question, facts: [], content: false, answer: "" };
    do {
      const found = await steps.search({ state });
      state = { ...state, facts: [...state.facts, ...(found.facts ?? [])] };
      state = { ...state, ...(await steps.judge({ state })) };
    } while (onwards(state) === "search");
    return { ...state, ...(await steps.write({ state })) };
  },
  metric,
});

/** The cases: one question, in many worlds. */
export function researchCases(n: number): Case[] {
  return Array.from({ length: n }, (_, i) => ({ id: `world-${i}`, inputs: { question: "How long is the notice period?" }, seed: i }));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await serve(process.argv.includes("--plain") ? plainAgent : graphAgent);
}
