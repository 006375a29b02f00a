package main

import (
	"context"
	"fmt"

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
	for i, client := range r.clients {
		keys, err := s.issue(ctx, client, r.scopes, each)
		if err != nil {
			return err
		}
		if err := baseline.AddKeys(ctx, s.admin, s.clients[client].id, names, keys); err != nil {
			return err
		}
		for n, key := range keys {
			r.keys[n*len(r.clients)+i] = key
		}
	}
	return s.fillWindows(ctx)
}

// fillWindows gives every key that has made no request yet the same past in
// either server's log.
func (s *session) fillWindows(ctx context.Context) error {
	for _, statement := range []string{
		`INSERT INTO request_log (client_id, key_id, at, seq, route, status)
		SELECT k.client_id, k.id, now() - (3000 - 14 * n) * interval '1 second', n, 'listInterviews', 200
		FROM api_keys AS k
		CROSS JOIN generate_series(1, $1) AS n
		WHERE k.client_id IS NOT NULL
			AND NOT EXISTS (SELECT FROM request_log AS l WHERE l.client_id = k.client_id AND l.key_id = k.id)`,
		`INSERT INTO baseline.requests (key_id, at, route)
		SELECT k.id, now() - (3000 - 14 * n) * interval '1 second', '/interviews'
		FROM baseline.api_keys AS k
		CROSS JOIN generate_series(1, $1) AS n
		WHERE NOT EXISTS (SELECT FROM baseline.requests AS r WHERE r.key_id = k.id)`,
	} {
		if _, err := s.admin.Exec(ctx, statement, requestsBefore); err != nil {
			return fmt.Errorf("filling the keys' windows: %w", err)
		}
	}
	return nil
}

// issue issues keys through the product, in one transaction.
func (s *session) issue(ctx context.Context, client string, scopes []auth.Scope, n int) ([]string, error) {
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
		issued, err := registry.Issue(ctx, apikey.Request{Client: client, Name: "bench", Scopes: scopes})
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
