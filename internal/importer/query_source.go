package importer

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Queries are sources on another PostgreSQL: each row of a query is a record, each
// column a field. All queries see one moment. The connection is made for the first
// source.
type Queries struct {
	url  string
	conn *pgx.Conn // nil until a transaction is begun
}

// NewQueries reads from the database of a URL.
func NewQueries(url string) *Queries { return &Queries{url: url} }

// Source is what a query gives.
func (q *Queries) Source(name, query string) Source {
	return q.source(name, "to_jsonb(record)", query)
}

// SourceOf is what a query gives for a client of the source, whose key there is its $1.
// Kind and client may be left out of its columns.
func (q *Queries) SourceOf(name, query, kind string, client uuid.UUID, key string) Source {
	return q.source(name, fmt.Sprintf("jsonb_build_object('kind', '%s', 'client_id', '%s') || to_jsonb(record)", kind, client), query, key)
}

func (q *Queries) source(name, line, query string, args ...any) Source {
	return Source{Name: name, Remote: true, Open: func(ctx context.Context) (io.ReadCloser, error) {
		if err := q.begin(ctx); err != nil {
			return nil, err
		}
		rows, err := q.conn.Query(ctx, fmt.Sprintf("SELECT (%s)::text FROM (\n%s\n) AS record", line, bare(query)), args...)
		if err != nil {
			return nil, err
		}
		return &queryReader{rows: rows}, nil
	}}
}

// afterEnd is what a file of one statement may hold behind its semicolon.
var afterEnd = regexp.MustCompile(`(?s)(;(\s|--[^\n]*(\n|$)|/\*.*?\*/)*)+$`)

// bare is a query as it stands in another one: without a byte order mark and its end. A
// comment there must not swallow what follows it.
func bare(query string) string {
	return afterEnd.ReplaceAllString(strings.TrimSpace(strings.TrimPrefix(query, "\ufeff")), "")
}

// SourceClient is a client as the source lists it.
type SourceClient struct {
	// Key is what the source itself calls it.
	Key  string
	ID   uuid.UUID
	Slug string
	Name string
}

// Clients are those that a query lists with the columns key, id, slug and name.
func (q *Queries) Clients(ctx context.Context, query string) ([]SourceClient, error) {
	if err := q.begin(ctx); err != nil {
		return nil, err
	}
	rows, _ := q.conn.Query(ctx, fmt.Sprintf("SELECT record.key::text, record.id::text::uuid, record.slug::text, record.name::text FROM (\n%s\n) AS record", bare(query))) // CollectRows returns its error
	return pgx.CollectRows(rows, pgx.RowToStructByPos[SourceClient])
}

// begin opens the transaction, or makes the one that is open take queries again: one that
// failed spoils nothing but itself.
func (q *Queries) begin(ctx context.Context) error {
	if q.conn != nil {
		_, err := q.conn.Exec(ctx, "ROLLBACK TO SAVEPOINT begun")
		return err
	}
	config, err := pgx.ParseConfig(q.url)
	if err != nil {
		return fmt.Errorf("cannot connect: %w", err) // without the password
	}
	// The simple protocol takes several statements at once: a query could leave the
	// transaction that only reads.
	config.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("cannot connect: %w", err)
	}
	q.conn = conn
	if _, err := q.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}); err != nil {
		return err
	}
	if _, err := q.conn.Exec(ctx, writtenAsImported); err != nil {
		return err
	}
	_, err = q.conn.Exec(ctx, "SAVEPOINT begun")
	return err
}

// Close ends the connection, if there is one.
func (q *Queries) Close() {
	if q.conn != nil {
		_ = q.conn.Close(context.Background())
	}
}

// queryReader reads a query's rows as lines.
type queryReader struct {
	rows pgx.Rows
	line bytes.Buffer // what of it was not read yet
}

func (r *queryReader) Read(p []byte) (int, error) {
	if r.line.Len() == 0 && r.rows.Next() {
		r.line.Write(r.rows.RawValues()[0])
		r.line.WriteByte('\n')
	}
	if err := r.rows.Err(); err != nil {
		return 0, err
	}
	return r.line.Read(p)
}

func (r *queryReader) Close() error {
	r.rows.Close()
	return nil
}
