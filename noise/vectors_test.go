package noise

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/vectors.json from this package")

const vectorsFile = "testdata/vectors.json"

// The vectors that every port must reproduce. Floating-point numbers are the 16
// hex digits of their IEEE 754 bits, 64-bit and 53-bit integers are decimal
// strings; only what the caller gives (logits, p, n) are numbers.
type vectors struct {
	Addresses []addressVector
	Ln        []functionVector
	Exp       []functionVector
	Log1p     []functionVector
	Normal    []functionVector
	Philox    []philoxVector
	Streams   []streamVector
	Draws     []drawVector
	Posterior []drawVector
	Digest    digestVector
}

// place is the address of a draw.
type place struct {
	Seed  string `json:"seed"`
	Index string `json:"index"`
	Step  string `json:"step"`
	Call  string `json:"call"`
	Key   string `json:"key"`
}

type addressVector struct {
	At     place   `json:"at"`
	Option *string `json:"option,omitempty"`
	Bytes  string  `json:"bytes"`
	K      string  `json:"k"`
	U      string  `json:"u"`
	Exp    string  `json:"exp"`
	Gumbel string  `json:"gumbel"`
	Normal string  `json:"normal"`
}

type functionVector struct {
	X string `json:"x"`
	Y string `json:"y"`
}

type philoxVector struct {
	Counter [4]uint32 `json:"counter"`
	Key     [2]uint32 `json:"key"`
	Out     [4]uint32 `json:"out"`
}

type streamVector struct {
	At place  `json:"at"`
	ID uint64 `json:"id"`
	K  string `json:"k"`
}

// ask is a request for a draw. For many options Pattern says how many: logit i
// is ((7919·i) mod 1000) / 100.
type ask struct {
	Kind    Kind    `json:"kind"`
	N       int     `json:"n,omitempty"`
	P       float64 `json:"p,omitempty"`
	Logits  any     `json:"logits,omitempty"`
	Pattern int     `json:"pattern,omitempty"`
}

type drawVector struct {
	At       place  `json:"at"`
	Observed *Draw  `json:"observed,omitempty"`
	Ask      ask    `json:"ask"`
	Want     string `json:"want"`
}

// digestVector is the SHA-256 of ln, Gumbel and normal of N uniforms of a
// stream, 24 bytes each.
type digestVector struct {
	At     place  `json:"at"`
	N      int    `json:"n"`
	SHA256 string `json:"sha256"`
}

// encode writes the file: an object of lists, one vector a line.
func (v *vectors) encode(t testing.TB) (file string, count int) {
	var b strings.Builder
	b.WriteString("{\n\"about\": \"test vectors of package noise, see docs/noise.md\"")
	section := func(name string, rows ...any) {
		fmt.Fprintf(&b, ",\n%q: [", name)
		for i, row := range rows {
			if i > 0 {
				b.WriteByte(',')
			}
			line, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString("\n")
			b.Write(line)
		}
		b.WriteString("\n]")
		count += len(rows)
	}
	section("addresses", anys(v.Addresses)...)
	section("ln", anys(v.Ln)...)
	section("exp", anys(v.Exp)...)
	section("log1p", anys(v.Log1p)...)
	section("normal", anys(v.Normal)...)
	section("philox", anys(v.Philox)...)
	section("streams", anys(v.Streams)...)
	section("draws", anys(v.Draws)...)
	section("posterior", anys(v.Posterior)...)
	section("digest", v.Digest)
	b.WriteString("\n}\n")
	return b.String(), count
}

func anys[T any](rows []T) []any {
	var list []any
	for _, row := range rows {
		list = append(list, row)
	}
	return list
}

func hexBits(x float64) string { return fmt.Sprintf("%016x", math.Float64bits(x)) }

func (p place) source(t testing.TB, given *Posterior) *Source {
	seed, err1 := strconv.ParseUint(p.Seed, 10, 64)
	index, err2 := strconv.ParseUint(p.Index, 10, 64)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return World{Seed: seed, Index: index}.Given(given).Source(p.Step, p.Call)
}

func pattern(n int) []float64 {
	logits := make([]float64, n)
	for i := range logits {
		logits[i] = float64(7919*i%1000) / 100
	}
	return logits
}

// draw answers an ask as a string.
func (a ask) draw(s *Source, key string) string {
	switch a.Kind {
	case Uniform:
		return hexBits(s.Float64(key))
	case Normal:
		return hexBits(s.Norm(key))
	case Exponential:
		return hexBits(s.Exp(key))
	case Int:
		return strconv.Itoa(s.IntN(key, a.N))
	case Bool:
		return strconv.FormatBool(s.Bool(key, a.P))
	case Seed:
		return strconv.FormatInt(s.Seed(key), 10)
	case Perm:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Perm(key, a.N)), " ", ","), "[]")
	case Categorical:
		named := make(map[string]float64)
		for option, l := range a.Logits.(map[string]logit) {
			named[option] = float64(l)
		}
		return s.Categorical(key, named)
	case Index:
		logits := pattern(a.Pattern)
		if listed, ok := a.Logits.([]logit); ok {
			for _, l := range listed {
				logits = append(logits, float64(l))
			}
		}
		return strconv.Itoa(s.Index(key, logits))
	}
	panic("unknown kind " + a.Kind)
}

func TestVectors(t *testing.T) {
	got, _ := makeVectors(t).encode(t)
	if *update {
		if err := os.WriteFile(vectorsFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the draws have changed, stored recordings would no longer replay (-stored +now):\n%s", diff)
	}
}

func (p place) digest(t testing.TB) digest {
	s := p.source(t, nil)
	return s.digest(prior, p.Key)
}

func addressVectors(t testing.TB) []addressVector {
	long := strings.Repeat("long ", 40)
	option := func(s string) *string { return &s }
	cases := []addressVector{
		{At: place{"0", "0", "", "", ""}},
		{At: place{"0", "0", "", "", ""}, Option: option("")},
		{At: place{"7", "3", "retriever", "1", "doc"}},
		{At: place{"7", "3", "retriever", "1", "doc"}, Option: option("gold")},
		{At: place{"7", "3", "retriever", "1", "doc"}, Option: option("stale")},
		{At: place{"7", "3", "retriever", "2", "doc"}, Option: option("gold")},
		{At: place{"3", "7", "retriever", "1", "doc"}, Option: option("gold")},
		{At: place{"7", "3", "ab", "c", "d"}},
		{At: place{"7", "3", "a", "bc", "d"}},
		{At: place{"7", "3", "a", "b", "cd"}},
		{At: place{"7", "3", "a", "b", "c"}, Option: option("d")},
		{At: place{"9007199254740993", "1", "writer", "shard-3", "t1"}},
		{At: place{"18446744073709551615", "18446744073709551615", "writer", "1", "t1"}, Option: option("\x00")},
		{At: place{"1", "1", "résumé", "東京", "🎲"}, Option: option("naïve ﬁ é é")},
		{At: place{"1", "1", long, "1", long + long}, Option: option(long)},
		{At: place{"1", "1", strings.Repeat("x", 127), strings.Repeat("x", 128), "k"}},
	}
	for i := range 60 {
		c := addressVector{At: place{strconv.Itoa(i * i), strconv.Itoa(i), "step" + strconv.Itoa(i%7), strconv.Itoa(1 + i%3), "key" + strconv.Itoa(i)}}
		if i%2 == 1 {
			c.Option = option("option" + strconv.Itoa(i%5))
		}
		cases = append(cases, c)
	}
	for i := range cases {
		c := &cases[i]
		s := c.At.source(t, nil)
		b := s.address(nil, prior, c.At.Key)
		if c.Option != nil {
			b = appendString(b, *c.Option)
		}
		d := digest(sha256.Sum256(b))
		u := uniform(d.bits())
		c.Bytes = hex.EncodeToString(b)
		c.K = strconv.FormatUint(d.bits(), 10)
		c.U, c.Exp, c.Gumbel, c.Normal = hexBits(u), hexBits(exponential(u)), hexBits(gumbel(u)), hexBits(normal(u))
	}
	return cases
}

func functionVectors(f func(float64) float64, xs ...float64) []functionVector {
	var v []functionVector
	for _, x := range xs {
		v = append(v, functionVector{hexBits(x), hexBits(f(x))})
	}
	return v
}

// spread returns hard places of (0, 1) and 100 others.
func spread(t testing.TB) []float64 {
	us := []float64{0x1p-54, 0x1p-53, 0x1p-52, 1 - 0x1p-53, 1 - 0x1p-52, 0.5, 0.5 - 0x1p-53, 0.5 + 0x1p-53, 0.075, 0.925,
		math.Nextafter(0.075, 0), math.Nextafter(0.925, 1), 1.3887943864964e-11, 1.3887943865e-11, math.Sqrt2 / 2,
		math.Nextafter(math.Sqrt2/2, 0), 0.25, 0.75, 1 / math.E, 1e-3, 1e-6, 1e-9, 1e-12}
	d := place{"1", "1", "spread", "1", "u"}.digest(t)
	r := d.stream()
	for i := range 100 {
		us = append(us, uniform(r.bits(uint64(i))))
	}
	return us
}

func makeVectors(t testing.TB) *vectors {
	v := &vectors{
		Addresses: addressVectors(t),
		Philox: []philoxVector{
			{Counter: [4]uint32{0, 0, 0, 0}, Key: [2]uint32{0, 0}},
			{Counter: [4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, Key: [2]uint32{0xffffffff, 0xffffffff}},
			{Counter: [4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, Key: [2]uint32{0xa4093822, 0x299f31d0}},
			{Counter: [4]uint32{1, 2, 3, 4}, Key: [2]uint32{5, 6}},
		},
		Draws:     drawVectors(t),
		Posterior: posteriorVectors(t),
	}
	us := spread(t)
	v.Ln = functionVectors(ln, append([]float64{1, 2, 37.4, math.Pi, 1e9, math.Nextafter(1, 2), 1e300, 0x1p-1022}, us...)...)
	v.Normal = functionVectors(normal, us...)
	var xs []float64
	for i, u := range us {
		xs = append(xs, -u, -40*u, -float64(i)*8)
	}
	v.Exp = functionVectors(exp, append(xs, 0, -700, -700.1, math.Inf(-1), -math.Ln2, -math.Ln2/2)...)
	v.Log1p = functionVectors(log1p, append([]float64{0, 1, 0x1p-60, 0x1p-1022}, us...)...)
	for i := range v.Philox {
		c, k := v.Philox[i].Counter, v.Philox[i].Key
		o := &v.Philox[i].Out
		o[0], o[1], o[2], o[3] = philox(c[0], c[1], c[2], c[3], k[0], k[1])
	}
	at := place{"7", "3", "writer", "1", "t17"}
	d := at.digest(t)
	r := d.stream()
	for _, id := range []uint64{0, 1, 2, 3, 4, 5, 149_998, 149_999, 1 << 31, 1<<40 + 1} {
		v.Streams = append(v.Streams, streamVector{at, id, strconv.FormatUint(r.bits(id), 10)})
	}
	v.Digest = makeDigest(t)
	return v
}

func makeDigest(t testing.TB) digestVector {
	v := digestVector{At: place{"1", "2", "digest", "1", "u"}, N: 200_000}
	d := v.At.digest(t)
	r := d.stream()
	h := sha256.New()
	var b []byte
	for i := range v.N {
		u := uniform(r.bits(uint64(i)))
		b = binary.BigEndian.AppendUint64(b[:0], math.Float64bits(ln(u)))
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(gumbel(u)))
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(normal(u)))
		h.Write(b)
	}
	v.SHA256 = hex.EncodeToString(h.Sum(nil))
	return v
}
