// Writes src/result.ts of docs/result.schema.json: npm run types.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

interface Schema {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  type?: string;
  description?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema;
}

const schemaFile = new URL("../../../../docs/result.schema.json", import.meta.url);
/** The file of the types. */
export const typesFile = new URL("../../src/result.ts", import.meta.url);

/** The TypeScript of the schema. */
export function typesOfSchema(): string {
  const { $defs } = JSON.parse(readFileSync(schemaFile, "utf8")) as { $defs: Record<string, Schema> };
  const declarations = Object.entries($defs).map(([name, schema]) => comment(schema.description ?? `${name}, a part of a result.`) + declaration(name, schema));
  return `// Made of docs/result.schema.json by \`npm run types\`: don't edit it.\n\n${declarations.join("\n")}`;
}

function comment(text: string, indent = ""): string {
  return `${indent}/** ${text} */\n`;
}

function declaration(name: string, schema: Schema): string {
  if (!schema.properties) return `export type ${name} = ${type(schema)};\n`;
  const members = Object.entries(schema.properties).map(([member, of]) => {
    const optional = schema.required?.includes(member) ? "" : "?";
    return (of.description ? comment(of.description, "  ") : "") + `  ${member}${optional}: ${type(of)};\n`;
  });
  return `export interface ${name} {\n${members.join("")}}\n`;
}

function type(schema: Schema): string {
  if (schema.$ref) return schema.$ref.replace("#/$defs/", "");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  switch (schema.type) {
    case "array":
      return `${type(schema.items ?? {})}[]`;
    case "object":
      return `Record<string, ${type(schema.additionalProperties ?? {})}>`;
    case "integer":
      return "number";
    case "number":
    case "string":
    case "boolean":
      return schema.type;
  }
  return "any";
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeFileSync(typesFile, typesOfSchema());
