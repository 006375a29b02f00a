//go:build linux

package resilience

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/sql/migrations"
)

// previousRelease is the program of the commit in sql/released.json, and a cluster
// with its schema; where that names none, it is this program.
func previousRelease(t *testing.T) *cluster.Base {
	t.Helper()
	text, err := os.ReadFile("../../../sql/released.json")
	var released struct{ Commit string }
	require.NoError(t, errors.Join(err, json.Unmarshal(text, &released)))
	if released.Commit == "" {
		return base
	}
	previous, err := base.Of(t.Context(), released.Commit)
	require.NoError(t, err)
	return previous
}

// issueWith issues a key with every scope, with a base's program.
func issueWith(t *testing.T, of *cluster.Base, w *environment) string {
	t.Helper()
	var scopes []string
	for _, scope := range auth.All() {
		scopes = append(scopes, string(scope))
	}
	out, err := of.Run(w.OwnerURL(), "", "keys", "issue", "--client=acme", "--name=test", "--scopes="+strings.Join(scopes, ","), "--json")
	var issued struct{ Key string }
	require.NoError(t, errors.Join(err, json.Unmarshal([]byte(out), &issued)))
	return issued.Key
}

// next is a migration of the release after this one, which expands and no more.
const next = `-- +goose Up
ALTER TABLE campaigns ADD COLUMN next text;
ALTER TABLE interviews ADD COLUMN next text;
-- +goose Down
ALTER TABLE campaigns DROP COLUMN next;
ALTER TABLE interviews DROP COLUMN next;
`

// withNext are this program's migrations and the next one.
func withNext(t *testing.T) fs.FS {
	t.Helper()
	files := fstest.MapFS{fmt.Sprintf("%05d_next.sql", postgres.SchemaVersion()+1): {Data: []byte(next)}}
	names, err := fs.Glob(migrations.Files, "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		text, err := migrations.Files.ReadFile(name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	return files
}

// A pair of servers of the release before is upgraded under load: the schema first,
// then server by server. Then the next release's migration is applied, and all of it
// is taken back. No request fails, and an hour stays 600 requests.
func TestUpgradeOfARunningPair(t *testing.T) {
	t.Parallel()
	previous := previousRelease(t)
	w := setupWith(t, previous, nil)
	var keys []string
	for range 12 {
		keys = append(keys, issueWith(t, previous, w))
	}
	launch := func(of *cluster.Base) *cluster.Server {
		t.Helper()
		return of.Serve(t, w.URL(embedded.Login), "--no-migrate", "CLIENTINTEL_DRAIN_DELAY=5s")
	}
	var pair [2]atomic.Pointer[cluster.Server]
	for i := range pair {
		pair[i].Store(launch(previous))
	}
	l := w.callers(t, keys, func(i int) *cluster.Server { return pair[i%len(pair)].Load() }, 30*time.Millisecond)

	migrate := func(files fs.FS) error {
		_, err := postgres.Migrate(t.Context(), w.OwnerURL(), files, slog.New(slog.DiscardHandler))
		return err
	}
	// A load balancer notices after a while that a server is no longer ready.
	replace := func(of *cluster.Base) error {
		for i := range pair {
			another, old := launch(of), pair[i].Load()
			old.Signal(syscall.SIGTERM)
			time.Sleep(time.Second)
			pair[i].Store(another)
			if _, err := old.Wait(30 * time.Second); err != nil {
				return fmt.Errorf("a server ends with %w", err)
			}
		}
		return nil
	}
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"before", func() error { return nil }},
		{"the servers of the release before, on this release's schema", func() error { return migrate(migrations.Files) }},
		{"servers of both releases", func() error { return replace(base) }},
		{"this release's servers, on the next one's schema", func() error { return migrate(withNext(t)) }},
		{"this release's servers, when the next one's schema is taken back", func() error { return w.migrateDown(t, withNext(t)) }},
		{"servers of both releases, back to the one before", func() error { return replace(previous) }},
	} {
		check.NoError(t, s.do(), s.name)
		time.Sleep(500 * time.Millisecond)
		for i := range pair {
			if unready := pair[i].Load().Unready(t.Context()); unready != nil {
				t.Errorf("%s: %v", s.name, unready)
			}
		}
		for status, n := range l.statuses() {
			if status != 200 && status != 429 {
				t.Errorf("%s: %d requests have status %d", s.name, n, status)
			}
		}
		if t.Failed() {
			break
		}
	}
	statuses := l.end()
	t.Logf("requests by status: %v", statuses)
	if statuses[200] < 200 {
		t.Errorf("only %d requests were served", statuses[200])
	}
	l.wantValidResponses(t)
	if !t.Failed() {
		w.wantExactQuota(t, pair[1].Load(), keys[0], l.answers[keys[0]])
	}
}

// migrateDown takes the last migration back, and gives way to readers as the way up does.
func (w *environment) migrateDown(t *testing.T, files fs.FS) error {
	t.Helper()
	config, err := pgx.ParseConfig(w.OwnerURL())
	if err != nil {
		return err
	}
	config.RuntimeParams["lock_timeout"] = "500ms"
	db := stdlib.OpenDB(*config)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files)
	if err != nil {
		return err
	}
	for end := time.Now().Add(recovery); ; time.Sleep(time.Second) {
		_, err := provider.Down(t.Context())
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}
