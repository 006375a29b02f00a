package verify_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Saved responses are recomputed without a database: the package links no driver
// and nothing that reads tables.
func TestPackage_LinksNoDatabaseDriver(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"../basis", "."} {
		listed, err := exec.CommandContext(t.Context(), "go", "list", "-deps", of).Output()
		if err != nil {
			t.Fatalf("listing what %s links: %v", of, err)
		}
		for dependency := range strings.Lines(string(listed)) {
			for _, database := range []string{"jackc/", "gen/db", "internal/postgres"} {
				if strings.Contains(dependency, database) {
					t.Errorf("%s links %s", of, strings.TrimSpace(dependency))
				}
			}
		}
	}
}
