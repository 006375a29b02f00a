//go:build contractdiff

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// edit changes the contract as it was released; the text to change must be there.
type edit struct{ from, to string }

var (
	renamedField    = edit{"        churn_risk:\n", "        risk_of_churn:\n"}
	narrowerLimit   = edit{"maximum: 200, default: 50", "maximum: 100, default: 50"}
	otherPageSize   = edit{"maximum: 200, default: 50", "maximum: 200, default: 20"}
	renamedCall     = edit{"operationId: listCampaigns", "operationId: campaigns"}
	requiredFilter  = edit{"        - name: lane\n          in: query\n", "        - name: lane\n          in: query\n          required: true\n"}
	goneParameter   = edit{"        - $ref: '#/components/parameters/CreatedFrom'\n", ""}
	furtherType     = edit{"        best_quote:\n          type: [string, 'null']", "        best_quote:\n          type: [string, 'null', number]"}
	goneRoute       = edit{"  /api/client/v1/campaigns:\n", "  /api/client/v1/goals:\n"}
	furtherField    = edit{"        churn_risk:\n", "        mood:\n          type: [string, 'null']\n          description: The mood.\n        churn_risk:\n"}
	widerLimit      = edit{"maximum: 200, default: 50", "maximum: 500, default: 50"}
	furtherFilter   = edit{"        - name: lane\n", "        - name: mood\n          in: query\n          description: A mood.\n          schema: {type: string}\n        - name: lane\n"}
	otherWords      = edit{"summary: List campaigns", "summary: List all campaigns"}
	majorVersion    = edit{"  version: 1.2.0\n", "  version: 2.0.0\n"}
	minorVersion    = edit{"  version: 1.2.0\n", "  version: 1.3.0\n"}
	previousVersion = edit{"  version: 1.2.0\n", "  version: 1.1.9\n"}
)

// A client of the last release keeps working: run fails on each kind of breaking
// change, and accepts a change that breaks no client.
func TestRun_FailsOnBreakingChangesOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edits []edit
		want  string // in the error; empty: it passes
	}{
		"nothing":                     {nil, ""},
		"a field is renamed":          {[]edit{renamedField}, "breaking changes since v1.2.0"},
		"a limit is narrower":         {[]edit{narrowerLimit}, "breaking changes since v1.2.0"},
		"a default is another":        {[]edit{otherPageSize}, "breaking changes since v1.2.0"},
		"an operation is renamed":     {[]edit{renamedCall}, "breaking changes since v1.2.0"},
		"a filter is required":        {[]edit{requiredFilter}, "breaking changes since v1.2.0"},
		"a filter is gone":            {[]edit{goneParameter}, "breaking changes since v1.2.0"},
		"a field has a further type":  {[]edit{furtherType}, "breaking changes since v1.2.0"},
		"a route is gone":             {[]edit{goneRoute}, "breaking changes since v1.2.0"},
		"a minor version does not do": {[]edit{goneRoute, minorVersion}, "breaking changes since v1.2.0"},
		"a major version does":        {[]edit{renamedField, narrowerLimit, goneRoute, majorVersion}, ""},
		"a field more":                {[]edit{furtherField}, ""},
		"a wider limit":               {[]edit{widerLimit}, ""},
		"a filter more":               {[]edit{furtherFilter}, ""},
		"other words":                 {[]edit{otherWords, minorVersion}, ""},
		"a version that goes back":    {[]edit{previousVersion}, "lower than the last released v1.2.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const base = "../../../openapi/released"
			text, err := os.ReadFile(filepath.Join(base, "1.2.0.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			changed := string(text)
			for _, e := range c.edits {
				if !strings.Contains(changed, e.from) {
					t.Fatalf("the contract has no %q", e.from)
				}
				changed = strings.Replace(changed, e.from, e.to, 1)
			}
			revision := filepath.Join(t.TempDir(), "openapi.yaml")
			if err := os.WriteFile(revision, []byte(changed), 0o644); err != nil {
				t.Fatal(err)
			}
			// The last release is 1.2.0 here, whatever was released since.
			folder := filepath.Join(t.TempDir(), "released")
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			severity, err := os.ReadFile(filepath.Join(base, "severity.txt"))
			if err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string][]byte{"1.2.0.yaml": text, "severity.txt": severity} {
				if err := os.WriteFile(filepath.Join(folder, file), text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			err = run(t.Context(), revision, folder, &out)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q; it said:\n%s", err, c.want, out.String())
			}
		})
	}
}

// A file under another version's name would be compared with in its place.
func TestLastReleased_HoldsNamesToWhatFilesSay(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, _, err := lastReleased(folder); err == nil {
		t.Error("an empty folder has a last release")
	}
	for _, v := range []string{"1.9.0", "1.10.0"} {
		if err := os.WriteFile(filepath.Join(folder, v+".yaml"), []byte("info: {version: "+v+"}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, v, err := lastReleased(folder); err != nil || v != "v1.10.0" {
		t.Errorf("got %s, %v", v, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "2.0.0.yaml"), []byte("info: {version: 1.2.0}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := lastReleased(folder); err == nil || !strings.Contains(err.Error(), "must be 1.2.0.yaml") {
		t.Errorf("a misnamed file: %v", err)
	}
}
