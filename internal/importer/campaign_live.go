package importer

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
)

// An interview's row has a copy of campaigns.live, campaign_live. The importer
// fills it in, so that no trigger looks it up row by row.

// campaignState is what is known of a campaign that interviews refer to.
type campaignState struct {
	live bool
	// isAssumed is set when it did not exist as it was looked up: its line comes later in
	// the file. Most campaigns are live, so it is assumed to be, and corrected at the end.
	isAssumed bool
}

// forgetCampaigns drops campaigns, if any, that the file is about to change. A trigger
// on campaigns updates the interviews that were written before.
func (w *writer) forgetCampaigns(k *kind, rows []row) {
	for _, r := range rows {
		delete(w.campaigns, recordKey{k, r.client, r.id})
	}
}

func (r row) campaignKey() recordKey { return recordKey{campaignKind, r.client, r.campaign} }

// fillCampaignLive fills in the last column of a batch of interviews.
func (w *writer) fillCampaignLive(ctx context.Context, b *batch) error {
	w.forgetCampaigns(b.kind, b.rows)
	if err := w.lookUpCampaigns(ctx, b); err != nil {
		return err
	}
	for _, r := range b.rows {
		if r.hasCampaign && w.campaigns[r.campaignKey()].live {
			b.copy[r.end-1] = 1
		}
	}
	return nil
}

func compareIDs(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }

func (w *writer) lookUpCampaigns(ctx context.Context, b *batch) error {
	byClient := map[uuid.UUID][]uuid.UUID{}
	for _, r := range b.rows {
		t := r.campaignKey()
		if _, known := w.campaigns[t]; known || !r.hasCampaign {
			continue
		}
		w.campaigns[t] = campaignState{live: true, isAssumed: true}
		byClient[r.client] = append(byClient[r.client], r.campaign)
	}
	// Client by client, in one order, so that two imports do not wait for each other:
	// where tables are distributed, a statement locks rows of one client only.
	for _, client := range slices.SortedFunc(maps.Keys(byClient), compareIDs) {
		found, err := w.queries.LockCampaigns(ctx, db.LockCampaignsParams{ClientID: client, Ids: byClient[client]})
		if err != nil {
			return databaseError(ctx, "looking up campaigns", err)
		}
		for _, c := range found {
			w.campaigns[recordKey{campaignKind, client, c.ID}] = campaignState{live: c.Live}
		}
		for _, id := range byClient[client] {
			if t := (recordKey{campaignKind, client, id}); w.campaigns[t].isAssumed {
				w.assumed[t] = true
			}
		}
	}
	return nil
}

// deleteMovedToAssumed deletes the interviews of a batch that move to a campaign which
// does not exist yet, to be inserted again: on an update, a trigger looks up the
// campaign at once.
func (w *writer) deleteMovedToAssumed(ctx context.Context, b *batch) error {
	moving := map[uuid.UUID]db.DeleteMovedInterviewsParams{}
	for _, r := range b.rows {
		if r.hasCampaign && w.campaigns[r.campaignKey()].isAssumed {
			m := moving[r.client]
			moving[r.client] = db.DeleteMovedInterviewsParams{ClientID: r.client, Ids: append(m.Ids, r.id), Campaigns: append(m.Campaigns, r.campaign)}
		}
	}
	for _, client := range slices.SortedFunc(maps.Keys(moving), compareIDs) { // as in lookUpCampaigns
		moved, err := w.queries.DeleteMovedInterviews(ctx, moving[client])
		if err != nil {
			return databaseError(ctx, "moving interviews", err)
		}
		w.tally(b.kind, -moved, moved) // their insert counts them as added
	}
	return nil
}

// correctCampaignLive updates the interviews of campaigns that were assumed to
// be live, or deleted and written again.
func (w *writer) correctCampaignLive(ctx context.Context) error {
	maps.Copy(w.assumed, w.deferred.rewritten)
	assumed := slices.SortedFunc(maps.Keys(w.assumed), func(a, b recordKey) int {
		return cmp.Or(compareIDs(a.client, b.client), compareIDs(a.id, b.id))
	})
	for _, t := range assumed { // as in lookUpCampaigns
		if t.kind != campaignKind {
			continue
		}
		if err := w.queries.CorrectCampaignLive(ctx, db.CorrectCampaignLiveParams{ClientID: t.client, ID: t.id}); err != nil {
			return databaseError(ctx, "putting right the liveness of campaigns", err)
		}
	}
	return nil
}
