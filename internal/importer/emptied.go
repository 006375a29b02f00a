package importer

const (
	// rowsEachDelete is after how many rows tables are emptied by one DELETE more before
	// the next TRUNCATE, which looks at each check that waits for the end: several of each
	// row that was written. maxDeletes bounds the rows that are left behind by DELETE.
	rowsEachDelete = 200_000
	maxDeletes     = 15
)

// emptied empties the tables that batches are staged in.
type emptied struct {
	rows int64
	// deletes counts those of each table since it was truncated.
	deletes map[string]int64
}

// empty returns what empties the tables after a batch of so many rows.
func (e *emptied) empty(rows int, tables []string) []string {
	if e.deletes == nil {
		e.deletes = map[string]int64{}
	}
	e.rows += int64(rows)
	statements := make([]string, len(tables))
	for i, table := range tables {
		if e.deletes[table] < min(e.rows/rowsEachDelete, maxDeletes) {
			e.deletes[table]++
			statements[i] = "DELETE FROM " + table
		} else {
			e.deletes[table] = 0
			statements[i] = "TRUNCATE " + table
		}
	}
	return statements
}
