package measurement_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// A wrong state is rebuilt, and a client cut over, while others write: every number
// that is read in between is right.
func TestMaintenance_RebuildAndCutOverUnderLoad(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	conn := connect(t, d.OwnerURL)
	b := newBrand(t, conn, "acme", "legacy")
	b.members(t, conn, 20)
	load := startLoad(t, d, b)
	m := maintenanceOf(t, d)
	client := find(t, m, "acme")

	for round := range 8 {
		exec(t, conn, "UPDATE measurement_states SET members = members + $1, fingerprint = fingerprint + 12345", round-3)
		if _, err := m.CutOver(t.Context(), client); !isFault(err) || modeOf(t, conn, b) != "legacy" {
			t.Fatalf("round %d: a wrong state was cut over to %s: %v", round, modeOf(t, conn, b), err)
		}
		rebuild := func(wasBroken bool) {
			if result, err := m.Rebuild(t.Context(), client); err != nil || !result.Changed || result.WasBroken != wasBroken {
				t.Fatalf("round %d: the rebuild says %+v, error %v", round, result, err)
			}
		}
		rebuild(false)
		if _, err := m.CutOver(t.Context(), client); err != nil {
			t.Fatalf("round %d: cutting over: %v", round, err)
		}
		load.wait(5, 3)
		exec(t, conn, "UPDATE measurement_states SET members = members + 5, broken_at = now(), broken_reason = 'test'")
		load.wait(3, 0)
		rebuild(true)
		load.wait(5, 3)
		if err := m.ReturnToLegacy(t.Context(), client); err != nil {
			t.Fatal(err)
		}
	}
	load.end()
	if a := audited(t, d, b); !a.Consistent() {
		t.Errorf("in the end: %s", describe(a))
	}
}

// load is writers of one client and a reader of its total.
type load struct {
	stop            context.CancelFunc
	stopped         context.Context
	working         sync.WaitGroup
	written, proven atomic.Int64 // transactions; canonical totals that were right
}

func startLoad(t *testing.T, d *dbtest.Database, b brand) *load {
	t.Helper()
	l := &load{}
	l.stopped, l.stop = context.WithCancel(context.Background())
	t.Cleanup(l.end)
	for range 3 {
		writer := connect(t, d.OwnerURL)
		l.working.Go(func() {
			for l.stopped.Err() == nil {
				if err := writeSome(writer, b); err != nil {
					t.Errorf("writing: %v", err)
					l.stop()
				}
				l.written.Add(1)
			}
		})
	}
	reader := connect(t, d.OwnerURL)
	l.working.Go(func() {
		for l.stopped.Err() == nil {
			switch mode, broken, difference := readTotal(t, reader, b); {
			case mode != "canonical" || broken:
			case difference != 0:
				t.Errorf("a canonical client's total is off by %d", difference)
				l.stop()
			default:
				l.proven.Add(1)
			}
		}
	})
	return l
}

func (l *load) end() {
	l.stop()
	l.working.Wait()
}

// wait lets so many more transactions and right totals happen.
func (l *load) wait(written, proven int64) {
	written, proven = written+l.written.Load(), proven+l.proven.Load()
	for l.stopped.Err() == nil && (l.written.Load() < written || l.proven.Load() < proven) {
		time.Sleep(time.Millisecond)
	}
}

func writeSome(conn *pgx.Conn, b brand) error {
	ctx := context.Background()
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for range 3 {
			if _, err := tx.Exec(ctx, insertUsable, b.id, uuid.New(), nil); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `DELETE FROM interviews WHERE (client_id, id) IN (
			SELECT i.client_id, i.id FROM interviews AS i WHERE i.client_id = $1 ORDER BY i.id LIMIT 3 FOR UPDATE SKIP LOCKED)`, b.id)
		return err
	})
}

func isFault(err error) bool {
	return err != nil && strings.HasPrefix(err.Error(), "acme stays legacy: ")
}

func modeOf(t *testing.T, conn *pgx.Conn, b brand) string {
	t.Helper()
	return value[string](t, conn, "SELECT measurement_mode FROM clients WHERE id = $1", b.id)
}

// readTotal compares total and rows in one snapshot.
func readTotal(t *testing.T, conn *pgx.Conn, b brand) (mode string, broken bool, difference int64) {
	t.Helper()
	err := conn.QueryRow(context.Background(), `SELECT
			c.measurement_mode,
			s.broken_at IS NOT NULL,
			s.members + coalesce((SELECT sum(m.members) FROM measurement_changes AS m WHERE m.client_id = c.id), 0)::bigint
				- (SELECT count(*) FROM audited_interviews AS a WHERE a.client_id = c.id AND a.passes)
		FROM clients AS c
		JOIN measurement_states AS s ON s.client_id = c.id
		WHERE c.id = $1`, b.id).Scan(&mode, &broken, &difference)
	if err != nil {
		t.Errorf("reading: %v", err)
	}
	return mode, broken, difference
}
