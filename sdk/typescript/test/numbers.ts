import type { Result } from "../src/index.js";

/** A result without its stories: pipelines that give the same numbers may name the inputs of steps in other ways. */
export function numbers(result: Result): Result {
  const { values: _values, ...rest } = result;
  const { stories: _stories, ...summary } = result.summary;
  return { ...rest, summary, cases: result.cases.map(({ story: _story, ...c }) => c) };
}
