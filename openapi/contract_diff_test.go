//go:build contractdiff

package openapi_test

import (
	"os"
	"os/exec"
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

// A client of the last release keeps working: make contract-diff fails on each kind of breaking
// change, and accepts a change that breaks no client.
func TestContractDiff_FailsOnBreakingChangesOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edits []edit
		want  string // in the error; empty: it passes
	}{
		"nothing":                     {nil, ""},
		"a field is renamed":          {[]edit{renamedField}, "breaking changes since 1.2.0"},
		"a limit is narrower":         {[]edit{narrowerLimit}, "breaking changes since 1.2.0"},
		"a default is another":        {[]edit{otherPageSize}, "breaking changes since 1.2.0"},
		"an operation is renamed":     {[]edit{renamedCall}, "breaking changes since 1.2.0"},
		"a filter is required":        {[]edit{requiredFilter}, "breaking changes since 1.2.0"},
		"a filter is gone":            {[]edit{goneParameter}, "breaking changes since 1.2.0"},
		"a field has a further type":  {[]edit{furtherType}, "breaking changes since 1.2.0"},
		"a route is gone":             {[]edit{goneRoute}, "breaking changes since 1.2.0"},
		"a minor version does not do": {[]edit{goneRoute, minorVersion}, "breaking changes since 1.2.0"},
		"a major version does":        {[]edit{renamedField, narrowerLimit, goneRoute, majorVersion}, ""},
		"a field more":                {[]edit{furtherField}, ""},
		"a wider limit":               {[]edit{widerLimit}, ""},
		"a filter more":               {[]edit{furtherFilter}, ""},
		"other words":                 {[]edit{otherWords, minorVersion}, ""},
		"a version that goes back":    {[]edit{previousVersion}, "lower than the last released 1.2.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The last release is 1.2.0 here, whatever was released since.
			folder := t.TempDir()
			for _, file := range []string{"1.2.0.yaml", "severity.txt"} {
				text, err := os.ReadFile(filepath.Join("released", file))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(folder, file), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile("released/1.2.0.yaml")
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
			contract := filepath.Join(t.TempDir(), "openapi.yaml")
			if err := os.WriteFile(contract, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command("../.ci/contract-diff", contract, folder).CombinedOutput()
			if (err == nil) != (c.want == "") || !strings.Contains(string(out), c.want) {
				t.Errorf("got %v, want %q; it said:\n%s", err, c.want, out)
			}
		})
	}
}
