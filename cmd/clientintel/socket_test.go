//go:build linux

package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// systemd opens the address and passes it on: while one process ends and the next
// begins, connections wait and none is refused.
func TestServe_RestartsBehindAPassedSocket(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	socket, err := l.(*net.TCPListener).File()
	require.NoError(t, err)
	defer socket.Close()
	start := func() *exec.Cmd {
		t.Helper()
		// systemd names the process that the sockets are for.
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "/bin/sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, os.Args[0],
			"serve", "--no-migrate", "--listen", "127.0.0.1:1", "--ops-listen", "127.0.0.1:0")
		cmd.Env = append(os.Environ(), asProgram+"=1", "LISTEN_FDS=1", "CLIENTINTEL_DRAIN_DELAY=0", "DATABASE_URL="+d.ServerURL)
		cmd.ExtraFiles = []*os.File{socket}
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		return cmd
	}
	first := start()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}
	ctx, stop := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	var answered atomic.Int64
	callers.Go(func() {
		for ctx.Err() == nil {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+"/api/client/v1/openapi.json", nil)
			if err != nil {
				t.Error(err)
				return
			}
			response, err := client.Do(request)
			if err != nil {
				t.Errorf("refused: %v", strings.TrimSpace(err.Error()))
				return
			}
			response.Body.Close()
			answered.Add(1)
			time.Sleep(2 * time.Millisecond)
		}
	})
	await := func(more int64) {
		for want := answered.Load() + more; answered.Load() < want && !t.Failed(); {
			time.Sleep(time.Millisecond)
		}
	}
	await(20)
	require.NoError(t, first.Process.Signal(syscall.SIGTERM))
	check.NoError(t, first.Wait(), "the first process")
	time.Sleep(200 * time.Millisecond)
	second := start()
	await(20)
	stop()
	callers.Wait()
	require.NoError(t, second.Process.Signal(syscall.SIGTERM))
	check.NoError(t, second.Wait(), "the second process")
}
