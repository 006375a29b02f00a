package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/postgres"
)

func newServe(e *environment) *cobra.Command {
	var noDocs, noMigrate bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer requests",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := e.checkServer(); err != nil {
				return err
			}
			if noDocs {
				e.settings.Server.Docs = "off"
			}
			e.settings.Server.Migrate = !noMigrate
			log := e.serverLog()
			return e.withDatabase(cmd.Context(), log, func(d *app.Database) error {
				if e.settings.Database.Embedded() {
					log.Warn("the database is embedded, which is for trial: set DATABASE_URL for production")
				}
				return serve(cmd.Context(), d, e.settings.Server, log, func(address, operations string) {
					log.Info("serving", "address", e.settings.Server.BaseURL(address), "operations", "http://"+operations)
				})
			})
		},
	}
	addFlags(cmd.Flags(), &e.settings.Server)
	cmd.Flags().BoolVar(&noDocs, "no-docs", false, "do not serve /docs, /explore and /llms.txt")
	cmd.Flags().BoolVar(&noMigrate, "no-migrate", false, "do not bring the schema up to date first")
	return cmd
}

// checkServer reports all invalid settings of a server together, unreadable environment
// variables first.
func (e *environment) checkServer() error {
	mistakes := []error{e.settingsError, e.settings.Server.Check(), e.settings.Database.Check()}
	for _, u := range []struct{ name, value string }{
		{"--database-url (DATABASE_URL)", e.settings.Database.URL}, {"--owner-url (DATABASE_OWNER_URL)", e.settings.Database.OwnerURL},
		{"--replica-url (CLIENTINTEL_REPLICA_URL)", e.settings.Server.ReplicaURL},
	} {
		if u.value == "" {
			continue
		}
		if _, err := postgres.ParseURL(u.value); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", u.name, err))
		}
	}
	if err := errors.Join(mistakes...); err != nil {
		return &usageError{err}
	}
	return nil
}

// serverLog returns a JSON logger with the level of the settings, and warns of environment
// variables that set nothing.
func (e *environment) serverLog() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(e.settings.Server.LogLevel)) // checked before
	log := slog.New(slog.NewJSONHandler(e.stderr, &slog.HandlerOptions{Level: level}))
	for _, u := range config.UnknownVariables(e.environ) {
		log.Warn("no setting has this name", "variable", u.Variable, "nearest", u.Nearest)
	}
	return log
}

// serve runs a server until the context ends.
func serve(
	ctx context.Context, d *app.Database, settings config.Server, log *slog.Logger, ready func(address, operations string),
) error {
	signal.Ignore(syscall.SIGPIPE) // the reader of the log may be gone
	server, err := app.AwaitServer(ctx, d, settings, log)
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped while waiting
		}
		return err
	}
	defer server.Close()
	return server.Serve(ctx, ready)
}
