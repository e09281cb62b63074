/** A value of a story as text, and nothing but text. */
import type { Value } from "../data.js";
import { valueText } from "../words.js";

export function Text({ value }: { value: Value | undefined }) {
  return (
    <>
      <pre tabIndex={0}>{valueText(value)}</pre>
      {value?.bytes !== undefined && <p class="how">The first part of {value.bytes} bytes.</p>}
    </>
  );
}
