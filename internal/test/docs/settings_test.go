package docs_test

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/config"
)

// TestSettings_AreInTheTable: the table has a row for every setting, with its flag and
// meaning, and no other row.
func TestSettings_AreInTheTable(t *testing.T) {
	t.Parallel()
	_, table, hasTable := strings.Cut(readFile(t, "docs/deployment.md"), "<!-- settings: begin")
	table, _, _ = strings.Cut(table, "<!-- settings: end -->")
	if !hasTable {
		t.Fatal("docs/deployment.md has no table of settings")
	}
	fields := config.Fields(&config.Settings{})
	for _, f := range fields {
		_, row, hasRow := strings.Cut(table, "\n| `"+f.Variable+"` |")
		row, _, _ = strings.Cut(row, "\n")
		if !hasRow || !strings.Contains(row, f.Flag) || !strings.HasSuffix(row, "| "+f.Meaning+" |") {
			t.Errorf("the table does not describe %s: run 'make generate'", f.Variable)
		}
	}
	if rows := strings.Count(table, "\n| `"); rows != len(fields) {
		t.Errorf("the table has %d settings, the program %d", rows, len(fields))
	}
}
