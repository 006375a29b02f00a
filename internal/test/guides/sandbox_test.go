package guides_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/require"
)

const (
	biGuide    = "bi-guide.md"
	agentGuide = "agent-guide.md"
	prefix     = "/api/client/v1"
	// placeholder is what the guides show for a key.
	placeholder = "cik_your_key"
	// notebook ends the tag of a block that needs other packages: it is run with
	// the build tag partners.
	notebook = " notebook"
	// installation is the tag of a block that installs the Python client. It is
	// not run: the sandbox has the client's source in its path, and the
	// partners' tests install the package.
	installation = "sh install"
	pythonClient = "../../../openapi/clients/python"
)

// demoDay is the day of these tests' demo corpus: the guides show its
// figures.
func demoDay() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// startDemo runs a server with the demo's two brands.
func startDemo(t *testing.T) *apitest.Server {
	t.Helper()
	srv, seed := apitest.Start(t)
	conn, err := pgx.Connect(t.Context(), srv.Database.OwnerURL)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var file bytes.Buffer
	require.NoError(t, demodata.Demo(&file, demoDay()))
	_, err = importer.Import(t.Context(), conn, importer.Options{}, importer.Stream("the input", &file))
	require.NoError(t, err, "importing the demo corpus")
	for _, b := range demodata.Brands() {
		seed.Clients[b.Slug] = b.ID
	}
	return srv
}

// fetchGuide gets a guide from a server whose public address is that of srv, so
// that its commands can be run unchanged.
func fetchGuide(t *testing.T, srv *apitest.Server, name string) string {
	t.Helper()
	publisher := *srv
	publisher.URL = srv.StartAnother(t, func(s *config.Server) { s.PublicURL = srv.URL })
	return string(publisher.Get(t, prefix+"/"+name, "").WantStatus(t, 200).Body)
}

// sandbox is a reader's directory and shell.
type sandbox struct {
	dir    string
	key    string
	env    map[string]string
	python string
	// packages is the folder of a Python that has what the notebook blocks
	// import. If it is empty, these blocks are not run.
	packages string
}

// newSandbox fails without the programs that the guides are written for.
func newSandbox(t *testing.T, key string) *sandbox {
	t.Helper()
	for _, program := range []string{"sh", "curl"} {
		_, err := exec.LookPath(program)
		require.NoError(t, err, program)
	}
	python, err := exec.LookPath("python3")
	require.NoError(t, err)
	return &sandbox{dir: t.TempDir(), key: key, python: python, packages: packages(t), env: map[string]string{}}
}

// command prepares a program in the sandbox. Its time zone is far from UTC, as
// a reader's may be.
func (w *sandbox) command(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	client, err := filepath.Abs(pythonClient)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = w.dir
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "TZ=Pacific/Auckland", "LC_ALL=C.UTF-8", "PYTHONPATH=" + client,
		"PYTHONDONTWRITEBYTECODE=1", "PYTHONWARNINGS=error", "NO_PROXY=*", "PYENV_ROOT=" + os.Getenv("PYENV_ROOT"),
	}
	for name, value := range w.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd, nil
}

// run returns what a program prints. The error of a program that fails has its
// output.
func (w *sandbox) run(ctx context.Context, input, name string, args ...string) (string, error) {
	cmd, err := w.command(ctx, name, args...)
	if err != nil {
		return "", err
	}
	var out, complaints bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &complaints
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%w: %s%s", err, complaints.String(), out.String())
	}
	return out.String(), nil
}

var exported = regexp.MustCompile(`(?m)^export ([A-Z_]+)='([^']*)'`)

// runShell runs a block of shell lines, each of which must succeed. Later blocks
// see what they export, as in the reader's shell.
func (w *sandbox) runShell(ctx context.Context, b block) (string, error) {
	text := strings.ReplaceAll(b.text, placeholder, w.key)
	out, err := w.run(ctx, "", "sh", "-euc", text)
	for _, m := range exported.FindAllStringSubmatch(text, -1) {
		w.env[m[1]] = m[2]
	}
	return out, err
}

// queryScript prints the columns' names and the rows of a query on the warehouse
// that the guide's sync made.
const queryScript = `import sqlite3, sys
cursor = sqlite3.connect("warehouse.db").execute(sys.stdin.read())
print(" | ".join(column[0] for column in cursor.description))
for row in cursor:
    print(" | ".join("" if cell is None else str(cell) for cell in row))
`

// runBlock runs a block as its reader would, and returns what it prints. An
// unknown tag is an error, so that nothing in a guide goes unchecked.
func (w *sandbox) runBlock(t *testing.T, b block) (string, error) {
	ctx := t.Context()
	switch b.tag {
	case "sh":
		return w.runShell(ctx, b)
	case "python":
		return w.run(ctx, b.text, w.python, "-")
	case "python" + notebook:
		return w.run(ctx, b.text, filepath.Join(w.packages, "python"), "-")
	case "sql":
		return w.run(ctx, b.text, w.python, "-c", queryScript)
	case "json":
		return "", w.tryHost(t, b)
	case installation, "powerquery", "markdown":
		return "", nil
	}
	return "", errors.New("no test knows this tag")
}

// shows reports whether printed is what a guide shows. An ellipsis in the guide
// stands for some text within a line.
func shows(shown, printed string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(shown), "…", "[^\n]+")
	return regexp.MustCompile("^" + pattern + "$").MatchString(printed)
}

// runGuide runs all blocks in order, in one sandbox, and compares what each
// prints with the text block that follows it.
func runGuide(t *testing.T, srv *apitest.Server, guide, key string) {
	t.Helper()
	blocks, err := blocksOf(guide, fetchGuide(t, srv, guide))
	require.NoError(t, err)
	w := newSandbox(t, key)
	for i := 0; i < len(blocks); i++ {
		b, shown := blocks[i], ""
		if b.tag == "text" {
			t.Fatalf("%s: no block above it prints this", b)
		}
		if i+1 < len(blocks) && blocks[i+1].tag == "text" {
			shown = blocks[i+1].text
			i++
		}
		if w.packages == "" && strings.HasSuffix(b.tag, notebook) {
			continue
		}
		printed, err := w.runBlock(t, b)
		if err != nil {
			t.Fatalf("%s: %v", b, err) // later blocks may build on this one
		}
		if !shows(shown, printed) {
			t.Errorf("%s: the guide shows\n%s\nand the block prints\n%s", b, shown, printed)
		}
	}
}
