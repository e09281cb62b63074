package web_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentblame/agentblame/web"
)

// missing skips a test, or fails it where everything must be tested.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf("THE REPORT'S PAGE ISN'T TESTED: "+format, args...)
}

// modules installs what the front end is built and tested with.
func modules(t *testing.T) {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			missing(t, "there is no %s", name)
		}
	}
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join("node_modules", ".lock"))
	if err == nil && bytes.Equal(have, lock) {
		return
	}
	if out, err := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund").CombinedOutput(); err != nil {
		missing(t, "npm ci: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join("node_modules", ".lock"), lock, 0o666); err != nil {
		t.Fatal(err)
	}
}

// The script in dist is what the sources give.
func TestFresh(t *testing.T) {
	modules(t)
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
	modules(t)
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		missing(t, "there is no Chromium")
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
