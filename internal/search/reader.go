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
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Limits bound what searches may cost.
type Limits struct {
	// First is how many of a client's newest documents a search reads at first.
	First int64
	// Newest is how many it reads before it goes through all of them, if the client has no
	// more or the trigram index is of no use to it.
	Newest int64
	// Timeout is how long a search may take in the database.
	Timeout time.Duration
}

// DefaultLimits suit a machine with few cores: reading the first documents takes
// less than 10 ms, the newest 40, and all of a million less than a second.
func DefaultLimits() Limits {
	return Limits{First: 5_000, Newest: 20_000, Timeout: 4 * time.Second}
}

// Slots is how many searches run at once, each of another client, and how many connections
// they need: no search holds a connection that other reads wait for.
const Slots = 4

// Reader searches.
type Reader struct {
	snapshots *measurement.SnapshotReader
	limits    Limits
}

// New searches in snapshots, whose connections are the slots of searches.
func New(snapshots *measurement.SnapshotReader, limits Limits) *Reader {
	return &Reader{snapshots: snapshots, limits: limits}
}

// Search returns the caller's newest interviews that contain the text, newest first, ties
// by id.
//
// Common texts are found among the newest documents, and most clients have no more than
// those. Every other search goes through all documents of the client.
func (r *Reader) Search(ctx context.Context, caller auth.Caller, q Query) (Found, error) {
	var found Found
	err := r.snapshots.Read(ctx, caller, measurement.Many, func(ctx context.Context, in *measurement.Snapshot) error {
		deadline := time.Now().Add(r.limits.Timeout)
		rows, enough, err := r.searchNewest(ctx, in, caller, q)
		if err == nil && !enough {
			rows, err = searchAll(ctx, in, caller, q, deadline)
		}
		switch {
		case postgres.SQLState(err) == "57014": // query_canceled
			return apierror.Unavailable(fmt.Errorf("searching: %w", err)).WithDetails(tooSlow)
		case postgres.SQLState(err) == "55000": // object_not_in_prerequisite_state: documents that may be wrong
			return unprovenResult(in, err)
		case err != nil:
			return fmt.Errorf("searching: %w", err)
		}
		found, err = collect(in, q, rows)
		return err
	})
	return found, err
}

// tooSlow names searches that take less time: a retry may not help.
const tooSlow = "q was searched for in all interviews and took too long: a word of three letters or more, or one campaign, takes less"

// searchNewest reads the newest documents in order, and reports whether its hits are as
// many as the limit or all there are.
func (r *Reader) searchNewest(
	ctx context.Context, in *measurement.Snapshot, caller auth.Caller, q Query,
) ([]db.ListNewestSearchHitsRow, bool, error) {
	rows, enough, err := readNewest(ctx, in, caller, q, r.limits.First)
	if err != nil || enough {
		return rows, enough, err
	}
	// Rare words are found sooner by their trigrams than among some more documents.
	scan, err := in.Queries().PreferScanOverTrigrams(ctx, db.PreferScanOverTrigramsParams{
		ClientID: caller.ClientID, Campaign: q.Campaign, Query: q.Text, MaxRows: r.limits.Newest,
	})
	if err != nil || !scan {
		return nil, false, err
	}
	return readNewest(ctx, in, caller, q, r.limits.Newest)
}

// readNewest searches at most `most` of the newest documents.
func readNewest(
	ctx context.Context, in *measurement.Snapshot, caller auth.Caller, q Query, most int64,
) ([]db.ListNewestSearchHitsRow, bool, error) {
	rows, err := in.Queries().ListNewestSearchHits(ctx, db.ListNewestSearchHitsParams{
		ClientID: caller.ClientID, Campaign: q.Campaign, Query: q.Text, MaxHits: int32(q.Limit), MaxRows: most,
	})
	if err != nil || len(rows) == q.Limit {
		return rows, err == nil, err
	}
	goesOn, err := in.Queries().HasOlderSearchDocuments(ctx, db.HasOlderSearchDocumentsParams{
		ClientID: caller.ClientID, Campaign: q.Campaign, MaxRows: most,
	})
	return rows, !goesOn, err
}

// searchAll searches all documents until the deadline.
func searchAll(
	ctx context.Context, in *measurement.Snapshot, caller auth.Caller, q Query, deadline time.Time,
) ([]db.ListNewestSearchHitsRow, error) {
	left := max(time.Until(deadline), time.Millisecond) // zero would be no limit
	if err := in.Queries().ConfigureFullSearch(ctx, strconv.FormatInt(left.Milliseconds(), 10)); err != nil {
		return nil, err
	}
	found, err := in.Queries().ListSearchHits(ctx, db.ListSearchHitsParams{
		ClientID: caller.ClientID, Campaign: q.Campaign, Query: q.Text, MaxHits: int32(q.Limit),
	})
	rows := make([]db.ListNewestSearchHitsRow, len(found))
	for i, row := range found {
		rows[i] = db.ListNewestSearchHitsRow(row)
	}
	return rows, err
}

// collect proves that the hits are members and adds their basis to the provenance.
func collect(in *measurement.Snapshot, q Query, rows []db.ListNewestSearchHitsRow) (Found, error) {
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
