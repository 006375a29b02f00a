package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/net/netutil"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/console"
	"github.com/clientintel/clientintel/internal/postgres"
)

const (
	consoleConnections = 4
	// consoleTimeout bounds a statement of the console.
	consoleTimeout = 5 * time.Second
)

// ServeConsole serves the administration API and its page until ctx is done, with the role
// keys. apiURL is the client API's address. ready is called once it listens.
func (d *Database) ServeConsole(ctx context.Context, settings config.Console, apiURL string, log *slog.Logger, ready func(address string)) error {
	tokens, err := console.NewTokens(settings.JWKS, settings.Secret, log, time.Now)
	if err != nil {
		return err
	}
	checked, err := d.Connect(ctx, Command{Roles: []string{postgres.KeysRole}, Newer: true})
	if err != nil {
		return err
	}
	_ = checked.Close(ctx)
	pool, err := postgres.OpenPool(ctx, postgres.PoolSettings{
		URL: d.OwnerURL, Size: consoleConnections, Roles: []string{postgres.KeysRole}, Application: "clientintel console",
		StatementTimeout: consoleTimeout, LockTimeout: lockTimeout,
	})
	if err != nil {
		return err
	}
	defer pool.Close()
	handler, err := console.New(ctx, console.Deps{
		Pool: pool, Tokens: tokens, Log: log, Now: time.Now, APIURL: apiURL, FrameAncestors: settings.FrameAncestors,
	})
	if err != nil {
		return err
	}
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
