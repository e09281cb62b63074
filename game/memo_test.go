package game

import (
	"testing"

	"pgregory.net/rapid"
)

func TestMemoAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m memo
		want := map[triple]int32{}
		small := rapid.Int32Range(-1, 5)
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			key := triple{small.Draw(t, "level"), small.Draw(t, "lo"), small.Draw(t, "hi")}
			got, ok := m.get(key)
			if expect, there := want[key]; ok != there || ok && got != expect {
				t.Fatalf("get(%v) = %d, %v, want %d, %v", key, got, ok, expect, there)
			}
			want[key] = rapid.Int32Range(0, 9).Draw(t, "value")
			m.put(key, want[key])
		}
		for key, value := range want {
			if got, ok := m.get(key); !ok || got != value {
				t.Fatalf("get(%v) = %d, %v, want %d", key, got, ok, value)
			}
		}
	})
}
