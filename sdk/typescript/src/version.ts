import { createHash } from "node:crypto";

/**
 * The version of a function: a digest of its source text. It doesn't see what the
 * function calls or closes over; `version` of a step's options says more.
 *
 * @returns undefined for a function without source, such as a bound one
 */
export function versionOf(fn: (...args: never[]) => unknown): string | undefined {
  const source = Function.prototype.toString.call(fn);
  if (/\{\s*\[native code\]\s*\}\s*$/.test(source)) return undefined;
  return createHash("sha256").update(source).digest("hex").slice(0, 16);
}
