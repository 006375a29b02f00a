package measurement_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

func value[T any](t testing.TB, conn *pgx.Conn, sql string, args ...any) T {
	t.Helper()
	var v T
	require.NoError(t, conn.QueryRow(context.Background(), sql, args...).Scan(&v), sql)
	return v
}

// brand is a client of a test's own, made by plain SQL.
type brand struct {
	id   uuid.UUID
	slug string
}

func newBrand(t testing.TB, conn *pgx.Conn, slug, mode string) brand {
	t.Helper()
	b := brand{id: uuid.New(), slug: slug}
	dbtest.Exec(t, conn, `INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
		VALUES ($1, $2, $2, $3, 'canonical_measurement.v1')`, b.id, slug, mode)
	return b
}

func (b brand) campaign(t testing.TB, conn *pgx.Conn, status string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	dbtest.Exec(t, conn, `INSERT INTO campaigns (client_id, id, slug, launch_status) VALUES ($1, $2, $3, $4)`, b.id, id, id.String(), status)
	return id
}

// insertUsable adds one usable interview; $3 is its campaign, or null.
const insertUsable = `INSERT INTO interviews
	(client_id, id, campaign_id, created_at, status, quality, reportable, client_safe)
	VALUES ($1, $2, $3, '2026-03-01', 'completed', 'passed', true, true)`

// members adds n usable interviews without a campaign.
func (b brand) members(t testing.TB, conn *pgx.Conn, n int) {
	t.Helper()
	for range n {
		dbtest.Exec(t, conn, insertUsable, b.id, uuid.New(), nil)
	}
}

// audited is what an audit of the client finds.
func audited(t testing.TB, d *dbtest.Database, b brand) measurement.Audit {
	t.Helper()
	return auditAs(t, dbtest.Connect(t, d.OwnerURL), b)
}

func auditAs(t testing.TB, conn *pgx.Conn, b brand) measurement.Audit {
	t.Helper()
	k := measurement.NewMaintenance(conn)
	clients, err := k.Clients(context.Background(), b.slug, false)
	require.NoError(t, err, b.slug)
	a, err := k.Audit(context.Background(), clients[0])
	require.NoError(t, err, b.slug)
	return a
}

func wantConsistent(t testing.TB, d *dbtest.Database, b brand, members int64) {
	t.Helper()
	a := audited(t, d, b)
	if !a.Consistent() || *a.Members != members {
		t.Fatalf("the audit of %s says %s (marked: %v), want no fault and %d members", b.slug, describe(a), a.BrokenAt, members)
	}
}

func describe(a measurement.Audit) string {
	if a.Fault == nil {
		return "no fault"
	}
	return *a.Fault
}
