// Package typescript holds the agentblame package for TypeScript and JavaScript,
// which docs/typescript.md describes. In Go it only has its tests.
package typescript
