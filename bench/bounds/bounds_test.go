package main

import (
	"math"
	"testing"
)

// TestMeasure holds the laws of certain bounds on small subjects: they contain
// the exact values, and are those values once everything is known.
func TestMeasure(t *testing.T) {
	for _, s := range subjects() {
		if s.name == "chain of 8" {
			s.pipeline = chain(5)
		}
		s.given = s.given[:min(len(s.given), 12)]
		rows, err := s.measure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if r.Contained != 1 {
				t.Errorf("%s at %v: %v of the exact values lie within their bounds", r.Pipeline, r.Share, r.Contained)
			}
			if r.Width < 0 || r.Width > 2 || r.Difference > r.Subtracted+slack {
				t.Errorf("%s at %v: width %v, of differences %v, subtracted %v", r.Pipeline, r.Share, r.Width, r.Difference, r.Subtracted)
			}
		}
		if first := rows[0]; first.Cases == 0 || first.Width == 0 {
			t.Errorf("%s: %d cases, width %v with nothing replayed", s.name, first.Cases, first.Width)
		}
		if last := rows[steps]; math.Abs(last.Width)+math.Abs(last.Difference) > slack || last.Certain != 1 && last.Certain != 0 {
			t.Errorf("%s: width %v and %v, top certain in %v, with everything replayed", s.name, last.Width, last.Difference, last.Certain)
		}
	}
}
