package confseq

import "fmt"

// Promise is what a rule guarantees, in words that a report can print.
type Promise struct {
	// Label is short: "valid at any stopping time", "asymptotic, not anytime-valid".
	Label string `json:"label"`
	// Valid says that the error bound holds at every sample size and for every distribution in the declared range.
	Valid bool `json:"valid"`
	// Anytime says that the caller may look after every case and stop for any reason that doesn't look ahead.
	Anytime bool `json:"anytime"`
	// Over names the randomness that is covered, and so whom the claim is about.
	Over string `json:"over"`
	// Text is the whole promise, and what is not promised, in sentences.
	Text string `json:"text"`
}

const (
	labelAnytime    = "valid at any stopping time"
	labelScheduled  = "valid at its checkpoints"
	labelAsymptotic = "asymptotic, not anytime-valid"
)

// over names the randomness of a stream: future cases, or the order of a finite batch.
func over(batch int) string {
	if batch > 0 {
		return fmt.Sprintf("the random order of this batch of %d: a claim about this batch", batch)
	}
	return "independent draws of the stream: a claim about future cases of the same kind"
}

// goalClaim is the statement whose error a stopping rule bounds.
func (o Options) goalClaim() string {
	switch o.Goal {
	case Top1:
		return "that the declared player's mean is not a largest one"
	case TopK:
		return fmt.Sprintf("that the declared players are not a set of the %d largest means", o.TopK)
	case Ranking:
		return "that the declared order is wrong anywhere"
	}
	return "that any mean lies outside its interval"
}
