//go:build linux

package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/corpus"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/rig"
)

// world is a database with three servers: one that is never stopped and shows
// what leaks, one that is killed and restarted, one behind a network that fails.
type world struct {
	base    *rig.Base
	pg      *rig.Postgres
	network *rig.Proxy
	caller  *rig.Caller
	began   time.Time
	seed    uint64
	brands  []brand

	// quiet is held shared by writers and faults, and alone by who compares the
	// servers with the tables.
	quiet sync.RWMutex

	mu      sync.Mutex
	servers [3]*rig.Server
	ledger  map[string]*account // by key
	wrongs  []string

	reads, refused, writes, faults, checks atomic.Int64
}

// The servers by what happens to them.
const (
	elder = iota
	victim
	remote
)

type brand struct{ slug, id string }

func newWorld(ctx context.Context, seed uint64) (*world, error) {
	w := &world{began: time.Now(), seed: seed, ledger: map[string]*account{}, caller: rig.NewCaller(64)}
	var err error
	if w.base, err = rig.Prepare(ctx, false); err != nil {
		return nil, err
	}
	// Autovacuum as in life: what it clears away must not be missed.
	w.pg, err = w.base.NewPostgres(ctx, "", map[string]string{"max_connections": "100", "shared_buffers": "128MB", "autovacuum": "on"})
	if err != nil {
		w.close()
		return nil, err
	}
	if w.network, err = rig.NewProxy(w.pg); err != nil {
		w.close()
		return nil, err
	}
	if err := w.fill(ctx); err != nil {
		w.close()
		return nil, err
	}
	for n := range w.servers {
		if err := w.start(ctx, n); err != nil {
			w.close()
			return nil, err
		}
	}
	return w, nil
}

func (w *world) close() {
	w.caller.Close()
	for _, s := range w.servers {
		if s != nil {
			s.Kill()
		}
	}
	if w.network != nil {
		w.network.Close()
	}
	if w.pg != nil {
		w.pg.Stop()
	}
	w.base.Close()
}

// fill imports three brands.
func (w *world) fill(ctx context.Context) error {
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
		w.brands = append(w.brands, brand{c.Slug, c.ID.String()})
	}
	return w.importing(ctx, file.String())
}

// importing imports a file with the program.
func (w *world) importing(ctx context.Context, file string) error {
	c, err := w.base.Start(w.pg.OwnerURL(), "import", "-")
	if err != nil {
		return err
	}
	_, _ = c.Stdin.Write([]byte(file))
	_ = c.Stdin.Close()
	if _, stderr, err := c.Output(time.Minute); err != nil && ctx.Err() == nil {
		return fmt.Errorf("importing: %w: %s", err, stderr)
	}
	return nil
}

// start starts a server anew.
func (w *world) start(ctx context.Context, n int) error {
	url := w.pg.OwnerURL()
	if n == remote {
		url = w.network.URL()
	}
	s, err := w.base.StartServer(context.WithoutCancel(ctx), url, "CLIENTINTEL_STATEMENT_TIMEOUT=3s")
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.servers[n] = s
	return nil
}

func (w *world) server(n int) *rig.Server {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.servers[n]
}

// connect logs in past everything of ours.
func (w *world) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, w.pg.URL(embedded.Superuser))
	if err == nil {
		postgres.RegisterTypes(conn)
	}
	return conn, err
}

// key issues a key with every scope.
func (w *world) key(ctx context.Context, client string) (string, error) {
	conn, err := w.connect(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	issued, err := apikey.NewRegistry(conn).Issue(ctx, apikey.Request{Client: client, Name: "soak", Scopes: access.All()})
	return issued.Key, err
}
