// The rag pipeline over a handbook: rewrite, retrieve, answer, verify, each a
// mocked LLM that samples what it does from logits. A fix shifts the logits. Its
// numbers are those of `agentblame demo rag`, to the last digit.
//
//   node dist/examples/rag.js | tee cases.jsonl
//   agentblame blame --host "node dist/examples/rag.js --serve" --cases cases.jsonl
import { pathToFileURL } from "node:url";
import { Noise, program, serve, step, type Case, type StepContext } from "../src/index.js";

interface Enquiry {
  question: string;
  topic: string;
  /** How oddly the question is put: 0 plainly, 9 hardly to be understood. */
  difficulty: number;
}

interface Query {
  topic: string;
  difficulty: number;
  focus: "sharp" | "broad" | "off";
}

interface Passage {
  topic: string;
  difficulty: number;
  source: "gold" | "stale" | "unrelated";
}

interface Claim {
  text: "right" | "garbled" | "invented";
  source: string;
}

interface Reply {
  text: string;
  source: string;
}

const topics = ["leave", "expenses", "travel", "security"];
const steady: Record<string, number> = { leave: 0.5, expenses: 0.2, travel: -0.2, security: -0.5 };
const plain: Record<string, number> = { leave: -0.3, expenses: 0.3, travel: -0.3, security: 0.3 };
const ease = (difficulty: number): number => 1 - difficulty / 4.5;

/** A better rewriter is sharp more often. */
const rewrite = (better: number) => ({ enquiry }: { enquiry: Enquiry }, { noise }: StepContext): Query => {
  const focus = noise.categorical("focus", { sharp: 0.3 + 0.4 * ease(enquiry.difficulty) + better, broad: 0, off: -0.45 });
  return { topic: enquiry.topic, difficulty: enquiry.difficulty, focus };
};

/** A better retriever ranks the gold page first more often; without a sharp query that is still rare. */
const search = (better: number) => ({ query }: { query: Query }, { noise }: StepContext): Passage => {
  const { topic, difficulty, focus } = query;
  const gold = { sharp: 1, broad: -1.9, off: -2.6 }[focus];
  const unrelated = { sharp: -1.5, broad: -0.5, off: 0.5 }[focus];
  const source = noise.categorical("page", {
    gold: gold + steady[topic] + 0.45 * ease(difficulty) + better, stale: 0, unrelated,
  });
  return { topic, difficulty, source };
};

/** A better writer keeps to its source, which helps where the source is right. */
const answer = (better: number) => ({ passage }: { passage: Passage }, { noise }: StepContext): Claim => {
  const logits = {
    gold: { right: 0.9 + plain[passage.topic] + 0.3 * ease(passage.difficulty) + better, garbled: 0, invented: -1 },
    stale: { right: -3, garbled: 0.5, invented: -0.5 },
    unrelated: { right: -3, garbled: -1, invented: 0.5 },
  }[passage.source];
  return { text: noise.categorical("claim", logits), source: passage.source };
};

/** A better verifier sees more often that a claim isn't in its source. */
const verify = (better: number) => ({ claim }: { claim: Claim }, { noise }: StepContext): Reply => {
  let logits: Record<string, number> = { keep: 2, hold: -1 + 2 * better };
  if (claim.text === "right") logits = { keep: 3, hold: -1.1 };
  else if (claim.source === "gold") logits = { keep: 2, hold: -1 + better / 2, correct: -0.2 + better };
  const verdict = noise.categorical("verdict", logits);
  const text = verdict === "correct" ? "right" : verdict === "hold" ? "none" : claim.text;
  return { text, source: claim.source };
};

const rewriter = step("rewrite", rewrite(0)).variant("stronger-model", rewrite(2.9), { cost: 2 });
const retriever = step("retrieve", search(0), { cost: 2 }).variant("reranker", search(2.5), { cost: 4 });
const writer = step("answer", answer(0), { cost: 3 }).variant("keep-to-source", answer(3.2), { cost: 5 });
const verifier = step("verify", verify(0)).variant("grounding-check", verify(2.35), { cost: 3 });

/** The pipeline. */
export const rag = program({
  name: "rag",
  inputs: ["question", "topic", "difficulty"],
  steps: [rewriter, retriever, writer, verifier],
  async run(enquiry: Enquiry) {
    const query = await rewriter({ enquiry });
    const passage = await retriever({ query });
    const claim = await writer({ passage });
    return verifier({ claim });
  },
  metric: (reply) => (reply.text === "right" ? 1 : 0),
});

const asks = [
  "How many days of leave carry over to next year?",
  "Up to which amount is a meal paid back without a receipt?",
  "Which class may I book on a flight of nine hours?",
  "How often must I change the password of the build server?",
];

/** The cases, drawn with their worlds from a seed. */
export function ragCases(n: number, seed: number): Case[] {
  return Array.from({ length: n }, (_, i) => {
    const draw = new Noise({ seed, world: i, step: "case" });
    const topic = draw.int("topic", topics.length);
    return {
      id: `q${String(i).padStart(3, "0")}`,
      inputs: { question: asks[topic], topic: topics[topic], difficulty: draw.int("difficulty", 10) },
      seed: draw.seed("world"),
    };
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes("--serve")) await serve(rag);
  else for (const c of ragCases(200, 547)) console.log(JSON.stringify(c));
}
