package interview

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Reader reads interviews.
type Reader struct {
	ledger *measurement.Ledger
}

// New reads in the ledger's snapshots.
func New(ledger *measurement.Ledger) *Reader { return &Reader{ledger: ledger} }

// List hands one page of the caller's usable interviews to take, newest first,
// ties by id.
func (r *Reader) List(ctx context.Context, caller access.Caller, q ListQuery, take Take) (List, error) {
	var found List
	read := func(ctx context.Context, in *measurement.Reading, rows pgx.Rows) error {
		next, count, err := takePage(rows, q.Page, take)
		if err != nil {
			return fmt.Errorf("listing interviews: %w", err)
		}
		// A walk's first page alone carries the basis of the whole walk.
		if q.Page.After == nil {
			if err := in.AddListBasis(ctx, q.Scope, listIDs(in.Queries(), caller, q)); err != nil {
				return err
			}
			if err := in.ProveFirstPage(q.Scope, count, next != nil); err != nil {
				return err
			}
		}
		found = List{Count: count, Next: next, Measurement: in.Statement}
		return nil
	}
	var err error
	switch {
	case q.MatchesNothing:
		err = r.ledger.Read(ctx, caller, func(ctx context.Context, in *measurement.Reading) error {
			return read(ctx, in, nil)
		})
	case q.Page.After != nil:
		err = r.ledger.ReadOnce(ctx, caller, pageStatement(caller, q), read)
	default:
		err = r.ledger.ReadFirst(ctx, caller, pageStatement(caller, q), read)
	}
	return found, err
}

// takePage hands out the rows of a page and returns the position of its last one
// if more follow. One row more than the page holds was asked for.
func takePage(rows pgx.Rows, p page.Request, take Take) (*page.Position, int, error) {
	if rows == nil {
		return nil, 0, nil
	}
	defer rows.Close()
	from := newRowReader(rows)
	count, more := 0, false
	var last page.Position
	for from.next() {
		if count == p.Limit {
			more = true
			break
		}
		count++
		take(&from.one)
		if count == p.Limit {
			last = page.Position{Times: []time.Time{from.one.CreatedAt}, ID: from.one.ID}
		}
	}
	rows.Close()
	if err := from.fault(); err != nil {
		return nil, 0, err
	}
	if more {
		return &last, count, nil
	}
	return nil, count, nil
}

// beyond is a position before every row of the window: the instant at which the
// window ends, which it does not hold, and the greatest id.
func beyond(q ListQuery) page.Position {
	return page.Position{Times: []time.Time{q.Created.Until}, ID: uuid.Max}
}

// pageStatement is the query for a page, which each set of filters has its own of.
func pageStatement(caller access.Caller, q ListQuery) postgres.Statement {
	after := beyond(q)
	if q.Page.After != nil {
		after = *q.Page.After
	}
	identity, transcripts := caller.Has(access.ReadCustomerIdentity), caller.Has(access.ReadTranscripts)
	extraction := caller.Has(access.ReadCustomExtraction)
	at, id, from, most := after.Times[0], after.ID, q.Created.From, q.Page.LookAhead()
	switch {
	case q.CampaignID != nil:
		return postgres.Statement{SQL: db.ListInterviewsOfCampaign, Args: []any{
			identity, transcripts, extraction, caller.ClientID, *q.CampaignID, orEmpty(q.Status), at, id, from, most,
		}}
	case q.Status != nil:
		return postgres.Statement{SQL: db.ListInterviewsWithStatus, Args: []any{
			identity, transcripts, extraction, caller.ClientID, *q.Status, at, id, from, most,
		}}
	default:
		return postgres.Statement{SQL: db.ListInterviews, Args: []any{
			identity, transcripts, extraction, caller.ClientID, at, id, from, most,
		}}
	}
}

// listIDs lists the ids that the same filters select, whatever the page.
func listIDs(queries *db.Queries, caller access.Caller, q ListQuery) measurement.IDLister {
	return func(ctx context.Context, max int32) ([]uuid.UUID, error) {
		switch {
		case q.MatchesNothing:
			return nil, nil
		case q.CampaignID != nil:
			return queries.ListMemberIDsOfCampaign(ctx, db.ListMemberIDsOfCampaignParams{
				ClientID: caller.ClientID, CampaignID: *q.CampaignID, Status: orEmpty(q.Status),
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

// Get hands one of the caller's usable interviews to take, and returns what its
// numbers stand on. Another client's, an unusable and a missing one are the same
// fault.
func (r *Reader) Get(
	ctx context.Context, caller access.Caller, id uuid.UUID, scope measurement.Scope, take Take,
) (measurement.Statement, error) {
	var stands measurement.Statement
	one := postgres.Statement{SQL: db.GetInterview, Args: []any{
		caller.Has(access.ReadCustomerIdentity), caller.Has(access.ReadTranscripts),
		caller.Has(access.ReadCustomExtraction), caller.Has(access.ReadRawExtraction), caller.ClientID, id,
	}}
	err := r.ledger.ReadOnce(ctx, caller, one, func(ctx context.Context, in *measurement.Reading, rows pgx.Rows) error {
		_, count, err := takePage(rows, page.Request{Limit: 1}, take)
		switch {
		case err != nil:
			return fmt.Errorf("getting an interview: %w", err)
		case count == 0:
			return fault.Missing()
		}
		// The ids are known: nothing is asked of the snapshot, which has ended.
		err = in.AddBasis(ctx, scope, only(id))
		stands = in.Statement
		return err
	})
	return stands, err
}

func only(id uuid.UUID) measurement.IDLister {
	return func(context.Context, int32) ([]uuid.UUID, error) { return []uuid.UUID{id}, nil }
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
