// Support mail comes in, and the team that answers it comes out. Four steps, each
// with a mistake that shows in some of the cases, and a variant that doesn't make it.
//
// Replace the bodies with your own: a model call, a search, a service. Functions may
// be async. A step that calls a hosted model has randomness that can't be seen:
// { needs: [clean], deterministic: false }.
import { pipeline, score, serve, step } from "agentblame";

// The words by which a team is known, and those that can't wait.
const teams: Record<string, string[]> = {
  billing: ["invoice", "charged", "refund", "paid"],
  access: ["password", "login", "account", "locked"],
  technical: ["error", "crash", "export", "down"],
};
const urgent = ["urgent", "now", "down"];

function words(text: string): string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? [];
}

const clean = step("clean", ({ mail }): string => mail, { needs: ["mail"] })
  // Without the lines that quote an older mail.
  .variant("drop-quotes", ({ mail }: { mail: string }) =>
    mail.split("\n").filter((line) => !line.startsWith(">")).join("\n"));

/** The first team that is spoken of. */
function firstTeam(text: string): string {
  const said = words(text);
  for (const [team, known] of Object.entries(teams)) {
    if (said.some((word) => known.includes(word))) return team;
  }
  return "general";
}

/** The team that is spoken of most. */
function likeliestTeam(text: string): string {
  let best = "general", most = 0;
  for (const [team, known] of Object.entries(teams)) {
    const count = words(text).filter((word) => known.includes(word)).length;
    if (count > most) [best, most] = [team, count];
  }
  return best;
}

const classify = step("classify", ({ clean: text }) => firstTeam(text), { needs: [clean] })
  .variant("count-words", ({ clean: text }) => likeliestTeam(text));

// As it is, it finds "now" in "know", too.
const priority = step("priority", ({ clean: text }) => (urgent.some((word) => text.toLowerCase().includes(word)) ? "urgent" : "normal"), { needs: [clean] })
  .variant("whole-words", ({ clean: text }) => (words(text).some((word) => urgent.includes(word)) ? "urgent" : "normal"));

const route = step("route", ({ classify: team, priority: how }) => (how === "urgent" ? "on-call" : team), { needs: [classify, priority] })
  // Only what is technical wakes somebody up.
  .variant("wake-for-outages", ({ classify: team, priority: how }) => (how === "urgent" && team === "technical" ? "on-call" : team));

const triage = pipeline({
  name: "triage",
  inputs: ["mail"],
  steps: [clean, classify, priority, route],
  // The metric: a number from 0 to 1, or whether it is good.
  metric: score(({ route: team }, { case: given }) => team === given.expected, { needs: [route] }),
});

await serve(triage);
