package pipeline

import (
	"fmt"
	"strconv"
	"sync"
)

// A CallBook keeps the calls of one run of a program that calls steps as it goes,
// here or in another process: it gives them their labels and knows which are in
// progress. It is safe for use by several goroutines.
type CallBook struct {
	// Steps are the pipeline's steps.
	Steps []*Spec
	// Naming is what names a call in the program's language, for messages.
	Naming string

	mu     sync.Mutex
	counts []int32         // unnamed calls so far, by step
	open   []int32         // unnamed calls in progress, by step
	few    [16]int32       // holds both where there are few steps
	named  map[string]bool // "step#name" seen: whether it is in progress
	active int             // calls in progress
}

// Enter gives a call of a step its label, the name or else a number, and notes
// that the call is in progress. Overlaps says that another one was. Unnamed calls
// of a step at once, a name used twice, and a number as name are errors.
func (b *CallBook) Enter(step int, name string) (label string, overlaps bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.counts == nil {
		n := len(b.Steps)
		both := b.few[:]
		if 2*n > len(both) {
			both = make([]int32, 2*n)
		}
		b.counts, b.open = both[:n], both[n:2*n]
	}
	overlaps = b.active > 0
	if name == "" {
		if b.open[step] > 0 {
			return "", false, fmt.Errorf("step %s was called twice at once: name such calls with %s, as the order they come in isn't fixed", b.Steps[step].Name, b.Naming)
		}
		b.counts[step]++
		b.open[step]++
		b.active++
		return strconv.Itoa(int(b.counts[step])), overlaps, nil
	}
	if _, err := strconv.Atoi(name); err == nil {
		return "", false, fmt.Errorf("step %s: %s(%q): a call's name must not be a number, as unnamed calls have numbers", b.Steps[step].Name, b.Naming, name)
	}
	full := b.Steps[step].Name + "#" + name
	if _, seen := b.named[full]; seen {
		return "", false, fmt.Errorf("the call %s was made twice in a run: names given to %s must differ", full, b.Naming)
	}
	if b.named == nil {
		b.named = map[string]bool{}
	}
	b.named[full] = true
	b.active++
	return name, overlaps, nil
}

// Leave notes that a call is no longer in progress.
func (b *CallBook) Leave(step int, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.active--
	if name == "" {
		b.open[step]--
		return
	}
	b.named[b.Steps[step].Name+"#"+name] = false
}

// InProgress names a call that is in progress; it is "" when none is.
func (b *CallBook) InProgress() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.active == 0 {
		return ""
	}
	for i, n := range b.open {
		if n > 0 {
			return b.Steps[i].Name
		}
	}
	for call, open := range b.named {
		if open {
			return call
		}
	}
	return ""
}
