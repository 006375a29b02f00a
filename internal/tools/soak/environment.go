//go:build linux

package main

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// environment is a database with three servers: one that is never stopped and shows
// what leaks, one that is killed and restarted, one behind a network that fails.
type environment struct {
	base    *cluster.Base
	pg      *cluster.Postgres
	network *cluster.Proxy
	caller  *cluster.Caller
	began   time.Time
	seed    uint64
	clients []client

	// comparing is held shared by writers and faults, and exclusively while the servers
	// are compared with the tables.
	comparing sync.RWMutex

	mu         sync.Mutex
	servers    [3]*cluster.Server
	accounts   map[string]*account // by key
	violations []string

	reads, refused, writes, faults, checks, aborted, owned atomic.Int64
}

// The servers by what happens to them.
const (
	undisturbed = iota
	restarted
	remote
)

type client struct{ slug, id string }

func newEnvironment(ctx context.Context, seed uint64) (*environment, error) {
	e := &environment{began: time.Now(), seed: seed, accounts: map[string]*account{}, caller: cluster.NewCaller(64)}
	var err error
	if e.base, err = cluster.Prepare(ctx, false); err != nil {
		return nil, err
	}
	// Autovacuum is on, as in production.
	e.pg, err = e.base.NewPostgres(ctx, "", map[string]string{"max_connections": "100", "shared_buffers": "128MB", "autovacuum": "on"})
	if err != nil {
		e.close()
		return nil, err
	}
	if e.network, err = cluster.NewProxy(e.pg); err != nil {
		e.close()
		return nil, err
	}
	if err := e.fill(); err != nil {
		e.close()
		return nil, err
	}
	for n := range e.servers {
		if err := e.start(ctx, n); err != nil {
			e.close()
			return nil, err
		}
	}
	return e, nil
}

func (e *environment) close() {
	e.caller.Close()
	for _, s := range e.servers {
		if s != nil {
			s.Kill()
		}
	}
	if e.network != nil {
		e.network.Close()
	}
	if e.pg != nil {
		e.pg.Stop()
	}
	e.base.Close()
}

// fill imports three clients.
func (e *environment) fill() error {
	var file strings.Builder
	sum, err := corpus.Generate(&file, corpus.Options{
		Seed: 1, From: time.Now().AddDate(-1, 0, 0), To: time.Now(),
		Clients: []corpus.ClientOptions{
			{Slug: "acme", Mode: corpus.ModeCanonical, Interviews: 1500, Campaigns: 6, Synthesis: 30},
			{Slug: "globex", Mode: corpus.ModeCanonical, Interviews: 1500, Campaigns: 6, EqualCreatedAt: 400},
			{Slug: "initech", Interviews: 1500, Campaigns: 6},
		},
	})
	if err != nil {
		return err
	}
	for _, c := range sum.Clients {
		e.clients = append(e.clients, client{c.Slug, c.ID.String()})
	}
	return e.base.Import(e.pg, file.String())
}

// start starts a server, or starts it again.
func (e *environment) start(ctx context.Context, n int) error {
	url := e.pg.OwnerURL()
	if n == remote {
		url = e.network.URL()
	}
	s, err := e.base.StartServer(context.WithoutCancel(ctx), url, "CLIENTINTEL_STATEMENT_TIMEOUT=3s")
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.servers[n] = s
	return nil
}

func (e *environment) server(n int) *cluster.Server {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.servers[n]
}

// key issues a key with every scope.
func (e *environment) key(ctx context.Context, client string) (string, error) {
	keys, err := e.pg.IssueKeys(ctx, client, 1)
	if err != nil {
		return "", err
	}
	return keys[0], nil
}
