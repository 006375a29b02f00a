package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// maxFunctions is how many functions of ours, generated ones apart, a page of interviews
// may pass between its first byte and its last. The first page of a canonical client has
// the basis of the whole list too.
const maxFunctions, ofBasis = 80, 10

const module = "github.com/clientintel/clientintel/"

// A request's way is short enough to be read in one sitting.
func TestRequestPath_PassesFewFunctions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "requestpath")
	build := exec.CommandContext(t.Context(), "go", "build", "-cover", "-covermode=atomic", "-coverpkg="+module+"internal/...", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	srv, seed := apitest.Start(t)
	for range 30 {
		seed.Interview(t, "acme", nil)
		seed.Interview(t, "globex", nil)
	}
	const page = "/api/client/v1/interviews?limit=10"
	for _, walk := range []struct{ name, client, path string }{
		{"page of a legacy client", "acme", page},
		{"first page of a canonical client", "globex", page},
		{"further page", "globex", page + "&starting_after=" + srv.Get(t, page, srv.KeyFor(t, "globex")).List(t).NextCursor(t)},
		{"campaigns", "globex", "/api/client/v1/campaigns"},
		{"search", "globex", "/api/client/v1/intelligence/search?q=works"},
		{"analytics", "globex", "/api/client/v1/analytics/interviews"},
	} {
		counters := filepath.Join(dir, strings.ReplaceAll(walk.name, " ", "-"))
		require.NoError(t, os.Mkdir(counters, 0o700))
		issued := srv.Issue(t, apikey.Request{Client: walk.client, Name: walk.name, Scopes: auth.All()})
		passed := passedFunctions(t, program, srv.Database.ServerURL, issued.Key, walk.path, counters)
		t.Logf("%s: %d functions\n%s", walk.name, len(passed), strings.Join(passed, "\n"))
		most := maxFunctions
		if strings.Contains(walk.name, "canonical") {
			most += ofBasis
		}
		if strings.Contains(walk.name, "page") && len(passed) > most {
			t.Errorf("a %s passes %d functions, more than %d", walk.name, len(passed), most)
		}
		if len(passed) < 20 {
			t.Errorf("a %s passes %d functions only: is it counted?", walk.name, len(passed))
		}
	}
}

// passedFunctions runs the program and returns the functions that ran once a request or more.
func passedFunctions(t *testing.T, program, databaseURL, key, path, dir string) []string {
	t.Helper()
	run := exec.CommandContext(t.Context(), program, databaseURL, key, path, dir)
	run.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, out)
	}
	profile := filepath.Join(dir, "profile.txt")
	if out, err := exec.CommandContext(t.Context(), "go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+profile).CombinedOutput(); err != nil {
		t.Fatalf("reading the counters: %v\n%s", err, out)
	}
	text, err := os.ReadFile(profile)
	require.NoError(t, err)
	// Blocks that did not run for each request are left out, and with them what runs beside.
	kept := []string{"mode: set"}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if count, _ := strconv.Atoi(fields[len(fields)-1]); count >= requests && !strings.Contains(line, "internal/test/") {
			kept = append(kept, strings.TrimSpace(line))
		}
	}
	require.NoError(t, os.WriteFile(profile, []byte(strings.Join(kept, "\n")+"\n"), 0o600))
	out, err := exec.CommandContext(t.Context(), "go", "tool", "cover", "-func="+profile).CombinedOutput()
	require.NoError(t, err, out)
	var passed []string
	for line := range strings.Lines(string(out)) { // place, function, share that ran
		if fields := strings.Fields(line); fields[2] != "0.0%" && fields[0] != "total:" {
			place, _, _ := strings.Cut(strings.TrimPrefix(fields[0], module), ":")
			passed = append(passed, place+": "+fields[1])
		}
	}
	slices.Sort(passed)
	return passed
}
