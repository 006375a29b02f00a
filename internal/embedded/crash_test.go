package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/require"
)

// As after a power loss: nothing was cleaned up, and the process ids in the leftover files
// belong to others.
func TestCrash_KilledStarterAndServerLoseNothing(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	starter := startChild(t, dir)
	starter.awaitOpen()
	data := dataOf(t, dir)
	query(t, urlOf(data), `CREATE TABLE kept AS SELECT generate_series(1, 10000) AS n`)
	server := postmasterPID(t, data)
	// Stopped, the starter does not start its server again.
	require.NoError(t, errors.Join(starter.cmd.Process.Signal(syscall.SIGSTOP), syscall.Kill(server, syscall.SIGKILL)))
	starter.kill()
	other, err := startProcess(testAccount(t).command("/", "sleep", "600"))
	require.NoError(t, err)
	t.Cleanup(func() { other.stop(syscall.SIGKILL, time.Minute) })
	for _, file := range []string{filepath.Join(data, "postmaster.pid"), filepath.Join(filepath.Dir(data), socketName+".lock")} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, rest, _ := strings.Cut(string(text), "\n")
		require.NoError(t, os.WriteFile(file, []byte(strconv.Itoa(other.pid)+"\n"+rest), 0o600))
	}
	wantQuery(t, openDir(t, dir).OwnerURL(), `SELECT count(*) FROM kept`, "10000")
	if other.ended() {
		t.Error("the process that got the server's id was ended")
	}
}

// Where the kernel does not stop the server of a killed process.
func TestCrash_OrphanIsStopped(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	closeNow(t, openDir(t, dir))
	data := dataOf(t, dir)
	_, p := installedMajor(t)
	cmd := testAccount(t).command(data, p.postgres(), serverArgs(data, filepath.Dir(data), nil)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: cmd.SysProcAttr.Credential}
	orphan, err := startProcess(cmd)
	require.NoError(t, err)
	t.Cleanup(func() { orphan.stop(syscall.SIGINT, time.Minute) })
	await(t, "the orphan", func() bool {
		if orphan.ended() {
			t.Fatal("the orphan ended")
		}
		text, _ := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		return strings.Contains(string(text), "ready")
	})
	c := openDir(t, dir)
	wantQuery(t, c.OwnerURL(), `SELECT 1`, "1")
	if got := postmasterPID(t, data); got == orphan.pid || c.Attached() {
		t.Errorf("server process %d, attached %v; want a new server, not the orphan %d", got, c.Attached(), orphan.pid)
	}
}

func TestCrash_KilledInitdbIsForgotten(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	starter := startChild(t, dir)
	await(t, "initdb", func() bool { return len(globbed(t, dir, "pg*", "data.init-*", "base")) > 0 })
	starter.kill()
	wantQuery(t, openDir(t, dir).OwnerURL(), `SELECT 1`, "1")
}
