import { defineConfig } from "vite";

// One script without imports: it stands in the report's page.
export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    lib: { entry: "src/main.tsx", formats: ["iife"], name: "agentblame", fileName: () => "report.js" },
  },
});
