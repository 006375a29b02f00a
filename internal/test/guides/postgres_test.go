package guides_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// alsoInPostgreSQL holds the guide to its word that the tables and queries it
// shows work there too: the same rows in the same tables answer the same. The
// loader's own statements need a driver that Python does not come with; they are
// not run here.
func alsoInPostgreSQL(t *testing.T, w *sandbox, blocks []block) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dbtest.NewEmpty(t).OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var dump map[string]json.RawMessage
	if err := json.Unmarshal([]byte(w.runPython(t, dumpScript)), &dump); err != nil {
		t.Fatal(err)
	}
	queries := 0
	for i, b := range blocks {
		switch {
		case b.tag != "sql":
		case b.file() == "schema.sql":
			mustExec(t, conn, b.text)
			for table, rows := range dump {
				mustExec(t, conn, "INSERT INTO "+table+" SELECT * FROM json_populate_recordset(NULL::"+table+", $1::json)", string(rows))
			}
		default:
			queries++
			if got := psql(t, conn, b); !shows(blocks[i+1].text, got) {
				t.Errorf("%s: in PostgreSQL it prints\n%s\nand the guide shows\n%s", b, got, blocks[i+1].text)
			}
		}
	}
	if queries < 2 {
		t.Errorf("found only %d queries", queries)
	}
}

func mustExec(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("executing %q: %v", sql, err)
	}
}

// psql prints a query's rows as the sandbox's script does.
func psql(t *testing.T, conn *pgx.Conn, b block) string {
	t.Helper()
	results, err := conn.PgConn().Exec(t.Context(), b.text).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	var lines []string
	for _, result := range results {
		var names []string
		for _, field := range result.FieldDescriptions {
			names = append(names, field.Name)
		}
		lines = append(lines, strings.Join(names, " | "))
		for _, row := range result.Rows {
			var cells []string
			for _, cell := range row {
				cells = append(cells, string(cell))
			}
			lines = append(lines, strings.Join(cells, " | "))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
