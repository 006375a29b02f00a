package apikey

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// List lists the keys of a client, named by id or slug, or of all when empty; with a time,
// those in force that expire within it.
func (r *Registry) List(ctx context.Context, client string, expiring *time.Duration) ([]Listed, error) {
	clientID, err := r.clientFilter(ctx, client)
	if err != nil {
		return nil, err
	}
	maxRequests, window, _ := ratelimit.Policy()
	rows, err := r.queries().ListKeys(ctx, db.ListKeysParams{ClientID: clientID, TimeWindow: window, Expiring: expiring})
	if err != nil {
		return nil, fmt.Errorf("listing keys: %w", err)
	}
	keys := make([]Listed, len(rows))
	for i, row := range rows {
		keys[i] = Listed{
			Key: Key{
				ID: row.ID, Prefix: row.Prefix, ClientID: *row.ClientID, Name: row.Name, Scopes: row.Scopes, CreatedAt: row.CreatedAt,
				ExpiresAt: row.ExpiresAt, RevokedAt: row.RevokedAt, LastUsedAt: lastUse(row.LastUsedAt, row.LastLoggedAt),
				State: StateOf(row.ExpiresAt, row.RevokedAt, row.ReadAt),
			},
			RequestsLastHour: int(row.Requests), Remaining: max(0, int(maxRequests)-int(row.Requests)),
			FutureRequests: int(row.FutureRequests),
		}
		if row.FutureRequests > 0 {
			keys[i].FutureUntil = &row.AheadUntil
		}
	}
	return keys, nil
}

// Use is how many requests of a key ended with a status, in an hour or a day.
type Use = db.SumUsageRow

// Usage adds up requests of a client's keys by unit, hour or day of UTC, oldest first. The
// zero id means all keys. Servers write them every ten seconds.
func (r *Registry) Usage(ctx context.Context, client uuid.UUID, keys []uuid.UUID, unit string, from, until time.Time) ([]Use, error) {
	uses, err := r.queries().SumUsage(ctx, db.SumUsageParams{ClientID: client, KeyIds: keys, Unit: unit, FromAt: from, UntilAt: until})
	if err != nil {
		return nil, fmt.Errorf("adding up requests: %w", err)
	}
	return uses, nil
}
