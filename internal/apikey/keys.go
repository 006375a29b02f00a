package apikey

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// Key is an issued key without its secret.
type Key struct {
	ID         uuid.UUID  `json:"id"`
	Prefix     string     `json:"prefix"`
	ClientID   uuid.UUID  `json:"client_id"`
	Name       string     `json:"name"`
	Scopes     []string   `json:"scopes"`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

// Listed is a key and what is left of its quota.
type Listed struct {
	Key
	// RequestsLastHour counts the requests in the key's window; Remaining is how many
	// more would be admitted now.
	RequestsLastHour int `json:"requests_last_hour"`
	Remaining        int `json:"remaining"`
	// FutureRequests counts log rows dated in the future, which a clock that was ahead
	// left behind; FutureUntil is the date of the last. The window does not advance until
	// then, unless they are deleted.
	FutureRequests int        `json:"future_requests"`
	FutureUntil    *time.Time `json:"future_until"`
}

// Issued is a new key with its text, which is stored nowhere.
type Issued struct {
	ID        uuid.UUID  `json:"id"`
	Prefix    string     `json:"prefix"`
	Key       string     `json:"key"`
	ClientID  uuid.UUID  `json:"client_id"`
	Name      string     `json:"name"`
	Scopes    []string   `json:"scopes"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// Registry issues, lists and revokes keys. It works as the owner.
type Registry struct{ conn *pgx.Conn }

// NewRegistry works on the owner's connection.
func NewRegistry(conn *pgx.Conn) *Registry { return &Registry{conn} }

// Request describes the key to issue.
type Request struct {
	Client    string // id or slug
	Name      string
	Scopes    []auth.Scope // empty means the default ones
	ExpiresAt *time.Time
}

// Issue makes a key for a client.
func (r *Registry) Issue(ctx context.Context, req Request) (Issued, error) {
	client, err := r.client(ctx, req.Client)
	if err != nil {
		return Issued{}, err
	}
	scopes := req.Scopes
	if len(scopes) == 0 {
		scopes = auth.Default()
	}
	var issued Issued
	err = r.inTx(ctx, func(q *db.Queries) error {
		if issued, err = issue(ctx, q, client, req.Name, scopes, req.ExpiresAt); err != nil {
			return err
		}
		return audit(ctx, q, "issue", issued.ClientID, issued.ID, fmt.Sprintf("%q, scopes %s", issued.Name, strings.Join(issued.Scopes, ",")))
	})
	return issued, err
}

// Rotation describes how a key is replaced.
type Rotation struct {
	// Grace is how long the old key goes on working.
	Grace time.Duration
	// Scopes are the new key's; empty: the old one's. An issued key's never change.
	Scopes []auth.Scope
}

// Rotate issues a new key of the same name and ends the old one.
func (r *Registry) Rotate(ctx context.Context, named string, with Rotation) (Issued, error) {
	var issued Issued
	err := r.inTx(ctx, func(q *db.Queries) error {
		// It waits for a transaction that revokes or rotates the key.
		if err := q.HoldKey(ctx, named); err != nil {
			return err
		}
		old, err := r.find(ctx, named)
		if err != nil {
			return err
		}
		if err := r.checkRotatable(ctx, old); err != nil {
			return err
		}
		scopes := with.Scopes
		if len(scopes) == 0 {
			for _, s := range old.Scopes {
				scopes = append(scopes, auth.Scope(s))
			}
		}
		if issued, err = issue(ctx, q, old.ClientID, old.Name, scopes, old.ExpiresAt); err != nil {
			return err
		}
		if _, err := q.RevokeKey(ctx, db.RevokeKeyParams{ID: old.ID, Grace: with.Grace}); err != nil {
			return fmt.Errorf("revoking key %s: %w", old.Prefix, err)
		}
		return audit(ctx, q, "rotate", old.ClientID, old.ID, fmt.Sprintf("to %s, scopes %s, grace %s",
			issued.Prefix, strings.Join(issued.Scopes, ","), with.Grace))
	})
	if err != nil {
		return Issued{}, fmt.Errorf("rotating the key: %w", err)
	}
	return issued, nil
}

// checkRotatable refuses a key that has ended, or that is being replaced already. The
// new key has the old one's expiry: an expired key's replacement would never work.
func (r *Registry) checkRotatable(ctx context.Context, key Key) error {
	var now time.Time // by the clock that ends keys
	if err := r.conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil {
		return fmt.Errorf("reading the database's clock: %w", err)
	}
	switch {
	case key.RevokedAt != nil && !key.RevokedAt.After(now):
		return fmt.Errorf("key %s was revoked at %s: issue a new one", key.Prefix, key.RevokedAt.Format(time.RFC3339))
	case key.ExpiresAt != nil && !key.ExpiresAt.After(now):
		return fmt.Errorf("key %s expired at %s: issue a new one", key.Prefix, key.ExpiresAt.Format(time.RFC3339))
	case key.RevokedAt != nil:
		return fmt.Errorf("key %s is already being replaced and ends at %s: rotate its replacement, or issue a new one", key.Prefix, key.RevokedAt.Format(time.RFC3339))
	}
	return nil
}

// Revoke ends a key at once. Every request that starts after it returns is refused.
func (r *Registry) Revoke(ctx context.Context, named string) (Key, error) {
	key, err := r.find(ctx, named)
	if err != nil {
		return Key{}, err
	}
	err = r.inTx(ctx, func(q *db.Queries) error {
		if key.RevokedAt, err = q.RevokeKey(ctx, db.RevokeKeyParams{ID: key.ID, Grace: 0}); err != nil {
			return err
		}
		return audit(ctx, q, "revoke", key.ClientID, key.ID, fmt.Sprintf("%q", key.Name))
	})
	if err != nil {
		return Key{}, fmt.Errorf("revoking key %s: %w", key.Prefix, err)
	}
	return key, nil
}

// DeleteFutureRequests deletes a key's log rows that are dated in the future, and no
// other, and returns how many there were. They include requests made since the clock
// was set back, while the window did not advance.
func (r *Registry) DeleteFutureRequests(ctx context.Context, named string) (Key, int64, error) {
	key, err := r.find(ctx, named)
	if err != nil {
		return Key{}, 0, err
	}
	var removed int64
	err = r.inTx(ctx, func(q *db.Queries) error {
		if err := q.LockKey(ctx, key.Prefix); err != nil {
			return err
		}
		if removed, err = q.DeleteFutureRequests(ctx, db.DeleteFutureRequestsParams{ClientID: key.ClientID, KeyID: key.ID}); err != nil {
			return err
		}
		return audit(ctx, q, "mend-window", key.ClientID, key.ID, fmt.Sprintf("%d log rows dated in the future removed", removed))
	})
	if err != nil {
		return Key{}, 0, fmt.Errorf("removing the log rows dated in the future of key %s: %w", key.Prefix, err)
	}
	return key, removed, nil
}

func (r *Registry) inTx(ctx context.Context, do func(*db.Queries) error) error {
	return pgx.BeginTxFunc(ctx, r.conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error { return do(db.New(tx)) })
}

// List lists the keys of a client, named by id or slug, or of all when empty.
func (r *Registry) List(ctx context.Context, client string) ([]Listed, error) {
	clientID, err := r.clientFilter(ctx, client)
	if err != nil {
		return nil, err
	}
	maxRequests, window, _ := ratelimit.Policy()
	rows, err := db.New(r.conn).ListKeys(ctx, db.ListKeysParams{ClientID: clientID, TimeWindow: window})
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

// clientFilter returns the id of a client named by id or slug, nil for an empty name.
func (r *Registry) clientFilter(ctx context.Context, named string) (*uuid.UUID, error) {
	if named == "" {
		return nil, nil
	}
	id, err := r.client(ctx, named)
	return &id, err
}

func (r *Registry) client(ctx context.Context, named string) (uuid.UUID, error) {
	client, err := db.New(r.conn).FindClient(ctx, named)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.UUID{}, fmt.Errorf("client %q: not found: name it by its id or slug", named)
	}
	if err != nil {
		return uuid.UUID{}, fmt.Errorf("finding client %q: %w", named, err)
	}
	return client.ID, nil
}

func (r *Registry) find(ctx context.Context, named string) (Key, error) {
	row, err := db.New(r.conn).FindKey(ctx, named)
	if errors.Is(err, pgx.ErrNoRows) {
		return Key{}, fmt.Errorf("key %q: not found: name it by its id or prefix", named)
	}
	if err != nil {
		return Key{}, fmt.Errorf("finding the key: %w", err)
	}
	return Key{
		ID: row.ID, Prefix: row.Prefix, ClientID: *row.ClientID, Name: row.Name, Scopes: row.Scopes, CreatedAt: row.CreatedAt,
		ExpiresAt: row.ExpiresAt, RevokedAt: row.RevokedAt, LastUsedAt: lastUse(row.LastUsedAt, row.LastLoggedAt),
	}, nil
}

// lastUse is the later of a key's stored last use and its newest log row, nil without any.
func lastUse(stored *time.Time, logged time.Time) *time.Time {
	if !logged.IsZero() && (stored == nil || logged.After(*stored)) {
		return &logged
	}
	return stored
}

func issue(
	ctx context.Context, q *db.Queries, clientID uuid.UUID, name string, scopes []auth.Scope, expiresAt *time.Time,
) (Issued, error) {
	text, prefix, secretHash := newToken()
	id := uuid.New()
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	if _, err := q.IssueKey(ctx, db.IssueKeyParams{
		Prefix: prefix, ID: id, ClientID: &clientID, Name: name,
		SecretHash: secretHash[:], Scopes: names, ExpiresAt: expiresAt,
	}); err != nil {
		return Issued{}, fmt.Errorf("storing the key: %w", err)
	}
	return Issued{ID: id, Prefix: prefix, Key: text, ClientID: clientID, Name: name, Scopes: names, ExpiresAt: expiresAt}, nil
}
