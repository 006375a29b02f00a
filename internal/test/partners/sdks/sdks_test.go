//go:build partners && clientintel_testing

package sdks_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// tour is what a client is sent out with, in its environment.
type tour struct {
	contract string   // the served contract, in a file
	env      []string // BASE, LIMITED, KEY, NARROW and SPENT
	want     seen
}

// seen is what each client prints of its tour.
type seen struct {
	Interviews []string `json:"interviews"`
	// Row is the contract version of a row of the collection.
	Row string `json:"row"`
	// Portal is the body's schema discriminator, Integrity what was added to it.
	Portal    string `json:"portal"`
	Integrity string `json:"integrity"`
	// Each refusal by its status and code, the quota's with its Retry-After above 0.
	Unauthorized string `json:"unauthorized"`
	Forbidden    string `json:"forbidden"`
	Invalid      string `json:"invalid"`
	Limited      string `json:"limited"`
	MayRetry     bool   `json:"mayRetry"`
}

func prepare(t *testing.T) tour {
	t.Helper()
	srv, seed := apitest.Start(t)
	var ids []string
	for _, day := range []string{"2026-03-05", "2026-03-04", "2026-03-03", "2026-03-02", "2026-03-01"} {
		ids = append(ids, seed.Interview(t, "globex", apitest.Fields{"created_at": apitest.At(day)}))
	}
	seed.SynthesisDocument(t, "globex", nil)
	seed.PortalDocument(t, "globex", nil)
	t.Setenv("CLIENTINTEL_TESTING_MAX_REQUESTS", "1")
	limited := srv.StartAnother(t)
	issue := func(name string, scopes ...auth.Scope) string {
		return srv.Issue(t, apikey.Request{Client: "globex", Name: name, Scopes: scopes}).Key
	}
	spent := issue("spent", auth.All()...)
	one := *srv
	one.URL = limited
	one.Get(t, "/api/client/v1/interviews", spent).WantStatus(t, http.StatusOK)
	contract := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(contract, srv.Get(t, "/api/client/v1/openapi.json", "").WantStatus(t, http.StatusOK).Body, 0o600); err != nil {
		t.Fatal(err)
	}
	return tour{
		contract: contract,
		env: append(os.Environ(), "BASE="+srv.URL, "LIMITED="+limited, "KEY="+issue("full", auth.All()...),
			"NARROW="+issue("narrow", auth.ReadCampaigns), "SPENT="+spent),
		want: seen{
			Interviews: ids, Row: "home_synthesis.v3", Portal: "portal_home.v2", Integrity: "historical_unverifiable",
			Unauthorized: "401 invalid_api_key", Forbidden: "403 insufficient_scope",
			Invalid: "400 invalid_parameter", Limited: "429 rate_limited", MayRetry: true,
		},
	}
}

// run runs a program in a folder and returns all that it printed.
func (r tour) run(t *testing.T, folder, name string, args ...string) (stdout, everything string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	var out bytes.Buffer
	all := &shared{}
	command.Dir, command.Env = folder, r.env
	command.Stdout, command.Stderr = io.MultiWriter(&out, all), all
	if err := command.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, all.String())
	}
	return out.String(), all.String()
}

// shared takes what a program prints on both its outputs.
type shared struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shared) String() string { return s.text.String() }

// walked holds what a client printed against what it had to see.
func (r tour) walked(t *testing.T, printed string) {
	t.Helper()
	var got seen
	if err := json.Unmarshal([]byte(printed), &got); err != nil {
		t.Fatalf("decoding %s: %v", printed, err)
	}
	if !reflect.DeepEqual(got, r.want) {
		t.Errorf("the client saw %+v, want %+v", got, r.want)
	}
}

// explained fails on a warning that no line of the folder's warnings.txt
// explains, and on an explanation that nothing needs any more. A line there is
// part of a warning, " # ", and the reason.
func explained(t *testing.T, folder, output string) {
	t.Helper()
	file, err := os.Open(filepath.Join(folder, "warnings.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var known, used []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if part, reason, found := strings.Cut(lines.Text(), " # "); found && strings.TrimSpace(reason) != "" {
			known = append(known, part)
		}
	}
	for _, line := range strings.Split(output, "\n") {
		lower := strings.ToLower(line)
		if strings.Contains(line, "[INFO]") || !strings.Contains(lower, "warn") && !strings.Contains(lower, "error") && !strings.Contains(lower, "deprecat") {
			continue
		}
		at := slices.IndexFunc(known, func(part string) bool { return strings.Contains(line, part) })
		if at < 0 {
			t.Errorf("unexplained: %s", line)
			continue
		}
		used = append(used, known[at])
	}
	for _, part := range known {
		if !slices.Contains(used, part) {
			t.Errorf("%s explains what nobody says: %s", file.Name(), part)
		}
	}
}

// copied copies files of a folder to where a client is built.
func copied(t *testing.T, from, to string, names ...string) {
	t.Helper()
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}
