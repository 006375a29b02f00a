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

	"github.com/clientintel/clientintel/internal/test/require"
)

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

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("as root only")
	}
}

func ordinary(t *testing.T) account {
	t.Helper()
	u, err := user.Lookup("nobody")
	require.NoError(t, err)
	a, err := accountOf(u)
	require.NoError(t, err)
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
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
	if out, err := exec.Command("cp", from, to).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v\n%s", err, out)
	}
	require.NoError(t, os.Chmod(to, 0o755))
}
