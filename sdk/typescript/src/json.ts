/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Sets a member as JSON.parse would: a name such as "__proto__" is nothing special. */
export function put(object: object, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    (object as Record<string, unknown>)[name] = value;
  }
}

/** The text of a JSON value with the members of objects in order: equal for equal values. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value);
}
