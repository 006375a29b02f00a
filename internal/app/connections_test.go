package app_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"testing"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// serve starts a server with a client acme, and returns its address.
func serve(t *testing.T) (*dbtest.Database, string) {
	t.Helper()
	settings, err := config.FromEnv(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	settings.Server.PoolSize, settings.Server.DrainDelay = 2, 0
	settings.Server.Listen, settings.Server.OpsListen = "127.0.0.1:0", "127.0.0.1:0"
	d := dbtest.New(t)
	server, err := app.NewServer(t.Context(), d.ServerURL, settings.Server, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	d.Exec(t, `INSERT INTO clients (id, slug, name) VALUES (gen_random_uuid(), 'acme', 'Acme')`)
	ctx, stop := context.WithCancel(context.Background())
	address, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- server.Serve(ctx, func(api, _ string) { address <- api }) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("serving ends with %v", err)
		}
	})
	return d, <-address
}

// net/http would answer it by itself, without a request id.
func TestServe_OptionsStarIsAnUnknownPath(t *testing.T) {
	t.Parallel()
	_, at := serve(t)
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != 404 || answer.Header.Get("X-Request-Id") == "" {
		t.Errorf("status %d, X-Request-Id %q; want 404 and an id", answer.StatusCode, answer.Header.Get("X-Request-Id"))
	}
}
