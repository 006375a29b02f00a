package postgres_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pressly/goose/v3/lock"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/sql/migrations"
)

// withNext is this release's migrations and one more.
func withNext(t *testing.T, sql string) fs.FS {
	t.Helper()
	files := fstest.MapFS{fmt.Sprintf("%05d_next.sql", postgres.SchemaVersion()+1): {Data: []byte("-- +goose Up\n" + sql)}}
	names, err := fs.Glob(migrations.Files, "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		text, err := migrations.Files.ReadFile(name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	return files
}

// A long reader blocks a migration and no later reader. The migration logs which session
// it waits for, and ends when the reader does.
func TestMigrate_ReadersDoNotQueueBehindIt(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	const reads = 3 * time.Second // a dump's, say
	dump := dbtest.Connect(t, database.OwnerURL)
	tx, err := dump.Begin(t.Context())
	require.NoError(t, err)
	dbtest.Exec(t, tx, "SET application_name = 'pg_dump'; SELECT FROM interviews")
	var all sync.WaitGroup
	var migrated time.Time
	var log bytes.Buffer
	began := time.Now()
	readers, stop := context.WithCancel(t.Context())
	all.Go(func() {
		defer stop()
		if _, err := postgres.Migrate(t.Context(), database.OwnerURL,
			withNext(t, "ALTER TABLE interviews ADD COLUMN next text;"), slog.New(slog.NewTextHandler(&log, nil))); err != nil {
			t.Errorf("migrating: %v", err)
		}
		migrated = time.Now()
	})
	for range 8 {
		conn := dbtest.Connect(t, database.OwnerURL)
		all.Go(func() {
			for readers.Err() == nil {
				// As long as a server's own connections wait.
				if _, err := conn.Exec(context.Background(), "SET lock_timeout = '2s'; SELECT FROM interviews"); err != nil {
					t.Errorf("a reader behind the migration: %v", err)
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	time.Sleep(reads)
	require.NoError(t, tx.Rollback(t.Context()))
	all.Wait()
	if took := migrated.Sub(began); took < reads || took > reads+10*time.Second {
		t.Errorf("the migration took %s", took)
	}
	if !strings.Contains(log.String(), "a migration waits for a lock") || !strings.Contains(log.String(), "(pg_dump, idle in transaction, in a transaction since ") {
		t.Errorf("the log: %s", log.String())
	}
}

// Nothing is made before the lock is had, the table of versions neither: two that make
// it at once leave another schema than one.
func TestMigrate_MakesNothingBeforeItHasTheLock(t *testing.T) {
	t.Parallel()
	database := dbtest.NewEmpty(t)
	other := dbtest.Connect(t, database.OwnerURL)
	dbtest.Exec(t, other, "SELECT pg_advisory_lock($1)", lock.DefaultLockID)
	migrated := make(chan error, 1)
	go func() {
		_, err := postgres.Migrate(t.Context(), database.OwnerURL, migrations.Files, slog.New(slog.DiscardHandler))
		migrated <- err
	}()
	for waits := false; !waits; {
		time.Sleep(10 * time.Millisecond)
		database.Query(t, &waits, `SELECT EXISTS (SELECT FROM pg_stat_activity AS a WHERE a.datname = current_database()
			AND a.application_name = 'clientintel migrate' AND a.query LIKE '%pg_try_advisory_lock%' AND a.query NOT LIKE '%pg_stat_activity%')`)
	}
	made := dbtest.Value[bool](t, database, "SELECT to_regclass('public.goose_db_version') IS NOT NULL")
	if made {
		t.Error("a table was made while another process held the lock")
	}
	dbtest.Exec(t, other, "SELECT pg_advisory_unlock($1)", lock.DefaultLockID)
	check.NoError(t, <-migrated)
}

// A migration and a reader that hold what the other waits for: the reader is served,
// and the migration tries again.
func TestMigrate_IsCancelledInADeadlockWithAReader(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	reader := dbtest.Connect(t, database.OwnerURL)
	tx, err := reader.Begin(t.Context())
	require.NoError(t, err)
	dbtest.Exec(t, tx, "SELECT FROM interviews")
	migrated := make(chan error, 1)
	go func() {
		_, err := postgres.Migrate(t.Context(), database.OwnerURL,
			withNext(t, "ALTER TABLE campaigns ADD COLUMN next text; SELECT pg_sleep(0.3); ALTER TABLE interviews ADD COLUMN next text;"),
			slog.New(slog.DiscardHandler))
		migrated <- err
	}()
	// The reader begins to wait first: its own search for a deadlock comes first too.
	for taken := false; !taken; time.Sleep(5 * time.Millisecond) {
		database.Query(t, &taken, "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'campaigns'::regclass AND mode = 'AccessExclusiveLock' AND granted)")
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM campaigns"); err != nil {
		t.Errorf("the reader: %v", err)
	}
	check.NoError(t, tx.Rollback(t.Context()))
	if err := <-migrated; err != nil {
		t.Errorf("migrating: %v", err)
	}
}

// A released migration is never edited: databases have it. sql/released.json lists
// the hashes of those that were released, and the release's commit.
func TestMigrations_ReleasedOnesAreNotEdited(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../sql/released.json")
	require.NoError(t, err)
	var released struct {
		Commit     string
		Migrations map[string]string
	}
	require.NoError(t, json.Unmarshal(text, &released))
	if (released.Commit == "") != (len(released.Migrations) == 0) {
		t.Error("name both the commit and the migrations, or neither")
	}
	for name, want := range released.Migrations {
		migration, err := migrations.Files.ReadFile(name)
		if err != nil {
			t.Errorf("%s was released and is gone: %v", name, err)
			continue
		}
		check.Equal(t, fmt.Sprintf("%x", sha256.Sum256(migration)), want, name)
	}
}
