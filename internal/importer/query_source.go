package importer

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

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
	return Source{Name: name, Remote: true, Open: func(ctx context.Context) (io.ReadCloser, error) {
		if q.conn == nil {
			if err := q.begin(ctx); err != nil {
				return nil, err
			}
		}
		// A comment at the query's end must not swallow what follows it.
		rows, err := q.conn.Query(ctx, fmt.Sprintf("SELECT to_jsonb(record)::text FROM (\n%s\n) AS record",
			strings.TrimRight(strings.TrimSpace(query), "; \n")))
		if err != nil {
			return nil, err
		}
		return &queryReader{rows: rows}, nil
	}}
}

func (q *Queries) begin(ctx context.Context) error {
	var err error
	if q.conn, err = pgx.Connect(ctx, q.url); err != nil {
		return fmt.Errorf("cannot connect: %w", err) // without the password
	}
	if _, err := q.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}); err != nil {
		return err
	}
	_, err = q.conn.Exec(ctx, writtenAsImported)
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
