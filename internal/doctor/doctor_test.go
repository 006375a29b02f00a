package doctor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/doctor"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
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
	return doctor.Database{OwnerURL: d.OwnerURL, ServerURL: d.ServerURL}
}

// The tests' own cluster gives durability up; else a migrated database with its
// two logins is in order.
func TestExamine_AMigratedDatabase(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	found := examined(t, of(d))
	if len(found) < 9 {
		t.Errorf("%d things were examined", len(found))
	}
	for name, f := range found {
		if want := map[bool]doctor.State{false: doctor.OK, true: doctor.Wrong}[name == "database/reachable"]; f.State != want {
			t.Errorf("%s is %s: %s", name, f.State, f.Message)
		}
	}
	if f := found["database/reachable"]; !strings.Contains(f.Message, "switched off: fsync: ") {
		t.Errorf("fsync is off: %+v", f)
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
		"schema/triggers": {"ALTER TABLE interviews ENABLE TRIGGER count_inserted_members; DROP TRIGGER propagate_campaign_live ON campaigns; " +
			"ALTER TABLE interviews DISABLE TRIGGER maintain_search_documents_on_insert", doctor.Wrong,
			"count_inserted_members on interviews, maintain_search_documents_on_insert on interviews, propagate_campaign_live on campaigns"},
		"roles/server_login":  {"CREATE POLICY all_of_it ON clients FOR SELECT USING (true); " + canonical, doctor.Wrong, "no transaction named"},
		"measurement/clients": {canonical + "UPDATE measurement_states SET broken_at = now(), broken_reason = 'differs'", doctor.Wrong, "acme (marked broken: differs)"},
		"request_log/future": {"INSERT INTO request_log (client_id, key_id, at, seq, route) " +
			"VALUES (gen_random_uuid(), gen_random_uuid(), now() + interval '1 hour', 1, 'x')", doctor.Warning, "1 rows of the log of requests are dated in the future"},
	} {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			t.Parallel()
			d := dbtest.New(t)
			d.Exec(t, c.breaks)
			f := examined(t, of(d))[name]
			if f.State != c.state || !strings.Contains(f.Message, c.says) {
				t.Errorf("%s is %q: %s; want %q and %q", name, f.State, f.Message, c.state, c.says)
			}
		})
	}
}

func TestExamine_TheServersRole(t *testing.T) {
	t.Parallel()
	for change, says := range map[string]string{
		"ALTER TABLE lanes OWNER TO clientintel_server":                    "may change tables",
		"GRANT UPDATE ON campaigns TO clientintel_server":                  "may change tables",
		"REVOKE EXECUTE ON FUNCTION admit FROM clientintel_server, PUBLIC": "may not admit requests",
	} {
		d := dbtest.New(t)
		d.Exec(t, change)
		if f := examined(t, of(d))["roles/server_login"]; f.State != doctor.Wrong || !strings.Contains(f.Message, says) {
			t.Errorf("after %s: %+v, want %q", change, f, says)
		}
	}
}

// Not parallel: every database of the server has the slot.
func TestExamine_ASlotThatNobodyReads(t *testing.T) {
	d := dbtest.New(t)
	slot := "slot_of_" + d.Name
	d.Exec(t, "SELECT pg_create_physical_replication_slot('"+slot+"', true)")
	t.Cleanup(func() { d.Exec(t, "SELECT pg_drop_replication_slot('"+slot+"')") })
	if f := examined(t, of(d))["database/archive"]; f.State != doctor.Warning || !strings.Contains(f.Message, slot) {
		t.Errorf("%+v", f)
	}
}

func TestExamine_MeasurementIsReported(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]string{
		"acme (its state is missing)":           "DELETE FROM measurement_states",
		"acme (contract version 'v9' is not kn": "UPDATE clients SET measurement_contract_version = 'v9'",
		"no canonical client is refused":        "SELECT 1",
	} {
		d := dbtest.New(t)
		d.Exec(t, canonical+change)
		if f := examined(t, of(d))["measurement/clients"]; !strings.Contains(f.Message, says) {
			t.Errorf("after %s: %s, want %q", change, f.Message, says)
		}
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
	require.NoError(t, err)
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
	if f := found["schema/migrations"]; f.State != doctor.Wrong || !strings.Contains(f.Message, "has no schema") || len(found) != 4 {
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
		"schema/migrations": doctor.OK, "schema/triggers": doctor.Wrong, "roles/server_login": doctor.OK,
		"measurement/clients": doctor.Unknown,
	} {
		if f := found[name]; f.State != state {
			t.Errorf("%s is %s: %s; want %s", name, f.State, f.Message, state)
		}
	}
	// An owner's login that does not connect leaves the server's.
	wrong := strings.ReplaceAll(d.OwnerURL, pgxUser(t, d.OwnerURL), "nobody_there")
	if found := examined(t, doctor.Database{OwnerURL: wrong, ServerURL: d.ServerURL}); found["database/owner"].State != doctor.Unknown ||
		found["schema/triggers"].State != doctor.Wrong {
		t.Errorf("without the owner: %+v", found)
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
