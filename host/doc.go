// Package host runs steps that live in another program: a Python module, a Node
// program, a service that is already up. It speaks the step protocol, JSON-RPC 2.0
// with one message a line, which docs/protocol.md defines.
//
// [Open] starts the program, or connects to it, and asks what it has. A host with a
// whole pipeline, a graph or a program that calls its steps as it goes, gives a
// [pipeline.Pipeline] like any other; of a host with steps alone, [Host.Impl] gives
// implementations for a pipeline that is declared elsewhere.
//
//	h, err := host.Open(ctx, host.Options{Command: []string{"python", "-m", "my_app"}, Workers: 4})
//	if err != nil {
//		return err // why it didn't start, with its traceback
//	}
//	defer h.Close()
//	p, err := h.Pipeline()
//	if err != nil {
//		return err
//	}
//	result, err := blame.Batch(ctx, p, cases, blame.Options{})
//
// # What goes wrong
//
// A process that ends is started again, and the runs that it had are asked again,
// once, each on a process that has nothing else to do: if that one ends too, it is
// the step's failure, and no other step's. A run that is out of time is cancelled,
// and a process that doesn't answer even then is ended. [Host.Stats] counts what was
// asked again.
//
// A host that doesn't keep to the protocol can't be trusted with any number: its
// use ends, and all its runs are a [pipeline.FaultError] from then on, which
// [Host.Gone] and [Host.Err] tell of.
package host
