package embedded

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Most of the tests run as whoever runs them. Root runs all of them again as
// an ordinary user, so that both ways are tested wherever one is root.
func TestAsRoot_EverythingAgainAsAnOrdinaryUser(t *testing.T) {
	needRoot(t)
	if testing.Short() {
		t.Skip("short")
	}
	a := ordinary(t)
	parent := filepath.Dir(newDir(t))
	binary := filepath.Join(parent, "embedded.test")
	copyFile(t, os.Args[0], binary)
	copyFile(t, "testdata/programs.txz", filepath.Join(parent, "testdata", "programs.txz"))
	tmp := filepath.Join(parent, "t") // short: sockets are below it
	if err := a.makeDir(tmp); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := commandAs(a, parent, binary, "-test.skip=^TestAsRoot", "-test.timeout=10m")
	cmd.Env = append(cmd.Env, "TMPDIR="+tmp, "HOME="+tmp)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as %s: %v\n%s", a.name, err, out)
	}
	if strings.Contains(string(out), "no tests to run") {
		t.Errorf("as %s: %s", a.name, out)
	}
}

func TestAsRoot_ServerRunsAsPostgresOrNobody(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := newDir(t)
	c := openDir(t, dir)
	a := testAccount(t)
	data := dataOf(t, dir)
	for path, mode := range map[string]os.FileMode{dir: 0o710, filepath.Dir(data): 0o700, data: 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: mode %v, %v; want %04o", path, info.Mode(), err, mode)
		}
	}
	if owner, _, err := ownerOf(data); err != nil || owner != a.uid || a.uid == 0 {
		t.Errorf("%s belongs to uid %d, %v; want %s's", data, owner, err, a.name)
	}
	wantQuery(t, c.OwnerURL(), `SELECT 1`, "1")
}

// A start may be killed after it made a directory, before it gave it away.
func TestAsRoot_DirectoryThatWasNotYetGivenAway(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := newDir(t)
	major, _ := installedMajor(t)
	if err := os.Mkdir(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dataDir{dir}.cluster(major), 0o700); err != nil {
		t.Fatal(err)
	}
	wantQuery(t, openDir(t, dir).OwnerURL(), `SELECT 1`, "1")
}

// The password is one thing; other accounts may not even reach the socket.
func TestAsRoot_OtherAccountsCannotConnect(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := newDir(t)
	c := openDir(t, dir)
	parent := filepath.Dir(dir)
	binary := filepath.Join(parent, "embedded.test")
	copyFile(t, os.Args[0], binary)
	other := ordinary(t)
	cmd := commandAs(other, parent, binary)
	cmd.Env = append(cmd.Env, childDir+"="+dir)
	out, _ := cmd.CombinedOutput()
	want := "error: embedded PostgreSQL: the data directory " + dir + " cannot be used by this account (uid " + strconv.Itoa(other.uid) + "): "
	if got := string(out); !strings.HasPrefix(got, want) || !strings.Contains(got, "permission denied") {
		t.Errorf("opened by %s: got\n%s\nwant\n%s", other.name, got, want)
	}
	if out, err := commandAs(other, "/", "/bin/ls", c.socket).CombinedOutput(); err == nil {
		t.Errorf("%s can look into the socket's directory: %s", other.name, out)
	}
}

func TestAsRoot_DirectoryOutOfTheAccountsReach(t *testing.T) {
	t.Parallel()
	needRoot(t)
	closed := newDir(t)
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(closed, "data"), closed} {
		wantRefusal(t, Options{Dir: dir}, "PostgreSQL does not run as root, and the account "+testAccount(t).name+" that runs it cannot enter "+closed+
			" (fork/exec /bin/sh: permission denied): open it and the directories above it, choose another such as /var/lib/clientintel with --data-dir, or start as an ordinary user")
	}
	if made := globbed(t, closed, "data"); len(made) > 0 {
		t.Errorf("%v was made and is of no use", made)
	}
}

// With sudo, or with a volume of the host's in a container.
func TestAsRoot_ServesTheDirectoryOfAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := newDir(t)
	a := ordinary(t)
	if err := a.makeDir(dir); err != nil {
		t.Fatal(err)
	}
	c := openDir(t, dir)
	query(t, c.OwnerURL(), `CREATE TABLE kept AS SELECT 42 AS n`)
	closeNow(t, c)
	for _, path := range globbed(t, dir, "*") {
		if owner, _, err := ownerOf(path); err != nil || owner != a.uid {
			t.Errorf("%s belongs to uid %d, %v; its user could not go on", path, owner, err)
		}
	}
	binary := filepath.Join(filepath.Dir(dir), "embedded.test")
	copyFile(t, os.Args[0], binary)
	cmd := commandAs(a, "/", binary)
	cmd.Env = append(cmd.Env, childDir+"="+dir)
	if out, err := cmd.Output(); err != nil || string(out) != "open attached: false\n" {
		t.Errorf("opened by its user: %s, %v", out, err)
	}
}

func TestServerEnv_LeavesOutWhatPostgreSQLWouldTake(t *testing.T) {
	t.Parallel()
	got := serverEnv([]string{"PATH=/bin", "PGDATA=/elsewhere", "PGPORT=1", "LC_MESSAGES=de_DE", "LANG=de_DE", "HOME=/h", "PATHS=x"})
	if want := "LC_ALL=C PATH=/bin HOME=/h"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("as root only")
	}
}

// needOrdinaryUser leaves a test to the run as an ordinary user, for root may
// do everything. That run is a test itself, so nothing goes untested.
func needOrdinaryUser(t *testing.T) {
	t.Helper()
	if os.Geteuid() == 0 {
		t.Skip("run by TestAsRoot_EverythingAgainAsAnOrdinaryUser")
	}
}

func ordinary(t *testing.T) account {
	t.Helper()
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	a, err := accountOf(u)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// commandAs runs a program as the account for the test's sake: unlike the
// package's own children it is not started on a thread that is kept for it,
// so it must not end with its thread.
func commandAs(a account, dir, program string, args ...string) *exec.Cmd {
	cmd := a.command(dir, program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cmd.SysProcAttr.Credential}
	return cmd
}

// copyFile leaves the writing to another process. A file that we have open
// for writing is open in every child that a parallel test is just starting,
// and cannot be run until that child is there.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", from, to).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v\n%s", err, out)
	}
	if err := os.Chmod(to, 0o755); err != nil {
		t.Fatal(err)
	}
}
