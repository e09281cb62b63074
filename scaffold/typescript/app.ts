// A shop's answers to its customers: a topic, a page of the handbook, an answer.
//
// Replace the bodies of the steps with your own; each has one way in which it could be better.
import { pipeline, score, serve, step } from "agentblame";

type Topic = "payment" | "delivery" | "returns";

const pages: Record<Topic, { year: number; text: string }[]> = {
  payment: [
    { year: 2022, text: "We take cards. Invoices are for companies." },
    { year: 2025, text: "We take cards and transfers. Invoices are for everyone." },
  ],
  delivery: [
    { year: 2023, text: "Delivery takes five days. It costs 4 euros." },
    { year: 2025, text: "Delivery takes two days. It is free above 30 euros." },
  ],
  returns: [
    { year: 2021, text: "Return within 90 days. The label is 5 euros." },
    { year: 2025, text: "Return within 30 days. The label is free." },
  ],
};
const words: [string, Topic][] = [
  ["pay", "payment"],
  ["arrive", "delivery"],
  ["deliver", "delivery"],
  ["return", "returns"],
];

const topicOf = (question: string): Topic => words.find(([word]) => question.includes(word))?.[1] ?? "payment";

const classify = step("classify", ({ question }: { question: string }): Topic => topicOf(question), { needs: ["question"] }) //
  .variant("by-meaning", ({ question }) => (question.includes("back") ? "returns" : topicOf(question)), { cost: 2 });

const search = step("search", ({ classify: topic }) => pages[topic][0].text, { needs: [classify] }) //
  .variant("newest", ({ classify: topic }) => [...pages[topic]].sort((a, b) => b.year - a.year)[0].text);

const answer = step("answer", ({ search: page }) => page.split(". ")[0], { needs: [search], cost: 3 }) //
  .variant("whole-page", ({ search: page }) => page);

await serve(
  pipeline({
    name: "support",
    inputs: ["question"],
    steps: [classify, search, answer],
    metric: score(({ answer: text }, { case: given }) => (text.includes(String(given.expected)) ? 1 : 0), { needs: [answer] }),
  }),
);
