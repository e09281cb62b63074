package noise

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"
)

// badLogits says what is wrong with the logits of a choice, "" if nothing is.
// It names the first bad option, whatever order the map is in.
func badLogits(logits map[string]float64) string {
	for _, option := range slices.Sorted(maps.Keys(logits)) {
		if !utf8.ValidString(option) {
			return fmt.Sprintf("option %q is not valid UTF-8", option)
		}
		if l := logits[option]; !(l <= math.MaxFloat64) {
			return fmt.Sprintf("logit of option %q is %v", option, l)
		}
	}
	return badChoice(slices.Collect(maps.Values(logits)))
}

// badIndexLogits is badLogits for options without names.
func badIndexLogits(logits []float64) string {
	for i, l := range logits {
		if !(l <= math.MaxFloat64) {
			return fmt.Sprintf("logit of option %d is %v", i, l)
		}
	}
	return badChoice(logits)
}

func badChoice(logits []float64) string {
	if len(logits) == 0 {
		return "no options"
	}
	if math.IsInf(slices.Max(logits), -1) {
		return "no possible option: every logit is -Inf"
	}
	return ""
}

// sortedValues returns the logits in the byte order of their names.
func sortedValues(logits map[string]float64) []float64 {
	values := make([]float64, 0, len(logits))
	for _, option := range slices.Sorted(maps.Keys(logits)) {
		values = append(values, logits[option])
	}
	return values
}
