//go:build contractdiff

package openapi_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/require"
)

// edit changes the contract as it was released; the text to change must be there.
type edit struct{ from, to string }

func version(number string) edit { return edit{"  version: 1.2.0\n", "  version: " + number + "\n"} }

// A client of the last release keeps working: make contract-diff fails on each kind of breaking
// change, and accepts a change that breaks no client.
func TestContractDiff_FailsOnBreakingChangesOnly(t *testing.T) {
	t.Parallel()
	const limit, breaking = "maximum: 200, default: 50", "breaking changes since 1.2.0"
	renamed, gone := edit{"        churn_risk:\n", "        risk_of_churn:\n"}, edit{"  /api/client/v1/campaigns:\n", "  /api/client/v1/goals:\n"}
	const lane = "        - name: lane\n"
	for name, c := range map[string]struct {
		edits []edit
		want  string // in the error; empty: it passes
	}{
		"nothing":                     {nil, ""},
		"a field is renamed":          {[]edit{renamed}, breaking},
		"a limit is narrower":         {[]edit{{limit, "maximum: 100, default: 50"}}, breaking},
		"a default is another":        {[]edit{{limit, "maximum: 200, default: 20"}}, breaking},
		"an operation is renamed":     {[]edit{{"operationId: listCampaigns", "operationId: campaigns"}}, breaking},
		"a filter is required":        {[]edit{{lane + "          in: query\n", lane + "          in: query\n          required: true\n"}}, breaking},
		"a filter is gone":            {[]edit{{"        - $ref: '#/components/parameters/CreatedFrom'\n", ""}}, breaking},
		"a field has a further type":  {[]edit{{"        best_quote:\n          type: [string, 'null']", "        best_quote:\n          type: [string, 'null', number]"}}, breaking},
		"a route is gone":             {[]edit{gone}, breaking},
		"a minor version does not do": {[]edit{gone, version("1.3.0")}, breaking},
		"a major version does":        {[]edit{renamed, gone, version("2.0.0")}, ""},
		"a field more":                {[]edit{{"        churn_risk:\n", "        mood:\n          type: [string, 'null']\n          description: The mood.\n        churn_risk:\n"}}, ""},
		"a wider limit":               {[]edit{{limit, "maximum: 500, default: 50"}}, ""},
		"a filter more":               {[]edit{{lane, "        - name: mood\n          in: query\n          description: A mood.\n          schema: {type: string}\n" + lane}}, ""},
		"other words":                 {[]edit{{"summary: List campaigns", "summary: List all campaigns"}, version("1.3.0")}, ""},
		"a version that goes back":    {[]edit{version("1.1.9")}, "lower than the last released 1.2.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The last release is 1.2.0 here, whatever was released since.
			folder := t.TempDir()
			for _, file := range []string{"1.2.0.yaml", "severity.txt"} {
				text, err := os.ReadFile(filepath.Join("released", file))
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(folder, file), text, 0o600))
			}
			text, err := os.ReadFile("released/1.2.0.yaml")
			require.NoError(t, err)
			changed := string(text)
			for _, e := range c.edits {
				if !strings.Contains(changed, e.from) {
					t.Fatalf("the contract has no %q", e.from)
				}
				changed = strings.Replace(changed, e.from, e.to, 1)
			}
			contract := filepath.Join(t.TempDir(), "openapi.yaml")
			require.NoError(t, os.WriteFile(contract, []byte(changed), 0o600))
			out, err := exec.Command("../.ci/contract-diff", contract, folder).CombinedOutput()
			if (err == nil) != (c.want == "") || !strings.Contains(string(out), c.want) {
				t.Errorf("got %v, want %q; it said:\n%s", err, c.want, out)
			}
		})
	}
}
