package main

import (
	"strings"
	"testing"
)

func TestAnnounced_WantsTheTagAsTheNewestHeading(t *testing.T) {
	t.Parallel()
	const unreleased, released = "# Changelog\n\nWords.\n\n## Unreleased\n\n### Added\n\n## 1.2.3, 2026-12-01\n", "# Changelog\n\n## 1.2.3, 2026-12-01\n\n### Added\n"
	for name, c := range map[string]struct{ changelog, tag, want string }{
		"a tag":                       {released, "v1.2.3", "1.2.3"},
		"only the number in heading":  {"## 1.2.4\n", "v1.2.4", "1.2.4"},
		"a tag nobody announced":      {unreleased, "v1.2.3", ""},
		"another one was announced":   {released, "v1.2.4", ""},
		"a changelog without heading": {"# Changelog\n", "v1.2.4", ""},
	} {
		got, err := announced(c.tag, c.changelog)
		if got != c.want || (err == nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), "CHANGELOG.md") {
			t.Errorf("%s: version %q (%v), want %q", name, got, err, c.want)
		}
	}
}
