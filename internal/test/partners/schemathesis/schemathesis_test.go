//go:build partners

package schemathesis_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
)

// hunt sends examples, edges and at most 300 random requests an operation,
// then walks along the links between operations. It gives up after a while.
func hunt(t *testing.T, srv *apitest.Server, key string) (report string, passed bool) {
	t.Helper()
	programs := partnerserver.Python(t, "requirements.txt")
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	dir := t.TempDir() // it keeps what it found, to try it again first
	contract := filepath.Join(dir, "openapi.json")
	served := srv.Get(t, partnerserver.Base+"/openapi.json", "").WantStatus(t, http.StatusOK).Body
	require.NoError(t, os.WriteFile(contract, served, 0o644))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	// The document is read from a file because the tool leaves out the operation that it loads it from.
	command := exec.CommandContext(ctx, filepath.Join(programs, "st"), "--config-file", filepath.Join(here, "schemathesis.toml"),
		"run", contract, "--url", srv.URL, "--checks", "all", "--continue-on-failure", "--max-examples", "300")
	command.Dir = dir
	command.Env = append(os.Environ(), "CLIENTINTEL_KEY="+key, "PYTHONPATH="+here, "PYTHONDONTWRITEBYTECODE=1", "NO_COLOR=1")
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err = command.Run()
	if ctx.Err() != nil {
		t.Fatalf("it found no end:\n%s", out.String())
	}
	if !strings.Contains(out.String(), "Selected: 7/7") || !strings.Contains(out.String(), "Tested: 7") {
		t.Fatalf("not all seven operations were tested (%v):\n%s", err, out.String())
	}
	return out.String(), err == nil
}

// Whatever is sent with whichever key, the answer is one that the contract
// promises: right requests are accepted, wrong ones refused, nothing breaks.
func TestServedContract_HoldsForWhateverIsSent(t *testing.T) {
	srv, _ := partnerserver.Start(t, 1_000_000, time.Hour)
	for name, request := range map[string]apikey.Request{
		"all scopes, canonical":  {Client: "brightlarder", Scopes: auth.All()},
		"default scopes, legacy": {Client: "alderpeak", Scopes: auth.Default()},
		"one scope, canonical":   {Client: "brightlarder", Scopes: []auth.Scope{auth.ReadInterviewsMetadata}},
	} {
		t.Run(name, func(t *testing.T) {
			request.Name = name
			report, passed := hunt(t, srv, srv.Issue(t, request).Key)
			if !passed {
				t.Error(report)
			}
			t.Log(report[strings.LastIndex(report, "Test cases:"):])
		})
	}
}
