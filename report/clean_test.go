package report_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/agentblame/agentblame/report"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain text stays", "planner-2 {a} \\n", "planner-2 {a} \\n"},
		{"text of all languages stays", "Größe 検索 поиск עברית हिन्दी", "Größe 検索 поиск עברית हिन्दी"},
		{"emoji stay, joined ones too", "👩‍🔬 ❤️", "👩‍🔬 ❤️"},
		{"an escape sequence can't colour", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"nor the one-byte form of it", "\u009b31mred", `\u009b31mred`},
		{"nor set a window's title", "\x1b]0;owned\a", `\x1b]0;owned\x07`},
		{"a line stays one line", "a\nb\r\nc\td\u2028e", `a\nb\r\nc\td\u2028e`},
		{"nothing is deleted", "abc\b\b\x7f", `abc\x08\x08\x7f`},
		{"direction can't be overridden", "\u202etxt.exe\u202c \u2066x\u2069 \u200f\u061c", `\u202etxt.exe\u202c \u2066x\u2069 \u200f\u061c`},
		{"invisible characters show", "a\u200bb\ufeffc\u00add\U000e0041", `a\u200bb\ufeffc\u00add\U000e0041`},
		{"bytes that are no UTF-8 show", "caf\xe9 \xff", `caf\xe9 \xff`},
		{"the replacement character itself stays", "\ufffd", "\ufffd"},
		{"marks don't pile up", "e" + strings.Repeat("\u0301", 10) + "a", "e" + strings.Repeat("\u0301", 8) + `\u0301\u0301a`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := report.Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// harmless says what in a text could steer a terminal, or "".
func harmless(s string) string {
	if !utf8.ValidString(s) {
		return "bytes that are no UTF-8"
	}
	for _, r := range s {
		switch {
		case unicode.IsControl(r):
			return "a control character"
		case unicode.Is(unicode.Bidi_Control, r):
			return "a mark of direction"
		case unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			return "a line break"
		}
	}
	return ""
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[2J\u202e\xff\n", "é́́\u200d\U000e0001", "\u009b\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		clean := report.Clean(s)
		if what := harmless(clean); what != "" {
			t.Errorf("Clean(%q) = %q, which holds %s", s, clean, what)
		}
		if again := report.Clean(clean); again != clean {
			t.Errorf("cleaning %q again gives %q", clean, again)
		}
	})
}
