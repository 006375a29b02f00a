package docs_test

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/config"
)

// TestSettingsPage_ListsEverySetting: a setting that the program reads is in the
// page's table.
func TestSettingsPage_ListsEverySetting(t *testing.T) {
	t.Parallel()
	page := readFile(t, "docs/settings.md")
	read := 0
	getenv := func(name string) string {
		if read++; !strings.Contains(page, name) {
			t.Errorf("docs/settings.md does not list %s", name)
		}
		return ""
	}
	if _, err := config.FromEnv(getenv); err != nil {
		t.Fatal(err)
	}
	if read < 15 {
		t.Errorf("only %d settings were read", read)
	}
}
