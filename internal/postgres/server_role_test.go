package postgres_test

import (
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/sql/migrations"
)

// Arguments that no server sends. held is a key's prefix, and the ids are its client's and
// its own.
var hostile = map[string][]string{
	"interval":   {"'-3 days'", "'-100000 years'", "'40 days'", "'0'"},
	"integer":    {"-1", "0", "1", "2147483647"},
	"bigint":     {"-1", "0", "1", "9223372036854775807"},
	"text":       {"''", "'x'", "'%'", "'held'"},
	"boolean":    {"true", "false", "true", "false"},
	"uuid":       {"gen_random_uuid()", "'00000000-0000-0000-0000-000000000000'", heldClient, heldKey},
	"text[]":     {"'{}'", "'{NULL}'", "'{held}'", "'{held,held}'"},
	"uuid[]":     {"'{}'", "'{NULL}'", "ARRAY[" + heldKey + "]", "ARRAY[" + heldKey + "," + heldClient + "]"},
	"bytea[]":    {"'{}'", "'{NULL}'", "ARRAY[sha256('wrong')]", "ARRAY[sha256('held'), sha256('wrong')]"},
	"bigint[]":   {"'{}'", "'{NULL}'", "'{300}'", "'{1,2}'"},
	"smallint[]": {"'{}'", "'{NULL}'", "'{401}'", "'{-1,200}'"},
}

const (
	heldClient = "'11111111-1111-4111-8111-111111111111'::uuid"
	heldKey    = "'55555555-5555-4555-8555-555555555555'::uuid"
)

// function is one that the server may call.
type function struct {
	Name  string
	Types []string
}

// calls are hostile ones: arguments that are all of one kind, each against its neighbour,
// and for an admission every limit, window and clock.
func (f function) calls() []string {
	var all []string
	add := func(args []string) {
		all = append(all, fmt.Sprintf("SELECT * FROM public.%s(%s)", f.Name, strings.Join(args, ", ")))
	}
	for variant := range 25 {
		args := make([]string, len(f.Types))
		for i, of := range f.Types {
			values := append([]string{"NULL"}, hostile[of]...)
			args[i] = values[(variant+variant/5*i)%len(values)] + "::" + of
		}
		add(args)
	}
	if f.Name == "admit" {
		for _, policy := range []string{"1, '1 hour', '0'", "600, '1 microsecond', '0'", "600, '40 days', '0'", "600, '1 hour', '40 days'", "600, '1 hour', '-40 days'"} {
			add([]string{"'{held}', ARRAY[sha256('held')], '{x}'", policy})
		}
	}
	return all
}

// Whatever the server's role calls, and with whatever, the keys, the log and the
// data stay as they are.
func TestServerRole_ErasesNothing(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	newTwinClients(t, d, "acme")
	d.Exec(t, `INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes, last_used_at)
		VALUES ('held', `+heldKey+`, `+heldClient+`, 'held', sha256('held'), '{}', now())`)
	d.Exec(t, `INSERT INTO request_log (client_id, key_id, at, seq, route, status)
		SELECT client_id, id, now() - n * interval '10 seconds', 300 - n, 'listInterviews', CASE WHEN n < 200 THEN 401 END
		FROM api_keys, generate_series(0, 299) AS n WHERE prefix = 'held'`)
	before := digests(t, d)

	server := dbtest.Connect(t, d.ServerURL)
	takeServerRole(t, server)
	dbtest.Exec(t, server, "SET statement_timeout = '5s'")
	rows, err := server.Query(t.Context(), `SELECT p.proname::text AS name, ARRAY(
			SELECT format_type(a.type, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY AS a (type, nth) ORDER BY a.nth
		)::text[] AS types
		FROM pg_proc AS p
		WHERE p.pronamespace = 'public'::regnamespace
			AND p.prokind = 'f'
			AND p.prorettype <> 'trigger'::regtype
			AND has_function_privilege('clientintel_server', p.oid, 'EXECUTE')
			AND NOT EXISTS (SELECT FROM pg_depend AS e WHERE e.objid = p.oid AND e.deptype = 'e')`)
	require.NoError(t, err)
	functions, err := pgx.CollectRows(rows, pgx.RowToStructByPos[function])
	require.NoError(t, err)
	called := map[string]bool{}
	for _, f := range functions {
		called[f.Name] = true
		for _, call := range f.calls() {
			_, _ = server.Exec(t.Context(), call)
		}
	}
	for name := range callable {
		if !called[name] {
			t.Errorf("%s was not called", name)
		}
	}
	wantUnchanged(t, d, before)

	// A name of the catalogue that stands for a table of the caller's.
	for _, statement := range []string{
		`CREATE TEMPORARY TABLE pg_class AS SELECT 'public.api_keys'::regclass::oid AS oid, 'x_20000101'::text AS relname`,
		`CREATE TEMPORARY TABLE pg_inherits AS SELECT 'public.api_keys'::regclass::oid AS inhrelid, 'public.request_log'::regclass::oid AS inhparent`,
		`SELECT public.maintain_request_log()`,
	} {
		if _, err := server.Exec(t.Context(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	wantUnchanged(t, d, before)
}

// parts are what the server's work leaves alone of the tables that it changes.
var parts = map[string]string{
	"measurement_states": `SELECT s.client_id, s.members + coalesce(sum(c.members), 0), s.fingerprint + coalesce(sum(c.fingerprint), 0), s.broken_at
		FROM measurement_states AS s LEFT JOIN measurement_changes AS c USING (client_id) GROUP BY s.client_id`,
	"search_documents": `SELECT client_id, id, campaign_id, created_at, folded FROM search_documents`,
	// An admission adds a row of the present.
	"request_log": `SELECT client_id, key_id, at, seq, route, status FROM request_log WHERE route = 'listInterviews' OR at > now() + interval '1 minute'`,
	"api_keys":    `SELECT to_jsonb(k) - 'last_used_at', k.last_used_at > now() + interval '1 day' FROM api_keys AS k`,
}

// digests has a digest of what is to stay of each table.
func digests(t *testing.T, d *dbtest.Database) map[string]string {
	t.Helper()
	tables := dbtest.Value[[]string](t, d, `SELECT array_agg(relname::text) FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname !~ '^(key_usage|usage_sums|request_log_|measurement_changes)'`)
	found := map[string]string{}
	for _, table := range tables {
		digest := dbtest.Value[string](t, d, "SELECT coalesce(md5(string_agg(r::text, ',' ORDER BY r::text)), '') FROM ("+
			cmp.Or(parts[table], "SELECT * FROM public."+table)+") AS r")
		found[table] = digest
	}
	return found
}

func wantUnchanged(t *testing.T, d *dbtest.Database, before map[string]string) {
	t.Helper()
	after := digests(t, d)
	for name, digest := range before {
		check.Equal(t, after[name], digest, "changed by the server's role:", name)
	}
}

// docs/security.md lists what the server's role may still do; this is that list, so that
// a right that is taken away, or added, shows.
func TestServerRole_KeepsOnlyWhatPostgreSQLGrantsEveryone(t *testing.T) {
	t.Parallel()
	d := dbtest.NewEmpty(t) // a database's own rights are in no copy of it
	_, err := postgres.Migrate(t.Context(), d.OwnerURL, migrations.Files, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	server := dbtest.Connect(t, d.ServerURL)
	takeServerRole(t, server)
	for statement, code := range map[string]string{
		`SELECT pg_advisory_xact_lock(1)`:                                 "",
		`SELECT pg_sleep(0)`:                                              "",
		`NOTIFY x`:                                                        "",
		`SELECT lo_from_bytea(0, 'x')`:                                    "",
		`SELECT lo_import('/etc/passwd')`:                                 "42501",
		`CREATE TEMPORARY TABLE mine ()`:                                  "42501",
		`CREATE TABLE public.mine ()`:                                     "42501",
		`CREATE SCHEMA mine`:                                              "42501",
		`CREATE FUNCTION pg_temp.f() RETURNS int RETURN 1`:                "42501",
		`COPY (SELECT 1) TO PROGRAM 'true'`:                               "42501",
		`COPY (SELECT 1) TO '/tmp/clientintel-is-no-file'`:                "42501",
		`SELECT pg_read_file('PG_VERSION')`:                               "42501",
		`ALTER SYSTEM SET work_mem = '1GB'`:                               "42501",
		`SET session_replication_role = replica`:                          "42501",
		`SET row_security = off; SELECT count(*) FROM interviews`:         "42501",
		`SET ROLE clientintel_owner`:                                      "42501",
		`ALTER TABLE interviews DISABLE ROW LEVEL SECURITY`:               "42501",
		`SELECT FROM api_keys`:                                            "42501",
		`SELECT FROM request_log`:                                         "42501",
		`SELECT FROM record_owners`:                                       "42501",
		`DO $$ BEGIN LOCK TABLE interviews IN ROW EXCLUSIVE MODE; END $$`: "42501",
		`SELECT * FROM interviews FOR UPDATE`:                             "42501",
		`DO $$ BEGIN PERFORM 1; END $$`:                                   "",
	} {
		if _, err := server.Exec(t.Context(), statement); codeOf(err) != code {
			t.Errorf("%s: %v, want SQLSTATE %q", statement, err, code)
		}
	}
}
