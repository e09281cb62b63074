// Package spec reads pipelines and cases from files: agentblame.yaml becomes a
// [pipeline.Pipeline], a .jsonl, .json, .yaml or .csv file becomes cases.
//
//	f, err := spec.Load("agentblame.yaml")
//	if err != nil {
//		return err // each fault as file:line: what is wrong
//	}
//	cases, err := f.Cases()
//
// Files are read and checked whole before anything runs, and all that is wrong
// comes in one [*FaultsError], one "file:line: …" for each fault. Loading asks
// the hosts that steps run on what they have, and [File.Close] ends them. It starts
// no other program and makes no other connection; whether a program is there and a
// variable set shows when it is first asked, and is then a [pipeline.FaultError],
// which ends the analysis rather than being taken for a failing step.
//
// # Implementations
//
// A step's run and its variants are each of one kind: a program (exec), a service
// (http), a function of a host (host), an expression (expr), a constant (value) or the case's known-good output
// (gold). Programs and services get one JSON object, {"inputs": {…}, "noise": {…}},
// and answer with one JSON value. Their noise is not seen by the engine, so unless
// they are declared deterministic their runs in one world prove nothing about
// another; a deterministic one gets no "noise". Their versions are made of all that
// the declaration says, the text of files among the arguments included, so that
// results of an older one aren't taken for theirs.
//
// # Columns of a CSV file
//
// id, expected, seed, gold.NAME and tags.NAME are those parts of a case, and every
// other column is an input of that name. Cells are strings, but for the seed; a
// heading that ends in ":json" says that the column's cells are JSON. An empty cell
// is left out, except that in an input's column it is the empty string.
package spec
