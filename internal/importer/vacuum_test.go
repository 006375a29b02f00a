package importer

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A first import of one record of each kind leaves statistics by which every index of a
// table is as good as another. A large one after it still reads what it looks up, and
// not all there is for each row.
func TestImport_AfterOneOfFewRowsReadsNoMoreThanItLooksUp(t *testing.T) {
	t.Parallel()
	d := setup(t)
	records := func(from, to int) (lines []string) {
		for n := from; n < to; n++ {
			id := func(kind int) string {
				return fmt.Sprintf("%08x-%04x-4000-8000-000000000000", n*2654435761&0xffffffff, kind)
			}
			lines = append(lines,
				fmt.Sprintf(`{"kind":"campaign","id":%q,"client_id":%q,"slug":"c%d","launch_status":"live","created_at":"2026-03-01T09:30:00Z"}`, id(1), acme, n),
				fmt.Sprintf(`{"kind":"lane","id":%q,"client_id":%q,"slug":"l%d","visible":true}`, id(2), acme, n),
				fmt.Sprintf(`{"kind":"interview","id":%q,"client_id":%q,"conversation_goal_id":%q,"status":"completed","quality":"passed","reportable":true,"client_safe":true,"best_quote":"q","created_at":"2026-03-%02dT09:30:00Z"}`,
					id(3), acme, id(1), n%28+1))
		}
		return lines
	}
	sum := d.mustImport(t, append(records(0, 1), client(""))...)
	if err := Vacuum(t.Context(), d.conn, sum); err != nil {
		t.Fatal(err)
	}
	const rows = 4000
	before := d.indexReads(t)
	d.mustImport(t, records(1, rows)...)
	const each = 50 // the first batch of 500 reads a table that is taken for small
	for table, reads := range d.indexReads(t) {
		if reads -= before[table]; reads > each*rows {
			t.Errorf("%s: %d rows were read by an index for %d that came", table, reads, rows)
		}
	}
}

// indexReads are the rows that were read by each table's indexes.
func (d *database) indexReads(t *testing.T) map[string]int64 {
	t.Helper()
	if _, err := d.conn.Exec(t.Context(), "SELECT pg_stat_force_next_flush()"); err != nil {
		t.Fatal(err)
	}
	reads := map[string]int64{}
	rows, err := d.conn.Query(t.Context(), "SELECT relname, sum(idx_tup_read)::bigint FROM pg_stat_user_indexes GROUP BY relname")
	if err != nil {
		t.Fatal(err)
	}
	var table string
	var n int64
	if _, err = pgx.ForEachRow(rows, []any{&table, &n}, func() error {
		reads[table] = n
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return reads
}
