package interview

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
)

// Reader reads interviews.
type Reader struct {
	ledger *measurement.Ledger
}

// New reads in the ledger's snapshots.
func New(ledger *measurement.Ledger) *Reader { return &Reader{ledger: ledger} }

// List returns one page of the caller's usable interviews, newest first, ties by id.
func (r *Reader) List(ctx context.Context, caller access.Caller, q ListQuery) (List, error) {
	var found List
	err := r.ledger.Read(ctx, caller, func(ctx context.Context, in *measurement.Reading) error {
		rows, err := listRows(ctx, in.Queries(), caller, q)
		if err != nil {
			return fmt.Errorf("listing interviews: %w", err)
		}
		kept, next := page.Trim(rows, q.Page, func(r db.ListInterviewsRow) page.Position { return positionOf(fromRow(r)) })
		// A walk's first page alone carries the basis of the whole walk.
		if q.Page.After == nil {
			if err := in.AddListBasis(ctx, q.Scope, listIDs(in.Queries(), caller, q)); err != nil {
				return err
			}
			if err := in.ProveFirstPage(q.Scope, len(kept), next != nil); err != nil {
				return err
			}
		}
		found = List{Interviews: make([]Interview, len(kept)), Next: next, Measurement: in.Statement}
		for i, row := range kept {
			found.Interviews[i] = fromRow(row)
		}
		return nil
	})
	return found, err
}

// beyond is a position before every row of the window: the instant at which the
// window ends, which it does not hold, and the greatest id.
func beyond(q ListQuery) page.Position {
	return page.Position{Times: []time.Time{q.Created.Until}, ID: uuid.Max}
}

func listRows(ctx context.Context, queries *db.Queries, caller access.Caller, q ListQuery) ([]db.ListInterviewsRow, error) {
	if q.MatchesNothing {
		return nil, nil
	}
	after := beyond(q)
	if q.Page.After != nil {
		after = *q.Page.After
	}
	all := db.ListInterviewsParams{
		ClientID:             caller.ClientID,
		WithIdentity:         caller.Has(access.ReadCustomerIdentity),
		WithTranscripts:      caller.Has(access.ReadTranscripts),
		WithCustomExtraction: caller.Has(access.ReadCustomExtraction),
		AfterCreatedAt:       after.Times[0],
		AfterID:              after.ID,
		FromCreatedAt:        q.Created.From,
		MaxRows:              q.Page.LookAhead(),
	}
	switch {
	case q.CampaignID != nil:
		rows, err := queries.ListInterviewsOfCampaign(ctx, db.ListInterviewsOfCampaignParams{
			ClientID: all.ClientID, CampaignID: *q.CampaignID, Status: orEmpty(q.Status),
			WithIdentity: all.WithIdentity, WithTranscripts: all.WithTranscripts, WithCustomExtraction: all.WithCustomExtraction,
			AfterCreatedAt: all.AfterCreatedAt, AfterID: all.AfterID, FromCreatedAt: all.FromCreatedAt, MaxRows: all.MaxRows,
		})
		return convert(rows, func(r db.ListInterviewsOfCampaignRow) db.ListInterviewsRow { return db.ListInterviewsRow(r) }), err
	case q.Status != nil:
		rows, err := queries.ListInterviewsWithStatus(ctx, db.ListInterviewsWithStatusParams{
			ClientID: all.ClientID, Status: *q.Status,
			WithIdentity: all.WithIdentity, WithTranscripts: all.WithTranscripts, WithCustomExtraction: all.WithCustomExtraction,
			AfterCreatedAt: all.AfterCreatedAt, AfterID: all.AfterID, FromCreatedAt: all.FromCreatedAt, MaxRows: all.MaxRows,
		})
		return convert(rows, func(r db.ListInterviewsWithStatusRow) db.ListInterviewsRow { return db.ListInterviewsRow(r) }), err
	default:
		return queries.ListInterviews(ctx, all)
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

// Get returns one of the caller's usable interviews. Another client's, an
// unusable and a missing one are the same fault.
func (r *Reader) Get(ctx context.Context, caller access.Caller, id uuid.UUID, scope measurement.Scope) (Detail, error) {
	var found Detail
	err := r.ledger.Read(ctx, caller, func(ctx context.Context, in *measurement.Reading) error {
		row, err := in.Queries().GetInterview(ctx, db.GetInterviewParams{
			ClientID:             caller.ClientID,
			ID:                   id,
			WithIdentity:         caller.Has(access.ReadCustomerIdentity),
			WithTranscripts:      caller.Has(access.ReadTranscripts),
			WithRawExtraction:    caller.Has(access.ReadRawExtraction),
			WithCustomExtraction: caller.Has(access.ReadCustomExtraction),
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.Missing()
		}
		if err != nil {
			return fmt.Errorf("getting an interview: %w", err)
		}
		if err := in.AddBasis(ctx, scope, only(row.ID)); err != nil {
			return err
		}
		found = Detail{Interview: fromDetailRow(row), Measurement: in.Statement}
		return nil
	})
	return found, err
}

func fromDetailRow(r db.GetInterviewRow) Interview {
	return Interview{
		ID: r.ID, ClientID: r.ClientID, CreatedAt: r.CreatedAt, CampaignID: r.CampaignID,
		ParticipantName: r.ParticipantName, InterviewType: r.InterviewType, Status: r.Status,
		DurationSeconds: r.DurationSeconds, NPSScore: r.NPSScore, CustomerSentiment: r.CustomerSentiment,
		ChurnRisk: r.ChurnRisk, BestQuote: r.BestQuote,
		ParticipantEmail: r.ParticipantEmail, Transcript: r.Transcript, CustomExtraction: r.CustomExtraction,
		RawExtraction: r.RawExtraction,
	}
}

func only(id uuid.UUID) measurement.IDLister {
	return func(context.Context, int32) ([]uuid.UUID, error) { return []uuid.UUID{id}, nil }
}

func convert[A, B any](in []A, to func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = to(a)
	}
	return out
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
