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

// QueryOf is the query that a generated method would send, to be sent in a batch instead:
// the method's parameters stay typed. call calls one method, which returns an error, or
// none: then the query is empty.
func QueryOf(call func(*db.Queries)) Query {
	var r recorder
	call(db.New(&r))
	return r.recorded
}

var errRecorded = errors.New("the query was recorded, not sent")

// recorder records the query that a generated method would send.
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

// QueriesOn lets the method that QueryOf recorded read these rows as its result.
func QueriesOn(rows pgx.Rows) *db.Queries { return db.New(&rowsDB{rows: rows}) }

type rowsDB struct {
	db.DBTX
	rows pgx.Rows
	row  pgx.Row
}

func (r *rowsDB) Query(context.Context, string, ...any) (pgx.Rows, error) { return r.rows, nil }
func (r *rowsDB) QueryRow(context.Context, string, ...any) pgx.Row        { return r.row }

type recordedRow struct{}

func (recordedRow) Scan(...any) error { return errRecorded }
