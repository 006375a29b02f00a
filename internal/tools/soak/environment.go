//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// environment is a database with three servers.
type environment struct {
	base    *cluster.Base
	pg      *cluster.Postgres
	network *cluster.Proxy
	caller  *cluster.Caller
	began   time.Time
	seed    uint64
	clients []client
	servers [3]atomic.Pointer[cluster.Server]

	// comparing is held shared by writers and faults, and exclusively while the servers are
	// compared with the tables.
	comparing sync.RWMutex

	mu         sync.Mutex
	accounts   map[string]*account // by key
	violations []string

	reads, refused, left, writes, faults, checks atomic.Int64
}

// The servers by what happens to them: one shows what leaks, one is killed and restarted,
// one is behind a network that fails.
const (
	undisturbed = iota
	restarted
	remote
)

// corpusSeed gives records the same ids each time.
const corpusSeed = 1

type client struct{ slug, id, mode string }

func (e *environment) open(ctx context.Context) error {
	var err error
	if e.base, err = cluster.Prepare(ctx, false); err != nil {
		return err
	}
	// Autovacuum is on, as in production.
	e.pg, err = e.base.NewPostgres(ctx, "", map[string]string{"max_connections": "100", "shared_buffers": "128MB", "autovacuum": "on"})
	if err != nil {
		return err
	}
	if e.network, err = cluster.NewProxy(e.pg); err != nil {
		return err
	}
	var file strings.Builder
	options := corpus.Options{
		Seed: corpusSeed, From: e.began.AddDate(-1, 0, 0), To: e.began,
		Clients: []corpus.ClientOptions{
			{Slug: "acme", Mode: corpus.ModeCanonical, Interviews: 1500, Campaigns: 6, Synthesis: 30},
			{Slug: "globex", Mode: corpus.ModeCanonical, Interviews: 1500, Campaigns: 6, EqualCreatedAt: 400},
			{Slug: "initech", Mode: corpus.ModeLegacy, Interviews: 1500, Campaigns: 6},
		},
	}
	sum, err := corpus.Generate(&file, options)
	if err != nil {
		return err
	}
	for i, c := range sum.Clients {
		e.clients = append(e.clients, client{c.Slug, c.ID.String(), options.Clients[i].Mode})
	}
	if err := e.base.Import(e.pg, file.String()); err != nil {
		return err
	}
	for n := range e.servers {
		if err := e.start(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// start starts a server, or starts it again.
func (e *environment) start(ctx context.Context, n int) error {
	url := e.pg.OwnerURL()
	if n == remote {
		url = e.network.URL()
	}
	s, err := e.base.StartServer(ctx, url, "CLIENTINTEL_STATEMENT_TIMEOUT=3s")
	if err == nil {
		e.servers[n].Store(s)
	}
	return err
}

func (e *environment) server(n int) *cluster.Server { return e.servers[n].Load() }

// close stops PostgreSQL; the servers end with this process.
func (e *environment) close() {
	if e.pg != nil {
		e.pg.Stop()
	}
	if e.base != nil {
		e.base.Close()
	}
}

// key issues a key with every scope.
func (e *environment) key(ctx context.Context, client string) (string, error) {
	keys, err := e.pg.IssueKeys(ctx, client, 1)
	if err != nil {
		return "", err
	}
	return keys[0], nil
}

// random is a source of its own for each activity, so that one's pace does not change
// another's choices.
func (e *environment) random(activity uint64) *rand.Rand {
	return rand.New(rand.NewPCG(e.seed, activity))
}

// logf prints a line with the time since the start.
func (e *environment) logf(format string, args ...any) {
	fmt.Printf("%8s  %s\n", time.Since(e.began).Round(100*time.Millisecond), fmt.Sprintf(format, args...))
}

// violation records that a promise was broken.
func (e *environment) violation(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	e.logf("WRONG: %s", text)
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.violations) < 100 {
		e.violations = append(e.violations, text)
	}
}
