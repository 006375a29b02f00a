package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	file, err := os.Open(profile)
	require.NoError(t, err)
	defer file.Close()
	lines := map[string][]int{} // that ran for each request, by file
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		name, block, _ := strings.Cut(scanner.Text(), ":")
		var line, column, toLine, toColumn, statements, count int
		if n, _ := fmt.Sscanf(block, "%d.%d,%d.%d %d %d", &line, &column, &toLine, &toColumn, &statements, &count); n == 6 && count >= requests {
			lines[name] = append(lines[name], line)
		}
	}
	var passed []string
	for name, ran := range lines {
		passed = append(passed, functionsAt(t, strings.TrimPrefix(name, module), ran)...)
	}
	slices.Sort(passed)
	return passed
}

// functionsAt names the functions of a file that contain one of the lines.
func functionsAt(t *testing.T, name string, lines []int) []string {
	t.Helper()
	if strings.HasPrefix(name, "internal/test/") {
		return nil
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, filepath.Join("../../..", name), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var functions []string
	for _, declared := range parsed.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok {
			continue
		}
		first, last := files.Position(function.Pos()).Line, files.Position(function.End()).Line
		if slices.ContainsFunc(lines, func(line int) bool { return first <= line && line <= last }) {
			functions = append(functions, name+": "+function.Name.Name)
		}
	}
	return functions
}
