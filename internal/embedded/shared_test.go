package embedded

import (
	"sync"
	"syscall"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

func TestAttach_ManyAtOnceOnAnEmptyDirectory(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	opened := make([]*Cluster, 4)
	var all sync.WaitGroup
	for i := range opened {
		all.Go(func() {
			c, err := Open(t.Context(), Options{Dir: dir})
			if err != nil {
				t.Error(err)
				return
			}
			opened[i] = c
		})
	}
	all.Wait()
	running := 0
	for _, c := range opened {
		if c == nil {
			continue
		}
		if !c.Attached() {
			running++
		}
		wantQuery(t, c.OwnerURL(), `SELECT 1`, "1")
		defer closeNow(t, c)
	}
	check.Equal(t, running, 1, "clusters that run the server")
}

func TestAttach_TakesOverWhenTheFirstIsKilled(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	first := startChild(t, dir)
	first.awaitOpen()
	second := openDir(t, dir)
	if !second.Attached() {
		t.Fatal("the second started a server beside the first's")
	}
	url := second.OwnerURL() // of pools in use
	query(t, url, `CREATE TABLE kept AS SELECT 42 AS n`)
	first.kill()
	await(t, "the second to take over", func() bool { return !second.Attached() })
	wantQuery(t, url, `SELECT n FROM kept`, "42")
}

// Close lets a command that is about to finish do so.
func TestClose_WaitsForOthers(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	first := openDir(t, dir)
	second := openDir(t, dir)
	done := make(chan error)
	go func() { done <- first.Close(t.Context()) }()
	wantQuery(t, second.OwnerURL(), `SELECT 1`, "1")
	closeNow(t, second)
	check.NoError(t, <-done)
}

func TestSupervise_ServerThatEndsUnaskedIsStartedAgain(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	c := openDir(t, dir)
	query(t, c.OwnerURL(), `CREATE TABLE kept AS SELECT 42 AS n`)
	pid := postmasterPID(t, dataOf(t, dir))
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	await(t, "the new server", func() bool {
		got, err := tryQuery(t, c.OwnerURL(), `SELECT n FROM kept`)
		return err == nil && got == "42" && !c.Attached()
	})
}
