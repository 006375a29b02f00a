package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
)

// Query is a query and its arguments, in order.
type Query struct {
	SQL  string
	Args []any
}

// QueryOf is the query that a generated method sends, to be sent in a batch
// instead: the method's parameters stay typed. call calls one method, whose result
// is an error, or calls none: then the query is empty.
func QueryOf(call func(*db.Queries)) Query {
	var r recorder
	call(db.New(&r))
	return r.recorded
}

var errRecorded = errors.New("the query was recorded, not sent")

// recorder keeps the query that it is asked, which returns rows.
type recorder struct {
	db.DBTX
	recorded Query
}

func (r *recorder) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	r.recorded = Query{sql, args}
	return nil, errRecorded
}

func (r *recorder) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	r.recorded = Query{sql, args}
	return recordedRow{}
}

// QueriesOn lets the generated method that QueryOf recorded read the rows that its
// query was answered with.
func QueriesOn(rows pgx.Rows) *db.Queries { return db.New(&answered{rows: rows}) }

type answered struct {
	db.DBTX
	rows pgx.Rows
	row  pgx.Row
}

func (a *answered) Query(context.Context, string, ...any) (pgx.Rows, error) { return a.rows, nil }
func (a *answered) QueryRow(context.Context, string, ...any) pgx.Row        { return a.row }

type recordedRow struct{}

func (recordedRow) Scan(...any) error { return errRecorded }
