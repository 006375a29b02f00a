package search

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/fairqueue"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Limits bound what searches may cost.
type Limits struct {
	// First is how many of a client's newest documents a search reads at first.
	First int64
	// Newest is how many it reads before it counts as slow, if the client has no
	// more or the trigram index is of no use to it.
	Newest int64
	// Wait is how long a slow search waits for the one before it.
	Wait time.Duration
	// Timeout is how long a slow search may take, its wait included.
	Timeout time.Duration
}

// DefaultLimits suit a machine with few cores: reading the first documents takes
// less than 10 ms, the newest 40, and all of a million less than a second.
func DefaultLimits() Limits {
	return Limits{First: 5_000, Newest: 20_000, Wait: 3 * time.Second, Timeout: 5 * time.Second}
}

// Reader searches.
type Reader struct {
	snapshots *measurement.SnapshotReader
	limits    Limits
	// slow are the slots of slow searches.
	slow *fairqueue.Slots
}

// New reads in snapshots of the snapshot reader.
func New(snapshots *measurement.SnapshotReader, limits Limits) *Reader {
	return &Reader{snapshots: snapshots, limits: limits, slow: fairqueue.NewSlots(2, 1, 16)}
}

// Search returns the caller's newest interviews that contain the text, newest first, ties
// by id.
//
// Common texts are found among the newest documents, and most clients have no more than
// those. Every other search is slow: a server runs one per client and two in all, in
// rotation, each in its own snapshot. A waiting search holds no connection.
func (r *Reader) Search(ctx context.Context, caller auth.Caller, q Query) (Found, error) {
	found, err := r.searchNewest(ctx, caller, q)
	if err != nil {
		return Found{}, err
	}
	if found != nil {
		return *found, nil
	}
	deadline := time.Now().Add(r.limits.Timeout)
	if err := r.slow.AcquireWithin(ctx, caller.ClientID, min(r.limits.Wait, r.limits.Timeout)); err != nil {
		return Found{}, apierror.Unavailable(fmt.Errorf("waiting for other searches through all interviews: %w", err))
	}
	defer r.slow.Release(caller.ClientID)
	return r.searchAll(ctx, caller, q, deadline)
}

// searchNewest reads the newest documents in order. It returns nil if fewer matched than
// the limit and the client has older documents.
func (r *Reader) searchNewest(ctx context.Context, caller auth.Caller, q Query) (*Found, error) {
	var found *Found
	err := r.snapshots.Read(ctx, caller, func(ctx context.Context, in *measurement.Snapshot) error {
		rows, enough, err := r.readNewest(ctx, in, caller, q, r.limits.First)
		if err != nil {
			return err
		}
		if !enough {
			// Rare words are found sooner by their trigrams than among some more documents.
			scan, err := in.Queries().PreferScanOverTrigrams(ctx, db.PreferScanOverTrigramsParams{
				ClientID: caller.ClientID, Campaign: q.Campaign, Query: q.Text, MaxRows: r.limits.Newest,
			})
			if err != nil {
				return fmt.Errorf("choosing how to search on: %w", err)
			}
			if !scan {
				return nil
			}
			if rows, enough, err = r.readNewest(ctx, in, caller, q, r.limits.Newest); err != nil || !enough {
				return err
			}
		}
		all, err := collect(in, q, rows)
		found = &all
		return err
	})
	return found, err
}

// readNewest searches at most `most` of the newest documents, and reports whether its hits
// are as many as the limit or all there are.
func (r *Reader) readNewest(
	ctx context.Context, in *measurement.Snapshot, caller auth.Caller, q Query, most int64,
) ([]db.ListNewestSearchHitsRow, bool, error) {
	rows, err := in.Queries().ListNewestSearchHits(ctx, db.ListNewestSearchHitsParams{
		ClientID: caller.ClientID, Campaign: q.Campaign, Query: q.Text, MaxHits: int32(q.Limit), MaxRows: most,
	})
	if err != nil {
		return nil, false, fmt.Errorf("searching the newest interviews: %w", searchError(in, err))
	}
	if len(rows) == q.Limit {
		return rows, true, nil
	}
	goesOn, err := in.Queries().HasOlderSearchDocuments(ctx, db.HasOlderSearchDocumentsParams{
		ClientID: caller.ClientID, Campaign: q.Campaign, MaxRows: most,
	})
	if err != nil {
		return nil, false, fmt.Errorf("looking for older interviews: %w", err)
	}
	return rows, !goesOn, nil
}

// tooSlow names searches that take less time: a retry may not help.
const tooSlow = "q was searched for in all interviews and took too long: a word of three letters or more, or one campaign, takes less"

// searchAll searches all documents until the deadline.
func (r *Reader) searchAll(ctx context.Context, caller auth.Caller, q Query, deadline time.Time) (Found, error) {
	var found Found
	err := r.snapshots.Read(ctx, caller, func(ctx context.Context, in *measurement.Snapshot) error {
		left := max(time.Until(deadline), time.Millisecond) // zero would be no limit
		timeout := strconv.FormatInt(left.Milliseconds(), 10)
		if err := in.Queries().ConfigureFullSearch(ctx, timeout); err != nil {
			return fmt.Errorf("configuring a search: %w", err)
		}
		rows, err := in.Queries().ListSearchHits(ctx, db.ListSearchHitsParams{
			ClientID: caller.ClientID, Campaign: q.Campaign, Query: q.Text, MaxHits: int32(q.Limit),
		})
		if postgres.SQLState(err) == "57014" { // query_canceled
			return apierror.Unavailable(fmt.Errorf("searching all interviews: %w", err)).WithDetails(tooSlow)
		}
		if err != nil {
			return fmt.Errorf("searching all interviews: %w", searchError(in, err))
		}
		found, err = collect(in, q, rows)
		return err
	})
	return found, err
}

// collect proves that the hits are members and adds their basis to the provenance.
func collect[Row db.ListNewestSearchHitsRow | db.ListSearchHitsRow](
	in *measurement.Snapshot, q Query, rows []Row,
) (Found, error) {
	hits, ids := make([]Hit, len(rows)), make([]uuid.UUID, len(rows))
	for i, row := range rows {
		if hits[i] = Hit(row); hits[i].MemberID == nil {
			return Found{}, unprovenResult(in, errors.New("a search document has no usable interview"))
		}
		ids[i] = hits[i].ID
	}
	in.AddBasis(q.Scope, ids)
	return Found{Hits: hits, Measurement: in.Provenance}, nil
}

// searchError makes the database's refusal to search documents that may be wrong an
// unproven result.
func searchError(in *measurement.Snapshot, err error) error {
	if postgres.SQLState(err) == "55000" { // object_not_in_prerequisite_state
		return unprovenResult(in, err)
	}
	return err
}

// unprovenResult is the error for a result that cannot be proven.
func unprovenResult(in *measurement.Snapshot, cause error) error {
	if in.Provenance.Mode == measurement.Canonical {
		return apierror.MeasurementUnavailable(cause)
	}
	return apierror.Internal(cause)
}

// Query selects the newest interviews that contain a text. Campaign is a slug, nil for any.
type Query struct {
	Text     string
	Campaign *string
	Limit    int
	Scope    basis.Scope
}

// Field is a field that is searched.
type Field string

// The fields, in their order.
const (
	BestQuote          Field = "best_quote"
	PrimaryPainPoints  Field = "primary_pain_points"
	FeatureRequests    Field = "feature_requests"
	ProductFeedback    Field = "product_feedback"
	CompetitorMentions Field = "competitor_mentions"
)

// Hit is an interview that contains the text. A field is nil when nothing was extracted.
type Hit db.ListNewestSearchHitsRow

// Matched returns the fields that contain the text, in their order. The database numbers
// them from 1.
func (h Hit) Matched() []Field {
	matched := make([]Field, len(h.Fields))
	for i, number := range h.Fields {
		matched[i] = [...]Field{BestQuote, PrimaryPainPoints, FeatureRequests, ProductFeedback, CompetitorMentions}[number-1]
	}
	return matched
}

// Found is the newest hits and the provenance of their number.
type Found struct {
	Hits        []Hit
	Measurement measurement.Provenance
}
