// Package scaffold holds small working projects for people to begin with: the same
// pipeline and cases with the Python SDK, the TypeScript SDK, and in Go.
//
//	files, err := scaffold.Project(scaffold.Python)
//	...
//	for _, f := range files {
//		err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o666)
//	}
package scaffold
