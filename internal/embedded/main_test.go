package embedded

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// childDir in the environment makes the test binary another process of the
// product: it opens the directory, tells so, and closes it when told to.
const childDir = "EMBEDDED_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := childMain(dir); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func childMain(dir string) error {
	c, err := Open(context.Background(), Options{Dir: dir})
	if err != nil {
		return err
	}
	fmt.Println("open attached:", c.Attached())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return c.Close(context.Background())
}

// child is another process that has, or is about to have, a directory open.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Scanner
}

func startChild(t *testing.T, dir string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := &child{t: t, cmd: cmd, stdin: stdin, lines: bufio.NewScanner(stdout)}
	t.Cleanup(c.kill)
	return c
}

// awaitOpen reads the child's first line.
func (c *child) awaitOpen() string {
	c.t.Helper()
	if !c.lines.Scan() {
		c.t.Fatalf("the child process ended without a word: %v", c.cmd.Wait())
	}
	return c.lines.Text()
}

// kill is what an impatient operator does; Wait makes sure of it.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

func (c *child) close() {
	c.t.Helper()
	_ = c.stdin.Close()
	if err := c.cmd.Wait(); err != nil {
		c.t.Fatalf("the child process: %v", err)
	}
}

// newDir returns a directory that is not there yet, in one that every account
// can pass: as root, t.TempDir would keep the server's account out.
func newDir(t *testing.T) string {
	t.Helper()
	parent, err := os.MkdirTemp("", "embedded-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(parent, 0o755))
	parent, err = filepath.EvalSymlinks(parent)
	require.NoError(t, err)
	dir := filepath.Join(parent, "data")
	t.Cleanup(func() {
		for _, data := range globbed(t, dir, "pg*", "data") {
			stopServer(t, data)
		}
		check.NoError(t, os.RemoveAll(parent), "removing the test's directory")
	})
	return dir
}

// stopServer ends what a failed test, or a killed child, has left running.
func stopServer(t *testing.T, data string) {
	t.Helper()
	pid, err := readPID(data)
	if err != nil {
		t.Errorf("reading postmaster.pid: %v", err)
	}
	if pid == 0 || !serves(pid, data) {
		return
	}
	_ = syscall.Kill(pid, syscall.SIGINT)
	await(t, "the server's end", func() bool { return !serves(pid, data) })
}

// await polls; the bound is only there to end a test that hangs.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func globbed(t *testing.T, parts ...string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(parts...))
	require.NoError(t, err)
	return found
}

func openDir(t *testing.T, dir string) *Cluster {
	t.Helper()
	c, err := Open(t.Context(), Options{Dir: dir, Settings: map[string]string{"work_mem": "5MB", "listen_addresses": "*"}})
	require.NoError(t, err)
	t.Cleanup(func() { closeNow(t, c) })
	return c
}

// closeNow does not wait for others to finish.
func closeNow(t *testing.T, c *Cluster) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	check.NoError(t, c.Close(ctx), "Close")
}

// wantRefusal wants Open to fail with exactly these words.
func wantRefusal(t *testing.T, o Options, want string) {
	t.Helper()
	c, err := Open(t.Context(), o)
	if err == nil {
		closeNow(t, c)
		t.Fatalf("Open succeeded, want the error\n%s", want)
	}
	check.Equal(t, err.Error(), "embedded PostgreSQL: "+want)
}

// query runs statements on a connection of its own and returns the first
// value of the last, as text.
func query(t *testing.T, url, sql string) string {
	t.Helper()
	got, err := tryQuery(t, url, sql)
	require.NoError(t, err, sql)
	return got
}

func tryQuery(t *testing.T, url, sql string) (string, error) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.Background())
	results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil || len(results) == 0 || len(results[len(results)-1].Rows) == 0 {
		return "", err
	}
	return string(results[len(results)-1].Rows[0][0]), nil
}

func wantQuery(t *testing.T, url, sql, want string) {
	t.Helper()
	check.Equal(t, query(t, url, sql), want, sql)
}

// dataOf is the cluster's data directory; there is exactly one.
func dataOf(t *testing.T, dir string) string {
	t.Helper()
	found := globbed(t, dir, "pg*", "data")
	if len(found) != 1 {
		t.Fatalf("clusters in %s: %v, want one", dir, found)
	}
	return found[0]
}

func postmasterPID(t *testing.T, data string) int {
	t.Helper()
	pid, err := readPID(data)
	if err != nil || pid == 0 {
		t.Fatalf("no server runs in %s: %v", data, err)
	}
	return pid
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// installedMajor is the version that Open chooses on this machine.
func installedMajor(t *testing.T) (int, programs) {
	t.Helper()
	major := 0
	found, skipped := testAccount(t).search(t.Context(), usualPlaces())
	for m := range found {
		major = max(major, m)
	}
	if major == 0 {
		t.Fatalf("the tests need PostgreSQL 15 or later: %q", skipped)
	}
	return major, found[major]
}

func testAccount(t *testing.T) account {
	t.Helper()
	a, err := serverAccount()
	require.NoError(t, err)
	return a
}

// readPID is the process id in postmaster.pid, 0 without the file.
func readPID(data string) (int, error) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if os.IsNotExist(err) {
		return 0, nil
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(line)
	return pid, err
}

// urlOf connects the owner to the cluster in data.
func urlOf(data string) string { return socketURL(filepath.Dir(data), Owner, Database) }
