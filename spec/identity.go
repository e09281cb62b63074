package spec

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// identity is what tells the runs of an implementation from those of another:
// all that its declaration says about what it does.
type identity []string

func (id *identity) add(s string) { *id = append(*id, s) }

// biggestScript is the size up to which a file among a program's arguments is
// read to tell when it has changed.
const biggestScript = 16 << 20

// addFile adds the text of a file that an argument names, if it names one: a
// step whose script has changed is another step.
func (id *identity) addFile(dir, arg string) {
	if !filepath.IsAbs(arg) {
		arg = filepath.Join(dir, arg)
	}
	info, err := os.Stat(arg)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return
	}
	if info.Size() > biggestScript {
		id.add(fmt.Sprint(info.Size()))
		return
	}
	if text, err := os.ReadFile(arg); err == nil {
		id.add(string(text))
	}
}

// version returns a short text for the identity that begins with the user's.
func (id identity) version(given string) string {
	h := sha256.New()
	for _, s := range id {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	digest := hex.EncodeToString(h.Sum(nil)[:6])
	if given == "" {
		return digest
	}
	return given + "-" + digest
}
