package app

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/sql/migrations"
)

// Database is the database and the two logins to it.
type Database struct {
	// OwnerURL migrates, imports and manages keys. ServerURL answers requests.
	OwnerURL  string
	ServerURL string

	log     *slog.Logger
	cluster *embedded.Cluster // nil: it is not embedded
}

// OpenDatabase returns the database of the settings, which are checked; without a URL it
// attaches to the embedded one or starts it.
func OpenDatabase(ctx context.Context, c config.Database, log *slog.Logger) (*Database, error) {
	if !c.Embedded() {
		return &Database{OwnerURL: cmp.Or(c.OwnerURL, c.URL), ServerURL: c.URL, log: log}, nil
	}
	cluster, err := embedded.Open(ctx, embedded.Options{Dir: c.DataDir, BinDir: c.BinDir, Log: log})
	if err != nil {
		return nil, err
	}
	return &Database{OwnerURL: cluster.OwnerURL(), ServerURL: cluster.ServerURL(), log: log, cluster: cluster}, nil
}

// Migrate brings the schema up to date.
func (d *Database) Migrate(ctx context.Context) error {
	applied, err := postgres.Migrate(ctx, d.OwnerURL, migrations.Files, d.log)
	if err != nil {
		return err
	}
	if applied > 0 {
		d.log.Info("the schema was brought up to date", "migrations", applied)
	}
	// Also if nothing was applied: a process may have ended between the two steps.
	if due, err := postgres.DistributionIsDue(ctx, d.OwnerURL); err != nil || !due {
		return err
	}
	_, err = postgres.Distribute(ctx, d.OwnerURL, d.log)
	return err
}

// Distribute brings the schema up to date and distributes its tables over the
// workers of the database's server.
func (d *Database) Distribute(ctx context.Context) error {
	if err := d.Migrate(ctx); err != nil {
		return err
	}
	workers, err := postgres.Distribute(ctx, d.OwnerURL, d.log)
	if err != nil {
		return err
	}
	d.log.Info("the tables are distributed", "workers", workers)
	return nil
}

// Command is how a command works with the database.
type Command struct {
	// Roles are those of which it takes one, with their rights alone; none: the owner's.
	Roles []string
	// Creates lets it create the schema in an empty database. Any other schema is left as
	// it is: to migrate it would stop servers of another release.
	Creates bool
	// Newer lets it work on a newer schema that serves this release.
	Newer bool
}

// Connect connects for a command, to a database that has this release's schema.
func (d *Database) Connect(ctx context.Context, c Command) (*pgx.Conn, error) {
	isNew := false
	conn, err := postgres.ConnectTo(ctx, d.OwnerURL, func(schema postgres.Schema) error {
		isNew = c.Creates && schema.Empty
		if c.Newer {
			return schema.CheckServed()
		}
		return schema.Check()
	}, c.Roles...)
	if !isNew {
		return conn, err
	}
	if err := d.Migrate(ctx); err != nil {
		return nil, err
	}
	return postgres.ConnectAs(ctx, d.OwnerURL, c.Roles...)
}

// Close closes the embedded database, if there is one.
func (d *Database) Close(ctx context.Context) error {
	if d.cluster == nil {
		return nil
	}
	return d.cluster.Close(ctx)
}
