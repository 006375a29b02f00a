package main

import (
	"errors"
	"net/http"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// The reader of the log may end before the server.
func TestServe_OutlivesTheReaderOfItsLog(t *testing.T) {
	t.Parallel()
	p := startServer(t, dbtest.New(t).ServerURL, "CLIENTINTEL_LOG_LEVEL=debug")
	p.logs.Close()
	for range 3 { // each is logged
		get(t, p.address+"/api/client/v1/interviews", http.StatusUnauthorized)
	}
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
	check.NoError(t, p.cmd.Wait(), "after HUP")
}

func TestServe_ASecondSignalEndsItAtOnce(t *testing.T) {
	t.Parallel()
	p := startServer(t, dbtest.New(t).ServerURL, "CLIENTINTEL_DRAIN_DELAY=1h")
	for range 2 {
		require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
		time.Sleep(300 * time.Millisecond) // signals that are not handled yet are one
	}
	failed := new(exec.ExitError)
	if err := p.cmd.Wait(); !errors.As(err, &failed) || failed.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("ended with %v, want by the signal", err)
	}
}
