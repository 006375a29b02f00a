package guides_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

var update = flag.Bool("update", false, "rewrite what the guides show as output")

const (
	biGuide    = "bi-guide.md"
	agentGuide = "agent-guide.md"
	guidesDir  = "../../../openapi/guides/"
	prefix     = "/api/client/v1"
	// placeholder is what the guides show for a key.
	placeholder = "cik_your_key"
	// notebook ends the tag of a block that needs other packages: it is run with
	// the build tag partners.
	notebook = " notebook"
)

// demoDay is the day of these tests' demo corpus: the guides show its
// figures.
func demoDay() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// startDemo runs a server with the demo's two brands.
func startDemo(t *testing.T, change ...func(*config.Server)) (*apitest.Server, *apitest.Seed) {
	t.Helper()
	srv, seed := apitest.Start(t, change...)
	conn, err := pgx.Connect(t.Context(), srv.Database.OwnerURL)
	if err != nil {
		t.Fatalf("connecting to import: %v", err)
	}
	defer conn.Close(context.Background())
	var file bytes.Buffer
	if err := demodata.Demo(&file, demoDay()); err != nil {
		t.Fatalf("writing the demo corpus: %v", err)
	}
	if _, err := importer.Import(t.Context(), conn, importer.Options{}, importer.Stream("the input", &file)); err != nil {
		t.Fatalf("importing the demo corpus: %v", err)
	}
	for _, b := range demodata.Brands() {
		seed.Clients[b.Slug] = b.ID
	}
	return srv, seed
}

// fetchGuide gets a guide from a server whose public address is that of srv, so
// that its lines can be run as they stand.
func fetchGuide(t *testing.T, srv *apitest.Server, name string) string {
	t.Helper()
	publisher := *srv
	publisher.URL = srv.StartAnother(t, func(s *config.Server) { s.PublicURL = srv.URL })
	return string(publisher.Get(t, prefix+"/"+name, "").WantStatus(t, 200).Body)
}

func mustBlocks(t *testing.T, guide, markdown string) ([]block, []string) {
	t.Helper()
	blocks, prose, err := blocksOf(guide, markdown)
	if err != nil {
		t.Fatal(err)
	}
	return blocks, prose
}

// sandbox is a reader's directory and shell.
type sandbox struct {
	dir    string
	key    string
	env    map[string]string
	python string
	// packages is the folder of a Python that has what the notebook blocks
	// import. Empty: these blocks are not run.
	packages string
}

// newSandbox refuses to go on without the programs the guides are written for:
// a guide must have been run.
func newSandbox(t *testing.T, url, key string) *sandbox {
	t.Helper()
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("the guides' blocks are run with %s, which is not installed: %v", program, err)
		}
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatalf("the guides' blocks are run with python3 (3.9 or later, standard library only), which is not installed: %v", err)
	}
	return &sandbox{dir: t.TempDir(), key: key, python: python, packages: packages(t), env: map[string]string{
		"CLIENTINTEL_URL": url, "CLIENTINTEL_KEY": key,
	}}
}

// command prepares a program in the sandbox. Its time zone is far from UTC, as
// a reader's may be.
func (w *sandbox) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = w.dir
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "TZ=Pacific/Auckland", "LC_ALL=C.UTF-8",
		"PYTHONDONTWRITEBYTECODE=1", "PYTHONWARNINGS=error", "NO_PROXY=*", "PYENV_ROOT=" + os.Getenv("PYENV_ROOT"),
	}
	for name, value := range w.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// run returns what a program prints. One that fails is an error with what it
// said.
func run(cmd *exec.Cmd) (string, error) {
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%w: %s%s", err, said.String(), out.String())
	}
	return out.String(), nil
}

func (w *sandbox) write(name, text string) error {
	return os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600)
}

// runPython runs a script in the sandbox.
func (w *sandbox) runPython(t *testing.T, script string, args ...string) string {
	t.Helper()
	if err := w.write("script_of_the_test.py", script); err != nil {
		t.Fatal(err)
	}
	out, err := run(w.command(t.Context(), w.python, append([]string{"script_of_the_test.py"}, args...)...))
	if err != nil {
		t.Fatalf("running a script: %v", err)
	}
	return out
}

var exported = regexp.MustCompile(`(?m)^export ([A-Z_]+)='([^']*)'`)

// runShell runs a block of shell lines, each of which must succeed. What they
// export holds for later blocks, as it would in the reader's shell.
func (w *sandbox) runShell(ctx context.Context, b block) (string, error) {
	text := strings.ReplaceAll(b.text, placeholder, w.key)
	out, err := run(w.command(ctx, "sh", "-euc", text))
	for _, m := range exported.FindAllStringSubmatch(text, -1) {
		w.env[m[1]] = m[2]
	}
	return out, err
}

func (w *sandbox) runPythonBlock(ctx context.Context, b block, python string) (string, error) {
	name := fmt.Sprintf("line_%d.py", b.line)
	if err := w.write(name, b.text); err != nil {
		return "", err
	}
	return run(w.command(ctx, python, name))
}

func (w *sandbox) runRBlock(ctx context.Context, b block) (string, error) {
	if err := w.write("block.R", b.text); err != nil {
		return "", err
	}
	return run(w.command(ctx, "Rscript", "--vanilla", "block.R"))
}

// queryScript prints a query's rows, the columns' names first.
const queryScript = `import sqlite3, sys
cursor = sqlite3.connect("warehouse.db").execute(sys.stdin.read())
print(" | ".join(column[0] for column in cursor.description))
for row in cursor:
    print(" | ".join("" if cell is None else str(cell) for cell in row))
`

// runSQLBlock runs a query on the reader's warehouse.
func (w *sandbox) runSQLBlock(ctx context.Context, b block) (string, error) {
	cmd := w.command(ctx, w.python, "-c", queryScript)
	cmd.Stdin = strings.NewReader(b.text)
	return run(cmd)
}

// runBlock does with a block what its reader does: saves it if it names a file,
// else runs it. A tag that is not listed here is an error: nothing in a guide
// goes unchecked.
func (w *sandbox) runBlock(ctx context.Context, b block) (string, error) {
	if b.file() != "" {
		return "", w.write(b.file(), b.text)
	}
	switch b.tag {
	case "python" + notebook:
		return w.runPythonBlock(ctx, b, filepath.Join(w.packages, "python"))
	case "r" + notebook:
		return w.runRBlock(ctx, b)
	case "sh":
		return w.runShell(ctx, b)
	case "python":
		return w.runPythonBlock(ctx, b, w.python)
	case "sql":
		return w.runSQLBlock(ctx, b)
	case "json":
		return "", w.tryJSONBlock(ctx, b)
	case "powerquery":
		return "", checkPowerQuery(b.text)
	case "markdown":
		return "", nil // words for an agent; the test of names reads them
	}
	return "", errors.New("no test knows this tag")
}

// shows reports whether printed is what a guide shows. An ellipsis in the guide
// stands for some text within a line.
func shows(shown, printed string) bool {
	want, got := strings.Split(shown, "\n"), strings.Split(printed, "\n")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if !lineShows(want[i], got[i]) {
			return false
		}
	}
	return true
}

func lineShows(shown, printed string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(shown), "…", ".+")
	return regexp.MustCompile("^" + pattern + "$").MatchString(printed)
}

func TestShows_TakesNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shown, printed string
		want           bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"id …, 3\n", "id 17, 3\n", true},
		{"id …, 3\n", "id 17, 4\n", false},
		{"id …\n", "id \n", false},
		{"a\n", "a\nb\n", false},
		{"a\nb\n", "a\n", false},
		{"a.c\n", "abc\n", false},
		{"…\n", "a\nb\n", false},
	} {
		if got := shows(c.shown, c.printed); got != c.want {
			t.Errorf("shows(%q, %q) is %v", c.shown, c.printed, got)
		}
	}
}

// runGuide runs all blocks in order, in one sandbox, and compares what they
// print with the text block below them. It returns the sandbox as it is then.
func runGuide(t *testing.T, srv *apitest.Server, guide, client string, scopes ...auth.Scope) (*sandbox, []block) {
	t.Helper()
	markdown := fetchGuide(t, srv, guide)
	blocks, _ := mustBlocks(t, guide, markdown)
	w := newSandbox(t, "http://127.0.0.1:1", srv.KeyFor(t, client, scopes...))
	delete(w.env, "CLIENTINTEL_URL") // the guide itself says how to set them
	delete(w.env, "CLIENTINTEL_KEY")
	printed, ran := "", false
	renewed := map[int]string{}
	skipped := false
	for i, b := range blocks {
		if skipped {
			if skipped = false; b.tag == "text" {
				continue
			}
		}
		if w.packages == "" && strings.HasSuffix(b.tag, notebook) {
			skipped, ran = true, false
			continue
		}
		if b.tag == "text" {
			if !ran {
				t.Fatalf("%s: shows the output of nothing", b)
			}
			if !shows(b.text, printed) {
				renewed[i] = printed
				if !*update {
					t.Errorf("%s: the guide shows\n%s\nbut the block above it prints\n%s", b, b.text, printed)
				}
			}
			ran = false
			continue
		}
		if ran && printed != "" {
			t.Errorf("%s: prints\n%s\nand the guide does not show it", blocks[i-1], printed)
		}
		var err error
		if printed, err = w.runBlock(t.Context(), b); err != nil {
			t.Errorf("%s: %v", b, err)
			ran = false
			break // later blocks may build on this one
		}
		ran = b.tag == "sh" || b.tag == "python" || b.tag == "sql" || strings.HasSuffix(b.tag, notebook)
	}
	if ran && printed != "" {
		t.Errorf("%s: prints\n%s\nand the guide does not show it", blocks[len(blocks)-1], printed)
	}
	everyFileIsUsed(t, blocks)
	if *update {
		rewrite(t, guide, blocks, renewed)
	}
	return w, blocks
}

// everyFileIsUsed fails on a block that is saved and never run by a later one.
func everyFileIsUsed(t *testing.T, blocks []block) {
	t.Helper()
	for i, b := range blocks {
		name, _, _ := strings.Cut(b.file(), ".")
		used := name == ""
		for _, later := range blocks[i+1:] {
			used = used || strings.Contains(later.text, name)
		}
		if !used {
			t.Errorf("%s: no later block uses %s", b, b.file())
		}
	}
}

// rewrite puts what blocks printed into the guide's source. Lines that still
// show what is printed stay as they are, with their ellipses.
func rewrite(t *testing.T, guide string, blocks []block, renewed map[int]string) {
	t.Helper()
	source, err := os.ReadFile(guidesDir + guide)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	var out []string
	at := 0
	for i, b := range blocks {
		printed, stale := renewed[i]
		if !stale {
			continue
		}
		out = append(out, lines[at:b.line]...)
		for n, line := range strings.Split(strings.TrimSuffix(printed, "\n"), "\n") {
			if old := b.line + n; old < b.after-1 && lineShows(lines[old], line) {
				line = lines[old]
			}
			out = append(out, line)
		}
		at = b.after - 1
	}
	out = append(out, lines[at:]...)
	if err := os.WriteFile(guidesDir+guide, []byte(strings.Join(out, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}
