//go:build partners

package connectors_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
)

// Sleeping is only noted down, so that an hour is over at once.
const (
	noteSleep = "import sys, time; slept = []; time.sleep = slept.append\n"
	tellSleep = "\nprint('slept', sum(slept), file=sys.stderr)\n"

	dltAsks = noteSleep + `
from clientintel_dlt import Service
print(Service(sys.argv[1], "cik_key").meta("campaigns")[0]["has_more"])` + tellSleep

	airbyteAsks = noteSleep + `
from airbyte_cdk.cli.source_declarative_manifest import run
try:
    run()
except SystemExit as ended:
    assert not ended.code, ended.code` + tellSleep
)

// A refusal that asks for the whole hour is waited for, and the request sent
// again. The window of the other tests is too short to show it.
func TestAnHourIsWaitedFor(t *testing.T) {
	for name, c := range map[string]struct{ requirements, script, folder string }{
		"dlt":     {"dlt/requirements.txt", dltAsks, "dlt"},
		"airbyte": {"airbyte/requirements.txt", airbyteAsks, "airbyte"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if asked.Add(1) == 1 {
					w.Header().Set("Retry-After", "3600")
					w.WriteHeader(http.StatusTooManyRequests)
					fmt.Fprint(w, `{"error": "rate_limited", "code": "rate_limited"}`)
					return
				}
				fmt.Fprint(w, `{"data": [], "meta": {"has_more": false, "next_cursor": null}}`)
			}))
			t.Cleanup(service.Close)
			source, err := filepath.Abs(offered + c.folder)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			config := fmt.Sprintf(`{"url": %q, "key": "cik_key"}`, service.URL)
			catalog := `{"streams": [{"stream": {"name": "campaigns", "json_schema": {}, "supported_sync_modes": ["full_refresh"]},
				"sync_mode": "full_refresh", "destination_sync_mode": "overwrite"}]}`
			for file, text := range map[string]string{"config.json": config, "catalog.json": catalog} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args := []string{"-c", c.script, service.URL}
			if c.folder == "airbyte" {
				args = []string{"-c", c.script, "read", "--config", "config.json", "--catalog", "catalog.json",
					"--manifest-path", filepath.Join(source, "manifest.yaml")}
			}
			command := exec.CommandContext(t.Context(), filepath.Join(partnerserver.Python(t, c.requirements), "python"), args...)
			command.Dir = dir
			command.Env = append(os.Environ(), "HOME="+dir, "DLT_DATA_DIR="+dir, "PYTHONPATH="+source, "PYTHONDONTWRITEBYTECODE=1",
				"RUNTIME__DLTHUB_TELEMETRY=false")
			output, err := command.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			_, told, _ := strings.Cut(string(output), "slept ")
			var slept float64
			if _, err := fmt.Sscan(told, &slept); err != nil || slept < 3600 || slept > 3700 || asked.Load() != 2 {
				t.Errorf("it slept %v seconds and asked %d times: %v\n%s", slept, asked.Load(), err, output)
			}
		})
	}
}
