package search_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/sql/migrations"
)

// The extension may be there already, in a schema of its own.
func TestMigration_FindsTheExtensionElsewhere(t *testing.T) {
	t.Parallel()
	database := dbtest.NewEmpty(t)
	admin := dbtest.Connect(t, database.SuperuserURL)
	dbtest.Exec(t, admin, "CREATE SCHEMA extensions")
	dbtest.Exec(t, admin, "CREATE EXTENSION pg_trgm WITH SCHEMA extensions")
	dbtest.Exec(t, admin, "GRANT USAGE ON SCHEMA extensions TO "+embedded.Owner+", "+postgres.ServerRole)
	_, err := postgres.Migrate(context.Background(), database.OwnerURL, migrations.Files, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	conn := dbtest.Connect(t, database.OwnerURL)
	client := addClient(t, conn, "acme", "legacy")
	quote := "From Zanzibar"
	for range 3 {
		add(t, conn, client, said{id: uuid.New(), quote: &quote}, nil)
	}
	index(t, conn, 0)
	found, err := openReader(t, database.OwnerURL, limitsOf(1)).
		Search(context.Background(), client, search.Query{Text: "zanzi", Limit: 50})
	if err != nil || len(found.Hits) != 3 {
		t.Errorf("%d hits (%v), want 3", len(found.Hits), err)
	}
}
