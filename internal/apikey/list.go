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

// UsageQuery asks how a client's keys were used.
type UsageQuery struct {
	Client uuid.UUID
	// Key is the only one; the zero id means all.
	Key uuid.UUID
	// OfEachKey tells all keys apart.
	OfEachKey bool
	ByHour    bool
	// From and Until are widened to whole hours or days of UTC.
	From, Until time.Time
}

// Use is how many requests of an hour or a day ended with a status.
type Use = db.SumUsageByHourRow

// Usage adds up requests, oldest first. Servers write them every ten seconds.
func (r *Registry) Usage(ctx context.Context, q UsageQuery) ([]Use, error) {
	unit := 24 * time.Hour
	if q.ByHour {
		unit = time.Hour
	}
	from := q.From.UTC().Truncate(unit)
	if q.ByHour {
		uses, err := r.queries().SumUsageByHour(ctx, db.SumUsageByHourParams{
			ClientID: q.Client, KeyID: q.Key, OfEachKey: q.OfEachKey, FromAt: from, UntilAt: q.Until,
		})
		if err != nil {
			return nil, fmt.Errorf("adding up requests by hour: %w", err)
		}
		return uses, nil
	}
	rows, err := r.queries().SumUsageByDay(ctx, db.SumUsageByDayParams{
		ClientID: q.Client, KeyID: q.Key, OfEachKey: q.OfEachKey, FromAt: from, UntilAt: q.Until,
	})
	if err != nil {
		return nil, fmt.Errorf("reading requests by day: %w", err)
	}
	uses := make([]Use, len(rows))
	for i, row := range rows {
		uses[i] = Use(row)
	}
	return uses, nil
}
