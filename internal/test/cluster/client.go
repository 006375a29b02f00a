//go:build linux

package cluster

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Import imports a file's text with the program.
func (b *Base) Import(p *Postgres, file string) error {
	_, err := b.Run(p.OwnerURL(), file, "import", "-")
	return err
}

// IssueKeys issues keys with every scope.
func (p *Postgres) IssueKeys(ctx context.Context, client string, n int, scopes ...auth.Scope) ([]string, error) {
	if len(scopes) == 0 {
		scopes = auth.All()
	}
	conn, err := p.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	keys := make([]string, n)
	for i := range keys {
		issued, err := apikey.NewRegistry(conn).Issue(ctx, apikey.Request{Client: client, Name: "test", Scopes: scopes}, apikey.By{})
		if err != nil {
			return nil, err
		}
		keys[i] = issued.Key
	}
	return keys, nil
}

// Connect logs in as the superuser, to whom no policy applies.
func (p *Postgres) Connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, p.URL(embedded.Superuser))
	if err == nil {
		postgres.RegisterTypes(conn)
	}
	return conn, err
}
