package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
)

func newServe(s *surroundings) *cobra.Command {
	settings, envFault := config.ServerFromEnv(s.getenv)
	var noMigrate bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer requests",
		Long: `Answer requests until stopped (SIGTERM lets those in flight finish).

Brings the schema up to date first. Logs go to standard error as JSON lines.`,
		Args: asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if envFault != nil {
				return &usageError{envFault}
			}
			settings.Migrate = !noMigrate
			if err := settings.Check(); err != nil {
				return &usageError{err}
			}
			log := slog.New(slog.NewJSONHandler(s.stderr, nil))
			return s.withDatabase(cmd.Context(), log, func(d *app.Database) error {
				if d.Embedded {
					log.Warn("the database is embedded, which is for trial: set DATABASE_URL for production")
				}
				return serve(cmd.Context(), d, settings, log, func(address, operations string) {
					log.Info("serving", "address", "http://"+address, "operations", "http://"+operations)
				})
			})
		},
	}
	addServerFlags(cmd, &settings)
	cmd.Flags().BoolVar(&noMigrate, "no-migrate", false, "do not bring the schema up to date first")
	return cmd
}

func addServerFlags(cmd *cobra.Command, settings *config.Server) {
	f := cmd.Flags()
	f.StringVar(&settings.Listen, "listen", settings.Listen, "the API's address (CLIENTINTEL_LISTEN)")
	f.StringVar(&settings.OpsListen, "ops-listen", settings.OpsListen,
		"address of /livez, /readyz and /metrics (CLIENTINTEL_OPS_LISTEN)")
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
	}
	server, err := app.NewServer(ctx, d.ServerURL, settings, log)
	if err != nil {
		return err
	}
	defer server.Close()
	return server.Serve(ctx, ready)
}
