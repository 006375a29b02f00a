package main

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/tools/bench/baseline"
)

const (
	// keyPoolSize is how many keys share the requests of a measure.
	keyPoolSize = 1000
	// requestsBefore is how many requests of the last hour a key begins with: keys in use
	// are somewhere within their quota, and what counting costs a server depends
	// on where.
	requestsBefore = 200
	// requestsEach is how many requests a key of a pool makes before the pool is renewed:
	// far enough from the limit for the next run.
	requestsEach = 250
)

// keyPool is a set of keys that take turns, so that none meets its limit.
type keyPool struct {
	clients []string // the keys are of each in turn
	scopes  []auth.Scope
	keys    []string
	used    int
}

// keyPool returns keys with requests left.
func (s *session) keyPool(ctx context.Context, client string, scopes ...auth.Scope) (*keyPool, error) {
	return s.keyPoolOf(ctx, []string{client}, scopes...)
}

// keyPoolOf is keyPool for many clients.
func (s *session) keyPoolOf(ctx context.Context, clients []string, scopes ...auth.Scope) (*keyPool, error) {
	if len(scopes) == 0 {
		scopes = auth.Default()
	}
	name := fmt.Sprint(clients, scopes)
	if s.keyPools[name] == nil {
		s.keyPools[name] = &keyPool{clients: clients, scopes: scopes}
	}
	r := s.keyPools[name]
	return r, s.renew(ctx, r)
}

// of is the part of the pool that is of its n-th client.
func (r *keyPool) of(n int) *keyPool {
	part := &keyPool{clients: r.clients[n : n+1], scopes: r.scopes}
	for i := n; i < len(r.keys); i += len(r.clients) {
		part.keys = append(part.keys, r.keys[i])
	}
	return part
}

// renew issues new keys where the old ones are nearly spent.
func (s *session) renew(ctx context.Context, r *keyPool) error {
	if len(r.keys) > 0 && r.used < requestsEach*len(r.keys) {
		return nil
	}
	names := make([]string, len(r.scopes))
	for i, scope := range r.scopes {
		names[i] = string(scope)
	}
	each := (keyPoolSize + len(r.clients) - 1) / len(r.clients)
	r.keys, r.used = make([]string, each*len(r.clients)), 0
	s.logf("issuing %d keys", len(r.keys))
	for i, client := range r.clients {
		issued, err := s.issue(ctx, client, r.scopes, each)
		if err != nil {
			return err
		}
		ids, keys := make([]uuid.UUID, each), make([]string, each)
		for n, k := range issued {
			ids[n], keys[n], r.keys[n*len(r.clients)+i] = k.ID, k.Key, k.Key
		}
		added, err := baseline.AddKeys(ctx, s.admin, s.clients[client].id, names, keys)
		if err != nil {
			return err
		}
		if err := s.fillWindows(ctx, s.clients[client].id, ids, added); err != nil {
			return err
		}
	}
	return nil
}

// fillWindows gives a client's new keys the same past in either server's log.
func (s *session) fillWindows(ctx context.Context, client uuid.UUID, ids []uuid.UUID, baselineIDs []int64) error {
	const past = "now() - (3000 - 14 * n) * interval '1 second'"
	if _, err := s.admin.Exec(ctx, `INSERT INTO request_log (client_id, key_id, at, seq, route, status)
		SELECT $1, k.id, `+past+`, n, 'listInterviews', 200
		FROM unnest($2::uuid[]) AS k (id)
		CROSS JOIN generate_series(1, $3) AS n`, client, ids, requestsBefore); err != nil {
		return fmt.Errorf("filling the keys' windows: %w", err)
	}
	if _, err := s.admin.Exec(ctx, `INSERT INTO baseline.requests (key_id, at, route)
		SELECT k.id, `+past+`, '/interviews'
		FROM unnest($1::bigint[]) AS k (id)
		CROSS JOIN generate_series(1, $2) AS n`, baselineIDs, requestsBefore); err != nil {
		return fmt.Errorf("filling the baseline keys' windows: %w", err)
	}
	return nil
}

// issue issues keys through the product, in one transaction.
func (s *session) issue(ctx context.Context, client string, scopes []auth.Scope, n int) ([]apikey.Issued, error) {
	conn, err := pgx.Connect(ctx, s.cluster.OwnerURL())
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	registry := apikey.NewRegistry(conn)
	issued := make([]apikey.Issued, n)
	for i := range issued {
		if issued[i], err = registry.Issue(ctx, apikey.Request{Client: client, Name: "bench", Scopes: scopes}); err != nil {
			return nil, fmt.Errorf("issuing keys: %w", err)
		}
	}
	if _, err := conn.Exec(ctx, "COMMIT"); err != nil {
		return nil, fmt.Errorf("issuing keys: %w", err)
	}
	return issued, nil
}
