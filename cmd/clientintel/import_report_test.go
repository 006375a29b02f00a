package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// Whatever an import fails of, its report is printed once, and says why; what is no
// import, as its command line is wrong, has none.
func TestImport_EveryFailureIsReported(t *testing.T) {
	t.Parallel()
	env := onDatabase(t)
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

// fullDisk refuses what is written to it.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// A report that cannot be written fails the command, which says what became of the import.
func TestImport_TheReportCannotBeWritten(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	file := filepath.Join(t.TempDir(), "acme.ndjson")
	if err := os.WriteFile(file, []byte(acme), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(name string) (int, string) {
		var errs bytes.Buffer
		code := run(t.Context(), []string{"import", "--json", name}, environOf(map[string]string{"DATABASE_URL": d.OwnerURL}), strings.NewReader(""), fullDisk{}, &errs)
		return code, errs.String()
	}
	if code, told := run("no-such.ndjson"); code != exitFailed || told != "clientintel: no-such.ndjson: no such file or directory\nthe report could not be written: no space left on device\n" {
		t.Errorf("an import that failed: exit code %d and %s", code, told)
	}
	if code, told := run(file); code != exitFailed || !strings.HasSuffix(told, "clientintel: imported, but the report could not be written: no space left on device\n") {
		t.Errorf("an import that succeeded: exit code %d and %s", code, told)
	}
	var clients int
	if d.Query(t, &clients, "SELECT count(*) FROM clients"); clients != 1 {
		t.Errorf("%d clients, want 1", clients)
	}
}
