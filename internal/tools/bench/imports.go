//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/sql/migrations"
)

// measureImport compares the import of a file with a bare binary COPY of the rows that it
// stores, in no order, as the file has them: the same table and indexes, every trigger and
// foreign key switched off. Each run has a database of its own.
func (s *session) measureImport(ctx context.Context) error {
	var file, rows bytes.Buffer
	if _, err := corpus.Generate(&file, corpus.Options{Seed: 2, From: spanFrom, To: spanTo, Clients: []corpus.ClientOptions{
		{Slug: "imported", Mode: corpus.ModeCanonical, Interviews: s.scale.imported, Campaigns: 40},
	}}); err != nil {
		return err
	}
	imported := func(ctx context.Context, conn *pgx.Conn, columns string) (time.Duration, error) {
		began := time.Now()
		_, err := importer.Import(ctx, conn, importer.Options{}, importer.Stream("the input", bytes.NewReader(file.Bytes())))
		took := time.Since(began)
		if err != nil {
			return 0, err
		}
		rows.Reset()
		_, err = conn.PgConn().CopyTo(ctx, &rows, "COPY (SELECT "+columns+" FROM interviews ORDER BY md5(id::text)) TO STDOUT (FORMAT binary)")
		return took, err
	}
	copied := func(ctx context.Context, conn *pgx.Conn, columns string) (time.Duration, error) {
		if _, err := conn.Exec(ctx, "ALTER TABLE interviews DISABLE TRIGGER ALL"); err != nil {
			return 0, err
		}
		began := time.Now()
		_, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader(rows.Bytes()), "COPY interviews ("+columns+") FROM STDIN (FORMAT binary)")
		return time.Since(began), err
	}
	all, err := s.compare(ctx, s.importWorkload("import", imported), s.importWorkload("bare COPY", copied))
	if err != nil {
		return err
	}
	s.report(fmt.Sprintf("import of %d interviews, time ÷ bare COPY", s.scale.imported), all[0].dividedBy(all[1], meanSeconds), "", goal{atMost: 1.8}, all...)
	return nil
}

// importWorkload is one import a round, whatever the duration. Its figures are a row's share.
func (s *session) importWorkload(name string, step func(context.Context, *pgx.Conn, string) (time.Duration, error)) workload {
	return workload{name, func(ctx context.Context, _ time.Duration) (sample, error) {
		const database = "bench_import"
		for _, statement := range []string{"DROP DATABASE IF EXISTS " + database, "CREATE DATABASE " + database} {
			if _, err := s.now.admin.Exec(ctx, statement); err != nil {
				return sample{}, err
			}
		}
		url := s.pg.URLOf(embedded.Superuser, database)
		if _, err := postgres.Migrate(ctx, url, migrations.Files, slog.New(slog.DiscardHandler)); err != nil {
			return sample{}, err
		}
		conn, err := postgres.ConnectAs(ctx, url)
		if err != nil {
			return sample{}, err
		}
		defer conn.Close(ctx)
		found, err := conn.Query(ctx, `SELECT attname::text FROM pg_attribute
			WHERE attrelid = 'interviews'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`)
		if err != nil {
			return sample{}, err
		}
		columns, err := pgx.CollectRows(found, pgx.RowTo[string])
		if err != nil {
			return sample{}, err
		}
		took, err := step(ctx, conn, strings.Join(columns, ", "))
		if err != nil {
			return sample{}, err
		}
		var n int
		if err := conn.QueryRow(ctx, "SELECT count(*) FROM interviews").Scan(&n); err != nil {
			return sample{}, err
		}
		if n != s.scale.imported {
			return sample{}, fmt.Errorf("%d interviews are there of %d", n, s.scale.imported)
		}
		return sample{requests: n, rate: float64(n) / took.Seconds(), mean: took / time.Duration(n)}, nil
	}}
}
