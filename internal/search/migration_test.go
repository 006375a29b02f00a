package search_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/sql/migrations"
)

// What search needs of a database is said when the schema is made, with advice.
func TestMigration_SaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	admin := connect(t, database.SuperuserURL)
	for name, c := range map[string]struct{ create, grant, want string }{
		"latin": {
			"ENCODING 'LATIN1' LOCALE 'C' OWNER " + embedded.Owner, "",
			"the database's encoding is LATIN1, and search needs UTF8: create the database with ENCODING 'UTF8'",
		},
		"unowned": {
			"ENCODING 'UTF8'", "GRANT ALL ON SCHEMA public TO " + embedded.Owner,
			"may not create it: grant the owner CREATE on the database, or let an administrator run CREATE EXTENSION pg_trgm",
		},
	} {
		other := database.Name + "_" + name
		exec(t, admin, "CREATE DATABASE "+other+" TEMPLATE template0 "+c.create)
		t.Cleanup(func() { exec(t, admin, "DROP DATABASE "+other+" WITH (FORCE)") })
		if c.grant != "" {
			exec(t, connect(t, strings.ReplaceAll(database.SuperuserURL, database.Name, other)), c.grant)
		}
		_, err := postgres.Migrate(context.Background(), strings.ReplaceAll(database.OwnerURL, database.Name, other), migrations.Files, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// The extension may be there already, in a schema of its own.
func TestMigration_FindsTheExtensionElsewhere(t *testing.T) {
	t.Parallel()
	database := dbtest.NewEmpty(t)
	admin := connect(t, database.SuperuserURL)
	exec(t, admin, "CREATE SCHEMA extensions")
	exec(t, admin, "CREATE EXTENSION pg_trgm WITH SCHEMA extensions")
	exec(t, admin, "GRANT USAGE ON SCHEMA extensions TO "+embedded.Owner+", "+postgres.ServerRole)
	if _, err := postgres.Migrate(context.Background(), database.OwnerURL, migrations.Files, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, database.OwnerURL)
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
