//go:build partners

package connectors_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Every request of the collection passes its own tests, with either kind of
// measurement, and with a quota that is used up when it comes.
func TestBruno(t *testing.T) {
	const quota = 40 // more than the collection's requests
	srv, _ := partnerserver.Start(t, quota, 10*time.Second)
	packages.Install(t)
	program, err := filepath.Abs("node_modules/@usebruno/cli/bin/bru.js")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		client string
		scopes []auth.Scope
	}{
		"canonical, default scopes": {brand, auth.Default()},
		"legacy, all scopes":        {"alderpeak", auth.All()},
		"nothing to show":           {"acme", auth.Default()},
	} {
		t.Run(name, func(t *testing.T) {
			key := srv.KeyFor(t, c.client, c.scopes...)
			// The quota stays used up until the collection is refused, however long its
			// program takes to start. What is sent for it is told apart by its operation.
			refused := func() int {
				return waited(srv) - strings.Count(srv.Logs.String(), `"operation":"mcp","status":429`)
			}
			for range quota {
				srv.Get(t, partnerserver.Base+"/mcp", key).WantStatus(t, 405)
			}
			before := refused()
			var using sync.WaitGroup
			defer using.Wait()
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			using.Go(func() {
				for ctx.Err() == nil && refused() == before {
					srv.Get(t, partnerserver.Base+"/mcp", key)
					time.Sleep(20 * time.Millisecond)
				}
			})
			report := filepath.Join(t.TempDir(), "report.json")
			command := exec.CommandContext(t.Context(), "node", program, "run", "--env", "service", "--env-var", "url="+srv.URL,
				"--env-var", "key="+key, "--env-var", "page=40", "--reporter-json", report)
			command.Dir = offered + "bruno"
			output, err := command.CombinedOutput()
			require.NoError(t, err, output)
			text, err := os.ReadFile(report)
			require.NoError(t, err)
			var runs []struct {
				Summary struct{ PassedTests, FailedTests, PassedRequests, ErrorRequests int }
			}
			if err := json.Unmarshal(text, &runs); err != nil || len(runs) != 1 {
				t.Fatalf("the report has %d runs: %v", len(runs), err)
			}
			if s := runs[0].Summary; s.FailedTests > 0 || s.ErrorRequests > 0 || s.PassedTests < 15 {
				t.Errorf("got %+v\n%s", s, output)
			}
			if refused() == before {
				t.Error("it was never refused for its quota: nothing was shown")
			}
		})
	}
}
