package measurement_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// In every snapshot that a response is read in, the total, the basis of each filter
// and the rows' own facts agree, whatever is written. Several writers change
// interviews and campaigns in every way that SQL can. Readers recompute the usable rule from
// the raw facts, in Go, and compare it with what a response would say.
func TestTruth_InEverySnapshotWhateverIsWritten(t *testing.T) {
	t.Parallel()
	const writers, transactions = 6, 150
	d := dbtest.New(t)
	conn := dbtest.Connect(t, d.SuperuserURL)
	records := &records{}
	for _, slug := range []string{"acme", "globex", "initech"} {
		b := newBrand(t, conn, slug, "canonical")
		records.brands = append(records.brands, b)
		for range 3 {
			records.campaigns = append(records.campaigns, campaignOf{b.id, b.campaign(t, conn, "live")})
		}
		b.members(t, conn, 20)
	}

	var writing, watching sync.WaitGroup
	var written atomic.Int64
	done := make(chan struct{})
	logs := make([]*writer, writers)
	for n := range writers {
		w := &writer{records: records, conn: dbtest.Connect(t, d.SuperuserURL), random: rand.New(rand.NewPCG(uint64(n), 7)), did: map[string]int{}}
		logs[n] = w
		writing.Go(func() {
			for i := range transactions {
				check.NoError(t, w.transaction(), n, i)
				written.Add(1)
			}
		})
	}
	pool, err := postgres.OpenPool(t.Context(), postgres.PoolSettings{URL: d.OwnerURL, Size: 4, AcquireTimeout: time.Minute})
	require.NoError(t, err)
	defer pool.Close()
	triggers := &measurement.Triggers{}
	require.NoError(t, triggers.Check(t.Context(), pool))
	snapshots := measurement.NewSnapshotReader(pool, triggers, 10_000)
	var compared, members, audits atomic.Int64
	for n := range 2 {
		random := rand.New(rand.NewPCG(uint64(n), 8))
		watching.Go(func() {
			for seen := int64(-1); open(done); {
				// Readers leave the processor to the writers: one comparison for each state.
				if now := written.Load(); now == seen {
					time.Sleep(time.Millisecond)
					continue
				} else {
					seen = now
				}
				total, err := compare(snapshots, records, random)
				if err != nil {
					t.Error(err)
					return
				}
				compared.Add(1)
				members.Add(total)
			}
		})
	}
	keeping := dbtest.Connect(t, d.OwnerURL)
	watching.Go(func() {
		k, random := measurement.NewMaintenance(keeping), rand.New(rand.NewPCG(3, 9))
		for open(done) {
			if err := auditOrRebuild(k, records.brands[random.IntN(3)], random); err != nil {
				t.Error(err)
				return
			}
			audits.Add(1)
			if _, err := keeping.Exec(t.Context(), "SELECT merge_measurement_changes()"); err != nil {
				t.Error(err)
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	writing.Wait()
	close(done)
	watching.Wait()

	did := map[string]int{}
	for _, w := range logs {
		for what, times := range w.did {
			did[what] += times
		}
	}
	t.Logf("%d snapshots of %d members on average, %d audits; committed: %v",
		compared.Load(), members.Load()/max(compared.Load(), 1), audits.Load(), did)
	for _, write := range writes {
		if did[write.name] == 0 {
			t.Errorf("%q was never committed", write.name)
		}
	}
	if total := did["transactions"]; total < writers*transactions/3 || compared.Load() < 30 || audits.Load() < 10 {
		t.Errorf("%d transactions, %d comparisons, %d audits: too few to have overlapped", total, compared.Load(), audits.Load())
	}
	for _, b := range records.brands {
		if a := auditAs(t, keeping, b); !a.Consistent() {
			t.Errorf("in the end, %s: %s", b.slug, describe(a))
		}
	}
}

func open(done <-chan struct{}) bool {
	select {
	case <-done:
		return false
	default:
		return true
	}
}

// auditOrRebuild audits or rebuilds a client that is consistent already.
func auditOrRebuild(k *measurement.Maintenance, b brand, random *rand.Rand) error {
	ctx := context.Background()
	clients, err := k.Clients(ctx, b.slug, false)
	if err != nil {
		return err
	}
	if random.IntN(6) == 0 {
		if m, err := k.Rebuild(ctx, clients[0]); err != nil || m.Changed || m.Rejudged > 0 {
			return fmt.Errorf("rebuilding %s: %+v, %w", b.slug, m, err)
		}
		return nil
	}
	a, err := k.Audit(ctx, clients[0])
	if err == nil && !a.Consistent() {
		err = fmt.Errorf("auditing %s: %s", b.slug, describe(a))
	}
	return err
}

// fact is an interview with its campaign, as the usable rule reads it.
type fact struct {
	ID               uuid.UUID
	CreatedAt        time.Time
	Status, Quality  string
	IsTest           bool
	Reportable, Safe bool
	Duration         *float64
	Engagement       *string
	Campaign         *uuid.UUID
	LaunchStatus     *string
	Active           *bool
}

// passes is the usable rule, written a second time.
func (f fact) passes() bool {
	live := f.Campaign == nil || (f.LaunchStatus != nil && *f.LaunchStatus == "live" && (f.Active == nil || *f.Active))
	return (f.Status == "completed" || f.Status == "analyzed") && f.Quality == "passed" && !f.IsTest && f.Reportable && f.Safe &&
		(f.Duration == nil || *f.Duration >= 60) && (f.Engagement == nil || *f.Engagement != "disengaged") && live
}

// compare opens a snapshot as a response does, and holds what it would say under
// several filters against the facts.
func compare(snapshots *measurement.SnapshotReader, w *records, random *rand.Rand) (total int64, err error) {
	b := w.brands[random.IntN(len(w.brands))]
	campaign := w.campaigns[random.IntN(len(w.campaigns))].id
	from := time.Date(2026, 3, 1+random.IntN(20), 0, 0, 0, 0, time.UTC)
	err = snapshots.Read(context.Background(), auth.Caller{ClientID: b.id}, measurement.Many, func(ctx context.Context, in *measurement.Snapshot) error {
		all, err := facts(ctx, in, b)
		if err != nil {
			return err
		}
		year0, year9999 := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
		queries := in.Queries()
		for _, c := range []struct {
			filters map[string]string
			list    measurement.IDLister
			keep    func(fact) bool
		}{
			{nil, func(ctx context.Context, max int32) ([]uuid.UUID, error) {
				return queries.ListMemberIDs(ctx, db.ListMemberIDsParams{ClientID: b.id, FromCreatedAt: year0, UntilCreatedAt: year9999, MaxRows: max})
			}, func(fact) bool { return true }},
			{map[string]string{"date_from": from.String()}, func(ctx context.Context, max int32) ([]uuid.UUID, error) {
				return queries.ListMemberIDs(ctx, db.ListMemberIDsParams{ClientID: b.id, FromCreatedAt: from, UntilCreatedAt: year9999, MaxRows: max})
			}, func(f fact) bool { return !f.CreatedAt.Before(from) }},
			{map[string]string{"status": "analyzed"}, func(ctx context.Context, max int32) ([]uuid.UUID, error) {
				return queries.ListMemberIDsWithStatus(ctx, db.ListMemberIDsWithStatusParams{ClientID: b.id, Status: "analyzed", FromCreatedAt: year0, UntilCreatedAt: year9999, MaxRows: max})
			}, func(f fact) bool { return f.Status == "analyzed" }},
			{map[string]string{"campaign_id": campaign.String()}, func(ctx context.Context, max int32) ([]uuid.UUID, error) {
				return queries.ListMemberIDsOfCampaign(ctx, db.ListMemberIDsOfCampaignParams{ClientID: b.id, CampaignID: campaign, FromCreatedAt: year0, UntilCreatedAt: year9999, MaxRows: max})
			}, func(f fact) bool { return f.Campaign != nil && *f.Campaign == campaign }},
		} {
			want := []uuid.UUID{} // facts come by id
			for _, f := range all {
				if f.passes() && c.keep(f) {
					want = append(want, f.ID)
				}
			}
			if err := in.AddListBasis(ctx, basis.Scope{ClientID: b.id, Route: "/interviews", Filters: c.filters}, c.list); err != nil {
				return fmt.Errorf("%s under %v: %w", b.slug, c.filters, err)
			}
			got := in.Provenance.Basis
			text, err := json.Marshal(want)
			if err != nil {
				return err
			}
			if string(got.SourceIDs) != string(text) || got.SourceCount != len(want) || got.MembershipHash != basis.MembershipHash(want) {
				return fmt.Errorf("%s under %v: the basis has %d ids, the facts %d", b.slug, c.filters, got.SourceCount, len(want))
			}
			if c.filters == nil && in.Provenance.Total != int64(len(want)) {
				return fmt.Errorf("%s: the total is %d, the facts count %d", b.slug, in.Provenance.Total, len(want))
			}
		}
		total = in.Provenance.Total
		return nil
	})
	return total, err
}

func facts(ctx context.Context, in *measurement.Snapshot, b brand) ([]fact, error) {
	rows, err := in.Query(ctx, `SELECT i.id, i.created_at, i.status, i.quality, i.is_test, i.reportable, i.client_safe,
			i.duration_seconds, i.engagement, i.campaign_id, c.launch_status, c.active
		FROM interviews AS i
		LEFT JOIN campaigns AS c ON c.client_id = i.client_id AND c.id = i.campaign_id
		WHERE i.client_id = $1
		ORDER BY i.id`, b.id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[fact])
}

// acceptable are the refusals that a writer must expect of others: lost races,
// deadlocks, references and duplicates, and what cannot be done at an isolation
// level or after other changes.
func acceptable(err error) bool {
	return slices.ContainsFunc([]string{"40001", "40P01", "55P03", "23503", "23505", "25000", "55006"}, func(code string) bool {
		return strings.Contains(err.Error(), "SQLSTATE "+code)
	})
}
