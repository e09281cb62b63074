import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

import { rag, ragCases } from "../examples/rag.js";
import { refund, refundCase, refundProgram } from "../examples/refund.js";
import { AnalysisError, analyzeCase, blameBatch, formatBatch, input, pipeline, program, step, StepError, Transient, type Result } from "../src/index.js";
import { numbers } from "./numbers.js";

const bin = process.env.AGENTBLAME_BIN;
const skip = bin ? false : "AGENTBLAME_BIN doesn't name an agentblame command: nothing of the analysis is tested";
const dir = mkdtempSync(join(tmpdir(), "agentblame-test-"));
after(() => rmSync(dir, { recursive: true }));

const hosted = (args: string[]): string => {
  const out = join(dir, "hosted.json");
  execFileSync(bin!, ["blame", ...args, "-o", out], { stdio: ["ignore", "ignore", "inherit"], cwd: fileURLToPath(new URL("../..", import.meta.url)) });
  return readFileSync(out, "utf8");
};

test("refund gives the demo's numbers, declared and as a program", { skip }, async () => {
  const out = join(dir, "refund-go.json");
  execFileSync(bin!, ["demo", "refund", "-o", out]);
  const go = (JSON.parse(readFileSync(out, "utf8")) as Result).cases[0];
  for (const p of [refund, refundProgram]) {
    const here = await analyzeCase(p, refundCase);
    assert.deepEqual(here.shapley, go.shapley);
    assert.deepEqual(here.minimal_repairs, [["planner"], ["retriever"], ["writer", "reviewer"]]);
    assert.deepEqual(here.fix_alone, go.fix_alone);
    assert.deepEqual(here.leave_one_out, go.leave_one_out);
  }
  const gold = await analyzeCase(refund, refundCase, { fixes: { retriever: "oracle" } });
  assert.equal(gold.fix_alone?.retriever, 1);
  assert.match((await analyzeCase(refund, { ...refundCase, gold: {} }, { fixes: { retriever: "oracle" } })).undefined ?? "", /has no gold for retriever/);
});

test("rag gives the demo's numbers to the last digit, in this process and as hosts", { skip, timeout: 120_000 }, async () => {
  const out = join(dir, "rag-go.json");
  execFileSync(bin!, ["demo", "rag", "-o", out], { stdio: "ignore" });
  const go = numbers(JSON.parse(readFileSync(out, "utf8")) as Result);
  const cases = ragCases(200, 547);
  const here = await blameBatch(rag, cases);
  assert.deepEqual(numbers(here), go);
  const file = join(dir, "cases.jsonl");
  writeFileSync(file, cases.map((c) => JSON.stringify(c) + "\n").join(""));
  const there = hosted(["--host", "node dist/examples/rag.js --serve", "--cases", file, "--workers", "2"]);
  assert.deepEqual(JSON.parse(there), here, "stories too are the same wherever the steps run");
  assert.match(formatBatch(here), /rag: 157 of 200 cases fail[^]*retrieve +reranker +\+0\.323[^]*rewrite/);
  for (const mode of ["posterior", "prior"] as const) {
    const some = await blameBatch(rag, cases.slice(0, 5), { mode, worlds: 4 });
    assert.equal(some.settings.mode, mode);
    assert.equal(some.settings.worlds, 4);
    assert.ok(some.steps.every((s) => Number.isFinite(s.shapley.mean)));
  }
});

test("a loop gives blame by call, and steps that fail are the case's errors", { skip }, async () => {
  const draw = step("draw", ({ n }: { n: number }, { noise }) => {
    if (noise.bool("fails", 0.3)) throw new RangeError(`no ${n}`);
    return noise.int("k", 3);
  }).variant("sure", () => 2);
  const sum = program({
    name: "sum", inputs: ["rounds"], steps: [draw],
    async run({ rounds }: { rounds: number }) {
      let total = 0;
      for (let n = 0; n < rounds; n++) {
        try {
          total += await draw({ n });
        } catch (error) {
          assert.ok(error instanceof StepError);
          assert.equal(error.message, `no ${n}`);
          assert.equal(error.type, "RangeError");
        }
      }
      return total;
    },
    metric: (total, { case: given }) => total / (2 * given.inputs.rounds),
  });
  const cases = Array.from({ length: 6 }, (_, i) => ({ id: `c${i}`, inputs: { rounds: 3 }, seed: i }));
  const result = await blameBatch(sum, cases, { players: "calls", pass: 1 });
  const failed = result.cases.find((c) => c.errors?.length)!;
  assert.match(failed.errors![0].message, /^no \d$/);
  for (const c of result.cases.filter((c) => c.shapley)) {
    assert.ok(Object.keys(c.shapley!).every((player) => /^draw#[123]$/.test(player)));
    const total = Object.values(c.shapley!).reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(total - (c.score_fixed! - c.score!)) < 1e-12);
  }
});

test("named calls go on at once, inputs have variants, costs are charged", { skip }, async () => {
  const shard = step("shard", async ({ of, text }: { of: number; text: string }, { charge }) => {
    charge(10);
    await new Promise((resolve) => setTimeout(resolve, 1));
    return text.includes(String(of)) ? 1 : 0;
  }).variant("careful", () => 1);
  const p = program({
    name: "shards", inputs: [input("text").variant("corrected", () => "0 1 2")], steps: [shard],
    run: async ({ text }: { text: string }) => {
      const found = await Promise.all([0, 1, 2].map((of) => shard.at(`s${of}`)({ of, text })));
      return found.reduce<number>((a, b) => a + b, 0);
    },
    metric: (n) => n / 3,
  });
  const c = await analyzeCase(p, { id: "one", inputs: { text: "0 1" } });
  assert.ok(Math.abs(c.shapley!.text - 1 / 6) < 1e-12 && Math.abs(c.shapley!.shard - 1 / 6) < 1e-12, JSON.stringify(c.shapley));
  assert.equal(c.cost_factual, 33);
});

test("a transient failure is tried again", { skip }, async () => {
  let tries = 0;
  const flaky = step("flaky", () => {
    if (++tries < 3) throw new Transient("busy");
    return 0;
  }, { needs: ["x"] }).variant("fixed", () => 1);
  const c = await analyzeCase(pipeline({ name: "p", inputs: ["x"], steps: [flaky], metric: ({ flaky: v }) => v }), { id: "a", inputs: { x: 1 } });
  assert.equal(c.shapley?.flaky, 1);
  assert.equal(tries, 3);
});

test("an output that can't be written is the step's error, and names the field", { skip }, async () => {
  const bad = step("bad", () => ({ scores: [NaN] as (number | null)[] }), { needs: ["x"] }).variant("good", () => ({ scores: [1] }));
  const c = await analyzeCase(pipeline({ name: "p", inputs: ["x"], steps: [bad], metric: ({ bad: v }) => (v.scores[0] === 1 ? 1 : 0) }), { id: "a", inputs: { x: 1 } });
  assert.match(c.errors?.[0]?.message ?? "", /the output of step bad can't be written as JSON: at \.scores\[0\], the value is NaN/);
  assert.equal(c.errors?.[0]?.step, "bad");
});

test("an analysis that fails says why", { skip }, async () => {
  const failing = (p: Promise<unknown>, want: RegExp, code?: number): Promise<void> =>
    assert.rejects(p, (e) => e instanceof AnalysisError && want.test(e.message) && e.exitCode === code || assert.fail(`${e}: want ${want}`));
  const quiet = { onLog: () => {} };
  await failing(analyzeCase(refund, refundCase, { ...quiet, command: "/nowhere/agentblame" }), /there is no command \/nowhere\/agentblame/);
  await failing(analyzeCase(refund, { id: "a", inputs: {} }, quiet), /the input "question" is missing/, 2);
  await failing(analyzeCase(refund, refundCase, { ...quiet, fixes: { writer: "nothing" } }), /nothing/, 2);
  const outer = step("outer", ({ question }): Promise<number> => inner({ question }), { needs: ["question"] }).variant("v", () => 1);
  const inner = step("inner", () => 1, { needs: ["question"] });
  const asked = { id: "asked", inputs: { question: "why" } };
  await failing(analyzeCase(pipeline({ name: "p", inputs: ["question"], steps: [outer, inner], metric: () => 0 }), asked, quiet), /step inner was called from inside step outer/, 1);
  await assert.rejects(blameBatch(refund, [{ id: "n", inputs: { question: NaN } }]), /case n can't be written as JSON: at \.inputs\.question/);

  const controller = new AbortController();
  const hanging = step("hanging", () => (controller.abort(), new Promise<number>(() => {})), { needs: ["question"] }).variant("v", () => 1);
  await failing(analyzeCase(pipeline({ name: "p", inputs: ["question"], steps: [hanging], metric: () => 1 }), asked, { ...quiet, signal: controller.signal }), /ended early/, 130);
});

test("a pipeline in a file takes functions of a host", { skip }, () => {
  writeFileSync(join(dir, "agentblame.yaml"), `
name: mixed
inputs: [question]
hosts:
  ts: {command: [node, ${JSON.stringify(fileURLToPath(new URL("fixtures/functions.js", import.meta.url)))}], workers: 2}
steps:
  find: {needs: [question], run: {host: ts}, variants: {newest: {host: ts, variant: newest}}}
  year: {needs: [find], run: {expr: "find.year"}}
score: {host: ts}
cases: [{id: a, inputs: {question: why}, expected: 2026}]
`);
  const [c] = (JSON.parse(hosted(["-c", join(dir, "agentblame.yaml")])) as Result).cases;
  assert.deepEqual([c.score, c.shapley], [0, { find: 1 }]);
});

test("what is wrong with cases is told by their numbers, and only what has steps is analysed", { skip }, async () => {
  const onLog = (): void => {};
  await assert.rejects(blameBatch(refund, [refundCase, { id: "b", inputs: { q: 1 } }], { onLog }), /^AnalysisError: case 2: the input "question" is missing/);
  await assert.rejects(blameBatch(refund, [], { onLog }), /^AnalysisError: cases: there are no cases/);
  const lone = step("lone", () => 1) as never;
  await assert.rejects(analyzeCase(lone, refundCase), /^TypeError: what is served must be a pipeline or a program/);
});

test("a module that can't be imported is shown with its traceback", { skip }, () => {
  const out = spawnSync(bin!, ["blame", "--host", "node dist/nowhere.js", "--cases", "examples/refund.jsonl"], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)), encoding: "utf8",
  });
  assert.equal(out.status, 2);
  assert.match(out.stderr, /Cannot find module/);
});

test("where nothing can be recorded, runs go on and the process ends", { timeout: 120_000 }, () => {
  writeFileSync(join(dir, "file"), "");
  const source = `
    import { program, step } from ${JSON.stringify(new URL("../src/index.js", import.meta.url).href)};
    class Odd extends Error { get message() { throw new Error("hidden"); } }
    const odd = step("odd", ({ x }) => { if (x) throw Object.assign(new Odd(), { x }); return x; });
    const p = program({ name: "p", inputs: ["x"], steps: [odd], run: ({ x }) => odd({ x }), metric: () => 1 });
    const thrown = await p.run({ x: 1 }).catch((error) => error);
    console.log(await p.run({ x: 0 }), thrown instanceof Odd, thrown.x);`;
  for (const folder of [join(dir, "file"), join(dir, "file", "below"), "/proc/agentblame/records"]) {
    const out = spawnSync(process.execPath, ["--input-type=module", "-e", source], {
      env: { ...process.env, AGENTBLAME_RECORD: folder }, encoding: "utf8", timeout: 30_000,
    });
    assert.deepEqual([out.status, out.stdout], [0, "0 true 1\n"], `${folder}: ${out.stderr}`);
    assert.match(out.stderr, /agentblame: can't record in/);
  }
});

test("a recorded error is handled as it was", { skip }, async () => {
  const look = step("look", ({ x }: { x: number }): number => { throw new RangeError(`no ${x}`); }).variant("fix", () => 2);
  const ask = step("ask", ({ x }: { x: number }) => x).variant("fix", () => 2);
  const asking = program({
    name: "asking", inputs: ["x"], steps: [look, ask],
    async run({ x }: { x: number }) {
      try {
        return await look({ x });
      } catch (error) {
        if ((error instanceof StepError ? error.type : (error as Error).name) !== "RangeError") throw error;
        return ask({ x });
      }
    },
    metric: (out) => out === 2,
  });
  const { recordingWritten } = await import("../src/index.js");
  process.env.AGENTBLAME_RECORD = join(dir, "errors");
  try {
    assert.equal(await asking.run({ x: 1 }), 1);
  } finally {
    delete process.env.AGENTBLAME_RECORD;
  }
  await recordingWritten();
  const [file] = readdirSync(join(dir, "errors"));
  const recorded = JSON.parse(readFileSync(join(dir, "errors", file), "utf8"));
  assert.deepEqual((await analyzeCase(asking, recorded)).shapley, { look: 0.5, ask: 0.5 });
});

test("production runs are recorded as cases, which an analysis takes as they are", { skip }, async () => {
  const records = join(dir, "records");
  const { recordingWritten } = await import("../src/index.js");
  process.env.AGENTBLAME_RECORD = records;
  try {
    for (let i = 0; i < 20; i++) await rag.run({ question: "q", topic: "travel", difficulty: i % 10 });
    await assert.rejects(refundProgram.run(null as never)); // recording never gets in the way
    await refund.run({ question: "why" });
  } finally {
    delete process.env.AGENTBLAME_RECORD;
  }
  await recordingWritten();
  const file = join(records, readdirSync(records).find((name) => name.startsWith("rag."))!);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  assert.equal(lines.length, 20);
  const first = JSON.parse(lines[0]);
  assert.deepEqual(Object.keys(first.recording), ["rewrite", "retrieve", "answer", "verify"]);
  assert.equal(first.recording.rewrite.draws[0].key, "focus");
  assert.match(String(first.tags["ms rewrite"]), /^[\d.]+$/);
  const result = await blameBatch(rag, lines.map((line) => JSON.parse(line)));
  assert.equal(result.summary.undefined, 0);
  assert.equal(result.summary.cases, 20);
  // Without the recordings, the seed alone brings the same runs about.
  const replayed = await blameBatch(rag, lines.map((line) => ({ ...JSON.parse(line), recording: undefined })));
  assert.deepEqual(replayed.cases.map((c) => [c.score, c.shapley]), result.cases.map((c) => [c.score, c.shapley]));
});
