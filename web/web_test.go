package web_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentblame/agentblame/internal/needs"
	"github.com/agentblame/agentblame/web"
)

const what = "the report's page"

// The script in dist is what the sources give.
func TestFresh(t *testing.T) {
	needs.Modules(t, ".", what)
	if out, err := exec.Command("npx", "--no-install", "tsc").CombinedOutput(); err != nil {
		t.Fatalf("tsc: %v\n%s", err, out)
	}
	dir := t.TempDir()
	if out, err := exec.Command("npx", "--no-install", "vite", "build", "--outDir", dir, "--emptyOutDir", "--logLevel", "error").CombinedOutput(); err != nil {
		t.Fatalf("vite: %v\n%s", err, out)
	}
	built, err := os.ReadFile(filepath.Join(dir, "report.js"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(built, []byte(web.Script())) {
		t.Error("dist/report.js isn't what the sources give: run npm run build in web/")
	}
}

func TestScript(t *testing.T) {
	script := web.Script()
	for _, bad := range []string{"</script", "<!--", "\u2028", "eval(", "new Function", "import("} {
		if strings.Contains(script, bad) {
			t.Errorf("the script has %q in it", bad)
		}
	}
	if n := len(script); n > 350<<10 {
		t.Errorf("the script has %d bytes", n)
	}
}

// Nothing from outside becomes markup: the sources don't even have a way to.
func TestSourcesMakeNoMarkup(t *testing.T) {
	files, err := filepath.Glob("src/*.ts*")
	if err != nil {
		t.Fatal(err)
	}
	views, err := filepath.Glob("src/views/*.ts*")
	if err != nil || len(views) < 5 {
		t.Fatalf("there are %d views, error %v", len(views), err)
	}
	for _, path := range append(files, views...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"innerHTML", "outerHTML", "dangerouslySet", "insertAdjacentHTML", "document.write", "href="} {
			if bytes.Contains(text, []byte(bad)) {
				t.Errorf("%s has %s in it", path, bad)
			}
		}
	}
}

// Pages of real results, opened in a real browser.
func TestInBrowser(t *testing.T) {
	needs.Modules(t, ".", what)
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		needs.Missing(t, what, "there is no Chromium")
	}
	dir := t.TempDir()
	writePages(t, dir)
	cmd := exec.Command("node", "--test", "test/")
	cmd.Env = append(os.Environ(), "PAGES="+dir, "BROWSER="+browser)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("node --test: %v\n%s", err, out)
	}
	t.Logf("%s", out)
}
