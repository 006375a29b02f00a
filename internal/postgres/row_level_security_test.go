package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// What the server may read and no client owns.
var noClients = map[string]string{
	"server_secrets":   "the service's own",
	"goose_db_version": "the migrations' own",
}

// Every table that the server may read has row-level security, forced on its owner
// too, and every view reads with the rights of its caller.
func TestRowLevelSecurity_CoversEverythingTheServerReads(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	rows, err := conn.Query(t.Context(), `
		SELECT
			c.relname::text AS name,
			c.relkind IN ('v', 'm') AS is_view,
			CASE
				WHEN c.relkind = 'v' THEN coalesce('security_invoker=true' = ANY (c.reloptions), false)
				ELSE c.relrowsecurity AND c.relforcerowsecurity
			END AS protected,
			ARRAY(
				SELECT pg_get_expr(p.polqual, p.polrelid)
				FROM pg_policy AS p
				WHERE p.polrelid = c.oid
					AND p.polroles && ARRAY['clientintel_server'::regrole::oid, 0]
			) AS conditions
		FROM pg_class AS c
		WHERE c.relnamespace = 'public'::regnamespace
			AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
			AND has_any_column_privilege('clientintel_server', c.oid, 'SELECT')`)
	require.NoError(t, err)
	type relation struct {
		Name       string
		IsView     bool
		Protected  bool
		Conditions []string
	}
	readable, err := pgx.CollectRows(rows, pgx.RowToStructByPos[relation])
	require.NoError(t, err)
	tables := 0
	for _, r := range readable {
		if _, excused := noClients[r.Name]; excused {
			continue
		}
		if !r.Protected {
			t.Errorf("%s: the server may read it and other clients' rows with it: a table needs ENABLE and FORCE ROW LEVEL SECURITY, a view security_invoker = true", r.Name)
		}
		if r.IsView {
			continue
		}
		tables++
		column := "client_id"
		if r.Name == "clients" {
			column = "id"
		}
		if want := "(" + column + " = current_client_id())"; len(r.Conditions) != 1 || r.Conditions[0] != want {
			t.Errorf("%s: its policies for the server have the conditions %q, want %q alone", r.Name, r.Conditions, want)
		}
	}
	if tables < 10 {
		t.Errorf("only %d tables were looked at", tables)
	}
}

// Functions that run as the owner see every client. Those that the server may call
// are listed here, each with what keeps clients apart.
var callable = map[string]string{
	"admit":                     "finds the client by the key",
	"audit_next_measurement":    "returns a client's id and what is wrong with its count",
	"find_search_documents":     "refuses another client than the transaction's",
	"merge_measurement_changes": "returns nothing",
	"index_search_documents":    "returns how many",
	"maintain_request_log":      "returns nothing",
	"add_key_usage":             "returns nothing",
	"read_health":               "returns sums over all clients",
	"read_sync_health":          "returns a moment and a number of all clients",
}

func TestRowLevelSecurity_OnlyKnownFunctionsBypassIt(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	rows, err := conn.Query(t.Context(), `
		SELECT p.proname::text
		FROM pg_proc AS p
		WHERE p.pronamespace = 'public'::regnamespace
			AND p.prosecdef
			AND p.prorettype <> 'trigger'::regtype
			AND has_function_privilege('clientintel_server', p.oid, 'EXECUTE')`)
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, name := range names {
		if _, known := callable[name]; !known {
			t.Errorf("the server may call %s, which runs as the owner and sees every client: REVOKE EXECUTE … FROM PUBLIC, or say here what keeps clients apart", name)
		}
	}
	check.Equal(t, len(names), len(callable), "functions that the server may call", names)
}

// The server's role has nothing of its own and no way to more rights.
func TestRowLevelSecurity_ServerRoleHasNoOtherRights(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	owner := dbtest.Connect(t, d.OwnerURL)
	var owns, powers int
	if err := owner.QueryRow(t.Context(), `
		SELECT
			(SELECT count(*) FROM pg_shdepend WHERE refobjid = r.oid AND deptype = 'o')
				+ (SELECT count(*) FROM pg_class WHERE relowner = r.oid)
				+ (SELECT count(*) FROM pg_proc WHERE proowner = r.oid),
			(SELECT count(*) FROM pg_auth_members WHERE member = r.oid)
				+ (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolcanlogin)::integer
				+ has_schema_privilege(r.oid, 'public', 'CREATE')::integer
				+ (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user)::integer
		FROM pg_roles AS r
		WHERE r.rolname = 'clientintel_server'`).Scan(&owns, &powers); err != nil {
		t.Fatal(err)
	}
	if owns != 0 || powers != 0 {
		t.Errorf("the server's role owns %d things and has %d rights beyond its grants, want none", owns, powers)
	}
	server := dbtest.Connect(t, d.ServerURL)
	for _, statement := range []string{"SET ROLE clientintel_owner", "SET SESSION AUTHORIZATION clientintel_owner"} {
		if _, err := server.Exec(t.Context(), statement); codeOf(err) != "42501" {
			t.Errorf("%s as the server's login: %v, want it refused", statement, err)
		}
	}
}

// A connection has no client set when it returns to the pool, however the read ended.
func TestRowLevelSecurity_ClientEndsWithItsTransaction(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	twins := newTwinClients(t, d, "acme", "globex")
	pool, err := postgres.OpenPool(t.Context(), postgres.PoolSettings{
		URL: d.ServerURL, Size: 1, AcquireTimeout: time.Minute, StatementTimeout: time.Second,
	})
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	stop := errors.New("stop")
	for name, read := range map[string]func(context.Context, *postgres.Snapshot) error{
		"as it should": func(context.Context, *postgres.Snapshot) error { return nil },
		"an error":     func(context.Context, *postgres.Snapshot) error { return stop },
		"a failed statement": func(ctx context.Context, s *postgres.Snapshot) error {
			_, err := s.Exec(ctx, "SELECT 1 / 0")
			return err
		},
		"a timeout": func(ctx context.Context, s *postgres.Snapshot) error {
			_, err := s.Exec(ctx, "SELECT pg_sleep(5)")
			return err
		},
		"a cancelled caller": func(ctx context.Context, s *postgres.Snapshot) error {
			cancelled, cancel := context.WithCancel(ctx)
			cancel()
			_, err := s.Exec(cancelled, "SELECT 1")
			return err
		},
	} {
		var seen int
		err := pool.Read(t.Context(), postgres.Reading{ClientID: twins.acme}, func(ctx context.Context, s *postgres.Snapshot) error {
			if err := s.QueryRow(ctx, "SELECT count(*) FROM interviews").Scan(&seen); err != nil {
				return err
			}
			return read(ctx, s)
		})
		if (err == nil) != (name == "as it should") || seen != 2 {
			t.Errorf("%s: %v after %d rows", name, err, seen)
		}
		var setting *string
		if err := pool.QueryRow(t.Context(), "SELECT nullif(current_setting('clientintel.client_id', true), ''), count(*) FROM interviews").
			Scan(&setting, &seen); err != nil || setting != nil || seen != 0 {
			t.Errorf("%s: afterwards the connection has client %v and sees %d rows (%v), want none", name, setting, seen, err)
		}
	}
	// The same where the transaction begins and ends in one round trip.
	var own int
	if err := pool.Read(t.Context(), postgres.Reading{ClientID: twins.acme, Once: true}, func(ctx context.Context, s *postgres.Snapshot) error {
		return s.QueryRow(ctx, "SELECT count(*) FROM interviews").Scan(&own)
	}); err != nil || own != 2 {
		t.Errorf("in one round trip %d interviews are seen (%v), want the client's own", own, err)
	}
	var seen int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM interviews").Scan(&seen); err != nil || seen != 0 {
		t.Errorf("after one round trip the connection sees %d rows (%v), want none", seen, err)
	}
	if err := pool.Read(t.Context(), postgres.Reading{}, func(ctx context.Context, s *postgres.Snapshot) error {
		if err := s.QueryRow(ctx, "SELECT count(*) FROM interviews").Scan(&seen); err != nil || seen != 0 || s.Measurement.Mode != nil {
			t.Errorf("a client that does not exist has %d interviews (%v) or a measurement", seen, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
