package measurement

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// cached reads bases of one client's list through a snapshot reader, and counts how often
// the database is asked for ids.
type cached struct {
	*SnapshotReader
	client uuid.UUID
	conn   *pgx.Conn // a writer
	asked  int
}

func newCached(t *testing.T, maxIDs int) *cached {
	t.Helper()
	d := dbtest.New(t)
	conn, err := pgx.Connect(t.Context(), d.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	pool, err := postgres.OpenPool(t.Context(), postgres.PoolSettings{URL: d.OwnerURL, Size: 4, AcquireTimeout: 60e9})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	c := &cached{SnapshotReader: NewSnapshotReader(pool, maxIDs), client: uuid.New(), conn: conn}
	c.exec(t, `INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
		VALUES ($1, 'acme', 'Acme', 'canonical', 'canonical_measurement.v1')`, c.client)
	return c
}

func (c *cached) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := c.conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func (c *cached) insert(t *testing.T, status string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	c.exec(t, `INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe)
		VALUES ($1, $2, '2026-03-01', $3, 'passed', true, true)`, c.client, id, status)
	return id
}

// read is the basis of the list with a status, and whether the database was asked.
func (c *cached) read(t *testing.T, status string) (got *Basis, asked bool) {
	t.Helper()
	before := c.asked
	err := c.Read(t.Context(), auth.Caller{ClientID: c.client}, func(ctx context.Context, in *Snapshot) error {
		filters := map[string]string{"status": status}
		err := in.AddListBasis(ctx, basis.Scope{ClientID: c.client, Route: "/interviews", Filters: filters}, func(ctx context.Context, limit int32) ([]uuid.UUID, error) {
			c.asked++
			rows, err := in.Tx().Query(ctx, "SELECT id FROM usable_interviews WHERE client_id = $1 AND status = $2 LIMIT $3", c.client, status, limit)
			if err != nil {
				return nil, err
			}
			return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		})
		got = in.Provenance.Basis
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, c.asked > before
}

func (c *cached) want(t *testing.T, what string, asked bool, ids ...uuid.UUID) {
	t.Helper()
	basis.SortIDs(ids)
	got, was := c.read(t, "completed")
	if string(got.SourceIDs) != string(listJSON(ids)) || got.SourceCount != len(ids) || got.MembershipHash != basis.MembershipHash(ids) || was != asked {
		t.Errorf("%s: ids %s (asked the database: %v), want %v (%v)", what, got.SourceIDs, was, ids, asked)
	}
}

// A scope is read once for each version of the membership, and never shown for
// another, whatever writers have done or not finished.
func TestBasisCache_FollowsTheMembership(t *testing.T) {
	t.Parallel()
	c := newCached(t, 100)
	one := c.insert(t, "completed")
	c.want(t, "at first", true, one)
	c.want(t, "again", false, one)

	two := c.insert(t, "completed")
	c.want(t, "after an insert", true, one, two)
	c.exec(t, "UPDATE interviews SET status = 'analyzed' WHERE id = $1", two)
	c.want(t, "after a change that keeps the count", true, one)
	c.exec(t, "UPDATE interviews SET best_quote = 'x', participant_name = 'y'")
	c.want(t, "after a change that no filter sees", false, one)

	c.exec(t, "BEGIN")
	c.insert(t, "completed")
	c.want(t, "before the commit", false, one)
	c.exec(t, "ROLLBACK")
	c.want(t, "after a rollback", false, one)
	c.exec(t, "BEGIN")
	three := c.insert(t, "completed")
	c.exec(t, "COMMIT")
	c.want(t, "after a commit", true, one, three)
	c.exec(t, "UPDATE interviews SET reportable = false WHERE id = $1", three)
	c.want(t, "after a withdrawal", true, one)
	four := uuid.New()
	c.exec(t, "UPDATE interviews SET id = $1 WHERE id = $2", four, one)
	c.want(t, "after another took its place", true, four)
}

// A reader whose snapshot is older than a write neither sees nor leaves behind
// what is not of its moment.
func TestBasisCache_OldSnapshotsKeepTheirOwn(t *testing.T) {
	t.Parallel()
	c := newCached(t, 100)
	one := c.insert(t, "completed")
	list := func(ctx context.Context, in *Snapshot) ([]uuid.UUID, error) {
		rows, err := in.Tx().Query(ctx, "SELECT id FROM usable_interviews WHERE client_id = $1", c.client)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	}
	err := c.Read(t.Context(), auth.Caller{ClientID: c.client}, func(ctx context.Context, in *Snapshot) error {
		two := c.insert(t, "completed")
		c.want(t, "a newer snapshot", true, one, two)
		scope := basis.Scope{ClientID: c.client, Route: "/interviews", Filters: map[string]string{"status": "completed"}}
		if err := in.AddListBasis(ctx, scope, func(ctx context.Context, _ int32) ([]uuid.UUID, error) { return list(ctx, in) }); err != nil {
			return err
		}
		if got := in.Provenance.Basis.SourceIDs; string(got) != string(listJSON([]uuid.UUID{one})) {
			t.Errorf("the older snapshot lists %s, want %v", got, one)
		}
		c.want(t, "a newer snapshot after the older", true, one, two)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What is known before a snapshot is taken holds in a snapshot of the same state alone.
func TestCachedBasis_IsOfOneState(t *testing.T) {
	t.Parallel()
	c := newCached(t, 2)
	list := func(status string) basis.Scope {
		return basis.Scope{ClientID: c.client, Route: "/interviews", Filters: map[string]string{"status": status}}
	}
	holds := func(known CachedBasis, scope basis.Scope) (ids string, same bool) {
		t.Helper()
		if err := c.Read(t.Context(), auth.Caller{ClientID: c.client}, func(_ context.Context, in *Snapshot) error {
			if same = in.AddCachedBasis(scope, known); in.Provenance.Basis != nil {
				ids = string(in.Provenance.Basis.SourceIDs)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return ids, same
	}
	if _, ok := c.CachedBasis(list("completed")); ok {
		t.Error("a basis is known of a client that was never read")
	}
	one := c.insert(t, "completed")
	c.want(t, "at first", true, one)
	known, ok := c.CachedBasis(list("completed"))
	if ids, same := holds(known, list("completed")); !ok || !same || ids != string(listJSON([]uuid.UUID{one})) {
		t.Errorf("%v, %v: %s is known, want %s", ok, same, ids, one)
	}
	if _, ok := c.CachedBasis(list("analyzed")); ok {
		t.Error("a basis is known that was never read")
	}
	c.insert(t, "analyzed")
	if ids, same := holds(known, list("completed")); same || ids != "" {
		t.Errorf("%s holds in another state", ids)
	}
	if _, ok := c.CachedBasis(list("completed")); ok {
		t.Error("a basis is known of the state before the last that was read")
	}
	c.insert(t, "completed")
	_, _ = holds(known, list("completed"))
	whole := basis.Scope{ClientID: c.client, Route: "/interviews"}
	known, ok = c.CachedBasis(whole)
	if ids, same := holds(known, whole); !ok || !same || ids != "" {
		t.Errorf("%v, %v: %q is known of a list beyond the cap, want that it has none", ok, same, ids)
	}
	c.exec(t, "UPDATE clients SET measurement_mode = 'legacy', measurement_contract_version = NULL WHERE id = $1", c.client)
	if _, same := holds(known, whole); same {
		t.Error("a canonical client's basis holds for a legacy client")
	}
	known, ok = c.CachedBasis(list("new"))
	c.insert(t, "new")
	if ids, same := holds(known, list("new")); !ok || !same || ids != "" {
		t.Errorf("%v, %v: %q is known of a legacy client, want that it has none", ok, same, ids)
	}
}

// A scope beyond the cap is remembered as such, and one without rows is an empty list.
func TestBasisCache_TooManyAndNone(t *testing.T) {
	t.Parallel()
	c := newCached(t, 2)
	if got, _ := c.read(t, "analyzed"); string(got.SourceIDs) != "[]" || got.SourceCount != 0 {
		t.Errorf("ids of nothing: %s, want an empty list", got.SourceIDs)
	}
	for range 3 {
		c.insert(t, "completed")
	}
	for _, first := range []bool{true, false} {
		if got, asked := c.read(t, "completed"); got != nil || asked != first {
			t.Errorf("beyond the cap: basis %v, asked the database: %v, want none and %v", got, asked, first)
		}
	}
}

func TestBasisCache_IsBounded(t *testing.T) {
	t.Parallel()
	c := newBasisCache(4 * (160 + 512))
	key := func(n int) string { return fmt.Sprint(n) }
	ids := make([]byte, 160)
	var busy sync.WaitGroup
	for worker := range 4 {
		busy.Go(func() {
			for n := range 200 {
				c.put(key(worker*1000+n%7), version{members: int64(n)}, scopeIDs{json: ids})
				c.get(key(n%7), version{members: int64(n)})
			}
		})
	}
	busy.Wait()
	for n := range 4 {
		c.put(key(n), version{}, scopeIDs{json: ids})
	}
	c.get(key(0), version{})
	c.put(key(4), version{}, scopeIDs{json: ids})
	for n, want := range []bool{true, false, true, true, true} {
		if _, known := c.get(key(n), version{}); known != want {
			t.Errorf("entry %d is kept: %v, want %v: what was not used for longest goes", n, known, want)
		}
	}
	if c.bytes != 4*(160+512) || c.lru.Len() != 4 {
		t.Errorf("%d bytes in %d entries, want the bound in 4", c.bytes, c.lru.Len())
	}
	c.put(key(9), version{}, scopeIDs{json: make([]byte, 16_000)})
	if _, known := c.get(key(9), version{}); known || c.lru.Len() != 4 {
		t.Error("an entry larger than the cache was kept, or drove out the others")
	}
}
