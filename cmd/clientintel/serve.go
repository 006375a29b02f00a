package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
)

func newServe(e *environment) *cobra.Command {
	var noMigrate bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer requests",
		Long: `Answer requests until stopped (SIGTERM: not ready, then no longer accepting, then those in flight finish).

Brings the schema up to date first. Logs go to standard error as JSON lines.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := e.checkServer(); err != nil {
				return err
			}
			e.settings.Server.Migrate = !noMigrate
			log := slog.New(slog.NewJSONHandler(e.stderr, nil))
			return e.withDatabase(cmd.Context(), log, func(d *app.Database) error {
				if d.Embedded {
					log.Warn("the database is embedded, which is for trial: set DATABASE_URL for production")
				}
				return serve(cmd.Context(), d, e.settings.Server, log, func(address, operations string) {
					log.Info("serving", "address", "http://"+address, "operations", "http://"+operations)
				})
			})
		},
	}
	addServerFlags(cmd, &e.settings.Server)
	cmd.Flags().BoolVar(&noMigrate, "no-migrate", false, "do not bring the schema up to date first")
	return cmd
}

// checkServer reports every wrong setting of a server, of the environment first.
func (e *environment) checkServer() error {
	if e.settingsError != nil {
		return &usageError{e.settingsError}
	}
	if err := e.settings.Server.Check(); err != nil {
		return &usageError{err}
	}
	return nil
}

func addServerFlags(cmd *cobra.Command, settings *config.Server) {
	f := cmd.Flags()
	f.StringVar(&settings.Listen, "listen", settings.Listen, "the API's address (CLIENTINTEL_LISTEN)")
	f.StringVar(&settings.OpsListen, "ops-listen", settings.OpsListen,
		"address of /livez, /readyz and /metrics (CLIENTINTEL_OPS_LISTEN)")
	f.DurationVar(&settings.DrainDelay, "drain-delay", settings.DrainDelay,
		"how long to accept connections after SIGTERM while /readyz says not ready (CLIENTINTEL_DRAIN_DELAY)")
	f.StringVar(&settings.PublicURL, "public-url", settings.PublicURL,
		"the address that guides and contract name (CLIENTINTEL_PUBLIC_URL)")
	f.StringVar(&settings.ReplicaURL, "replica-url", settings.ReplicaURL,
		"a standby that answers are read from (CLIENTINTEL_REPLICA_URL); keys, quota and log stay with the primary")
	f.DurationVar(&settings.ReplicaMaxLag, "replica-max-lag", settings.ReplicaMaxLag,
		"how far behind the standby may be before answers are 503 (CLIENTINTEL_REPLICA_MAX_LAG)")
}

// serve runs a wired server until the context ends.
func serve(
	ctx context.Context, d *app.Database, settings config.Server, log *slog.Logger, ready func(address, operations string),
) error {
	defer app.ShareProcessors(d.ServerURL)()
	if settings.Migrate {
		migrating, cancel := context.WithTimeout(ctx, 10*time.Minute)
		defer cancel()
		if err := d.Migrate(migrating, log); err != nil {
			return err
		}
	} else if err := app.AwaitSchema(ctx, d.ServerURL, settings, log); err != nil {
		if ctx.Err() != nil {
			return nil // stopped while waiting
		}
		return err
	}
	server, err := app.NewServer(ctx, d.ServerURL, settings, log)
	if err != nil {
		return err
	}
	defer server.Close()
	return server.Serve(ctx, ready)
}
