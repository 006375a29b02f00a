package postgres_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
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
		check.Equal(t, strings.Count(q.text, "@with_"), len(flags), "flags of", q.name)
		for _, found := range flags {
			flag, column := found[1], found[2]
			for _, value := range []bool{false, true} {
				args := twins.arguments(q)
				args[flag] = value
				rows, err := conn.Query(t.Context(), q.text, args)
				require.NoError(t, err, q.name)
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
