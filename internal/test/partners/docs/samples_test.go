//go:build partners

package docs_test

import (
	"html"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/require"
)

const clients = "../../../../openapi/clients/"

var (
	sample = regexp.MustCompile(`(?s)id="sample-([a-z-]+)"><code>(.*?)</code></pre>`)
	markup = regexp.MustCompile(`<[^>]*>`)
	// An error's body as the languages print it, and its status.
	refusal = regexp.MustCompile(`(?m)"code":"|\bcode: '|^[45]\d\d `)
)

// Every sample of every operation runs as it is pasted, in each language.
func TestSamples_RunAsPasted(t *testing.T) {
	srv, seed := apitest.Start(t)
	seed.Interview(t, "globex", apitest.Fields{"id": "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"}) // the example's
	key := srv.Issue(t, apikey.Request{Client: "globex", Name: t.Name(), Scopes: auth.All()}).Key
	published := *srv
	published.URL = srv.StartAnother(t, func(s *config.Server) { s.PublicURL = srv.URL })
	dir, root := t.TempDir(), absolute(t, clients)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "node_modules"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(root, "typescript"), filepath.Join(dir, "node_modules/clientintel")))
	// The Go client's module runs both Go programs: its imports are found there.
	programs := map[string]struct {
		file    string
		command []string
	}{
		"curl": {"sample.sh", []string{"sh"}}, "python": {"sample.py", []string{"python3"}}, "javascript": {"sample.mjs", []string{"node"}},
		"go": {"main.go", []string{"go", "-C", filepath.Join(root, "go"), "run"}}, "client-go": {"main.go", []string{"go", "-C", filepath.Join(root, "go"), "run"}},
		"client-python": {"sample.py", []string{"python3"}}, "client-typescript": {"sample.mjs", []string{"node"}},
	}
	ran := map[string]int{}
	for _, operation := range operations(t, srv) {
		page := published.Get(t, "/docs/"+operation, "").WantStatus(t, http.StatusOK).Body
		for _, found := range sample.FindAllSubmatch(page, -1) {
			language, code := string(found[1]), html.UnescapeString(markup.ReplaceAllString(string(found[2]), ""))
			program, known := programs[language]
			if !known {
				t.Fatalf("%s: no program runs %s", operation, language)
			}
			file := filepath.Join(dir, program.file)
			require.NoError(t, os.WriteFile(file, []byte(code), 0o600))
			command := exec.CommandContext(t.Context(), program.command[0], append(program.command[1:], file)...)
			command.Env = append(os.Environ(), "CLIENTINTEL_KEY="+key, "PYTHONPATH="+filepath.Join(root, "python"))
			output, err := command.CombinedOutput()
			if err != nil || refusal.Match(output) {
				t.Errorf("%s in %s: %v\n%s\n%s", operation, language, err, code, output)
			}
			ran[language]++
		}
	}
	for language := range programs {
		if ran[language] < 6 {
			t.Errorf("%d samples in %s", ran[language], language)
		}
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	found, err := filepath.Abs(path)
	require.NoError(t, err)
	return found
}
