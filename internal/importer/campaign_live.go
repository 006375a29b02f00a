package importer

import (
	"context"
	"maps"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
)

// deleteMovedToUnseenCampaign stands in Go because it reads the staging table,
// which sqlc does not know.

// An interview's row has a copy of campaigns.live, campaign_live. The importer
// fills it in, so that no trigger looks it up row by row.

// assumedLive is used for a campaign whose line comes later in the file: most
// campaigns are live. A wrong value is corrected at the end.
const assumedLive = true

type campaignLiveness struct {
	known map[recordKey]bool
	// assumed are the campaigns whose interviews may have to be corrected.
	assumed map[recordKey]bool
}

func newCampaignLiveness() campaignLiveness {
	return campaignLiveness{known: map[recordKey]bool{}, assumed: map[recordKey]bool{}}
}

// forget drops campaigns that the file is about to change. A trigger on
// campaigns updates the interviews that were written before.
func (l campaignLiveness) forget(k *kind, rows []row) {
	if k != campaignKind {
		return
	}
	for _, r := range rows {
		delete(l.known, recordKey{campaignKind, r.client, r.id})
	}
}

// fillCampaignLive fills in the last column of a batch of interviews.
func (w *writer) fillCampaignLive(ctx context.Context, b *batch) error {
	w.live.forget(b.kind, b.rows)
	if b.kind != interviewKind {
		return nil
	}
	if err := w.lookUpCampaigns(ctx, b); err != nil {
		return err
	}
	for _, r := range b.rows {
		if r.hasCampaign && w.live.known[recordKey{campaignKind, r.client, r.campaign}] {
			b.copy[r.end-1] = 1
		}
	}
	return nil
}

func (w *writer) lookUpCampaigns(ctx context.Context, b *batch) error {
	var clients, ids []uuid.UUID
	asked := map[recordKey]bool{}
	for _, r := range b.rows {
		t := recordKey{campaignKind, r.client, r.campaign}
		if _, known := w.live.known[t]; known || !r.hasCampaign {
			continue
		}
		w.live.known[t] = assumedLive
		asked[t] = true
		clients, ids = append(clients, r.client), append(ids, r.campaign)
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := w.queries.LockCampaigns(ctx, db.LockCampaignsParams{ClientIds: clients, Ids: ids})
	if err != nil {
		return databaseError(ctx, "looking up campaigns", err)
	}
	for _, c := range found {
		t := recordKey{campaignKind, c.ClientID, c.ID}
		w.live.known[t] = c.Live
		delete(asked, t)
	}
	maps.Copy(w.live.assumed, asked)
	return nil
}

// An existing interview that moves to a campaign which does not exist yet is
// deleted and inserted: on an update, a trigger looks up the campaign at once.
const deleteMovedToUnseenCampaign = `DELETE FROM interviews AS t
	USING import_interviews AS s
	WHERE t.client_id = s.client_id
		AND t.id = s.id
		AND t.campaign_id IS DISTINCT FROM s.campaign_id
		AND s.campaign_id IS NOT NULL
		AND NOT EXISTS (SELECT FROM campaigns AS c WHERE c.client_id = s.client_id AND c.id = s.campaign_id)`

// correctCampaignLive updates the interviews of campaigns that were assumed to
// be live, or deleted and written again.
func (w *writer) correctCampaignLive(ctx context.Context, checks *deferredChecks) error {
	for t := range checks.rewritten {
		w.live.assumed[t] = true
	}
	for t := range w.live.assumed {
		if t.kind != campaignKind {
			continue
		}
		if err := w.queries.CorrectCampaignLive(ctx, db.CorrectCampaignLiveParams{ClientID: t.client, ID: t.id}); err != nil {
			return databaseError(ctx, "putting right the liveness of campaigns", err)
		}
	}
	return nil
}
