package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Whatever an import fails of, its report is printed once, and says why; what is no
// import, as its command line is wrong, has none.
func TestImport_EveryFailureIsReported(t *testing.T) {
	t.Parallel()
	_, env := onDatabase(t)
	down := map[string]string{"DATABASE_URL": "postgres://127.0.0.1:1/none"}
	for name, c := range map[string]struct {
		env      map[string]string
		stdin    string
		args     string
		want     string
		badLines int
	}{
		"a file that is missing":  {env, "", "no-such.ndjson", "no-such.ndjson: no such file", 0},
		"a query that is missing": {env, "", "--from-postgres x --query no-such.sql", "no-such.sql: no such file", 0},
		"the database is down":    {down, acme, "-", "refused", 0},
		"nothing came":            {env, "", "-", "the input is not whole", 0},
		"a bad line":              {env, "x", "-", "line 1: is not valid JSON", 1},
		"no client to replace":    {env, acme, "- --replace-client nobody", `there is no client "nobody"`, 0},
	} {
		got := command(t, c.env, c.stdin, append([]string{"import", "--json"}, strings.Fields(c.args)...)...)
		var report struct {
			Imported *bool
			Error    string
			BadLines []struct{ Line int } `json:"bad_lines"`
		}
		err := json.Unmarshal([]byte(got.stdout), &report)
		if err != nil || got.code != exitFailed || report.Imported == nil || *report.Imported || !strings.Contains(report.Error, c.want) ||
			len(report.BadLines) != c.badLines || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s: %v in %+v", name, err, got)
		}
	}
	if got := command(t, env, "", "import", "--json"); got.code != exitUsage || got.stdout != "" {
		t.Errorf("a wrong command line: %+v", got)
	}
}
