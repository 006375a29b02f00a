package measurement

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// audited is a database with two canonical clients, alder and birch, and a
// legacy one, as a server's own audits meet it.
type audited struct {
	*dbtest.Database
	*Auditor
	log  *bytes.Buffer
	conn *pgx.Conn
}

func newAudited(t *testing.T) *audited {
	t.Helper()
	d := dbtest.New(t)
	conn, err := pgx.Connect(t.Context(), d.SuperuserURL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	w := &audited{Database: d, conn: conn, log: &bytes.Buffer{}}
	w.Auditor = w.server()
	d.Exec(t, `INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version) VALUES
		('a0000000-0000-4000-8000-000000000000', 'alder', 'Alder', 'canonical', 'canonical_measurement.v1'),
		('b0000000-0000-4000-8000-000000000000', 'birch', 'Birch', 'canonical', 'canonical_measurement.v1'),
		('c0000000-0000-4000-8000-000000000000', 'cedar', 'Cedar', 'legacy', NULL)`)
	return w
}

// server is the auditor of one more server.
func (w *audited) server() *Auditor {
	return NewAuditor(w.OwnerURL, slog.New(slog.NewTextHandler(w.log, nil)))
}

// restless makes the next client due at once.
func (w *audited) restless(t *testing.T) {
	t.Helper()
	w.Exec(t, "UPDATE measurement_states SET audit_took = '0'")
}

func (w *audited) slugs(t *testing.T, where string) string {
	t.Helper()
	var slugs string
	err := w.conn.QueryRow(t.Context(), `SELECT coalesce(string_agg(c.slug, ' ' ORDER BY c.slug), '')
		FROM clients AS c JOIN measurement_states AS s ON s.client_id = c.id WHERE `+where).Scan(&slugs)
	require.NoError(t, err)
	return slugs
}

func look(t *testing.T, w *Auditor) {
	t.Helper()
	_, err := w.auditNext(t.Context())
	require.NoError(t, err)
}

// Servers take turns: each canonical client is audited once, legacy ones never,
// and the rest after an audit is everybody's.
func TestAuditor_ServersShareTheWork(t *testing.T) {
	t.Parallel()
	w := newAudited(t)
	other := w.server()
	look(t, w.Auditor)
	if got := w.slugs(t, "s.audited_at IS NOT NULL"); got != "alder" {
		t.Fatalf("%q were audited first, want alder", got)
	}
	w.Exec(t, "UPDATE measurement_states SET audit_took = '10 s'")
	idle, err := other.auditNext(t.Context())
	if err != nil || other.Audits.Load() != 0 || idle.Seconds() < 900 || idle.Seconds() > 990 {
		t.Fatalf("another server audited %d clients and waits %v, error %v; want none and the rest of 99 times 10 s", other.Audits.Load(), idle, err)
	}
	w.restless(t)
	look(t, other)
	w.restless(t)
	idle, err = w.auditNext(t.Context())
	if err != nil || w.Audits.Load() != 1 || other.Audits.Load() != 1 || idle.Minutes() < 14 || idle.Minutes() > 15 {
		t.Errorf("%d and %d audits, idle for %v, error %v; want one each and the rest of 15 minutes", w.Audits.Load(), other.Audits.Load(), idle, err)
	}
	check.Equal(t, w.slugs(t, "s.audited_at IS NOT NULL"), "alder birch", "audited")
	w.Exec(t, "UPDATE measurement_states SET audited_at = audited_at - interval '16 minutes'")
	look(t, w.Auditor)
	if w.Audits.Load() != 2 || w.Last.Load() == 0 {
		t.Errorf("%d audits, the last at %v; want a second one after 15 minutes", w.Audits.Load(), w.Last.Load())
	}

	// While one audits, another finds nothing to do.
	tx, err := w.conn.Begin(t.Context())
	require.NoError(t, err)
	dbtest.Exec(t, tx, "SELECT pg_advisory_xact_lock(hashtextextended('clientintel audit', 0))")
	w.Exec(t, "UPDATE measurement_states SET audited_at = NULL")
	look(t, other)
	check.Equal(t, other.Audits.Load(), 1, "audits of the other server")
	require.NoError(t, tx.Rollback(t.Context()))
}

func TestAuditor_MarksADifferingClient(t *testing.T) {
	t.Parallel()
	w := newAudited(t)
	w.Exec(t, "UPDATE measurement_states SET members = 1 WHERE client_id IN (SELECT id FROM clients WHERE slug IN ('birch', 'cedar'))")
	look(t, w.Auditor)
	w.restless(t)
	look(t, w.Auditor)
	if w.Audits.Load() != 2 || w.Differing.Load() != 1 || w.Broken.Load() != 1 || w.slugs(t, "s.broken_at IS NOT NULL") != "birch" {
		t.Errorf("%d audits, %d differing, %v broken, marked: %q; want 2, 1, 1, birch",
			w.Audits.Load(), w.Differing.Load(), w.Broken.Load(), w.slugs(t, "s.broken_at IS NOT NULL"))
	}
	check.Contains(t, w.log.String(), `client_id=b0000000-0000-4000-8000-000000000000 fault="the state counts 1 members, the facts 0"`, "the log")
	w.Exec(t, "DELETE FROM measurement_states WHERE client_id = 'a0000000-0000-4000-8000-000000000000'")
	look(t, w.Auditor)
	check.Equal(t, w.Broken.Load(), 2, "broken clients")
}

// A trigger that is off for a time is remembered, whoever is due.
func TestAuditor_MarksEveryClientWhileTriggersAreOff(t *testing.T) {
	t.Parallel()
	w := newAudited(t)
	look(t, w.Auditor)
	w.Exec(t, "ALTER TABLE interviews DISABLE TRIGGER count_deleted_members")
	look(t, w.Auditor)
	w.Exec(t, "ALTER TABLE interviews ENABLE ALWAYS TRIGGER count_deleted_members")
	check.Equal(t, w.slugs(t, "s.broken_at IS NOT NULL"), "alder birch", "marked")
}

// Writers leave their changes beside the states; a server merges them.
func TestAuditor_MergesChanges(t *testing.T) {
	t.Parallel()
	w := newAudited(t)
	w.Exec(t, `BEGIN ISOLATION LEVEL REPEATABLE READ;
		INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe)
			SELECT id, gen_random_uuid(), now(), 'completed', 'passed', true, true FROM clients;
		COMMIT`)
	count := func() (n int) {
		require.NoError(t, w.conn.QueryRow(t.Context(), "SELECT count(*) FROM measurement_changes").Scan(&n))
		return n
	}
	if n := count(); n != 3 {
		t.Fatalf("%d changes are left to merge, want 3", n)
	}
	look(t, w.Auditor)
	if n := count(); n != 0 || w.slugs(t, "s.members = 1") != "alder birch cedar" {
		t.Errorf("%d changes are left, merged into %q", n, w.slugs(t, "s.members = 1"))
	}
}
