package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/sql/migrations"
)

// openCluster starts the benchmark's own PostgreSQL. Whatever makes a commit
// durable is on.
func openCluster(ctx context.Context, dir string, s scale) (*embedded.Cluster, error) {
	return embedded.Open(ctx, embedded.Options{
		Dir: dir, Log: slog.New(slog.DiscardHandler),
		Settings: map[string]string{
			"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
			"shared_buffers": s.shared, "max_wal_size": s.wal, "checkpoint_timeout": "30min",
			"max_connections": "200",
		},
	})
}

// loadedMarker holds the scale that a data directory was loaded with.
const loadedMarker = "bench.loaded"

// checkData reports whether the directory is loaded already, and refuses another
// scale's: its figures would be named wrongly.
func checkData(dir string, s scale) (bool, error) {
	text, err := os.ReadFile(filepath.Join(dir, loadedMarker))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if string(text) != s.name {
		return false, fmt.Errorf("%s was loaded at scale %s, not %s: name another directory", dir, text, s.name)
	}
	return true, nil
}

// fill migrates the database and imports the corpus, a client at a time: one
// that is there is there whole, so a call that was ended goes on.
func fill(ctx context.Context, cluster *embedded.Cluster, s scale, dir string, logf func(string, ...any)) error {
	if _, err := postgres.Migrate(ctx, cluster.OwnerURL(), migrations.Files, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	conn, err := postgres.ConnectOwner(ctx, cluster.OwnerURL())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	whole := s.corpus()
	for _, client := range whole.Clients {
		var there bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM clients AS c WHERE c.slug = $1)", client.Slug).Scan(&there); err != nil {
			return err
		}
		if there {
			continue
		}
		part := whole
		part.Clients = []corpus.ClientOptions{client}
		if err := importPart(ctx, conn, part, logf); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, loadedMarker), []byte(s.name), 0o644)
}

// importPart imports one client as an operator would.
func importPart(ctx context.Context, conn *pgx.Conn, part corpus.Options, logf func(string, ...any)) error {
	reader, writer := io.Pipe()
	defer reader.Close()
	go func() {
		_, err := corpus.Generate(writer, part)
		writer.CloseWithError(err)
	}()
	sum, err := importer.Import(ctx, conn, importer.Options{}, importer.Stream("the input", reader))
	if err != nil {
		return err
	}
	logf("imported %s, %d lines, in %s", part.Clients[0].Slug, sum.Lines, sum.Elapsed.Round(time.Millisecond))
	return importer.Vacuum(ctx, conn, sum)
}

// unindexedDocuments is how many the server's own maintenance leaves outside the index of trigrams.
const unindexedDocuments = 5000

// warm prepares a filled database as one that has stood for a day: statistics and
// visibility known, pages in memory, and documents indexed where searches are measured.
func warm(ctx context.Context, conn *pgx.Conn, searches bool, logf func(string, ...any)) error {
	// The importer leaves these statistics to autovacuum, which takes its time.
	if _, err := conn.Exec(ctx, "VACUUM (ANALYZE) search_documents"); err != nil {
		return fmt.Errorf("analyzing search documents: %w", err)
	}
	if !searches {
		// Nor do the servers index any then: at huge scale it takes hours.
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtextextended('clientintel index_search_documents', 0))"); err != nil {
			return fmt.Errorf("keeping the servers from indexing: %w", err)
		}
	}
	all, began := 0, time.Now()
	for searches {
		n, err := search.Index(ctx, conn, search.DefaultLimits().Newest, unindexedDocuments, 20_000)
		if err != nil {
			return fmt.Errorf("indexing search documents: %w", err)
		}
		if n == 0 {
			break
		}
		all += n
		logf("%d search documents indexed in %s", all, time.Since(began).Round(time.Second))
	}
	statements := []string{"CHECKPOINT"}
	if all > 0 {
		statements = []string{"VACUUM (ANALYZE)", "CHECKPOINT"}
	}
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return prewarm(ctx, conn, logf)
}

// prewarm reads tables and indexes into PostgreSQL's memory. Without the
// extension the rounds before those that count have to do.
func prewarm(ctx context.Context, conn *pgx.Conn, logf func(string, ...any)) error {
	if _, err := conn.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_prewarm WITH SCHEMA pg_catalog"); err != nil {
		logf("without pg_prewarm the first rounds read from disk: %v", err)
		return nil
	}
	_, err := conn.Exec(ctx, `SELECT sum(pg_prewarm(c.oid::regclass))
		FROM pg_class AS c
		WHERE c.relnamespace::regnamespace::text IN ('public', 'bench_upper_bound') AND c.relkind IN ('r', 'i', 'm') AND c.relname NOT LIKE 'request_log%'`)
	if err != nil {
		return fmt.Errorf("reading the tables into memory: %w", err)
	}
	return nil
}
