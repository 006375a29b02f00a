package embedded

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The tests run as whoever runs them. Root starts and shares a server as an ordinary user
// too.
func TestAsRoot_StartedByAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	needRoot(t)
	a := ordinary(t)
	parent := filepath.Dir(newDir(t))
	binary := filepath.Join(parent, "embedded.test")
	copyFile(t, os.Args[0], binary)
	tmp := filepath.Join(parent, "t") // short: sockets are below it
	if err := a.makeDir(tmp); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := commandAs(a, parent, binary, "-test.run=^(TestOpen_FirstStart|TestAttach_TakesOver)", "-test.timeout=10m")
	cmd.Env = append(cmd.Env, "TMPDIR="+tmp, "HOME="+tmp)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as %s: %v\n%s", a.name, err, out)
	}
	if strings.Contains(string(out), "no tests to run") {
		t.Errorf("as %s: %s", a.name, out)
	}
}

// Only root and the server's account reach the data and the socket.
func TestAsRoot_OtherAccountsCannotConnect(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := newDir(t)
	c := openDir(t, dir)
	a, data := testAccount(t), dataOf(t, dir)
	if err := errors.Join(a.checkPrivate(filepath.Dir(data)), a.checkPrivate(data)); err != nil || a.uid == 0 {
		t.Errorf("as %s: %v", a.name, err)
	}
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
	wantRefusal(t, Options{Dir: closed}, "PostgreSQL does not run as root, and the account "+testAccount(t).name+" that runs it cannot enter "+closed+
		" (fork/exec /bin/sh: permission denied): open it and the directories above it, choose another such as /var/lib/clientintel with --data-dir, or start as an ordinary user")
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("as root only")
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
