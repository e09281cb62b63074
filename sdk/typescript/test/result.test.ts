import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { typesFile, typesOfSchema } from "./result-types.js";

test("the types of results are those of the schema", () => {
  assert.equal(readFileSync(typesFile, "utf8"), typesOfSchema(), "src/result.ts is out of date: npm run types");
});
