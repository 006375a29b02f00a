package main

import (
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	const unreleased, released = "# Changelog\n\nWords.\n\n## Unreleased\n\n### Added\n\n## 1.2.3, 2026-12-01\n", "# Changelog\n\n## 1.2.3, 2026-12-01\n\n### Added\n"
	const commit = "0123456789abcdef0123456789abcdef01234567\n"
	for name, c := range map[string]struct {
		repository
		want string
	}{
		"a commit":                    {repository{unreleased, commit, nil, false}, "unreleased-0123456789ab"},
		"with changes":                {repository{unreleased, commit, nil, true}, "unreleased-0123456789ab-changed"},
		"a tag":                       {repository{released, commit, []string{"nightly", "v1.2.3"}, false}, "1.2.3"},
		"a tag, with changes":         {repository{released, commit, []string{"v1.2.3"}, true}, "unreleased-0123456789ab-changed"},
		"announced, not tagged":       {repository{released, commit, nil, false}, "unreleased-0123456789ab"},
		"a tag that is no release":    {repository{released, commit, []string{"v1.2"}, false}, "unreleased-0123456789ab"},
		"a tag nobody announced":      {repository{unreleased, commit, []string{"v1.2.3"}, false}, ""},
		"another one was announced":   {repository{released, commit, []string{"v1.2.4"}, false}, ""},
		"a changelog without heading": {repository{"# Changelog\n", commit, []string{"v1.2.4"}, false}, ""},
		"only the number in heading":  {repository{"## 1.2.4\n", commit, []string{"v1.2.4"}, false}, "1.2.4"},
	} {
		got, err := c.version()
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: version %q (%v), want %q", name, got, err, c.want)
		}
		if err != nil && !strings.Contains(err.Error(), "CHANGELOG.md") {
			t.Errorf("%s: %v does not say where", name, err)
		}
	}
}
