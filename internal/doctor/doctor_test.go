package doctor_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/doctor"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// examined are the findings by name.
func examined(t *testing.T, d doctor.Database) map[string]doctor.Finding {
	t.Helper()
	found := map[string]doctor.Finding{}
	doctor.Examine(t.Context(), d, func(f doctor.Finding) {
		if _, twice := found[f.Name]; twice {
			t.Errorf("%s is told twice", f.Name)
		}
		if (f.State == doctor.Wrong || f.State == doctor.Warning) && f.Advice == "" {
			t.Errorf("%s has no advice: %s", f.Name, f.Message)
		}
		found[f.Name] = f
	})
	return found
}

func of(d *dbtest.Database) doctor.Database {
	return doctor.Database{OwnerURL: d.OwnerURL, ServerURL: d.ServerURL, Dir: os.TempDir()}
}

// The tests' own cluster gives durability up; else a migrated database with its
// two logins is in order.
func TestExamine_AMigratedDatabase(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.Exec(t, "SELECT maintain_request_log()")
	found := examined(t, of(d))
	if len(found) != 20 {
		t.Errorf("%d things were examined", len(found))
	}
	for name, f := range found {
		expected := doctor.OK
		if name == "database/durability" {
			expected = doctor.Wrong
		}
		if name == "database/disk" && f.State == doctor.Warning {
			continue // this machine's own business
		}
		if f.State != expected {
			t.Errorf("%s is %s: %s", name, f.State, f.Message)
		}
	}
}

const canonical = `INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
	VALUES ('11111111-1111-4111-8111-111111111111', 'acme', 'Acme', 'canonical', 'canonical_measurement.v1'); `

// Whatever is broken is found, and said in words that name it.
func TestExamine_WhatIsBroken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		breaks string
		state  doctor.State
		says   string
	}{
		"schema/migrations": {"DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)", doctor.Wrong, "run 'clientintel migrate'"},
		"schema/objects": {"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'interviews_page'::regclass; " +
			"ALTER TABLE lanes NO FORCE ROW LEVEL SECURITY; CREATE POLICY all_of_it ON interviews FOR SELECT USING (true); " +
			"ALTER TABLE interviews DISABLE TRIGGER count_inserted_members", doctor.Wrong,
			"row-level security lanes, trigger count_inserted_members on interviews, index interviews_page, policy all_of_it on interviews"},
		"schema/rows":            {"DELETE FROM api_keys; DELETE FROM server_secrets", doctor.Wrong, "missing: the key that unknown prefixes are checked against, the cursor secret"},
		"roles/server_login":     {"CREATE POLICY all_of_it ON clients FOR SELECT USING (true); " + canonical, doctor.Wrong, "no transaction named"},
		"roles/server_role":      {"ALTER TABLE lanes OWNER TO clientintel_server", doctor.Wrong, "owns lanes"},
		"measurement/clients":    {canonical + "UPDATE measurement_states SET broken_at = now(), broken_reason = 'differs'", doctor.Wrong, "acme (marked broken: differs)"},
		"search/folding":         {"CREATE OR REPLACE FUNCTION fold_case(original text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1'", doctor.Wrong, "the database folds"},
		"request_log/partitions": {"DROP TABLE request_log CASCADE", doctor.Unknown, "could not be examined"},
		"database/extensions":    {"DROP EXTENSION pg_trgm CASCADE", doctor.Warning, "not installed yet"},
	} {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			t.Parallel()
			d := dbtest.New(t)
			d.Exec(t, "SET allow_system_table_mods = on; "+c.breaks)
			f := examined(t, of(d))[name]
			if f.State != c.state || !strings.Contains(f.Message, c.says) {
				t.Errorf("%s is %q: %s; want %q and %q", name, f.State, f.Message, c.state, c.says)
			}
		})
	}
}

// A later release may have replaced what its migrations make: after servers went back to
// this one, that is no damage, and this release could not repair it.
func TestExamine_ALaterReleasesSchema(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.Exec(t, `CREATE OR REPLACE FUNCTION fold_case(original text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT lower($1)';
		INSERT INTO goose_db_version (version_id, is_applied) SELECT max(version_id) + 1, true FROM goose_db_version`)
	found := examined(t, of(d))
	for name, says := range map[string]string{"schema/migrations": "is newer than", "schema/objects": "function fold_case"} {
		if f := found[name]; f.State != doctor.Warning || !strings.Contains(f.Message, says) || strings.Contains(f.Advice, "rebuild") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// Sessions of other roles count too, though a login sees little of them.
func TestExamine_ConnectionsOfOthers(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	const others = 5
	for range others {
		conn, err := pgx.Connect(t.Context(), d.OwnerURL)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	}
	var used int
	message := examined(t, doctor.Database{OwnerURL: d.ServerURL, ServerURL: d.ServerURL})["database/connections"].Message
	if _, err := fmt.Sscanf(message, "%d of", &used); err != nil || used <= others {
		t.Errorf("%d connections of the owner are open beside the server's: %s", others, message)
	}
}

func TestExamine_MeasurementIsReported(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]string{
		"acme (its state is missing)":           "DELETE FROM measurement_states",
		`acme (contract version "v9" is not kn`: "UPDATE clients SET measurement_contract_version = 'v9'",
		"not audited for a day: acme":           "SELECT 1",
		"1 canonical clients, all of them":      "UPDATE measurement_states SET audited_at = now()",
	} {
		d := dbtest.New(t)
		d.Exec(t, canonical+change)
		if f := examined(t, of(d))["measurement/clients"]; !strings.Contains(f.Message, says) {
			t.Errorf("after %s: %s, want %q", change, f.Message, says)
		}
	}
}

func TestExamine_SettingsOfARole(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.Exec(t, fmt.Sprintf("ALTER DATABASE %s SET default_transaction_read_only = on; ALTER DATABASE %s SET synchronous_commit = off",
		d.Name, d.Name))
	found := examined(t, of(d))
	if f := found["database/primary"]; f.State != doctor.OK {
		t.Errorf("read-only by default, which sessions of the program are not: %+v", f)
	}
	if f := found["database/durability"]; !strings.Contains(f.Message, "fsync, synchronous_commit are off") {
		t.Errorf("durability: %+v", f)
	}
}

// One login for all works, and is worth a word.
func TestExamine_OneLoginForAll(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	if f := examined(t, doctor.Database{OwnerURL: d.OwnerURL, ServerURL: d.OwnerURL})["roles/server_login"]; f.State != doctor.Warning {
		t.Errorf("the owner serves: %+v", f)
	}
	unknown := strings.ReplaceAll(d.OwnerURL, pgxUser(t, d.OwnerURL), "nobody_there")
	if f := examined(t, doctor.Database{OwnerURL: d.OwnerURL, ServerURL: unknown})["roles/server_login"]; f.State != doctor.Wrong {
		t.Errorf("an unknown login serves: %+v", f)
	}
}

func pgxUser(t *testing.T, url string) string {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	return config.User
}

func TestExamine_NoDatabase(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://u:hunter2@127.0.0.1:1/x", "postgres://u:hunter2@127.0.0.1:x/y"} {
		found := examined(t, doctor.Database{OwnerURL: url, ServerURL: url})
		f := found["database/reachable"]
		if len(found) != 1 || f.State != doctor.Wrong || strings.Contains(f.Message, "hunter2") {
			t.Errorf("%+v", found)
		}
	}
	empty := dbtest.NewEmpty(t)
	found := examined(t, of(empty))
	if f := found["schema/migrations"]; f.State != doctor.Wrong || !strings.Contains(f.Message, "has no schema") || len(found) != 11 {
		t.Errorf("an empty database: %+v", found)
	}
}

// With the server's login alone the catalog is examined, and what that login does
// not see is said.
func TestExamine_WithTheServersLoginAlone(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.Exec(t, "ALTER TABLE interviews DISABLE TRIGGER count_inserted_members")
	found := examined(t, doctor.Database{OwnerURL: d.ServerURL, ServerURL: d.ServerURL})
	for name, state := range map[string]doctor.State{
		"schema/migrations": doctor.OK, "schema/objects": doctor.Wrong, "roles/server_login": doctor.OK, "search/folding": doctor.OK,
		"measurement/clients": doctor.Unknown, "request_log/future": doctor.Unknown, "schema/rows": doctor.Unknown,
	} {
		if f := found[name]; f.State != state {
			t.Errorf("%s is %s: %s; want %s", name, f.State, f.Message, state)
		}
	}
	// An owner's login that does not connect leaves the server's.
	wrong := strings.ReplaceAll(d.OwnerURL, pgxUser(t, d.OwnerURL), "nobody_there")
	if found := examined(t, doctor.Database{OwnerURL: wrong, ServerURL: d.ServerURL}); found["database/owner"].State != doctor.Unknown ||
		found["schema/objects"].State != doctor.Wrong {
		t.Errorf("without the owner: %+v", found)
	}
}

// A thousand clients make no longer lines than a few.
func TestExamine_LinesStayShort(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.Exec(t, `INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
		SELECT gen_random_uuid(), 'brand-' || n, 'Brand', 'canonical', 'canonical_measurement.v1' FROM generate_series(1, 1000) AS n`)
	for _, c := range []struct {
		sql   string
		state doctor.State
	}{
		{"SELECT 1", doctor.Warning},
		{`UPDATE measurement_states SET broken_at = now(), broken_reason = 'rows may have changed while triggers were off';
			DROP OWNED BY clientintel_server; ALTER TABLE interviews DISABLE TRIGGER ALL; ALTER TABLE campaigns DISABLE TRIGGER ALL`, doctor.Wrong},
	} {
		d.Exec(t, c.sql)
		found := examined(t, of(d))
		if f := found["measurement/clients"]; f.State != c.state || !strings.Contains(f.Message, " and 994 more") {
			t.Errorf("%+v", f)
		}
		for name, f := range found {
			if len(f.Message) > 500 {
				t.Errorf("%s is %d long: %s", name, len(f.Message), f.Message)
			}
		}
	}
}

// A standby that does not answer is a warning: reads go to the primary.
func TestExamine_Standby(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	examine := func(url string) doctor.Finding {
		return examined(t, doctor.Database{OwnerURL: d.OwnerURL, ServerURL: d.ServerURL, ReplicaURL: url, MaxLag: time.Second})["database/standby"]
	}
	if f := examine("postgres://u:hunter2@127.0.0.1:1/x"); f.State != doctor.Warning || !strings.Contains(f.Message, "does not answer") {
		t.Errorf("out of reach: %+v", f)
	}
	if f := examine(d.ServerURL); f.State != doctor.Warning || !strings.Contains(f.Message, "is a primary") {
		t.Errorf("a primary: %+v", f)
	}
}
