package embedded

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestCrash_KilledStarterLosesNothing(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	starter := startChild(t, dir)
	starter.awaitOpen()
	data := dataOf(t, dir)
	pid := postmasterPID(t, data)
	url := urlOf(t, data)
	query(t, url, `CREATE TABLE kept AS SELECT generate_series(1, 10000) AS n`)
	starter.kill()
	c := openDir(t, dir)
	if c.Attached() {
		t.Error("joined the server of a process that was killed")
	}
	if got := postmasterPID(t, data); got == pid {
		t.Errorf("the orphan, process %d, still runs", pid)
	}
	wantQuery(t, c.OwnerURL(), `SELECT count(*) FROM kept`, "10000")
}

// As after a power loss: nothing was cleaned up.
func TestCrash_KilledStarterAndServerLoseNothing(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	starter := startChild(t, dir)
	starter.awaitOpen()
	data := dataOf(t, dir)
	url := urlOf(t, data)
	query(t, url, `CREATE TABLE kept AS SELECT generate_series(1, 10000) AS n`)
	killBoth(t, starter, data)
	for _, left := range []string{filepath.Join(data, "postmaster.pid"), filepath.Join(filepath.Dir(data), socketName)} {
		if _, err := os.Lstat(left); err != nil {
			t.Fatalf("the crash left less than it should: %v", err)
		}
	}
	c := openDir(t, dir)
	wantQuery(t, c.OwnerURL(), `SELECT count(*) FROM kept`, "10000")
}

// killBoth keeps the starter from restarting its server between the kills.
func killBoth(t *testing.T, starter *child, data string) {
	t.Helper()
	pid := postmasterPID(t, data)
	starter.signal(syscall.SIGSTOP)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	starter.kill()
}

// After a reboot the process ids in the leftover files belong to others.
func TestCrash_LeftoverProcessIDsOfOthers(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	starter := startChild(t, dir)
	starter.awaitOpen()
	data := dataOf(t, dir)
	killBoth(t, starter, data)
	other := sleeper(t, dir)
	for _, file := range []string{filepath.Join(data, "postmaster.pid"), filepath.Join(filepath.Dir(data), socketName+".lock")} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "\n")
		if err := os.WriteFile(file, []byte(strconv.Itoa(other)+"\n"+rest), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantQuery(t, openDir(t, dir).OwnerURL(), `SELECT 1`, "1")
	if err := syscall.Kill(other, 0); err != nil {
		t.Errorf("the process that got the server's id was ended: %v", err)
	}
}

// sleeper is an unrelated process of the server's account.
func sleeper(t *testing.T, dir string) int {
	t.Helper()
	a, err := dataDir{dir}.account(filepath.Dir(dataOf(t, dir)))
	if err != nil {
		t.Fatal(err)
	}
	cmd := a.command("/", "sleep", "600")
	if cmd.Err != nil {
		t.Fatal(cmd.Err)
	}
	p, err := startProcess(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.stop(syscall.SIGKILL, readyTimeout) })
	return p.pid
}

// Where the kernel does not stop the server of a killed process.
func TestCrash_OrphanIsStopped(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	pid, data := serverByHand(t, dir, func(data string) []string {
		return serverArgs(data, filepath.Dir(data), nil)
	})
	c := openDir(t, dir)
	wantQuery(t, c.OwnerURL(), `SELECT 1`, "1")
	if got := postmasterPID(t, data); got == pid || c.Attached() {
		t.Errorf("server process %d, attached %v; want a new server, not the orphan %d", got, c.Attached(), pid)
	}
}

func TestCrash_ServerStartedByHandIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	pid, data := serverByHand(t, dir, func(string) []string {
		return []string{"-D", ".", "-k", "..", "-c", "listen_addresses="}
	})
	wantRefusal(t, Options{Dir: dir, DownloadFrom: NoDownload},
		"process "+strconv.Itoa(pid)+" serves "+data+" and was not started by this product: stop it first")
	if !worksIn(pid, data) {
		t.Error("the server was stopped")
	}
}

// serverByHand starts a server in the cluster of dir without a parent.
func serverByHand(t *testing.T, dir string, args func(data string) []string) (int, string) {
	t.Helper()
	closeNow(t, openDir(t, dir))
	data := dataOf(t, dir)
	a, err := dataDir{dir}.account(filepath.Dir(data))
	if err != nil {
		t.Fatal(err)
	}
	_, p := installedMajor(t)
	cmd := a.command(data, p.postgres(), args(data)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: cmd.SysProcAttr.Credential}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	running, err := startProcess(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { running.stop(syscall.SIGINT, readyTimeout) })
	await(t, "the server started by hand", func() bool {
		if running.ended() {
			t.Fatalf("the server started by hand ended: %s", out.String())
		}
		text, _ := os.ReadFile(filepath.Join(data, "postmaster.pid"))
		return strings.Contains(string(text), "ready")
	})
	return running.pid, data
}

func TestCrash_KilledInitdbIsForgotten(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	starter := startChild(t, dir)
	await(t, "initdb", func() bool { return len(globbed(t, dir, "pg*", "data.init-*", "base")) > 0 })
	starter.kill()
	wantQuery(t, openDir(t, dir).OwnerURL(), `SELECT 1`, "1")
	if left := globbed(t, dir, "pg*", "data.init-*"); len(left) > 0 {
		t.Errorf("the interrupted initdb left %v", left)
	}
}

func TestOpen_CancelledWhileCreating(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		c, err := Open(ctx, Options{Dir: dir, DownloadFrom: NoDownload})
		if err == nil {
			closeNow(t, c)
		}
		failed <- err
	}()
	await(t, "initdb", func() bool { return len(globbed(t, dir, "pg*", "data.init-*")) > 0 })
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v, want the cancellation", err)
	}
	if left := globbed(t, dir, "pg*", "data*"); len(left) > 0 {
		t.Errorf("a cancelled start left %v", left)
	}
	wantQuery(t, openDir(t, dir).OwnerURL(), `SELECT 1`, "1")
}

func TestOpen_CancelledWhileStarting(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	closeNow(t, openDir(t, dir))
	data := dataOf(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		c, err := Open(ctx, Options{Dir: dir, DownloadFrom: NoDownload})
		if err == nil {
			closeNow(t, c)
		}
		failed <- err
	}()
	await(t, "the server's process", func() bool { pm, _ := readPIDFile(data); return pm.pid != 0 })
	cancel()
	// The server may have been quicker, which is as good.
	if err := <-failed; err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v, want the cancellation or success", err)
	}
	if pm, err := readPIDFile(data); err != nil || pm.pid != 0 {
		t.Errorf("a server is left: process %d, %v", pm.pid, err)
	}
}

func TestOpen_FailedStartQuotesTheLog(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	closeNow(t, openDir(t, dir))
	_, err := Open(t.Context(), Options{Dir: dir, DownloadFrom: NoDownload, Settings: map[string]string{"no_such_setting": "1"}})
	contains(t, err, "embedded PostgreSQL: PostgreSQL ended while starting (exit status 1); the end of "+dir+"/postgres.log:\n\t")
	contains(t, err, `FATAL:  unrecognized configuration parameter "no_such_setting"`)

	control := filepath.Join(dataOf(t, dir), "global", "pg_control")
	if err := os.Rename(control, control+".away"); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), Options{Dir: dir, DownloadFrom: NoDownload})
	contains(t, err, `could not find the database system`)
	contains(t, err, `pg_control": No such file or directory`)
	if err := os.Rename(control+".away", control); err != nil {
		t.Fatal(err)
	}
	wantQuery(t, openDir(t, dir).OwnerURL(), `SELECT 1`, "1")
}

// The terminal's Ctrl-C goes to a whole group of processes: the server must
// live until we stop it.
func TestOpen_ServerIsInASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	openDir(t, dir)
	pid := postmasterPID(t, dataOf(t, dir))
	out, err := exec.Command("ps", "-o", "pgid=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(out)); got != strconv.Itoa(pid) {
		t.Errorf("the server is in process group %s, want its own, %d", got, pid)
	}
}
