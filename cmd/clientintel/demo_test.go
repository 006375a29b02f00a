package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
)

// Every line that the demo prints to paste is answered with 200. The keys stay from
// run to run, in a file that its account alone may read, until others are asked for.
func TestDemo_PrintsLinesThatWork(t *testing.T) {
	t.Parallel()
	_, env := onDatabase(t)
	env["CLIENTINTEL_DATA_DIR"] = filepath.Join(t.TempDir(), "demo")
	first, second := runDemo(t, env), runDemo(t, env)
	check.Equal(t, second, first, "the second run's key")
	info, err := os.Stat(filepath.Join(env["CLIENTINTEL_DATA_DIR"], demoKeysFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of keys: %v, %v", info, err)
	}
	if third := runDemo(t, env, "--new-keys"); third == first {
		t.Error("--new-keys shows the old key")
	}
	listed := command(t, env, "", "keys", "list", "--json")
	revoked := regexp.MustCompile(`"revoked_at": ?"`).FindAllString(listed.stdout, -1)
	if want := len(demoKeys()); listed.code != exitDone || len(revoked) != want {
		t.Errorf("exit %d, %d keys are revoked, want %d: %s%s", listed.code, len(revoked), want, listed.stdout, listed.stderr)
	}
}

// Invented interviews stay out of a database with real ones.
func TestDemo_RefusesADatabaseWithOtherClients(t *testing.T) {
	t.Parallel()
	_, env := onDatabase(t)
	done(t, env, acme, "import", "-")
	got := command(t, env, "", "demo", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0")
	if got.code != exitFailed || !strings.Contains(got.stderr, "holds other clients than the demo's") {
		t.Errorf("%+v", got)
	}
}

var (
	curlLine = regexp.MustCompile(`^curl -s -H 'Authorization: Bearer (\S+)' '(\S+)'$`)
	pageLink = regexp.MustCompile(`^  \S.* (http\S+/(?:explore|docs))#key=(\S+)$`)
	hostLine = regexp.MustCompile(`^  (Cursor|Claude Desktop|VS Code) +(?:code --add-mcp ')?(\{.*\})'?$`)
)

// runDemo serves the demo, requests what its lines request and stops it. It
// returns the key in them.
func runDemo(t *testing.T, env map[string]string, args ...string) (key string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	printed, stdout := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"demo", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"}, args...),
			environOf(env), strings.NewReader(""), stdout, &stderr)
		_ = stdout.Close()
	}()
	found := map[string]string{} // the key of each line
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		text := lines.Text()
		if got := hostLine.FindStringSubmatch(text); got != nil {
			var configuration map[string]any
			check.NoError(t, json.Unmarshal([]byte(got[2]), &configuration), text)
			_, after, _ := strings.Cut(got[2], `"Bearer `)
			found[got[1]], _, _ = strings.Cut(after, `"`)
		}
		if got := pageLink.FindStringSubmatch(text); got != nil {
			found[got[1]] = got[2]
		}
		if got := curlLine.FindStringSubmatch(text); got != nil {
			key, found[got[2]] = got[1], got[1]
		}
		if strings.HasPrefix(text, "Serving at ") {
			for url, key := range found {
				if strings.HasPrefix(url, "http") {
					apitest.Fetch(t, http.MethodGet, url, http.Header{"Authorization": {"Bearer " + key}}, nil).WantStatus(t, http.StatusOK)
				}
			}
			stop()
		}
	}
	if code := <-ended; code != exitDone || len(found) != 6 {
		t.Fatalf("exit %d, %d lines to open or paste; stderr: %s", code, len(found), stderr.String())
	}
	for line, its := range found {
		check.Equal(t, its, key, line)
	}
	return key
}
