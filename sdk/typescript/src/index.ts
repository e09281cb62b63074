/**
 * Steps, variants, pipelines and programs for agentblame, which tells which step
 * of an LLM pipeline or agent caused a failure.
 *
 * @packageDocumentation
 */
export { analyzeCase, blameBatch, AnalysisError, type AnalysisOptions } from "./analyze.js";
export { runContext } from "./call.js";
export type { Case, RecordedRun } from "./case.js";
export type { RunContext, ScoreContext, StepContext } from "./context.js";
export { NoGoldError, RunOver, StepError, Transient, UsageError } from "./errors.js";
export { formatBatch } from "./format.js";
export { handler } from "./http.js";
export type { Json } from "./json.js";
export { Noise, NoiseError, type NoiseAddress } from "./noise/source.js";
export type { Draw, Logit } from "./noise/draw.js";
export { functions, input, pipeline, type Input, type Pipeline, type Served } from "./pipeline.js";
export { program, type Program } from "./program.js";
export { recordingWritten } from "./record.js";
export type * from "./result.js";
export { score, type Metric, type Score, type ScoreOptions } from "./score.js";
export { serve, type ServeOptions } from "./serve.js";
export {
  step,
  type AnyStep,
  type ImplOptions,
  type InputsOf,
  type Need,
  type OutputOf,
  type Step,
  type StepFunction,
  type StepOptions,
} from "./step.js";
export { EncodingError } from "./values.js";
