package postgres_test

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/sql/migrations"
)

// Tables that are no tenant's: their keys need not lead with the client.
var notTenant = map[string]string{
	"clients":          "the client's own row",
	"record_owners":    "says which client an id belongs to",
	"api_keys":         "found by prefix, before any client is known",
	"server_secrets":   "the service's own",
	"goose_db_version": "the migrations' own",
	"imports":          "the service's own",
}

// Beyond one machine the client is what data is spread by, so it leads every
// key and index of a tenant's table.
func TestSchema_ClientLeadsEveryTenantIndex(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	rows, err := conn.Query(ctx, `
		SELECT c.relname, i.relname, coalesce(a.attname, '(expression)')
		FROM pg_index AS x
		JOIN pg_class AS c ON c.oid = x.indrelid
		JOIN pg_class AS i ON i.oid = x.indexrelid
		LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = x.indkey[0] AND x.indkey[0] <> 0
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')`)
	require.NoError(t, err)
	var table, index, first string
	checked := 0
	if _, err := pgx.ForEachRow(rows, []any{&table, &index, &first}, func() error {
		if _, excused := notTenant[table]; excused {
			return nil
		}
		checked++
		if first != "client_id" && !strings.Contains(index, "trigram") {
			t.Errorf("%s: index %s leads with %s", table, index, first)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if checked < 10 {
		t.Errorf("only %d indexes were checked", checked)
	}
}

// The database itself refuses a reference to another client's record.
func TestSchema_ReferencesAcrossClientsAreImpossible(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	dbtest.Exec(t, conn, `
		INSERT INTO clients (id, slug, name) VALUES
			('11111111-1111-4111-8111-111111111111', 'a', 'A'), ('22222222-2222-4222-8222-222222222222', 'b', 'B');
		INSERT INTO campaigns (client_id, id, slug, launch_status) VALUES
			('11111111-1111-4111-8111-111111111111', '11111111-0000-4000-8000-000000000001', 'c', 'live');
		INSERT INTO lanes (client_id, id, slug, visible) VALUES
			('11111111-1111-4111-8111-111111111111', '11111111-0000-4000-8000-000000000002', 'l', true)`)
	for name, statement := range map[string]string{
		"interview to campaign": `INSERT INTO interviews (client_id, id, campaign_id, created_at, status, quality)
			VALUES ('22222222-2222-4222-8222-222222222222', gen_random_uuid(), '11111111-0000-4000-8000-000000000001', now(), 'completed', 'passed')`,
		"interview to campaign, its liveness supplied": `INSERT INTO interviews (client_id, id, campaign_id, campaign_live, created_at, status, quality)
			VALUES ('22222222-2222-4222-8222-222222222222', gen_random_uuid(), '11111111-0000-4000-8000-000000000001', true, now(), 'completed', 'passed')`,
		"a wrong liveness": `INSERT INTO interviews (client_id, id, campaign_id, campaign_live, created_at, status, quality)
			VALUES ('11111111-1111-4111-8111-111111111111', gen_random_uuid(), '11111111-0000-4000-8000-000000000001', false, now(), 'completed', 'passed')`,
		"synthesis to lane": `INSERT INTO synthesis_documents (client_id, id, synthesis_type, lane_id, document, contract_version, status, created_at, updated_at)
			VALUES ('22222222-2222-4222-8222-222222222222', gen_random_uuid(), 'lane', '11111111-0000-4000-8000-000000000002', '{}', 'v', 'published', now(), now())`,
		"portal to campaign": `INSERT INTO portal_documents (client_id, id, type, campaign_id, body, status)
			VALUES ('22222222-2222-4222-8222-222222222222', gen_random_uuid(), 'campaign', '11111111-0000-4000-8000-000000000001', '{}', 'published')`,
	} {
		_, err := conn.Exec(ctx, statement)
		check.Error(t, err, "23503", name)
	}
}

// Several processes may start at once: all of them find the schema in place.
func TestMigrate_OneOfManyAtOnceMigrates(t *testing.T) {
	t.Parallel()
	database := dbtest.NewEmpty(t)
	var all sync.WaitGroup
	applied := make(chan int, 6)
	for range 6 {
		all.Go(func() {
			n, err := postgres.Migrate(context.Background(), database.OwnerURL, migrations.Files, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Errorf("migrating: %v", err)
			}
			applied <- n
		})
	}
	all.Wait()
	close(applied)
	worked := 0
	for n := range applied {
		if n > 0 {
			worked++
		}
	}
	check.Equal(t, worked, 1, "processes that migrated")
}

// The schema's version is the number of migrations.
func TestMigrations_AreNumberedWithoutGaps(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(migrations.Files, "*.sql")
	require.NoError(t, err)
	for i, file := range files {
		if want := fmt.Sprintf("%05d_", i+1); !strings.HasPrefix(file, want) {
			t.Errorf("%s stands where %s… is expected", file, want)
		}
	}
}

// migrationsOf can go up and down in a database, one by one.
func migrationsOf(t *testing.T, database *dbtest.Database) (*goose.Provider, *sql.DB) {
	t.Helper()
	config, err := pgx.ParseConfig(database.OwnerURL)
	require.NoError(t, err)
	db := stdlib.OpenDB(*config)
	t.Cleanup(func() { _ = db.Close() })
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files)
	require.NoError(t, err)
	return provider, db
}

// Each migration can be taken back, and leaves nothing that keeps it from being
// applied again.
func TestMigrations_GoDownAndUpAgain(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	provider, db := migrationsOf(t, database)
	_, err := provider.DownTo(t.Context(), 0)
	require.NoError(t, err)
	var left string
	if err := db.QueryRowContext(t.Context(), `
		SELECT coalesce(string_agg(o.name, ', '), '')
		FROM (
			SELECT c.relname::text AS name FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace
				AND c.relname NOT LIKE 'goose%'
			UNION ALL
			SELECT p.proname FROM pg_proc AS p WHERE p.pronamespace = 'public'::regnamespace
				AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e')
			UNION ALL
			SELECT t.typname FROM pg_type AS t WHERE t.typnamespace = 'public'::regnamespace AND t.typrelid = 0 AND t.typelem = 0
				AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = t.oid AND d.deptype = 'e')
		) AS o`).Scan(&left); err != nil {
		t.Fatal(err)
	}
	check.Equal(t, left, "", "going down leaves")
	if _, err := postgres.Migrate(t.Context(), database.OwnerURL, migrations.Files, slog.New(slog.DiscardHandler)); err != nil {
		t.Errorf("migrating again: %v", err)
	}
}

// The server role reads and admits, and writes nothing.
func TestSchema_ServerRoleWritesNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	rows, err := conn.Query(ctx, `
		SELECT c.relname, p.privilege
		FROM pg_class AS c
		CROSS JOIN unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS p (privilege)
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v')
			AND has_table_privilege('clientintel_server', c.oid, p.privilege)`)
	require.NoError(t, err)
	var table, privilege string
	if _, err := pgx.ForEachRow(rows, []any{&table, &privilege}, func() error {
		t.Errorf("the server role may %s %s", privilege, table)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"api_keys", "request_log", "key_usage", "usage_sums", "record_owners"} {
		var may bool
		require.NoError(t, conn.QueryRow(ctx, "SELECT has_table_privilege('clientintel_server', $1, 'SELECT')", table).Scan(&may))
		if may {
			t.Errorf("the server role may read %s", table)
		}
	}
}
