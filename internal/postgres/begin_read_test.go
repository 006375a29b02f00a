package postgres_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// BeginRead sets the client before it reads, so that row-level security shows the server the
// client's state, and nothing of another client afterwards.
func TestBeginRead_SetsTheClientAndReturnsItsTotal(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	acme, globex := uuid.New(), uuid.New()
	for client, interviews := range map[uuid.UUID]int{acme: 3, globex: 5} {
		d.Exec(t, `INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
			VALUES ($1, $1::uuid::text, 'A client', 'canonical', 'canonical_measurement.v1')`, client)
		d.Exec(t, `INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe)
			SELECT $1, gen_random_uuid(), now(), 'analyzed', 'passed', true, true FROM generate_series(1, $2)`, client, interviews)
	}
	server := dbtest.Connect(t, d.ServerURL)
	takeServerRole(t, server)
	read := func() (found db.BeginReadRow, seen int) {
		t.Helper()
		err := pgx.BeginTxFunc(t.Context(), server, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) (err error) {
			if found, err = db.New(tx).BeginRead(t.Context(), db.BeginReadParams{ClientID: acme, StatementTimeout: "2s"}); err != nil {
				return err
			}
			var timeout string
			err = tx.QueryRow(t.Context(), "SELECT count(*), current_setting('statement_timeout') FROM interviews").Scan(&seen, &timeout)
			check.Equal(t, timeout, "2s", "a statement may take")
			return err
		})
		require.NoError(t, err)
		return found, seen
	}
	want := func(members int64) {
		t.Helper()
		found, seen := read()
		if found.Mode == nil || *found.Mode != "canonical" || found.Members == nil || *found.Members != members || int64(seen) != members || found.BrokenAt != nil {
			t.Errorf("%+v, and %d interviews are seen, want %d", found, seen, members)
		}
	}
	want(3)
	d.Exec(t, "SELECT merge_measurement_changes()")
	want(3)
	d.Exec(t, "DELETE FROM interviews WHERE id = (SELECT id FROM interviews WHERE client_id = $1 LIMIT 1)", acme)
	want(2)
	d.Exec(t, "DELETE FROM measurement_states WHERE client_id = $1", acme)
	if found, _ := read(); found.Mode == nil || found.Members != nil {
		t.Errorf("without a state: %+v", found)
	}
	d.Exec(t, "DELETE FROM interviews WHERE client_id = $1", acme)
	d.Exec(t, "DELETE FROM clients WHERE id = $1", acme)
	if found, _ := read(); found.Mode != nil || found.Members != nil || found.AsOf.IsZero() {
		t.Errorf("without the client: %+v", found)
	}
}

// CheckTriggers names what is switched off, to the server too.
func TestCheckTriggers_NamesWhatIsOff(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	server := dbtest.Connect(t, d.ServerURL)
	takeServerRole(t, server)
	for statement, want := range map[string]string{
		"SELECT": "",
		"ALTER TABLE clients DISABLE TRIGGER create_measurement_state":  "create_measurement_state on clients",
		"ALTER TABLE clients ENABLE TRIGGER create_measurement_state":   "create_measurement_state on clients",
		"ALTER TABLE interviews DISABLE TRIGGER count_inserted_members": "count_inserted_members on interviews",
	} {
		d.Exec(t, "ALTER TABLE clients ENABLE ALWAYS TRIGGER create_measurement_state")
		d.Exec(t, "ALTER TABLE interviews ENABLE ALWAYS TRIGGER count_inserted_members")
		d.Exec(t, statement)
		if got, err := db.New(server).CheckTriggers(t.Context()); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", statement, got, err, want)
		}
	}
}
