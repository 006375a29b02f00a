//go:build linux

package resilience

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/deployment.md moves a client between two databases: its key and its records
// are the same there, its quota goes on, and nothing is left behind.
func TestClientGroups_CommandsOfThePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/deployment.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n### A database for each group of clients\n")
	section, _, _ = strings.Cut(section, "\n### ")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(blocks) != 2 {
		t.Fatalf("the section has %d blocks of commands", len(blocks))
	}
	from := setup(t, nil)
	to, err := base.NewPostgres(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(to.Crash)
	run := func(block string) {
		t.Helper()
		commands := exec.CommandContext(t.Context(), "bash", "-euc", block)
		commands.Dir = t.TempDir()
		// As an operator's environment names one of them.
		commands.Env = append(os.Environ(), "DATABASE_OWNER_URL="+from.OwnerURL(), "FROM="+from.OwnerURL(), "TO="+to.OwnerURL(), "CLIENT=acme",
			"PATH="+filepath.Dir(base.Program)+":"+os.Getenv("PATH"))
		if out, err := commands.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", block, err, out)
		}
	}
	key := from.key(t, "acme")
	old := from.serve(t, from.OwnerURL())
	ask := func(url string) (string, string) {
		t.Helper()
		a := from.caller.Get(t.Context(), url, "/interviews?limit=200", key)
		var list struct{ Data json.RawMessage }
		if err := json.Unmarshal(a.Body, &list); err != nil || a.Status != http.StatusOK {
			t.Fatalf("status %d: %s %v", a.Status, a.Body, a.Err)
		}
		return string(list.Data), a.Header.Get("X-RateLimit-Remaining")
	}
	before, remaining := ask(old.URL)
	run(blocks[0][1])
	moved := from.serve(t, to.OwnerURL())
	after, next := ask(moved.URL)
	if after != before {
		t.Error("the client's interviews are others at the new place")
	}
	if remaining != "600" || next != "599" {
		t.Errorf("the key had %s requests left before the move and %s after it", remaining, next)
	}
	run(blocks[1][1])
	if a := from.caller.Get(t.Context(), old.URL, "/interviews", key); a.Status != http.StatusUnauthorized {
		t.Errorf("the key is answered %d at the old place", a.Status)
	}
	if left := from.number(t, "SELECT count(*) FROM interviews AS i JOIN clients AS c ON c.id = i.client_id WHERE c.slug = 'acme'"); left > 0 {
		t.Errorf("%d interviews are left at the old place", left)
	}
	if !strings.Contains(blocks[0][1], "--with-keys") {
		t.Error("the page does not move keys")
	}
}
