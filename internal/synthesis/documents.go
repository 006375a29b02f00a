package synthesis

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// Document is one row of the collection.
type Document = db.VisibleSynthesisDocument

// DocumentQuery selects one page of the collection. A nil Type matches the types
// that the collection lists, another nil matches any value.
type DocumentQuery struct {
	Type         *Type
	LaneID       *uuid.UUID
	CampaignID   *uuid.UUID
	Days         *Days
	UpdatedSince *time.Time // inclusive
	Page         page.Request
}

// DocumentList is one page of the collection and the provenance of its numbers.
type DocumentList struct {
	Types       []Type
	Documents   []Document
	Next        *page.Position
	Measurement measurement.Provenance
}

// ListDocuments returns one page of the caller's published rows, last refreshed
// first, those never refreshed last, then last changed first, ties by id. It
// reads no interview, so there is no basis.
func (r *Reader) ListDocuments(ctx context.Context, caller auth.Caller, q DocumentQuery) (DocumentList, error) {
	found := DocumentList{Types: Collected()}
	if q.Type != nil {
		found.Types = []Type{*q.Type}
	}
	err := r.snapshots.Read(ctx, caller, measurement.Once, func(ctx context.Context, in *measurement.Snapshot) error {
		rows, err := documentRows(ctx, in.Queries(), caller, q)
		if err != nil {
			return err
		}
		found.Documents, found.Next = page.Trim(rows, q.Page, documentPosition)
		found.Measurement = in.Provenance
		return nil
	})
	if err != nil {
		return found, fmt.Errorf("listing synthesis documents: %w", err)
	}
	return found, nil
}

// documentRows runs the query whose index has the order under the narrowest
// filter. That query skips the rows that the other filters exclude.
func documentRows(
	ctx context.Context, queries *db.Queries, caller auth.Caller, q DocumentQuery,
) ([]Document, error) {
	after := q.Page.Start(timewindow.Always().Until, page.Missing())
	all := db.ListSynthesisDocumentsParams{
		ClientID: caller.ClientID, AfterRefreshedKey: after.Times[0], AfterUpdatedAt: after.Times[1], AfterID: after.ID,
		UpdatedSince: *cmp.Or(q.UpdatedSince, &time.Time{}), MaxRows: q.Page.LookAhead(),
	}
	ofType, days := string(*cmp.Or(q.Type, new(Type("")))), cmp.Or(q.Days, &Days{})
	switch {
	case q.LaneID != nil:
		return queries.ListSynthesisDocumentsOfLane(ctx, db.ListSynthesisDocumentsOfLaneParams{
			LaneID: *q.LaneID, CampaignID: q.CampaignID, SynthesisType: ofType,
			OfDays: q.Days != nil, FirstDay: days.First, LastDay: days.Last,
			ClientID: all.ClientID, AfterRefreshedKey: all.AfterRefreshedKey, AfterUpdatedAt: all.AfterUpdatedAt,
			AfterID: all.AfterID, UpdatedSince: all.UpdatedSince, MaxRows: all.MaxRows,
		})
	case q.CampaignID != nil:
		return queries.ListSynthesisDocumentsOfCampaign(ctx, db.ListSynthesisDocumentsOfCampaignParams{
			CampaignID: *q.CampaignID, SynthesisType: ofType,
			OfDays: q.Days != nil, FirstDay: days.First, LastDay: days.Last,
			ClientID: all.ClientID, AfterRefreshedKey: all.AfterRefreshedKey, AfterUpdatedAt: all.AfterUpdatedAt,
			AfterID: all.AfterID, UpdatedSince: all.UpdatedSince, MaxRows: all.MaxRows,
		})
	case q.Days != nil:
		return queries.ListSynthesisDocumentsOfDays(ctx, db.ListSynthesisDocumentsOfDaysParams{
			FirstDay: days.First, LastDay: days.Last, SynthesisType: ofType,
			ClientID: all.ClientID, AfterRefreshedKey: all.AfterRefreshedKey, AfterUpdatedAt: all.AfterUpdatedAt,
			AfterID: all.AfterID, UpdatedSince: all.UpdatedSince, MaxRows: all.MaxRows,
		})
	case q.Type != nil:
		return queries.ListSynthesisDocumentsOfType(ctx, db.ListSynthesisDocumentsOfTypeParams{
			SynthesisType: ofType,
			ClientID:      all.ClientID, AfterRefreshedKey: all.AfterRefreshedKey, AfterUpdatedAt: all.AfterUpdatedAt,
			AfterID: all.AfterID, UpdatedSince: all.UpdatedSince, MaxRows: all.MaxRows,
		})
	default:
		return queries.ListSynthesisDocuments(ctx, all)
	}
}

func documentPosition(r Document) page.Position {
	return page.Position{Times: []time.Time{r.RefreshedKey, r.UpdatedAt}, ID: r.ID}
}
