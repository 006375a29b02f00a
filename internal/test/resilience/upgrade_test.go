//go:build linux

package resilience

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/sql/migrations"
)

// balancer sends to the servers that are ready, which it asks every so often, as a
// load balancer does.
type balancer struct {
	mu      sync.Mutex
	servers []*cluster.Server
	ready   []*cluster.Server
	next    int
}

func (b *balancer) add(s *cluster.Server) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.servers = append(b.servers, s)
}

// watch asks every server, until ctx is done.
func (b *balancer) watch(ctx context.Context) {
	for ctx.Err() == nil {
		b.mu.Lock()
		servers := append([]*cluster.Server(nil), b.servers...)
		b.mu.Unlock()
		var ready []*cluster.Server
		for _, s := range servers {
			if ok, _ := s.Ready(ctx); ok {
				ready = append(ready, s)
			}
		}
		b.mu.Lock()
		b.ready = ready
		b.mu.Unlock()
		time.Sleep(200 * time.Millisecond)
	}
}

func (b *balancer) pick() *cluster.Server {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ready) == 0 {
		return nil
	}
	b.next++
	return b.ready[b.next%len(b.ready)]
}

// released is what was released before; empty: nothing was.
type released struct {
	// Commit is the release before this one.
	Commit string
}

func previousProgram(t *testing.T) *cluster.Base {
	t.Helper()
	text, err := os.ReadFile("../../../sql/released.json")
	if err != nil {
		t.Fatal(err)
	}
	var r released
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if r.Commit == "" {
		return base // until there is one, this program stands for it
	}
	previous, err := base.ProgramOf(t.Context(), r.Commit, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return previous
}

// expanded are this program's migrations and one that expands further: what a
// server of this program meets after the next release's migration.
func expanded(t *testing.T) fs.FS {
	t.Helper()
	next := postgres.SchemaVersion() + 1
	files := fstest.MapFS{fmt.Sprintf("%05d_next.sql", next): {Data: []byte("-- +goose Up\nALTER TABLE interviews ADD COLUMN next text;\nALTER TABLE campaigns ADD COLUMN next text;\n")}}
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := migrations.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	return files
}

// A pair of servers of the release before is upgraded under load: the schema first,
// then server by server. No request fails, and an hour stays 600 requests.
func TestUpgradeOfARunningPair(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	previous := previousProgram(t)
	ctx, stop := context.WithCancel(t.Context())
	b := &balancer{}
	launch := func(of *cluster.Base) *cluster.Server {
		t.Helper()
		s, err := of.StartServer(t.Context(), w.URL(embedded.Login), "DATABASE_OWNER_URL="+w.OwnerURL(), "CLIENTINTEL_DRAIN_DELAY=2s")
		if s != nil {
			t.Cleanup(s.Close)
		}
		if err != nil {
			t.Fatal(err)
		}
		b.add(s)
		return s
	}
	old := []*cluster.Server{launch(previous), launch(previous)}
	go b.watch(ctx)
	for end := time.Now().Add(recovery); b.pick() == nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no server is ready")
		}
	}

	keys := w.keys(t, "acme", 12)
	var answered, failed atomic.Int64
	var mu sync.Mutex
	answers := map[string][]cluster.Response{}
	var callers sync.WaitGroup
	for n, key := range keys {
		callers.Go(func() {
			for i := n; ctx.Err() == nil; i++ {
				s := b.pick()
				if s == nil {
					failed.Add(1)
					t.Error("no server is ready")
					return
				}
				a := w.caller.Get(t.Context(), s.URL, paths()[i%len(paths())], key)
				mu.Lock()
				answers[key] = append(answers[key], a)
				mu.Unlock()
				answered.Add(1)
				if a.Status != 200 && a.Status != 429 {
					failed.Add(1)
					t.Errorf("status %d, %v: %s", a.Status, a.Err, a.Body)
				}
				time.Sleep(30 * time.Millisecond)
			}
		})
	}
	time.Sleep(time.Second)
	for _, files := range []fs.FS{migrations.Files, expanded(t)} {
		if _, err := postgres.MigrateFiles(t.Context(), w.OwnerURL(), files, slog.New(slog.DiscardHandler)); err != nil {
			t.Error(err)
		}
		time.Sleep(500 * time.Millisecond) // the old servers serve the new schema
	}
	var last *cluster.Server
	for _, s := range old {
		last = launch(base)
		time.Sleep(500 * time.Millisecond)
		s.Signal(syscall.SIGTERM)
		if _, err := s.Wait(30 * time.Second); err != nil {
			t.Errorf("an old server ends with %v", err)
		}
	}
	time.Sleep(500 * time.Millisecond)
	stop()
	callers.Wait()
	t.Logf("%d requests, %d failed", answered.Load(), failed.Load())
	if answered.Load() < 200 {
		t.Errorf("only %d requests were answered", answered.Load())
	}
	w.wantExactQuota(t, last, keys[0], answers[keys[0]])
}
