package app_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// server is a wired server on a database of its own.
type server struct {
	*app.Server
	database *dbtest.Database
	log      *bytes.Buffer
}

func newServer(t *testing.T, change ...func(*config.Server)) *server {
	t.Helper()
	settings, err := config.FromEnv(os.Getenv)
	require.NoError(t, err)
	settings.Server.PoolSize, settings.Server.DrainDelay = 2, 0
	settings.Server.Listen, settings.Server.OpsListen = "127.0.0.1:0", "127.0.0.1:0"
	for _, c := range change {
		c(&settings.Server)
	}
	s := &server{database: dbtest.New(t), log: &bytes.Buffer{}}
	s.Server, err = app.NewServer(t.Context(), s.database.ServerURL, settings.Server, slog.New(slog.NewTextHandler(s.log, nil)))
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// serve begins to serve and returns both addresses. stop ends it and waits.
func (s *server) serve(t *testing.T) (api, operations string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	addresses, done := make(chan [2]string, 1), make(chan error, 1)
	go func() {
		done <- s.Serve(ctx, func(api, operations string) { addresses <- [2]string{api, operations} })
	}()
	stop = func() {
		cancel()
		check.NoError(t, <-done, "serving ends with")
		done <- nil
	}
	t.Cleanup(stop)
	at := <-addresses
	return at[0], at[1], stop
}

// ask sends one request through a handler.
func ask(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	res := httptest.NewRecorder()
	h.ServeHTTP(res, httptest.NewRequestWithContext(context.Background(), http.MethodGet, path, nil))
	return res
}
