// Command explain prints how PostgreSQL runs each of the readers' queries on a
// large client, under the generic plan that prepared statements end up with. It
// loads a generated corpus into an embedded database of its own, or looks at a
// database that is there.
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
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/sql/migrations"
)

func main() {
	interviews := flag.Int("interviews", 1_000_000, "interviews of the large client")
	url := flag.String("database-url", "", "a database that is there, whose largest client is looked at")
	rounds := flag.Int("price", 0, "time each query so many times behind row-level security and past it, instead of printing plans; not with -database-url")
	flag.Parse()
	if err := run(context.Background(), *url, *interviews, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "plans:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url string, interviews, rounds int) error {
	var cluster *embedded.Cluster
	switch {
	case url == "":
		loaded, done, err := load(ctx, interviews)
		if err != nil {
			return err
		}
		defer done()
		cluster, url = loaded, loaded.OwnerURL()
	case rounds > 0:
		return errors.New("-price makes a role that passes row-level security, so it works on a database of its own: leave -database-url out")
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	postgres.RegisterTypes(conn)
	for _, setting := range []string{"plan_cache_mode = force_generic_plan", "jit = off", "TimeZone = UTC"} {
		if _, err := conn.Exec(ctx, "SET "+setting); err != nil {
			return err
		}
	}
	sample, err := takeSample(ctx, conn)
	if err != nil {
		return err
	}
	if rounds > 0 {
		return price(ctx, cluster, sample, rounds)
	}
	// From here on as the server, behind row-level security.
	if _, err := conn.Exec(ctx, "SELECT set_config('clientintel.client_id', $1, false), set_config('role', $2, false)",
		sample.client.String(), postgres.ServerRole); err != nil {
		return err
	}
	scans := 0
	for _, q := range slices.Concat(queries(sample), documentQueries(sample)) {
		plan, err := explain(ctx, conn, q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		fmt.Printf("== %s\n%s\n\n", q.name, strings.Join(plan, "\n"))
		for _, line := range plan {
			// Small tables are read whole, and should be.
			if strings.Contains(line, "Seq Scan on interviews") || strings.Contains(line, "Seq Scan on synthesis_documents") ||
				strings.Contains(line, "Seq Scan on search_documents") {
				fmt.Printf("^^ %s reads a whole table\n\n", q.name)
				scans++
			}
		}
	}
	if scans > 0 {
		return errors.New("some queries read a whole table")
	}
	return nil
}

// load imports a corpus of one large client into a cluster of its own.
func load(ctx context.Context, interviews int) (*embedded.Cluster, func(), error) {
	dir, err := os.MkdirTemp("", "clientintel-plans-")
	if err != nil {
		return nil, nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, nil, err
	}
	cluster, err := embedded.Open(ctx, embedded.Options{
		Dir: filepath.Join(dir, "data"), Log: slog.New(slog.DiscardHandler),
		Settings: map[string]string{"fsync": "off", "shared_buffers": "1GB", "max_wal_size": "4GB"},
	})
	if err != nil {
		return nil, nil, err
	}
	done := func() {
		_ = cluster.Close(ctx)
		_ = os.RemoveAll(dir)
	}
	if err := fill(ctx, cluster.OwnerURL(), interviews); err != nil {
		done()
		return nil, nil, err
	}
	return cluster, done, nil
}

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
	fmt.Fprintf(os.Stderr, "imported in %s\n", summary.Elapsed.Round(time.Millisecond))
	return importer.Vacuum(ctx, conn, summary)
}

// query is one statement with the arguments to run it with, a params struct of
// the generated code or a single value.
type query struct {
	name, sql string
	params    any
}

// explain prepares a query as the server does and runs it under EXPLAIN.
func explain(ctx context.Context, conn *pgx.Conn, q query) ([]string, error) {
	args := arguments(q.params)
	if _, err := conn.Exec(ctx, "PREPARE looked_at AS "+q.sql); err != nil {
		return nil, err
	}
	defer func() { _, _ = conn.Exec(ctx, "DEALLOCATE looked_at") }()
	literals := make([]string, len(args))
	for i, a := range args {
		literals[i] = literal(a)
	}
	rows, err := conn.Query(ctx, fmt.Sprintf("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) EXECUTE looked_at (%s)",
		strings.Join(literals, ", ")), pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// arguments are a params struct's fields: sqlc keeps them in the order of their places.
func arguments(params any) []any {
	v := reflect.ValueOf(params)
	if v.Kind() != reflect.Struct || v.Type() == reflect.TypeFor[time.Time]() {
		return []any{params}
	}
	args := make([]any, v.NumField())
	for i := range args {
		args[i] = v.Field(i).Interface()
	}
	return args
}

func literal(v any) string {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer {
		if r.IsNil() {
			return "NULL"
		}
		return literal(r.Elem().Interface())
	}
	switch v := v.(type) {
	case time.Time:
		if v.Year() <= 0 { // before year 1 is 1 BC
			return fmt.Sprintf("'%04d%s BC'", 1-v.Year(), v.Format("-01-02 15:04:05.999999Z07:00"))
		}
		return "'" + v.Format("2006-01-02 15:04:05.999999Z07:00") + "'"
	case uuid.UUID:
		return "'" + v.String() + "'"
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	case []string:
		return "'{" + strings.Join(v, ",") + "}'"
	default:
		return fmt.Sprint(v)
	}
}
