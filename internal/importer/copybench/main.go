// Command copybench measures an import of interviews against a bare binary COPY
// of the very same rows into the same table, with the same indexes and every
// trigger and foreign key switched off. The two take turns; medians count. On a
// busy machine, trust the CPU of the server's process more than the clock.
//
//	go run ./internal/importer/copybench -interviews 100000 -rounds 5
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/corpus"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/postgres"
)

func main() {
	interviews := flag.Int("interviews", 100_000, "interviews to import")
	rounds := flag.Int("rounds", 5, "rounds to take the median of")
	admin := flag.String("url", "", "a superuser's database URL; empty: a cluster of its own, for the time being")
	without := flag.String("without", "", "triggers of interviews to switch off for the import too, to see what they cost: a,b")
	flag.Parse()
	if err := run(context.Background(), *interviews, *rounds, *admin, *without); err != nil {
		log.Fatal(err)
	}
}

type bench struct {
	admin   string
	without []string
	file    string // what is imported
	rows    string // what is copied: the same, as the first import stored it
	imports series
	copies  series
	vacuums series
}

// series are a step's measurements, a round each.
type series struct{ wall, server []time.Duration }

// time runs the step, and notes also the CPU of the server's process where that
// runs on this machine.
func (s *series) time(conn *pgx.Conn, step func() error) error {
	cpu, start := processCPU(conn), time.Now()
	if err := step(); err != nil {
		return err
	}
	s.wall, s.server = append(s.wall, time.Since(start)), append(s.server, processCPU(conn)-cpu)
	return nil
}

func (s *series) String() string {
	return fmt.Sprintf("%v (server CPU %v)", median(s.wall).Round(time.Millisecond), median(s.server))
}

func processCPU(conn *pgx.Conn) time.Duration {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", conn.PgConn().PID()))
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

func run(ctx context.Context, interviews, rounds int, admin, without string) error {
	dir, err := os.MkdirTemp("", "copybench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if admin == "" {
		// A server started by root runs as another user.
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
		cluster, err := embedded.Open(ctx, embedded.Options{Dir: filepath.Join(dir, "cluster")})
		if err != nil {
			return err
		}
		defer cluster.Close(ctx)
		admin = cluster.URL(embedded.Superuser, "postgres")
	}
	b := bench{admin: admin, without: strings.FieldsFunc(without, func(r rune) bool { return r == ',' }), file: filepath.Join(dir, "corpus.ndjson"), rows: filepath.Join(dir, "rows")}
	size, err := b.generate(interviews)
	if err != nil {
		return err
	}
	fmt.Printf("%d interviews, %d MB\n", interviews, size>>20)
	for n := range rounds {
		if err := b.inDatabase(ctx, "copybench_import", b.timeImport); err != nil {
			return err
		}
		if err := b.inDatabase(ctx, "copybench_copy", b.timeCopy); err != nil {
			return err
		}
		fmt.Printf("round %d: import %v, copy %v\n", n+1, b.imports.wall[n].Round(time.Millisecond), b.copies.wall[n].Round(time.Millisecond))
	}
	wall := median(b.imports.wall).Seconds()
	fmt.Printf("import    %v, %.0f interviews/s, %.0f MB/s\n", &b.imports, float64(interviews)/wall, float64(size)/1e6/wall)
	fmt.Printf("bare copy %v\n", &b.copies)
	fmt.Printf("ratio     %.2f (server CPU %.2f)\n", wall/median(b.copies.wall).Seconds(), median(b.imports.server).Seconds()/median(b.copies.server).Seconds())
	fmt.Printf("vacuum    %v\n", &b.vacuums)
	return nil
}

func (b *bench) generate(interviews int) (int64, error) {
	out, err := os.Create(b.file)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	sum, err := corpus.Generate(out, corpus.Options{
		Seed:    1,
		Clients: []corpus.ClientOptions{{Slug: "bench", Mode: corpus.ModeCanonical, Interviews: interviews, Campaigns: 40}},
		From:    time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
		To:      time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	})
	return sum.Bytes, err
}

// inDatabase runs fn in a new database that is dropped afterwards.
func (b *bench) inDatabase(ctx context.Context, name string, fn func(context.Context, *pgx.Conn) error) error {
	admin, err := pgx.Connect(ctx, b.admin)
	if err != nil {
		return err
	}
	defer admin.Close(ctx)
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name} {
		if _, err := admin.Exec(ctx, statement); err != nil {
			return err
		}
	}
	defer func() { _, _ = admin.Exec(ctx, "DROP DATABASE "+name) }()
	u, err := url.Parse(b.admin)
	if err != nil {
		return err
	}
	u.Path = "/" + name
	if _, err := postgres.Migrate(ctx, u.String()); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, u.String())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		return err
	}
	return fn(ctx, conn)
}

func (b *bench) timeImport(ctx context.Context, conn *pgx.Conn) error {
	in, err := os.Open(b.file)
	if err != nil {
		return err
	}
	defer in.Close()
	for _, trigger := range b.without {
		if _, err := conn.Exec(ctx, "ALTER TABLE interviews DISABLE TRIGGER "+pgx.Identifier{trigger}.Sanitize()); err != nil {
			return err
		}
	}
	var sum importer.Summary
	if err := b.imports.time(conn, func() (err error) {
		sum, err = importer.Import(ctx, conn, in, importer.Options{})
		return err
	}); err != nil {
		return err
	}
	if err := b.vacuums.time(conn, func() error { return importer.Settle(ctx, conn, sum) }); err != nil {
		return err
	}
	if len(b.imports.wall) > 1 {
		return nil
	}
	columns, err := stored(ctx, conn)
	if err != nil {
		return err
	}
	out, err := os.Create(b.rows)
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = conn.PgConn().CopyTo(ctx, out, "COPY interviews ("+columns+") TO STDOUT (FORMAT binary)")
	return err
}

func (b *bench) timeCopy(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "ALTER TABLE interviews DISABLE TRIGGER ALL"); err != nil {
		return err
	}
	columns, err := stored(ctx, conn)
	if err != nil {
		return err
	}
	in, err := os.Open(b.rows)
	if err != nil {
		return err
	}
	defer in.Close()
	return b.copies.time(conn, func() error {
		_, err := conn.PgConn().CopyFrom(ctx, in, "COPY interviews ("+columns+") FROM STDIN (FORMAT binary)")
		return err
	})
}

// stored are the table's columns but the generated ones.
func stored(ctx context.Context, conn *pgx.Conn) (string, error) {
	rows, err := conn.Query(ctx, `SELECT attname::text
		FROM pg_attribute
		WHERE attrelid = 'interviews'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
		ORDER BY attnum`)
	if err != nil {
		return "", err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return strings.Join(names, ", "), err
}

func median(of []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(of))[len(of)/2]
}
