package importer

import (
	"context"
	"maps"

	"github.com/jackc/pgx/v5"
)

// An interview's row carries a copy of its campaign's liveness. The importer
// fills it in, so that no trigger has to look it up row by row.

// unseenIsLive is the liveness of a campaign whose line is still to come: most
// interviews belong to live ones. A wrong guess is put right at the end.
const unseenIsLive = true

type liveness struct {
	known map[target]bool
	// guessed are the campaigns whose interviews may have to be put right.
	guessed map[target]bool
}

func newLiveness() liveness {
	return liveness{known: map[target]bool{}, guessed: map[target]bool{}}
}

// forget drops what the file is about to change. A change reaches the
// interviews written before by a trigger on campaigns.
func (l liveness) forget(k *kind, rows []row) {
	if k != campaignKind {
		return
	}
	for _, r := range rows {
		delete(l.known, target{campaignKind, r.client, r.id})
	}
}

// settleLiveness fills in the last column of a batch of interviews.
func (w *writer) settleLiveness(ctx context.Context, b *batch) error {
	w.liveness.forget(b.kind, b.rows)
	if b.kind != interviewKind {
		return nil
	}
	if err := w.lookUpLiveness(ctx, b); err != nil {
		return err
	}
	for _, r := range b.rows {
		if r.hasCampaign && w.liveness.known[target{campaignKind, r.client, r.campaign}] {
			b.copy[r.end-1] = 1
		}
	}
	return nil
}

func (w *writer) lookUpLiveness(ctx context.Context, b *batch) error {
	var clients, ids [][16]byte
	asked := map[target]bool{}
	for _, r := range b.rows {
		t := target{campaignKind, r.client, r.campaign}
		if _, known := w.liveness.known[t]; known || !r.hasCampaign {
			continue
		}
		w.liveness.known[t] = unseenIsLive
		asked[t] = true
		clients, ids = append(clients, r.client), append(ids, r.campaign)
	}
	if len(ids) == 0 {
		return nil
	}
	// Locked until the commit: nobody else may end a campaign whose interviews
	// are being written as live. Their foreign key would refuse them otherwise.
	rows, err := w.tx.Query(ctx, `SELECT c.client_id, c.id, c.live
		FROM campaigns AS c
		WHERE (c.client_id, c.id) IN (
			SELECT r.client_id, r.id FROM unnest($1::uuid[], $2::uuid[]) AS r (client_id, id)
		)
		ORDER BY c.client_id, c.id
		FOR KEY SHARE`, clients, ids)
	if err != nil {
		return databaseError(ctx, "looking up campaigns", err)
	}
	t := target{kind: campaignKind}
	var live bool
	_, err = pgx.ForEachRow(rows, []any{&t.client, &t.id, &live}, func() error {
		w.liveness.known[t] = live
		delete(asked, t)
		return nil
	})
	maps.Copy(w.liveness.guessed, asked)
	return databaseError(ctx, "looking up campaigns", err)
}

// An interview that exists and moves to a campaign which does not is written
// anew: on an update, a trigger would look for the campaign at once.
const moveToUnseenCampaigns = `DELETE FROM interviews AS t
	USING import_interviews AS s
	WHERE t.client_id = s.client_id
		AND t.id = s.id
		AND t.campaign_id IS DISTINCT FROM s.campaign_id
		AND s.campaign_id IS NOT NULL
		AND NOT EXISTS (SELECT FROM campaigns AS c WHERE c.client_id = s.client_id AND c.id = s.campaign_id)`

// mendLiveness puts right the interviews of campaigns that were guessed, or
// deleted and written again.
func (w *writer) mendLiveness(ctx context.Context, found *findings) error {
	mend := &pgx.Batch{}
	for t := range found.revived {
		w.liveness.guessed[t] = true
	}
	for t := range w.liveness.guessed {
		if t.kind == campaignKind {
			mend.Queue(`UPDATE interviews AS i
				SET campaign_live = c.live
				FROM campaigns AS c
				WHERE c.client_id = $1
					AND c.id = $2
					AND i.client_id = c.client_id
					AND i.campaign_id = c.id
					AND i.campaign_live <> c.live`, t.client, t.id)
		}
	}
	return databaseError(ctx, "putting right the liveness of campaigns", w.tx.SendBatch(ctx, mend).Close())
}
