package postgres

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// RowDecoder reads the rows of one result into variables, each bound to a column
// by its name. It replaces the generated row types where scanning into those costs
// as much as the rest of a response.
//
// The result must have exactly the columns that are bound, each once and of the
// variable's type, in any order. That is checked once per result, before its first
// row; any difference ends the rows with an error that names the column.
type RowDecoder struct {
	rows    pgx.Rows
	columns []Column
	read    int
	err     error
}

// yieldEvery is the number of rows after which other goroutines may run: otherwise each of
// them waits up to 10 ms for every goroutine that reads a long result.
const yieldEvery = 128

// Column binds a result's column to the variable that receives its values.
type Column struct {
	Name string
	// To points to the variable: a uuid.UUID, which is never null, or a uuid.NullUUID; a
	// time.Time in UTC or Microseconds, both never null, for a timestamptz; []byte for a
	// text and json.RawMessage for a jsonb, both borrowed until the next row and nil for
	// null; or a pgtype.Float8.
	To any

	at   int  // its place in the result
	text bool // the values come as text: through a pooler that prepares no statements
}

// NewRowDecoder reads rows from their first one.
func NewRowDecoder(rows pgx.Rows, columns ...Column) *RowDecoder {
	d := &RowDecoder{rows: rows, columns: columns}
	fields := rows.FieldDescriptions()
	if fields == nil { // the query failed
		rows.Close()
	}
	if rows.Err() == nil {
		d.err = bind(columns, fields)
	}
	return d
}

// Next reads the next row into the variables, and closes the rows after the last one.
func (d *RowDecoder) Next() bool {
	if d.err != nil || !d.rows.Next() {
		return false
	}
	if d.read++; d.read%yieldEvery == 0 {
		runtime.Gosched()
	}
	values := d.rows.RawValues()
	for i := range d.columns {
		c := &d.columns[i]
		if !c.read(values[c.at], d.rows) {
			// Without the value, which may be a client's data.
			d.err = fmt.Errorf("the column %q has a value that is no %s", c.Name, typeName(oidOf(c.To)))
			return false
		}
	}
	return true
}

// Err is the error that ended the rows early, if one did.
func (d *RowDecoder) Err() error {
	if d.err != nil {
		return d.err
	}
	return d.rows.Err()
}

func (c *Column) read(value []byte, rows pgx.Rows) bool {
	if !c.text || value == nil {
		return decode(value, c.To)
	}
	return rows.Conn().TypeMap().Scan(oidOf(c.To), pgx.TextFormatCode, value, c.To) == nil
}

// bind finds each column's place in a result, and reports every difference.
func bind(columns []Column, fields []pgconn.FieldDescription) error {
	var wrong []string
	found := make([]bool, len(columns))
	for at, field := range fields {
		i := at
		if i >= len(columns) || columns[i].Name != field.Name {
			i = slices.IndexFunc(columns, func(c Column) bool { return c.Name == field.Name })
		}
		switch {
		case i < 0:
			wrong = append(wrong, fmt.Sprintf("%q is not expected", field.Name))
		case found[i]:
			wrong = append(wrong, fmt.Sprintf("%q comes twice", field.Name))
		case oidOf(columns[i].To) != field.DataTypeOID:
			wrong = append(wrong, fmt.Sprintf("%q is %s, not %s", field.Name, typeName(field.DataTypeOID), typeName(oidOf(columns[i].To))))
			found[i] = true
		default:
			found[i] = true
			columns[i].at, columns[i].text = at, field.Format == pgx.TextFormatCode
		}
	}
	for i, there := range found {
		if !there {
			wrong = append(wrong, fmt.Sprintf("%q is missing", columns[i].Name))
		}
	}
	if wrong != nil {
		return fmt.Errorf("the columns differ from what is expected: %s", strings.Join(wrong, ", "))
	}
	return nil
}

var types = pgtype.NewMap()

func typeName(oid uint32) string {
	if t, known := types.TypeForOID(oid); known {
		return t.Name
	}
	return fmt.Sprintf("type %d", oid)
}
