import { put, type Json } from "./json.js";

/** What nests deeper than this is taken to have no end. */
const DEEPEST = 1000;

/** A value that can't be written as JSON. Its message names the field. */
export class EncodingError extends Error {
  override readonly name = "EncodingError";
}

/**
 * Writes a value as JSON, by the rules of docs/typescript.md#values.
 *
 * @param what names the value in errors, such as "the output of step planner"
 */
export function encode(value: unknown, what: string): string {
  if (isPlain(value, 0)) return JSON.stringify(value === undefined ? null : value);
  return JSON.stringify(convert(value, { what, path: "", parents: [] }));
}

/** Says whether JSON.stringify does right by a value. It is the quick way for most. */
function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
      return value.isWellFormed();
    case "number":
      return Number.isFinite(value);
    case "boolean":
    case "undefined":
      return true;
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth > 100) return false; // deep, or a cycle
  if (Array.isArray(value)) {
    for (const item of value) if (!isPlain(item, depth + 1)) return false;
    return !("toJSON" in value);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const name in value) {
    if (name === "toJSON" || !name.isWellFormed() || !isPlain((value as Record<string, unknown>)[name], depth + 1)) {
      return false;
    }
  }
  return true;
}

/** Where a value stands. */
interface Spot {
  readonly what: string;
  readonly path: string;
  readonly parents: readonly object[];
}

function fail(at: Spot, why: string): never {
  throw new EncodingError(`${at.what} can't be written as JSON: ${at.path === "" ? "it" : `at ${at.path}, the value`} is ${why}`);
}

function convert(value: unknown, at: Spot): Json {
  switch (typeof value) {
    case "undefined":
      return null;
    case "boolean":
      return value;
    case "string":
      return value.isWellFormed() ? value : fail(at, "a string with half a surrogate pair");
    case "number":
      return Number.isFinite(value) ? value : fail(at, `${value}, which JSON has no number for`);
    case "bigint":
      if (BigInt(Number(value)) === value && Number.isSafeInteger(Number(value))) return Number(value);
      return fail(at, `the bigint ${value}, too large for a number that all languages read alike: write it as a string`);
    case "function":
      return fail(at, "a function");
    case "symbol":
      return fail(at, "a symbol");
  }
  if (value === null) return null;
  const object = value as object;
  if (at.parents.includes(object)) return fail(at, "part of itself: a cycle");
  if (at.parents.length > DEEPEST) return fail(at, `more than ${DEEPEST} levels deep`);
  return convertObject(object, at);
}

function convertObject(value: object, at: Spot): Json {
  const inside = (name: string | number): Spot => ({
    what: at.what,
    path: typeof name === "number" ? `${at.path}[${name}]` : `${at.path}${/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`}`,
    parents: [...at.parents, value],
  });
  const list = (items: Iterable<unknown>): Json[] => Array.from(items, (item, i) => convert(item, inside(i)));
  if (Array.isArray(value)) return list(value);
  const binary = bytes(value);
  if (binary) return { $bytes: binary.toString("base64") };
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? fail(at, "an invalid date") : value.toISOString();
  }
  if (value instanceof Set) return list(value);
  if (value instanceof Map) return convertMap(value, at, inside);
  if (ArrayBuffer.isView(value)) return list(value as unknown as Iterable<unknown>); // another typed array
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return convert((value.toJSON as (key: string) => unknown)(""), { ...inside(""), path: at.path });
  }
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return convert(value.valueOf(), at);
  const unfit = opaque(value);
  if (unfit) return fail(at, unfit);
  const out: { [name: string]: Json } = {};
  for (const [name, member] of Object.entries(value)) {
    if (!name.isWellFormed()) return fail(at, `an object with the name ${JSON.stringify(name)}, which has half a surrogate pair`);
    if (member !== undefined) put(out, name, convert(member, inside(name)));
  }
  return out;
}

function convertMap(value: ReadonlyMap<unknown, unknown>, at: Spot, inside: (name: string) => Spot): Json {
  const out: { [name: string]: Json } = {};
  for (const [key, member] of value) {
    if (typeof key !== "string" && !(typeof key === "number" && Number.isFinite(key))) {
      return fail(at, `a Map with a key that is neither a string nor a number: ${String(key)}`);
    }
    const name = String(key);
    if (!name.isWellFormed()) return fail(at, `a Map with the key ${JSON.stringify(name)}, which has half a surrogate pair`);
    if (Object.hasOwn(out, name)) return fail(at, `a Map with both ${JSON.stringify(name)} and ${name} as keys`);
    if (member !== undefined) put(out, name, convert(member, inside(name)));
  }
  return out;
}

/** The bytes of what holds bytes. */
function bytes(value: object): Buffer | undefined {
  if (value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return Buffer.from(value as ArrayBuffer);
  return undefined;
}

/** What can't be seen into: its members would be {} and say nothing. */
function opaque(value: object): string | undefined {
  if (value instanceof Promise) return "a promise: await it";
  if (value instanceof RegExp) return "a regular expression";
  if (value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) return `a ${value.constructor.name}`;
  if ("then" in value && typeof value.then === "function") return "a thenable: await it";
  if ("next" in value && typeof value.next === "function") return "an iterator: make a list of it";
  return undefined;
}
