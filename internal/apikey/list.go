package apikey

import (
	"context"
	"fmt"
	"time"

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

// UsageQuery asks how a key, or all of a client's, were used.
type UsageQuery struct {
	// Named names the key; without a key, all keys of the client are meant.
	Named
	// From and Until bound the time. What is asked for begins with From's hour.
	From, Until time.Time
	// Unit is hour or day, in UTC.
	Unit string
}

// Use is how many requests of a key ended with a status, in an hour or a day.
type Use = db.SumKeyUsageRow

// Usage adds up requests, oldest first. Servers write them every ten seconds.
func (r *Registry) Usage(ctx context.Context, q UsageQuery) ([]Use, error) {
	params := db.SumKeyUsageParams{Unit: q.Unit, FromHour: q.From.UTC().Truncate(time.Hour), UntilHour: q.Until}
	if q.Key != "" {
		key, err := r.Find(ctx, q.Named)
		if err != nil {
			return nil, err
		}
		params.ClientID, params.KeyID = key.ClientID, &key.ID
	} else {
		client, err := r.client(ctx, q.Client)
		if err != nil {
			return nil, err
		}
		params.ClientID = client.ID
	}
	uses, err := r.queries().SumKeyUsage(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("adding up the use of keys: %w", err)
	}
	return uses, nil
}
