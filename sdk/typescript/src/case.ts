import type { Draw } from "./noise/draw.js";

/** One input to a pipeline, with what is expected of it. */
export interface Case {
  /** Names the case in results; it must be unique in a batch. */
  id: string;
  /** The pipeline's inputs by name. */
  inputs: Record<string, any>;
  /** What the metric compares with. */
  expected?: any;
  /** The seed of the case's world, below 2**53. By default it is derived from the id. */
  seed?: number;
  /** Known-good outputs by step. */
  gold?: Record<string, any>;
  /** What a production run of the case did: by step for its first call, "step#2" or "step#name" for others. */
  recording?: Record<string, RecordedRun>;
  /** Labels of your own. */
  tags?: Record<string, string>;
}

/** A recorded run of a step. */
export interface RecordedRun {
  inputs?: Record<string, any>;
  output?: any;
  error?: string;
  /** What else was told of the error: its type, by which a program may handle it. */
  error_data?: { type?: string; module?: string };
  draws?: Draw[];
}
