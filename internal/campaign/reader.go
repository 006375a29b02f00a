package campaign

import (
	"cmp"
	"context"
	"fmt"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
)

// Reader reads campaigns.
type Reader struct {
	snapshots *measurement.SnapshotReader
}

// New returns a reader.
func New(snapshots *measurement.SnapshotReader) *Reader { return &Reader{snapshots: snapshots} }

// List returns one page of the caller's campaigns, newest first, those without a
// time of creation last, ties by id. It reads no interview, so there is no basis.
func (r *Reader) List(ctx context.Context, caller auth.Caller, q ListQuery) (List, error) {
	var found List
	err := r.snapshots.Read(ctx, caller, measurement.Once, func(ctx context.Context, in *measurement.Snapshot) error {
		rows, err := listRows(ctx, in.Queries(), caller, q)
		if err != nil {
			return err
		}
		kept, next := page.Trim(rows, q.Page, positionOf)
		for i, c := range kept {
			questions, err := canonicalQuestions(c.KeyQuestions)
			if err != nil {
				return fmt.Errorf("reading the key questions of %s: %w", c.ID, err)
			}
			kept[i].KeyQuestions = questions
		}
		found = List{Campaigns: kept, Next: next, Measurement: in.Provenance}
		return nil
	})
	if err != nil {
		return found, fmt.Errorf("listing campaigns: %w", err)
	}
	return found, nil
}

func listRows(ctx context.Context, queries *db.Queries, caller auth.Caller, q ListQuery) ([]Campaign, error) {
	from := q.Created.From
	if !q.Dated {
		from = page.Missing()
	}
	if q.ID != nil {
		// One row at most, so there is no second page.
		return queries.FindCampaign(ctx, db.FindCampaignParams{
			ClientID: caller.ClientID, ID: *q.ID, LaunchStatus: *cmp.Or(q.LaunchStatus, new("")), UpdatedSince: q.UpdatedSince,
			FromCreatedAt: from, UntilCreatedAt: q.Created.Until,
		})
	}
	after := q.Page.Start(q.Created.Until) // which the window does not hold
	return queries.ListCampaigns(ctx, db.ListCampaignsParams{
		ClientID: caller.ClientID, LaunchStatus: *cmp.Or(q.LaunchStatus, new("")), UpdatedSince: q.UpdatedSince,
		AfterCreatedAt: after.Times[0], AfterID: after.ID, FromCreatedAt: from,
		MaxRows: q.Page.LookAhead(),
	})
}
