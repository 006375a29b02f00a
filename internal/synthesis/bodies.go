package synthesis

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// Body is one frozen document of the portal.
type Body struct {
	JSON json.RawMessage // an object
	// Integrity is nil when the response has no measurement_integrity.
	Integrity *Integrity
}

// BodyQuery selects one page of one surface's bodies. Lane and Campaign are
// slugs and go with the types of these names; Days goes with the daily feed.
type BodyQuery struct {
	Type     Type
	Lane     *string
	Campaign *string
	Days     *Days
	Page     page.Request
}

// BodyList is one page of bodies and the provenance of its numbers.
type BodyList struct {
	Type        Type
	Bodies      []Body
	Next        *page.Position
	Measurement measurement.Provenance
}

// ListBodies returns one page of the caller's published bodies, the latest feed
// date first and none last, then the latest publication, ties by id. It reads
// no interview, so there is no basis.
func (r *Reader) ListBodies(ctx context.Context, caller auth.Caller, q BodyQuery) (BodyList, error) {
	// The daily feed names participants, so the reader checks the scope too.
	if q.Type == DailyFeed && !caller.Has(auth.ReadCustomerIdentity) {
		return BodyList{}, apierror.MissingScope(string(auth.ReadCustomerIdentity))
	}
	var found BodyList
	err := r.snapshots.Read(ctx, caller, measurement.Many, func(ctx context.Context, in *measurement.Snapshot) error {
		rows, err := bodyRows(ctx, in.Queries(), caller, q)
		if err != nil {
			return fmt.Errorf("listing portal bodies: %w", err)
		}
		kept, next := page.Trim(rows, q.Page, bodyPosition)
		bases, err := savedBases(ctx, in.Queries(), caller, kept)
		if err != nil {
			return fmt.Errorf("reading saved measurement bases: %w", err)
		}
		found = BodyList{Type: q.Type, Bodies: make([]Body, len(kept)), Next: next, Measurement: in.Provenance}
		for i, row := range kept {
			found.Bodies[i] = Body{JSON: row.Body, Integrity: integrityOf(row, bases[row.ID], in.Provenance)}
		}
		return nil
	})
	return found, err
}

func bodyRows(
	ctx context.Context, queries *db.Queries, caller auth.Caller, q BodyQuery,
) ([]db.VisiblePortalDocument, error) {
	until := timewindow.Always().Until
	if q.Days != nil {
		until = q.Days.Last.AddDate(0, 0, 1)
	}
	after := q.Page.Start(until, page.Missing())
	switch {
	case q.Lane != nil:
		return queries.ListPortalDocumentsOfLane(ctx, db.ListPortalDocumentsOfLaneParams{
			ClientID: caller.ClientID, Slug: *q.Lane,
			AfterFeedKey: after.Times[0], AfterPublishedKey: after.Times[1], AfterID: after.ID, MaxRows: q.Page.LookAhead(),
		})
	case q.Campaign != nil:
		return queries.ListPortalDocumentsOfCampaign(ctx, db.ListPortalDocumentsOfCampaignParams{
			ClientID: caller.ClientID, Slug: *q.Campaign,
			AfterFeedKey: after.Times[0], AfterPublishedKey: after.Times[1], AfterID: after.ID, MaxRows: q.Page.LookAhead(),
		})
	}
	return queries.ListPortalDocuments(ctx, db.ListPortalDocumentsParams{
		ClientID: caller.ClientID, Type: string(q.Type),
		OfDays: q.Days != nil, FirstDay: cmp.Or(q.Days, &Days{First: page.Missing()}).First,
		AfterFeedKey: after.Times[0], AfterPublishedKey: after.Times[1], AfterID: after.ID, MaxRows: q.Page.LookAhead(),
	})
}

func bodyPosition(r db.VisiblePortalDocument) page.Position {
	return page.Position{Times: []time.Time{r.FeedKey, r.PublishedKey}, ID: r.ID}
}

// savedBases reads the bases of those bodies that have one, by body.
func savedBases(
	ctx context.Context, queries *db.Queries, caller auth.Caller, bodies []db.VisiblePortalDocument,
) (map[uuid.UUID]*db.ListSavedBasesRow, error) {
	var ids []uuid.UUID
	for _, b := range bodies {
		if b.MeasurementSnapshotID != nil {
			ids = append(ids, b.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := queries.ListSavedBases(ctx, db.ListSavedBasesParams{ClientID: caller.ClientID, DocumentIds: ids})
	if err != nil {
		return nil, err
	}
	bases := make(map[uuid.UUID]*db.ListSavedBasesRow, len(rows))
	for i := range rows {
		bases[rows[i].DocumentID] = &rows[i]
	}
	return bases, nil
}
