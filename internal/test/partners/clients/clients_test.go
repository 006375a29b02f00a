//go:build partners && clientintel_testing

package clients_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
)

const published = "../../../../openapi/clients/"

// run runs a program and returns what it printed on its standard output.
func run(t *testing.T, folder string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = folder, append(os.Environ(), env...)
	var said strings.Builder
	command.Stderr = &said
	output, err := command.Output()
	require.NoError(t, err, name, strings.Join(args, " "), output, said.String())
	return string(output)
}

// walk is what a client prints of one brand: rows of each list, by the path.
type walk map[string][]map[string]any

// paths are the lists, and what a client calls them.
var paths = map[string]string{
	"interviews": "/interviews?", "campaigns": "/campaigns?", "synthesis": "/synthesis?", "portal": "/synthesis?surface=portal&",
}

// served reads the same lists without any client.
func served(t *testing.T, srv *apitest.Server, key string) walk {
	t.Helper()
	rows := walk{}
	for name, path := range paths {
		for cursor := ""; ; {
			var page struct {
				Data []map[string]any
				Meta struct {
					HasMore    bool   `json:"has_more"`
					NextCursor string `json:"next_cursor"`
				}
			}
			srv.Get(t, partnerserver.Base+path+"limit=200"+cursor, key).WantStatus(t, http.StatusOK).Decode(t, &page)
			rows[name] = append(rows[name], page.Data...)
			if !page.Meta.HasMore {
				break
			}
			cursor = "&starting_after=" + page.Meta.NextCursor
		}
		if len(rows[name]) == 0 {
			t.Fatalf("there are no %s", name)
		}
	}
	return rows
}

// readsTheSame compares what a client printed with what the service serves.
func readsTheSame(t *testing.T, printed string, want walk) {
	t.Helper()
	var got walk
	require.NoError(t, json.Unmarshal([]byte(printed), &got), printed)
	for name := range paths {
		if len(got[name]) != len(want[name]) {
			t.Errorf("%s: %d rows, want %d", name, len(got[name]), len(want[name]))
			continue
		}
		for i, row := range want[name] {
			forgetTheMoment(row)
			forgetTheMoment(got[name][i])
			check.DeepEqual(t, got[name][i], row, name, i)
		}
	}
}

// forgetTheMoment drops what differs from one answer to the next.
func forgetTheMoment(row map[string]any) {
	if integrity, ok := row["measurement_integrity"].(map[string]any); ok {
		if freshness, ok := integrity["freshness"].(map[string]any); ok {
			delete(freshness, "live_as_of")
		}
	}
}

// refusals is a stand-in that answers every error that the service has, by the
// path that a client asks for.
func refusals(t *testing.T) string {
	t.Helper()
	stub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "seen-by-the-log")
		switch id := filepath.Base(r.URL.Path); id {
		case "500":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte(`{"error": "internal error", "code": "internal_error"}`))
		case "spent":
			w.Header().Set("X-RateLimit-Remaining", "1")
			w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10))
			_, _ = w.Write([]byte("{}"))
		case "busy":
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		case "proxy":
			_, _ = w.Write([]byte("<html>Sign in to the network</html>"))
		case "redirect":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case "503":
			w.Header().Set("Retry-After", "3601")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"error": "measurement_unavailable", "code": "measurement_unavailable"}`))
		default:
			t.Errorf("the key was taken to %s", r.URL.Path)
		}
	}))
	t.Cleanup(stub.Close)
	return stub.URL
}

// brandKeys are keys of the canonical and the legacy brand, with every scope.
func brandKeys(t *testing.T, srv *apitest.Server) map[string]string {
	t.Helper()
	return map[string]string{
		"canonical": srv.KeyFor(t, "brightlarder", auth.All()...), "legacy": srv.KeyFor(t, "alderpeak", auth.All()...),
	}
}

// start runs a server whose quota is small enough to be used up by a walk.
func start(t *testing.T) (*apitest.Server, []string) {
	t.Helper()
	srv, _ := partnerserver.Start(t, 30, 4*time.Second)
	return srv, []string{
		"CLIENTINTEL_URL=" + srv.URL, "CLIENTINTEL_KEY=" + srv.KeyFor(t, "brightlarder", auth.All()...), "URL=" + srv.URL,
		"NARROW=" + srv.KeyFor(t, "brightlarder", auth.ReadCampaigns), "STUB=" + refusals(t),
	}
}

// block is a fenced block of a README.
type block struct{ tag, text string }

func blocksOf(t *testing.T, path string) []block {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var blocks []block
	for i, part := range strings.Split(string(text), "```") {
		if i%2 == 1 {
			tag, body, _ := strings.Cut(part, "\n")
			blocks = append(blocks, block{tag, date.ReplaceAllStringFunc(body, movedWithTheDemo)})
		}
	}
	return blocks
}

var date = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)

// movedWithTheDemo moves a page's date as demodata.Demo moves those of its records: the
// pages are right on the day for which the demo was generated.
func movedWithTheDemo(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return at.AddDate(0, 0, demodata.DaysMoved(time.Now())).Format(time.DateOnly)
}
