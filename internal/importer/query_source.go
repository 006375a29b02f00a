package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
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

// SourceOf is what a query gives of a kind for a client of the source, whose key there is
// its $1. Kind and client may be left out of its columns.
func (q *Queries) SourceOf(kind, query string, client uuid.UUID, key string) Source {
	return q.source("query "+kind, fmt.Sprintf("jsonb_build_object('client_id', '%s') || to_jsonb(record) || jsonb_build_object('kind', '%s')", client, kind), query, key)
}

func (q *Queries) source(name, line, query string, args ...any) Source {
	return Source{Name: name, Remote: true, Open: func(ctx context.Context) (io.ReadCloser, error) {
		if err := q.begin(ctx); err != nil {
			return nil, err
		}
		text := fmt.Sprintf("SELECT (%s)::text FROM (\n%s\n) AS record", line, bare(query))
		rows, err := q.conn.Query(ctx, text, args...)
		if err != nil {
			return nil, explain(err, text)
		}
		return &queryReader{rows: rows, query: text}, nil
	}}
}

var quoted = regexp.MustCompile(`(?s)".*"`)

// explain words an error of the source: what people said, which it quotes, is left out. A
// mistake is in a line of the query, which begins on the second line of the text.
func explain(err error, text string) error {
	wrong, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	message := wrong.Message
	if strings.HasPrefix(wrong.Code, "22") { // data exceptions
		message = quoted.ReplaceAllString(message, `"…"`)
	}
	if runes := []rune(text); wrong.Position > 0 && int(wrong.Position) <= len(runes) {
		message += fmt.Sprintf(" at line %d of the query", strings.Count(string(runes[:wrong.Position-1]), "\n"))
	}
	return fmt.Errorf("%s (SQLSTATE %s)", message, wrong.Code)
}

// afterEnd is what a file of one statement may hold behind its semicolon.
var afterEnd = regexp.MustCompile(`(?s)(;(\s|--[^\n]*(\n|$)|/\*.*?\*/)*)+$`)

// bare is a query as it stands in another one: without a byte order mark and its end. A
// comment there must not swallow what follows it.
func bare(query string) string {
	return afterEnd.ReplaceAllString(strings.TrimSpace(strings.TrimPrefix(query, "\ufeff")), "")
}

// Clients are those that a query lists with the columns key, id, slug and name. What is
// wrong with one is found when it is synced.
func (q *Queries) Clients(ctx context.Context, query string) ([]SourceClient, error) {
	if err := q.begin(ctx); err != nil {
		return nil, err
	}
	text := fmt.Sprintf(`SELECT coalesce(record.key::text, ''), coalesce(record.id::text, ''), coalesce(record.slug::text, record.key::text, ''), jsonb_build_object(
		'kind', 'client', 'id', record.id, 'slug', record.slug::text, 'name', record.name::text)::text FROM (
%s
) AS record`, bare(query))
	var found []SourceClient
	var c SourceClient
	var id string
	rows, _ := q.conn.Query(ctx, text) // ForEachRow returns its error
	_, err := pgx.ForEachRow(rows, []any{&c.Key, &id, &c.Slug, &c.Line}, func() error {
		var ok bool
		c.Problem = ""
		if c.ID, ok = parseUUID([]byte(id)); !ok {
			c.Problem = "clients: id must be " + uuidType.description
		} else if c.Key == "" {
			c.Problem = "clients: key must not be null"
		}
		found = append(found, c)
		return nil
	})
	return found, explain(err, text)
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
	config.RuntimeParams["application_name"] = "clientintel"
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
	rows  pgx.Rows
	query string
	line  bytes.Buffer // what of it was not read yet
}

func (r *queryReader) Read(p []byte) (int, error) {
	if r.line.Len() == 0 && r.rows.Next() {
		r.line.Write(r.rows.RawValues()[0])
		r.line.WriteByte('\n')
	}
	if err := r.rows.Err(); err != nil {
		return 0, explain(err, r.query)
	}
	return r.line.Read(p)
}

func (r *queryReader) Close() error {
	r.rows.Close()
	return nil
}
