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
	"github.com/clientintel/clientintel/internal/timewindow"
)

// Reader reads interviews.
type Reader struct {
	snapshots *measurement.SnapshotReader
}

// New reads in snapshots.
func New(snapshots *measurement.SnapshotReader) *Reader { return &Reader{snapshots: snapshots} }

// ListQuery asks for one page. CampaignID and Status nil mean any.
type ListQuery struct {
	CampaignID *uuid.UUID
	Status     *string
	Created    timewindow.Window
	Page       page.Request
	Scope      basis.Scope
}

// List returns one page of the caller's usable interviews, newest first, ties by id.
func (r *Reader) List(ctx context.Context, caller auth.Caller, q ListQuery) (List, error) {
	var found List
	list := func(ctx context.Context, in *measurement.Snapshot) error {
		rows, err := listRows(ctx, in.Queries(), caller, q)
		if err != nil {
			return fmt.Errorf("listing interviews: %w", err)
		}
		found.Interviews, found.Next = page.Trim(rows, q.Page, func(i Interview) page.Position {
			return page.Position{Times: []time.Time{i.CreatedAt}, ID: i.ID}
		})
		found.Measurement = in.Provenance
		return nil
	}
	if q.Page.After != nil {
		err := r.snapshots.Read(ctx, caller, measurement.Once, list)
		return found, err
	}
	// The first page has the basis, which is that of the whole list.
	err := r.snapshots.Read(ctx, caller, measurement.Many, func(ctx context.Context, in *measurement.Snapshot) error {
		if err := list(ctx, in); err != nil {
			return err
		}
		if err := in.AddListBasis(ctx, q.Scope, listIDs(in.Queries(), caller, q)); err != nil {
			return err
		}
		found.Measurement = in.Provenance
		count := len(found.Interviews)
		return in.ProveFirstPage(q.Scope, count, found.Next != nil)
	})
	return found, err
}

// listRows runs the query whose index has the order under the narrowest filter.
func listRows(ctx context.Context, queries *db.Queries, caller auth.Caller, q ListQuery) ([]Interview, error) {
	after := q.Page.Start(q.Created.Until) // which the window does not hold
	all := db.ListInterviewsParams{
		WithIdentity: caller.Has(auth.ReadCustomerIdentity), WithTranscripts: caller.Has(auth.ReadTranscripts),
		WithCustomExtraction: caller.Has(auth.ReadCustomExtraction), ClientID: caller.ClientID, Status: *cmp.Or(q.Status, new("")),
		FromCreatedAt: q.Created.From, UntilCreatedAt: q.Created.Until,
		AfterCreatedAt: after.Times[0], AfterID: after.ID, MaxRows: q.Page.LookAhead(),
	}
	switch {
	case q.CampaignID != nil:
		rows, err := queries.ListInterviewsOfCampaign(ctx, db.ListInterviewsOfCampaignParams{
			WithIdentity: all.WithIdentity, WithTranscripts: all.WithTranscripts, WithCustomExtraction: all.WithCustomExtraction,
			ClientID: all.ClientID, CampaignID: *q.CampaignID, Status: all.Status, FromCreatedAt: all.FromCreatedAt, UntilCreatedAt: all.UntilCreatedAt,
			AfterCreatedAt: all.AfterCreatedAt, AfterID: all.AfterID, MaxRows: all.MaxRows,
		})
		return interviews(rows), err
	case q.Status != nil:
		rows, err := queries.ListInterviewsWithStatus(ctx, db.ListInterviewsWithStatusParams(all))
		return interviews(rows), err
	}
	return queries.ListInterviews(ctx, all)
}

func interviews[Row db.ListInterviewsOfCampaignRow | db.ListInterviewsWithStatusRow](rows []Row) []Interview {
	list := make([]Interview, len(rows))
	for i, row := range rows {
		list[i] = Interview(row)
	}
	return list
}

// listIDs lists the ids that the same filters select, whatever the page.
func listIDs(queries *db.Queries, caller auth.Caller, q ListQuery) measurement.IDLister {
	return func(ctx context.Context, max int32) ([]uuid.UUID, error) {
		all := db.ListMemberIDsParams{
			ClientID: caller.ClientID, Status: *cmp.Or(q.Status, new("")), FromCreatedAt: q.Created.From, UntilCreatedAt: q.Created.Until, MaxRows: max,
		}
		switch {
		case q.CampaignID != nil:
			return queries.ListMemberIDsOfCampaign(ctx, db.ListMemberIDsOfCampaignParams{
				ClientID: all.ClientID, CampaignID: *q.CampaignID, Status: all.Status,
				FromCreatedAt: all.FromCreatedAt, UntilCreatedAt: all.UntilCreatedAt, MaxRows: all.MaxRows,
			})
		case q.Status != nil:
			return queries.ListMemberIDsWithStatus(ctx, db.ListMemberIDsWithStatusParams(all))
		}
		return queries.ListMemberIDs(ctx, all)
	}
}

// Get returns one of the caller's usable interviews. One that another client has does not
// exist.
func (r *Reader) Get(
	ctx context.Context, caller auth.Caller, id uuid.UUID, scope basis.Scope,
) (Detail, measurement.Provenance, error) {
	var found Detail
	var provenance measurement.Provenance
	err := r.snapshots.Read(ctx, caller, measurement.Once, func(ctx context.Context, in *measurement.Snapshot) (err error) {
		found, err = in.Queries().GetInterview(ctx, db.GetInterviewParams{
			WithIdentity: caller.Has(auth.ReadCustomerIdentity), WithTranscripts: caller.Has(auth.ReadTranscripts),
			WithCustomExtraction: caller.Has(auth.ReadCustomExtraction), WithRawExtraction: caller.Has(auth.ReadRawExtraction),
			ClientID: caller.ClientID, ID: id,
		})
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return apierror.NotFound
		case err != nil:
			return fmt.Errorf("getting an interview: %w", err)
		}
		in.AddBasis(scope, []uuid.UUID{id})
		provenance = in.Provenance
		return nil
	})
	return found, provenance, err
}
