// Compiles the package. Installed from a folder, it has no compiler of its own yet.
import { execSync } from "node:child_process";
import { existsSync } from "node:fs";

const run = (command) => execSync(command, { stdio: ["ignore", 2, 2], cwd: new URL(".", import.meta.url) });

if (!existsSync(new URL("node_modules/typescript", import.meta.url))) run("npm ci --ignore-scripts --no-audit --no-fund");
run("npx --no-install tsc");
