package apikey

import (
	"context"
	"fmt"

	"github.com/clientintel/clientintel/gen/db"
)

// Revoke ends a key at once. Every request that starts after it returns is refused.
func (r *Registry) Revoke(ctx context.Context, named Named, by By) (Key, error) {
	key, err := r.Find(ctx, named)
	if err != nil {
		return Key{}, err
	}
	err = r.inTx(ctx, func(q *db.Queries) error {
		if key.RevokedAt, err = q.RevokeKey(ctx, db.RevokeKeyParams{ID: key.ID, Grace: 0}); err != nil {
			return err
		}
		return audit(ctx, q, by, "revoke", key.ClientID, key.ID, fmt.Sprintf("%q", key.Name))
	})
	if err != nil {
		return Key{}, fmt.Errorf("revoking key %s: %w", key.Prefix, err)
	}
	return key, nil
}

// RevokeAll ends a client's keys that have not ended, at once, and returns them.
func (r *Registry) RevokeAll(ctx context.Context, named string, by By) (revoked []db.RevokeKeysOfClientRow, err error) {
	client, err := r.client(ctx, named)
	if err != nil {
		return nil, err
	}
	err = r.inTx(ctx, func(q *db.Queries) error {
		// One that is being issued is waited for.
		if err := q.LockKeysOfClient(ctx, client.ID.String()); err != nil {
			return err
		}
		if revoked, err = q.RevokeKeysOfClient(ctx, client.ID); err != nil {
			return err
		}
		for _, k := range revoked {
			if err := audit(ctx, q, by, "revoke", client.ID, k.ID, fmt.Sprintf("%q, with all of the client's", k.Name)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("revoking the keys of client %s: %w", client.Slug, err)
	}
	return revoked, nil
}

// DeleteFutureRequests deletes a key's log rows that are dated in the future, and no
// other, and returns how many there were. They include requests made since the clock
// was set back, while the window did not advance.
func (r *Registry) DeleteFutureRequests(ctx context.Context, key Key, by By) (removed int64, err error) {
	err = r.inTx(ctx, func(q *db.Queries) error {
		if removed, err = q.DeleteFutureRequests(ctx, db.DeleteFutureRequestsParams{ClientID: key.ClientID, KeyID: key.ID}); err != nil {
			return err
		}
		return audit(ctx, q, by, "mend-window", key.ClientID, key.ID, fmt.Sprintf("%d log rows dated in the future removed", removed))
	})
	if err != nil {
		return 0, fmt.Errorf("removing the log rows dated in the future of key %s: %w", key.Prefix, err)
	}
	return removed, nil
}
