package postgres_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/dbtest"
)

var gate = regexp.MustCompile(`CASE WHEN @(with_\w+)::boolean THEN [^\n]+ END\)::jsonb AS (\w+)`)

// What needs a scope is not even read without it: without its flag a column is null, and
// with it the same row has a value.
func TestQueries_GatedColumnsAreReadWithTheirFlagOnly(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	twins := newTwinClients(t, d, "acme", "globex")
	conn := dbtest.Connect(t, d.OwnerURL)
	dbtest.Exec(t, conn, `UPDATE interviews SET transcript = '[]', raw_extraction = '{}'`)
	gated := 0
	for _, q := range readQueries(t) {
		flags := gate.FindAllStringSubmatch(q.text, -1)
		if strings.Count(q.text, "@with_") != len(flags) {
			t.Errorf("%s has a flag that gates no column", q.name)
		}
		for _, found := range flags {
			flag, column := found[1], found[2]
			for _, value := range []bool{false, true} {
				args := twins.arguments(q)
				args[flag] = value
				rows, err := conn.Query(t.Context(), q.text, args)
				if err != nil {
					t.Fatalf("%s: %v", q.name, err)
				}
				all, err := pgx.CollectRows(rows, pgx.RowToMap)
				if err != nil || len(all) == 0 {
					t.Fatalf("%s returns %d rows (%v)", q.name, len(all), err)
				}
				if (all[0][column] != nil) != value {
					t.Errorf("%s with %s = %v: %s is %v", q.name, flag, value, column, all[0][column])
				}
			}
			gated++
		}
	}
	if gated < 10 {
		t.Errorf("only %d gated columns were found", gated)
	}
}
