package main

import (
	"context"
	"errors"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/ops"
	"github.com/clientintel/clientintel/internal/test/require"
)

// The command says what /readyz says, and nothing else counts as healthy.
func TestHealth(t *testing.T) {
	t.Parallel()
	var fault error
	server := httptest.NewServer(ops.Handler(ops.NewMetrics("test"), func(context.Context) error { return fault }))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	for _, listens := range []string{address, "0.0.0.0:" + port, ":" + port} {
		if got := command(t, map[string]string{"CLIENTINTEL_OPS_LISTEN": listens}, "", "health"); got.code != exitDone || got.stdout != "ok\n" {
			t.Errorf("%s, ready: %+v", listens, got)
		}
	}
	fault = errors.New("the database does not answer")
	if got := command(t, nil, "", "health", "--ops-listen", address); got.code != exitFailed || !strings.Contains(got.stderr, "not ready: the database does not answer") {
		t.Errorf("not ready: %+v", got)
	}
	server.Close()
	if got := command(t, nil, "", "health", "--ops-listen", address); got.code != exitFailed || !strings.Contains(got.stderr, "no server answers") {
		t.Errorf("gone: %+v", got)
	}
	if got := command(t, nil, "", "health", "--ops-listen", "nowhere"); got.code != exitUsage || !strings.Contains(got.stderr, "must be host:port") {
		t.Errorf("no address: %+v", got)
	}
}
