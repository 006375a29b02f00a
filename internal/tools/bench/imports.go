package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/sql/migrations"
)

// imports is goal 12: a file's import against a bare binary COPY of the very
// same rows into the same table with the same indexes, every trigger and
// foreign key switched off. Each run has a database of its own.
type imports struct {
	s          *session
	interviews int
	file       string // what is imported
	rows       string // what is copied: the same, as an import stored it
}

func (s *session) measureImport(ctx context.Context) error {
	m := &imports{
		s: s, interviews: s.scale.imported,
		file: filepath.Join(s.dir, "import.ndjson"), rows: filepath.Join(s.dir, "rows"),
	}
	if err := m.generate(); err != nil {
		return err
	}
	all, err := s.compare(ctx, fmt.Sprintf("import of %d interviews", m.interviews),
		m.workload("import, usable rule and totals", m.importWithoutSearch),
		m.workload("import, with search documents", m.importAll),
		m.workload("bare COPY", m.copy))
	if err != nil {
		return err
	}
	s.report.set("12", all[0].ratioTo(all[2], meanSeconds), all[0], all[2])
	s.report.set("12_with_search", all[1].ratioTo(all[2], meanSeconds), all[1])
	return nil
}

func (m *imports) generate() error {
	out, err := os.Create(m.file)
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = corpus.Generate(out, corpus.Options{
		Seed: 2, From: spanFrom, To: spanTo,
		Clients: []corpus.ClientOptions{{Slug: "imported", Mode: corpus.ModeCanonical, Interviews: m.interviews, Campaigns: 40}},
	})
	return err
}

// workload is one import a round, whatever the duration. Its figures are a row's share.
func (m *imports) workload(name string, step func(context.Context, *pgx.Conn) (time.Duration, error)) workload {
	return workload{name, func(ctx context.Context, _ time.Duration) (sample, error) {
		var took sample
		err := m.inDatabase(ctx, func(conn *pgx.Conn) error {
			cpu := cpuOf(int(conn.PgConn().PID()))
			wal, err := walPosition(ctx, m.s.admin)
			if err != nil {
				return err
			}
			elapsed, err := step(ctx, conn)
			if err != nil {
				return err
			}
			after, err := walPosition(ctx, m.s.admin)
			n := time.Duration(m.interviews)
			took = sample{
				requests: m.interviews, rate: float64(m.interviews) / elapsed.Seconds(), mean: elapsed / n,
				database: (cpuOf(int(conn.PgConn().PID())) - cpu) / n, wal: (after - wal) / float64(m.interviews),
			}
			return err
		})
		return took, err
	}}
}

// inDatabase runs fn in a new database that is dropped afterwards.
func (m *imports) inDatabase(ctx context.Context, fn func(*pgx.Conn) error) error {
	const name = "bench_import"
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name} {
		if _, err := m.s.admin.Exec(ctx, statement); err != nil {
			return err
		}
	}
	defer func() { _, _ = m.s.admin.Exec(context.WithoutCancel(ctx), "DROP DATABASE "+name) }()
	u, err := url.Parse(m.s.cluster.URL(embedded.Superuser, name))
	if err != nil {
		return err
	}
	if _, err := postgres.Migrate(ctx, u.String(), migrations.Files, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	conn, err := postgres.ConnectOwner(ctx, u.String())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
		return err
	}
	return fn(conn)
}

func (m *imports) importAll(ctx context.Context, conn *pgx.Conn) (time.Duration, error) {
	in, err := os.Open(m.file)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	began := time.Now()
	if _, err := importer.Import(ctx, conn, importer.Options{}, importer.Stream("the input", in)); err != nil {
		return 0, err
	}
	took := time.Since(began)
	return took, m.check(ctx, conn)
}

func (m *imports) importWithoutSearch(ctx context.Context, conn *pgx.Conn) (time.Duration, error) {
	if _, err := conn.Exec(ctx, "ALTER TABLE interviews DISABLE TRIGGER maintain_search_documents_on_insert"); err != nil {
		return 0, err
	}
	took, err := m.importAll(ctx, conn)
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(m.rows); err == nil {
		return took, nil
	}
	return took, m.store(ctx, conn)
}

// store keeps the rows for COPY, in no order, as the file has them.
func (m *imports) store(ctx context.Context, conn *pgx.Conn) error {
	columns, err := storedColumns(ctx, conn)
	if err != nil {
		return err
	}
	out, err := os.Create(m.rows)
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = conn.PgConn().CopyTo(ctx, out, "COPY (SELECT "+columns+" FROM interviews ORDER BY md5(id::text)) TO STDOUT (FORMAT binary)")
	return err
}

func (m *imports) copy(ctx context.Context, conn *pgx.Conn) (time.Duration, error) {
	if _, err := conn.Exec(ctx, "ALTER TABLE interviews DISABLE TRIGGER ALL"); err != nil {
		return 0, err
	}
	columns, err := storedColumns(ctx, conn)
	if err != nil {
		return 0, err
	}
	in, err := os.Open(m.rows)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	began := time.Now()
	if _, err := conn.PgConn().CopyFrom(ctx, in, "COPY interviews ("+columns+") FROM STDIN (FORMAT binary)"); err != nil {
		return 0, err
	}
	took := time.Since(began)
	return took, m.check(ctx, conn)
}

// check proves that a run was whole.
func (m *imports) check(ctx context.Context, conn *pgx.Conn) error {
	var n int
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM interviews").Scan(&n); err != nil {
		return err
	}
	if n != m.interviews {
		return fmt.Errorf("%d interviews are there of %d", n, m.interviews)
	}
	return nil
}

// storedColumns are the table's columns but the generated ones.
func storedColumns(ctx context.Context, conn *pgx.Conn) (string, error) {
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
