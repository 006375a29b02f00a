//go:build partners

package console_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/partners/npm"
	"github.com/clientintel/clientintel/internal/test/require"
)

type seen struct {
	Complaints, Foreign, Overflow, Violations, Audit, Marks, Usage []string

	SignedOut, Address, Empty, Skip, Key, Curl, Row, Confirm, Stored, Text, Expired string

	Issued, Rows, Found, Clients int
	Rotated, Revoked             []int
	View                         bool
}

var node = &npm.Folder{Path: "."}

// An administrator issues a key, sees its use, rotates and revokes it. axe finds nothing
// wrong, light or dark, at three widths, with 300 keys. SCREENSHOTS names a folder to keep the pictures in.
func TestPage_InABrowser(t *testing.T) {
	srv, seed := apitest.Start(t)
	console := srv.StartConsole(t, seed, "")
	seed.Exec(t, `INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes, created_by, created_at)
		SELECT lpad(n::text, 12, '0'), gen_random_uuid(), $1, 'key ' || n, sha256('x'), '{read:campaigns,read:transcripts}', 'kim@example.com', now() - n * interval '1 hour'
		FROM generate_series(0, 299) AS n`, seed.Clients["globex"])
	seed.Exec(t, `SELECT add_key_usage(array_agg(k.id), array_agg(now() - d.n * interval '1 day'), array_agg(r.route), array_agg(s.status::smallint), array_agg(s.requests * (3 + d.n % 7) / 3))
		FROM api_keys AS k, generate_series(0, 40) AS d (n), (VALUES ('listInterviews'), ('listSynthesis'), ('mcp')) AS r (route),
			(VALUES (200, 20::bigint), (400, 2), (429, 1)) AS s (status, requests)
		WHERE k.client_id = $1 AND k.name IN ('key 29', 'key 290')`, seed.Clients["globex"])
	expired := console.Claims("acme")
	expired["exp"] = 1
	pictures := os.Getenv("SCREENSHOTS")
	if pictures == "" {
		pictures = t.TempDir()
	}
	stdout, stderr, exit := node.Run(t, "browse.mjs", console.URL, srv.URL, pictures, console.As(t, "acme"), console.As(t, "globex"),
		console.As(t, ""), apitest.Sign(t, jose.HS256, []byte(apitest.ConsoleSecret), expired))
	if exit != 0 {
		t.Fatalf("exit %d:\n%s", exit, stderr)
	}
	var got seen
	require.NoError(t, json.Unmarshal([]byte(stdout), &got), stdout)
	for what, found := range map[string][]string{
		"the browser complains": got.Complaints, "another origin was asked": got.Foreign, "wider than the window": got.Overflow, "axe finds": got.Violations,
	} {
		if len(found) > 0 {
			t.Errorf("%s: %v", what, found)
		}
	}
	const name = "<img src=x onerror=alert(1)>"
	prefix := got.Key[4:16]
	for what, ok := range map[string]bool{
		"signed out":         strings.Contains(got.SignedOut, "from your portal"),
		"the token left":     got.Address == console.URL+"/",
		"no keys":            strings.Contains(got.Empty, "No key yet"),
		"skip link":          got.Skip == "Skip to the content",
		"the key works":      got.Issued == 200,
		"the curl line":      got.Curl == "curl -s -H 'Authorization: Bearer "+got.Key+"' '"+srv.URL+"/api/client/v1/interviews?limit=2'",
		"the name is a text": got.Row == name,
		"both work after":    slices.Equal(got.Rotated, []int{200, 200}),
		"the confirmation":   strings.Contains(got.Confirm, name) && strings.Contains(got.Confirm, prefix) && strings.Contains(got.Confirm, "2 requests"),
		"revoked at once":    slices.Equal(got.Revoked, []int{401, 200}),
		"audit":              len(got.Audit) == 3 && got.Audit[0] == "revoke|"+prefix+"|dana@example.com|127.0.0.1|It leaked",
		"no secret is kept":  !strings.Contains(got.Stored+got.Text, got.Key[17:]) && !strings.Contains(got.Stored, "eyJ"),
		"300 keys":           got.Rows == 300 && got.Found == 11,
		"429 is marked":      slices.Equal(got.Marks, []string{"158 refused (429)", "158 refused (429)"}) || len(got.Marks) == 2 && strings.HasSuffix(got.Marks[0], "refused (429)"),
		"usage as a table":   len(got.Usage) == 31 && got.Usage[0] == "Day|200 answered|400 wrong request|429 over the limit",
		"every client":       got.Clients == 2,
		"an expired token":   strings.Contains(got.Expired, "session has ended") && !got.View,
	} {
		if !ok {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

// What docs/portal.md shows does what it says, in both languages.
func TestPortalPage_ItsExamplesRun(t *testing.T) {
	srv, seed := apitest.Start(t)
	console := srv.StartConsole(t, seed, "")
	page, err := os.ReadFile("../../../../docs/portal.md")
	require.NoError(t, err)
	programs := map[string]string{"python": "python3", "js": node.Node(t)}
	for _, block := range regexp.MustCompile("(?s)```(python|js)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		file := filepath.Join(t.TempDir(), map[string]string{"python": "example.py", "js": "example.mjs"}[block[1]])
		require.NoError(t, os.WriteFile(file, []byte(block[2]), 0o600))
		command := exec.CommandContext(t.Context(), programs[block[1]], file)
		command.Env = append(os.Environ(), "CONSOLE_URL="+console.URL, "CLIENT_ID="+seed.Clients["acme"].String(), "CLIENTINTEL_CONSOLE_SECRET="+apitest.ConsoleSecret)
		output, err := command.CombinedOutput()
		key := regexp.MustCompile(`hand over (cik_\w+)`).FindSubmatch(output)
		if err != nil || key == nil {
			t.Fatalf("%s: %v: %s", block[1], err, output)
		}
		delete(programs, block[1])
		want := map[string]int{"python": 403, "js": 200}[block[1]] // the first may read synthesis alone
		srv.Get(t, "/api/client/v1/campaigns", string(key[1])).WantStatus(t, want)
	}
	if len(programs) > 0 {
		t.Errorf("no example in %v", slices.Collect(maps.Keys(programs)))
	}
}
