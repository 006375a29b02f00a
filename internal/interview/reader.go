package interview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Reader reads interviews.
type Reader struct {
	snapshots *measurement.SnapshotReader
}

// New reads in snapshots.
func New(snapshots *measurement.SnapshotReader) *Reader { return &Reader{snapshots: snapshots} }

// errBasisUnread is returned where the client's interviews have changed since the basis of
// the first page was read.
var errBasisUnread = errors.New("the basis has to be read")

// List hands one page of the caller's usable interviews to take, newest first,
// ties by id.
func (r *Reader) List(ctx context.Context, caller auth.Caller, q ListQuery, take Take) (List, error) {
	var found List
	query := pageQuery(ctx, caller, q)
	// Only the first page has the basis, which is that of the whole list.
	first := q.Page.After == nil
	read := func(in *measurement.Snapshot, rows pgx.Rows) error {
		next, count, err := takePage(rows, q.Page, take)
		if err != nil {
			return fmt.Errorf("listing interviews: %w", err)
		}
		found = List{Count: count, Next: next, Measurement: in.Provenance}
		if first {
			return in.ProveFirstPage(q.Scope, count, next != nil)
		}
		return nil
	}
	ctx, cancel := r.snapshots.Bounded(ctx)
	defer cancel()
	// A snapshot of one query is one round trip.
	once, known := !q.MatchesNothing, measurement.CachedBasis{}
	if once && first {
		known, once = r.snapshots.CachedBasis(q.Scope)
	}
	if once {
		err := r.snapshots.ReadOnce(ctx, caller, query, func(_ context.Context, in *measurement.Snapshot, rows pgx.Rows) error {
			if first && !in.AddCachedBasis(q.Scope, known) {
				return errBasisUnread
			}
			return read(in, rows)
		})
		if !errors.Is(err, errBasisUnread) {
			return found, err
		}
	}
	return found, r.snapshots.Read(ctx, caller, func(ctx context.Context, in *measurement.Snapshot) error {
		if err := in.AddListBasis(ctx, q.Scope, listIDs(in.Queries(), caller, q)); err != nil {
			return err
		}
		if q.MatchesNothing {
			return read(in, nil)
		}
		rows, err := in.Tx().Query(ctx, query.SQL, query.Args...)
		if err != nil {
			return fmt.Errorf("listing interviews: %w", err)
		}
		return read(in, rows)
	})
}

// takePage passes the rows of a page to take and returns the position of its last one
// if more follow. The query reads one row more than the page holds.
func takePage(found pgx.Rows, p page.Request, take Take) (*page.Position, int, error) {
	if found == nil {
		return nil, 0, nil
	}
	defer found.Close()
	var one Interview
	rows := one.decode(found)
	count := 0
	var next *page.Position
	var lastAt time.Time
	var lastID uuid.UUID
	for rows.Next() {
		if count == p.Limit || !take(&one) {
			next = &page.Position{Times: []time.Time{lastAt}, ID: lastID}
			break
		}
		count++
		lastAt, lastID = one.CreatedAt, one.ID
	}
	found.Close()
	return next, count, rows.Err()
}

// pageQuery is the query of a page: each set of filters has one of its own.
func pageQuery(ctx context.Context, caller auth.Caller, q ListQuery) postgres.Query {
	after := q.Page.Start(q.Created.Until) // which the window does not hold
	all := db.ListInterviewsParams{
		WithIdentity: caller.Has(auth.ReadCustomerIdentity), WithTranscripts: caller.Has(auth.ReadTranscripts),
		WithCustomExtraction: caller.Has(auth.ReadCustomExtraction), ClientID: caller.ClientID,
		AfterCreatedAt: after.Times[0], AfterID: after.ID, FromCreatedAt: q.Created.From, MaxRows: q.Page.LookAhead(),
	}
	return postgres.QueryOf(func(queries *db.Queries) {
		switch {
		case q.CampaignID != nil:
			_, _ = queries.ListInterviewsOfCampaign(ctx, db.ListInterviewsOfCampaignParams{
				WithIdentity: all.WithIdentity, WithTranscripts: all.WithTranscripts,
				WithCustomExtraction: all.WithCustomExtraction, ClientID: all.ClientID,
				CampaignID: *q.CampaignID, Status: *cmp.Or(q.Status, new("")),
				AfterCreatedAt: all.AfterCreatedAt, AfterID: all.AfterID, FromCreatedAt: all.FromCreatedAt, MaxRows: all.MaxRows,
			})
		case q.Status != nil:
			_, _ = queries.ListInterviewsWithStatus(ctx, db.ListInterviewsWithStatusParams{
				WithIdentity: all.WithIdentity, WithTranscripts: all.WithTranscripts,
				WithCustomExtraction: all.WithCustomExtraction, ClientID: all.ClientID, Status: *q.Status,
				AfterCreatedAt: all.AfterCreatedAt, AfterID: all.AfterID, FromCreatedAt: all.FromCreatedAt, MaxRows: all.MaxRows,
			})
		default:
			_, _ = queries.ListInterviews(ctx, all)
		}
	})
}

// listIDs lists the ids that the same filters select, whatever the page.
func listIDs(queries *db.Queries, caller auth.Caller, q ListQuery) measurement.IDLister {
	return func(ctx context.Context, max int32) ([]uuid.UUID, error) {
		switch {
		case q.MatchesNothing:
			return nil, nil
		case q.CampaignID != nil:
			return queries.ListMemberIDsOfCampaign(ctx, db.ListMemberIDsOfCampaignParams{
				ClientID: caller.ClientID, CampaignID: *q.CampaignID, Status: *cmp.Or(q.Status, new("")),
				FromCreatedAt: q.Created.From, UntilCreatedAt: q.Created.Until, MaxRows: max,
			})
		case q.Status != nil:
			return queries.ListMemberIDsWithStatus(ctx, db.ListMemberIDsWithStatusParams{
				ClientID: caller.ClientID, Status: *q.Status,
				FromCreatedAt: q.Created.From, UntilCreatedAt: q.Created.Until, MaxRows: max,
			})
		default:
			return queries.ListMemberIDs(ctx, db.ListMemberIDsParams{
				ClientID: caller.ClientID, FromCreatedAt: q.Created.From, UntilCreatedAt: q.Created.Until, MaxRows: max,
			})
		}
	}
}

// Get returns one of the caller's usable interviews and its provenance. Another client's,
// an unusable and a missing one are the same error.
func (r *Reader) Get(
	ctx context.Context, caller auth.Caller, id uuid.UUID, scope basis.Scope,
) (Detail, measurement.Provenance, error) {
	var found Detail
	var provenance measurement.Provenance
	query := postgres.QueryOf(func(queries *db.Queries) {
		_, _ = queries.GetInterview(ctx, db.GetInterviewParams{
			WithIdentity: caller.Has(auth.ReadCustomerIdentity), WithTranscripts: caller.Has(auth.ReadTranscripts),
			WithCustomExtraction: caller.Has(auth.ReadCustomExtraction), WithRawExtraction: caller.Has(auth.ReadRawExtraction),
			ClientID: caller.ClientID, ID: id,
		})
	})
	err := r.snapshots.ReadOnce(ctx, caller, query, func(_ context.Context, in *measurement.Snapshot, rows pgx.Rows) error {
		row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[db.GetInterviewRow])
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return apierror.NotFound
		case err != nil:
			return fmt.Errorf("getting an interview: %w", err)
		}
		found = row
		in.AddBasis(scope, []uuid.UUID{id})
		provenance = in.Provenance
		return nil
	})
	return found, provenance, err
}
