// Command explain prints how PostgreSQL runs each query that readers call, on a large
// client, under the generic plan that prepared statements end up with and behind row-level
// security. It fails if one reads a whole table. It loads a generated corpus into a
// PostgreSQL of its own, or looks at a database that is there.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/internal/tools/sqlqueries"
	"github.com/clientintel/clientintel/sql/migrations"
)

func main() {
	interviews := flag.Int("interviews", 1_000_000, "interviews of the large client")
	url := flag.String("database-url", "", "a database that is there, whose largest client is looked at")
	flag.Parse()
	if err := run(context.Background(), *url, *interviews); err != nil {
		fmt.Fprintln(os.Stderr, "explain:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url string, interviews int) error {
	if url == "" {
		dir, err := os.MkdirTemp("", "clientintel-explain-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := os.Chmod(dir, 0o755); err != nil { // PostgreSQL, started by root, is another user
			return err
		}
		cluster, err := embedded.Open(ctx, embedded.Options{
			Dir: filepath.Join(dir, "data"), Log: slog.New(slog.DiscardHandler),
			Settings: map[string]string{"fsync": "off", "shared_buffers": "1GB", "max_wal_size": "4GB"},
		})
		if err != nil {
			return err
		}
		defer cluster.Close(ctx)
		url = cluster.OwnerURL()
		if err := fill(ctx, url, interviews); err != nil {
			return err
		}
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	values, err := sampleValues(ctx, conn)
	if err != nil {
		return fmt.Errorf("looking for a client: %w", err)
	}
	for _, statement := range []string{
		"SET plan_cache_mode = force_generic_plan", "SET jit = off", "SET TimeZone = UTC",
		"SET clientintel.client_id = " + values["client_id"], "SET ROLE " + postgres.ServerRole,
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return explainAll(ctx, conn, values)
}

// fill imports a large client and a small one.
func fill(ctx context.Context, url string, interviews int) error {
	if _, err := postgres.Migrate(ctx, url, migrations.Files, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	reader, writer := io.Pipe()
	go func() {
		_, err := corpus.Generate(writer, corpus.Options{
			Seed: 1, From: time.Date(2024, 11, 1, 0, 0, 0, 0, time.UTC), To: time.Now().UTC(),
			Clients: []corpus.ClientOptions{
				{Slug: "large", Mode: corpus.ModeCanonical, Interviews: interviews, Campaigns: 60, Synthesis: interviews / 50, EqualCreatedAt: interviews / 10},
				{Slug: "small", Mode: corpus.ModeLegacy, Interviews: 3000, Campaigns: 20, Synthesis: 200},
			},
		})
		writer.CloseWithError(err)
	}()
	fmt.Fprintf(os.Stderr, "importing %d interviews\n", interviews)
	summary, err := importer.Import(ctx, conn, importer.Options{}, importer.Stream("the input", reader))
	if err != nil {
		return err
	}
	return importer.Vacuum(ctx, conn, summary)
}

func explainAll(ctx context.Context, conn *pgx.Conn, values map[string]string) error {
	queries, err := sqlqueries.Read(".")
	if err != nil {
		return err
	}
	scans := 0
	for _, q := range queries {
		if !reads.MatchString(q.Name) {
			continue
		}
		text, parameters := prepared(q)
		for _, place := range places(parameters, values) {
			plan, err := explain(ctx, conn, text, parameters, place.values)
			if err != nil {
				return fmt.Errorf("%s: %w", q.Name, err)
			}
			fmt.Printf("== %s%s\n%s\n\n", q.Name, place.name, strings.Join(plan, "\n"))
			for _, line := range plan {
				for _, table := range []string{"interviews", "synthesis_documents", "search_documents"} { // small ones should be read whole
					if strings.Contains(line, "Seq Scan on "+table) {
						fmt.Printf("^^ %s reads all of %s\n\n", q.Name, table)
						scans++
					}
				}
			}
		}
	}
	if scans > 0 {
		return errors.New("some queries read a whole table")
	}
	return nil
}

// explain prepares a query as the server does and runs it.
func explain(ctx context.Context, conn *pgx.Conn, text string, parameters []string, values map[string]string) ([]string, error) {
	arguments := make([]string, len(parameters))
	for i, name := range parameters {
		value, known := values[name]
		if !known {
			return nil, fmt.Errorf("@%s has no value: add one to sampleValues", name)
		}
		arguments[i] = value
	}
	if _, err := conn.Exec(ctx, "PREPARE explained AS "+text); err != nil {
		return nil, err
	}
	defer func() { _, _ = conn.Exec(ctx, "DEALLOCATE explained") }()
	rows, err := conn.Query(ctx, "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) EXECUTE explained ("+strings.Join(arguments, ", ")+")",
		pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
