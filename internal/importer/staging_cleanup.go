package importer

const (
	// rowsEachDelete: after every further 200,000 imported rows, one more batch empties the
	// staging tables by DELETE before the next TRUNCATE, whose cost grows with the checks
	// deferred to the commit. maxDeletes bounds the dead rows that DELETE leaves.
	rowsEachDelete = 200_000
	maxDeletes     = 15
)

// stagingCleanup empties the tables that batches are staged in.
type stagingCleanup struct {
	rows int64
	// deletes counts those of each table since its last TRUNCATE.
	deletes map[string]int64
}

// statements returns the statements that empty the tables after a batch of rows.
func (c *stagingCleanup) statements(rows int, tables []string) []string {
	if c.deletes == nil {
		c.deletes = map[string]int64{}
	}
	c.rows += int64(rows)
	all := make([]string, len(tables))
	for i, table := range tables {
		if c.deletes[table] < min(c.rows/rowsEachDelete, maxDeletes) {
			c.deletes[table]++
			all[i] = "DELETE FROM " + table
		} else {
			c.deletes[table] = 0
			all[i] = "TRUNCATE " + table
		}
	}
	return all
}
