package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/bench/plain"
)

const (
	// ringSize is how many keys share the requests of a measure.
	ringSize = 1000
	// spent is how many requests a key of a ring makes before the ring is renewed:
	// far enough from the limit for the next run.
	spent = 400
)

// ring is a set of keys that take turns, so that none meets its limit.
type ring struct {
	brand  string
	scopes []access.Scope
	keys   []string
	used   int
}

// ring returns keys with requests left.
func (s *session) ring(ctx context.Context, brand string, scopes ...access.Scope) (*ring, error) {
	if len(scopes) == 0 {
		scopes = access.Default()
	}
	name := brand + fmt.Sprint(scopes)
	if s.rings[name] == nil {
		s.rings[name] = &ring{brand: brand, scopes: scopes}
	}
	r := s.rings[name]
	return r, s.renew(ctx, r)
}

// renew issues new keys where the old ones are nearly spent.
func (s *session) renew(ctx context.Context, r *ring) error {
	if len(r.keys) > 0 && r.used < spent*len(r.keys) {
		return nil
	}
	keys, err := s.issue(ctx, r.brand, r.scopes, ringSize)
	if err != nil {
		return err
	}
	r.keys, r.used = keys, 0
	names := make([]string, len(r.scopes))
	for i, scope := range r.scopes {
		names[i] = string(scope)
	}
	return plain.AddKeys(ctx, s.admin, s.brands[r.brand].id, names, keys)
}

// issue issues keys through the product, in one transaction.
func (s *session) issue(ctx context.Context, brand string, scopes []access.Scope, n int) ([]string, error) {
	conn, err := pgx.Connect(ctx, s.cluster.OwnerURL())
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	registry := apikey.NewRegistry(conn)
	keys := make([]string, n)
	for i := range keys {
		issued, err := registry.Issue(ctx, apikey.Request{Client: brand, Name: "bench", Scopes: scopes})
		if err != nil {
			return nil, fmt.Errorf("issuing keys: %w", err)
		}
		keys[i] = issued.Key
	}
	if _, err := conn.Exec(ctx, "COMMIT"); err != nil {
		return nil, fmt.Errorf("issuing keys: %w", err)
	}
	return keys, nil
}
