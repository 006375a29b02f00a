package apikey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
)

// Database is a connection, or a pool of them, with the role keys, or auditor for what
// only reads.
type Database interface {
	db.DBTX
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// Registry issues, lists and ends keys.
type Registry struct{ db Database }

// NewRegistry works on the keys of a database.
func NewRegistry(database Database) *Registry { return &Registry{database} }

// By is who changes keys, and why: the audit trail has it.
type By struct {
	// Actor is who asked; empty: the account of this process.
	Actor string
	// Address is from where, when another machine asked this process.
	Address netip.Addr
	Reason  string
	// Once names a change that makes a key: within a day, a repeat for the same client is an
	// AlreadyDoneError. Empty: none.
	Once string
}

// actor is the name that the audit trail has.
func (b By) actor() string { return cmp.Or(Redact(b.Actor), Account()) }

// Named is a key by its id, its prefix or its whole text, and whose it must be: a client's
// id or slug, empty for any. Another client's key is not found.
type Named struct {
	Client string
	Key    string
}

// Errors of what was asked for. Their text names what to change, and no key that was given.
type (
	// NotFoundError is a client, or a key of a client, that is not there.
	NotFoundError struct{ text string }
	// RefusedError is a change that the state of the key, or of the client, does not allow.
	RefusedError struct{ text string }
	// AlreadyDoneError is a change that made the key before.
	AlreadyDoneError struct{ Key uuid.UUID }
)

func (e NotFoundError) Error() string { return e.text }
func (e RefusedError) Error() string  { return e.text }
func (e AlreadyDoneError) Error() string {
	return fmt.Sprintf("already done: it made the key %s", e.Key)
}

func refusef(format string, args ...any) error { return RefusedError{fmt.Sprintf(format, args...)} }

func (r *Registry) queries() *db.Queries { return db.New(r.db) }

func (r *Registry) inTx(ctx context.Context, do func(*db.Queries) error) error {
	return pgx.BeginTxFunc(ctx, r.db, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error { return do(db.New(tx)) })
}

// client finds a client by its id or slug.
func (r *Registry) client(ctx context.Context, named string) (db.FindClientRow, error) {
	client, err := r.queries().FindClient(ctx, named)
	if errors.Is(err, pgx.ErrNoRows) {
		return client, NotFoundError{fmt.Sprintf("client %q: not found: name it by its id or slug", named)}
	}
	if err != nil {
		return client, fmt.Errorf("finding client %q: %w", named, err)
	}
	return client, nil
}

// clientFilter returns the id of a client named by id or slug, nil for an empty name.
func (r *Registry) clientFilter(ctx context.Context, named string) (*uuid.UUID, error) {
	if named == "" {
		return nil, nil
	}
	client, err := r.client(ctx, named)
	return &client.ID, err
}

// Find finds a key. A whole key finds it by its prefix, whatever its secret.
func (r *Registry) Find(ctx context.Context, n Named) (Key, error) {
	name := strings.TrimPrefix(n.Key, marker)
	if token, whole := ParseToken(n.Key); whole {
		name = token.Prefix
	}
	client, err := r.clientFilter(ctx, n.Client)
	if err != nil {
		return Key{}, err
	}
	row, err := r.queries().FindKey(ctx, name)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Key{}, fmt.Errorf("finding the key: %w", err)
	}
	if err != nil || client != nil && *row.ClientID != *client {
		return Key{}, NotFoundError{"the key is not found: name it by its id, its prefix or all of it"}
	}
	return Key{
		ID: row.ID, Prefix: row.Prefix, ClientID: *row.ClientID, Name: row.Name, Scopes: row.Scopes, CreatedAt: row.CreatedAt,
		ExpiresAt: row.ExpiresAt, RevokedAt: row.RevokedAt, LastUsedAt: lastUse(row.LastUsedAt, row.LastLoggedAt),
		State: StateOf(row.ExpiresAt, row.RevokedAt, row.ReadAt),
	}, nil
}
