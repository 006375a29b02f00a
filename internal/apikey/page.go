package apikey

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// Client is a client and how many of its keys are in force.
type Client = db.ListClientsByIDRow

// Client finds a client by its id or slug. Its keys are not counted.
func (r *Registry) Client(ctx context.Context, named string) (Client, error) {
	found, err := r.client(ctx, named)
	return Client{ID: found.ID, Slug: found.Slug, Name: found.Name, AllowedScopes: found.AllowedScopes}, err
}

// CountInForce counts a client's keys that are in force.
func (r *Registry) CountInForce(ctx context.Context, client uuid.UUID) (int64, error) {
	return countInForce(ctx, r.queries(), client, uuid.Nil)
}

// Clients returns one page of all clients, by id.
func (r *Registry) Clients(ctx context.Context, asked page.Request) ([]Client, *page.Position, error) {
	params := db.ListClientsByIDParams{MaxRows: asked.LookAhead()}
	if asked.After != nil {
		params.AfterID = asked.After.ID
	}
	rows, err := r.queries().ListClientsByID(ctx, params)
	if err != nil {
		return nil, nil, fmt.Errorf("listing clients: %w", err)
	}
	clients, next := page.Trim(rows, asked, func(c Client) page.Position { return page.Position{ID: c.ID} })
	return clients, next, nil
}

// Shown is a key with its use.
type Shown = db.ListKeysOfClientRow

// Keys returns one page of a client's keys, newest first: those in force, those that have
// ended, or all.
func (r *Registry) Keys(ctx context.Context, client uuid.UUID, inForce *bool, asked page.Request) ([]Shown, *page.Position, error) {
	rows, err := r.keys(ctx, db.ListKeysOfClientParams{ClientID: client, InForce: inForce, MaxRows: asked.LookAhead()}, asked)
	if err != nil {
		return nil, nil, err
	}
	keys, next := page.Trim(rows, asked, func(k Shown) page.Position { return page.Position{Times: []time.Time{k.CreatedAt}, ID: k.ID} })
	return keys, next, nil
}

// Show returns one key of a client.
func (r *Registry) Show(ctx context.Context, client, key uuid.UUID) (Shown, error) {
	rows, err := r.keys(ctx, db.ListKeysOfClientParams{ClientID: client, ID: &key, MaxRows: 1}, page.Request{})
	if err != nil {
		return Shown{}, err
	}
	if len(rows) == 0 {
		return Shown{}, NotFoundError{"the client has no such key"}
	}
	return rows[0], nil
}

func (r *Registry) keys(ctx context.Context, params db.ListKeysOfClientParams, asked page.Request) ([]Shown, error) {
	start := asked.Start(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))
	params.AfterCreatedAt, params.AfterID = start.Times[0], start.ID
	_, params.TimeWindow, _ = ratelimit.Policy()
	rows, err := r.queries().ListKeysOfClient(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("listing keys: %w", err)
	}
	for i, k := range rows {
		rows[i].LastUsedAt = lastUse(k.LastUsedAt, k.LastLoggedAt)
	}
	return rows, nil
}

// Entry is an entry of a client's audit trail.
type Entry = db.ListAuditsOfClientRow

// Trail returns one page of a client's audit trail, newest first.
func (r *Registry) Trail(ctx context.Context, client uuid.UUID, asked page.Request) ([]Entry, *page.Position, error) {
	before := int64(math.MaxInt64)
	if asked.After != nil {
		before = int64(binary.BigEndian.Uint64(asked.After.ID[8:]))
	}
	rows, err := r.queries().ListAuditsOfClient(ctx, db.ListAuditsOfClientParams{ClientID: client, BeforeID: before, MaxRows: asked.LookAhead()})
	if err != nil {
		return nil, nil, fmt.Errorf("listing the changes of keys: %w", err)
	}
	entries, next := page.Trim(rows, asked, func(e Entry) page.Position {
		var id uuid.UUID
		binary.BigEndian.PutUint64(id[8:], uint64(e.ID))
		return page.Position{ID: id}
	})
	return entries, next, nil
}

// CursorSecret is the secret of the console's cursors.
func (r *Registry) CursorSecret(ctx context.Context) ([]byte, error) {
	secret, err := r.queries().ReadConsoleSecret(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the cursor secret: %w", err)
	}
	return secret, nil
}
