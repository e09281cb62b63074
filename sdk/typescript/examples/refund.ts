// The refund pipeline: four steps that let a superseded policy through.
//
//   agentblame blame --host "node dist/examples/refund.js" --cases examples/refund.jsonl
//
// In a project of your own, the import is from "agentblame".
import { pathToFileURL } from "node:url";
import { pipeline, program, score, serve, step, type Case } from "../src/index.js";

interface Plan {
  query: string;
  since: number;
}

interface Policy {
  id: string;
  year: number;
  days: number;
  superseded_by: string;
}

interface Draft {
  text: string;
  days: number;
  cites: string;
}

const policies: Policy[] = [
  { id: "refunds-2023", year: 2023, days: 90, superseded_by: "refunds-2026" },
  { id: "refunds-2026", year: 2026, days: 30, superseded_by: "" },
];

function first(matches: (policy: Policy) => boolean): Policy {
  const found = policies.find(matches);
  if (!found) throw new Error("no policy matches");
  return found;
}

function write(policy: Policy): Draft {
  return { text: `You can return it within ${policy.days} days.`, days: policy.days, cites: "" };
}

/** Checks every claim against the register of policies. */
function recheck(draft: Draft): Draft {
  const outdated = policies.find((p) => p.days === draft.days && p.superseded_by !== "");
  const current = outdated && policies.find((p) => p.id === outdated.superseded_by);
  return current ? { ...write(current), cites: draft.cites } : draft;
}

const planner = step("planner", ({ question }): Plan => ({ query: question, since: 0 }), { needs: ["question"] })
  .variant("date-constraint", ({ question }): Plan => ({ query: question, since: 2026 }));

const retriever = step("retriever", ({ planner: plan }) => first((p) => p.year >= plan.since), { needs: [planner] })
  .variant("drop-superseded", ({ planner: plan }) => first((p) => p.year >= plan.since && p.superseded_by === ""))
  .gold("oracle");

const writer = step("writer", ({ retriever: policy }) => write(policy), { needs: [retriever] })
  .variant("cite-sources", ({ retriever: policy }) => ({ ...write(policy), cites: policy.id }));

const reviewer = step("reviewer", ({ writer: draft }) => draft, { needs: [writer] })
  .variant("recheck-claims", ({ writer: draft }) => (draft.cites === "" ? draft : recheck(draft)));

const steps = [planner, retriever, writer, reviewer] as const;

/** The pipeline, declared: agentblame runs the steps along their needs. */
export const refund = pipeline({
  name: "refund",
  inputs: ["question"],
  steps,
  metric: score(({ reviewer: draft }, { case: given }) => (draft.days === given.expected ? 1 : 0), { needs: [reviewer] }),
});

/** The same as a function of its own, which calls the steps. */
export const refundProgram = program({
  name: "refund",
  inputs: ["question"],
  steps,
  async run({ question }: { question: string }) {
    const plan = await planner({ question });
    const policy = await retriever({ planner: plan });
    const draft = await writer({ retriever: policy });
    return reviewer({ writer: draft });
  },
  metric: (draft, { case: given }) => (draft.days === given.expected ? 1 : 0),
});

/** The case that fails. */
export const refundCase: Case = {
  id: "refund-q1",
  inputs: { question: "How long do I have to return it?" },
  expected: 30,
  gold: { retriever: policies[1] },
};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await serve(process.argv.includes("--program") ? refundProgram : refund, { http: process.env.HTTP });
}
