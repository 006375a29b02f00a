package app

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Database is where the data lives, and the two logins to it.
type Database struct {
	// OwnerURL migrates, imports and keeps keys. ServerURL answers requests.
	OwnerURL  string
	ServerURL string
	// Embedded tells whether it is our own PostgreSQL.
	Embedded bool

	cluster *embedded.Cluster
}

// OpenDatabase finds the database; without a URL it attaches to the embedded
// one or starts it. Close it when done.
func OpenDatabase(ctx context.Context, c config.Database, log *slog.Logger) (*Database, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if !c.Embedded() {
		return &Database{OwnerURL: c.Owner(), ServerURL: c.URL}, nil
	}
	cluster, err := embedded.Open(ctx, embedded.Options{Dir: c.DataDir, BinDir: c.BinDir, Log: log})
	if err != nil {
		return nil, err
	}
	return &Database{
		OwnerURL: cluster.OwnerURL(), ServerURL: cluster.ServerURL(), Embedded: true, cluster: cluster,
	}, nil
}

// Migrate brings the schema up to date.
func (d *Database) Migrate(ctx context.Context, log *slog.Logger) error {
	applied, err := postgres.Migrate(ctx, d.OwnerURL)
	if err != nil {
		return err
	}
	if applied > 0 {
		log.Info("the schema was brought up to date", "migrations", applied)
	}
	return nil
}

// ConnectOwner connects as the owner, for one command's work.
func (d *Database) ConnectOwner(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, d.OwnerURL)
	if err != nil {
		return nil, fmt.Errorf("connecting to the database as its owner: %w", err)
	}
	postgres.RegisterTypes(conn)
	return conn, nil
}

// Close lets the embedded database go.
func (d *Database) Close(ctx context.Context) error {
	if d.cluster == nil {
		return nil
	}
	return d.cluster.Close(ctx)
}
