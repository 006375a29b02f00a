package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/net/netutil"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/console"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/postgres"
)

const (
	consoleConnections = 4
	// consoleTimeout bounds a statement of the console.
	consoleTimeout = 5 * time.Second
)

// ServeConsole serves the administration API and its page until ctx is done, with the role
// keys. It awaits the database as a server does, and answers 503 meanwhile. apiURL is the
// client API's address. ready is called once it serves.
func (d *Database) ServeConsole(ctx context.Context, settings config.Console, apiURL string, log *slog.Logger, ready func(address string)) error {
	tokens, err := console.NewTokens(settings.JWKS, settings.Secret, log, time.Now)
	if err != nil {
		return err
	}
	deps := console.Deps{Tokens: tokens, Log: log, Now: time.Now, APIURL: apiURL, FrameAncestors: settings.FrameAncestors}
	handler, err := await(ctx, log, settings.Listen, "--listen", refuseMeanwhile, func() (http.Handler, error) { return d.startConsole(ctx, &deps) })
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped while waiting
		}
		return err
	}
	defer deps.Pool.Close()
	listener, err := Listen(ctx, settings.Listen, "--listen")
	if err != nil {
		return err
	}
	server, failed := newHTTPServer(handler, log), make(chan error, 1)
	go func() { failed <- server.Serve(netutil.LimitListener(listener, maxConsoleConnections)) }()
	ready(listener.Addr().String())
	select {
	case err := <-failed:
		return fmt.Errorf("serving the console: %w", err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		_ = server.Close()
		return fmt.Errorf("some requests did not finish in time: %w", err)
	}
	return nil
}

// maxConsoleConnections bounds the open connections; further ones wait to be accepted.
const maxConsoleConnections = 512

// startConsole is one try to start. The console's pool is the caller's to close.
func (d *Database) startConsole(ctx context.Context, deps *console.Deps) (http.Handler, error) {
	probe, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	checked, err := postgres.ConnectTo(probe, d.OwnerURL, checkServed, postgres.KeysRole)
	if err != nil {
		return nil, err
	}
	_ = checked.Close(probe)
	deps.Pool, err = postgres.OpenPool(ctx, postgres.PoolSettings{
		URL: d.OwnerURL, Size: consoleConnections, Roles: []string{postgres.KeysRole}, Application: "clientintel console",
		StatementTimeout: consoleTimeout, LockTimeout: lockTimeout,
	})
	if err != nil {
		return nil, err
	}
	handler, err := console.New(ctx, *deps)
	if err != nil {
		deps.Pool.Close()
	}
	return handler, err
}

// refuseMeanwhile answers for a console that waits for its database.
func refuseMeanwhile(ready func(context.Context) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := ready(r.Context())
		if r.URL.Path == "/readyz" {
			http.Error(w, "not ready: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		middleware.WriteError(w, r, apierror.Unavailable(err))
	})
}
