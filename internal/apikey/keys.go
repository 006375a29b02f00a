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
	// RequestsLastHour is what the limiter's window holds; Remaining is how many
	// more requests would be admitted now.
	RequestsLastHour int `json:"requests_last_hour"`
	Remaining        int `json:"remaining"`
}

// Issued is a new key, its text included: the one time that it is shown.
type Issued struct {
	ID        uuid.UUID  `json:"id"`
	Prefix    string     `json:"prefix"`
	Key       string     `json:"key"`
	ClientID  uuid.UUID  `json:"client_id"`
	Name      string     `json:"name"`
	Scopes    []string   `json:"scopes"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// ErrNotFound says that there is no such key, or client.
var ErrNotFound = errors.New("not found")

// Registry issues, lists and revokes keys. It works as the owner.
type Registry struct {
	conn *pgx.Conn
}

// NewRegistry works on the owner's connection.
func NewRegistry(conn *pgx.Conn) *Registry { return &Registry{conn: conn} }

// Request describes the key to issue.
type Request struct {
	Client    string // id or slug
	Name      string
	Scopes    []auth.Scope // empty means the default ones
	ExpiresAt *time.Time
}

// Issue makes a key for a client.
func (r *Registry) Issue(ctx context.Context, req Request) (Issued, error) {
	if strings.TrimSpace(req.Name) == "" {
		return Issued{}, errors.New("the key needs a name: whom is it for?")
	}
	client, err := r.client(ctx, req.Client)
	if err != nil {
		return Issued{}, err
	}
	scopes := req.Scopes
	if len(scopes) == 0 {
		scopes = auth.Default()
	}
	return issue(ctx, db.New(r.conn), client, req.Name, scopes, req.ExpiresAt)
}

// Rotate issues a new key of the same name and scopes and ends the old one
// after the grace, at once when it is zero.
func (r *Registry) Rotate(ctx context.Context, named string, grace time.Duration) (Issued, error) {
	old, err := r.find(ctx, named)
	if err != nil {
		return Issued{}, err
	}
	if old.RevokedAt != nil {
		return Issued{}, fmt.Errorf("key %s was revoked at %s: issue a new one", old.Prefix, old.RevokedAt.Format(time.RFC3339))
	}
	tx, err := r.conn.Begin(ctx)
	if err != nil {
		return Issued{}, fmt.Errorf("rotating key %s: %w", old.Prefix, err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	scopes := make([]auth.Scope, len(old.Scopes))
	for i, s := range old.Scopes {
		scopes[i] = auth.Scope(s)
	}
	issued, err := issue(ctx, db.New(tx), old.ClientID, old.Name, scopes, old.ExpiresAt)
	if err != nil {
		return Issued{}, err
	}
	if _, err := db.New(tx).RevokeKey(ctx, db.RevokeKeyParams{ID: old.ID, Grace: grace}); err != nil {
		return Issued{}, fmt.Errorf("revoking key %s: %w", old.Prefix, err)
	}
	if err := tx.Commit(ctx); err != nil {
		return Issued{}, fmt.Errorf("rotating key %s: %w", old.Prefix, err)
	}
	return issued, nil
}

// Revoke ends a key at once. Every request that starts after it returns is refused.
func (r *Registry) Revoke(ctx context.Context, named string) (Key, error) {
	key, err := r.find(ctx, named)
	if err != nil {
		return Key{}, err
	}
	key.RevokedAt, err = db.New(r.conn).RevokeKey(ctx, db.RevokeKeyParams{ID: key.ID, Grace: 0})
	if err != nil {
		return Key{}, fmt.Errorf("revoking key %s: %w", key.Prefix, err)
	}
	return key, nil
}

// List lists the keys of a client, named by id or slug, or of all when empty.
func (r *Registry) List(ctx context.Context, client string) ([]Listed, error) {
	var clientID *uuid.UUID
	if client != "" {
		id, err := r.client(ctx, client)
		if err != nil {
			return nil, err
		}
		clientID = &id
	}
	maxRequests, window, _ := ratelimit.Policy()
	rows, err := db.New(r.conn).ListKeys(ctx, db.ListKeysParams{ClientID: clientID, TimeWindow: window})
	if err != nil {
		return nil, fmt.Errorf("listing keys: %w", err)
	}
	keys := make([]Listed, len(rows))
	for i, row := range rows {
		keys[i] = Listed{
			Key: keyOf(db.FindKeyRow{
				Prefix: row.Prefix, ID: row.ID, ClientID: row.ClientID, Name: row.Name, Scopes: row.Scopes, CreatedAt: row.CreatedAt,
				ExpiresAt: row.ExpiresAt, RevokedAt: row.RevokedAt, LastUsedAt: row.LastUsedAt, LastLoggedAt: row.LastLoggedAt,
			}),
			RequestsLastHour: int(row.Requests), Remaining: max(0, int(maxRequests)-int(row.Requests)),
		}
	}
	return keys, nil
}

func (r *Registry) client(ctx context.Context, named string) (uuid.UUID, error) {
	client, err := db.New(r.conn).FindClient(ctx, named)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.UUID{}, fmt.Errorf("client %q: %w: name it by its id or slug", named, ErrNotFound)
	}
	if err != nil {
		return uuid.UUID{}, fmt.Errorf("finding client %q: %w", named, err)
	}
	return client.ID, nil
}

func (r *Registry) find(ctx context.Context, named string) (Key, error) {
	row, err := db.New(r.conn).FindKey(ctx, named)
	if errors.Is(err, pgx.ErrNoRows) {
		return Key{}, fmt.Errorf("key %q: %w: name it by its id or prefix", named, ErrNotFound)
	}
	if err != nil {
		return Key{}, fmt.Errorf("finding the key: %w", err)
	}
	return keyOf(row), nil
}

func issue(
	ctx context.Context, q *db.Queries, clientID uuid.UUID, name string, scopes []auth.Scope, expiresAt *time.Time,
) (Issued, error) {
	text, prefix, secretHash, err := newToken()
	if err != nil {
		return Issued{}, err
	}
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

func keyOf(row db.FindKeyRow) Key {
	used := row.LastUsedAt
	if !row.LastLoggedAt.IsZero() && (used == nil || row.LastLoggedAt.After(*used)) {
		used = &row.LastLoggedAt
	}
	return Key{
		ID: row.ID, Prefix: row.Prefix, ClientID: *row.ClientID, Name: row.Name, Scopes: row.Scopes,
		CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt, RevokedAt: row.RevokedAt, LastUsedAt: used,
	}
}
