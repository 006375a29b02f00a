//go:build partners && linux

package majors_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/corpus"
)

// machine is a data directory and a program that runs on it.
type machine struct{ program, dir string }

func (m machine) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), m.program, args...)
	cmd.Env = append(os.Environ(), "CLIENTINTEL_DATA_DIR="+m.dir, "DATABASE_URL=")
	return cmd
}

func (m machine) run(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	cmd := m.command(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v: %s%s", args, err, out.Bytes(), errs.Bytes())
	}
	return out.String()
}

// answers asks a server of its own for each path.
func (m machine) answers(t *testing.T, key string) map[string]string {
	t.Helper()
	serve := m.command(t, "serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--drain-delay", "0")
	logs, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = serve.Process.Signal(syscall.SIGTERM)
		_, _ = io.Copy(io.Discard, logs)
		_ = serve.Wait()
	}()
	var line struct{ Msg, Address string }
	for lines := json.NewDecoder(logs); line.Msg != "serving"; {
		if err := lines.Decode(&line); err != nil {
			t.Fatalf("the server does not serve: %v", err)
		}
	}
	got := map[string]string{}
	for _, path := range []string{"/interviews?limit=100", "/campaigns", "/analytics/interviews", "/synthesis?limit=50", "/intelligence/search?q=support"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, line.Address+"/api/client/v1"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		var answer struct{ Data json.RawMessage }
		if err := errors.Join(err, json.Unmarshal(body, &answer)); err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d, %v: %s", path, response.StatusCode, err, body)
		}
		got[path] = fmt.Sprint(string(answer.Data), " remaining ", response.Header.Get("X-RateLimit-Remaining"))
	}
	return got
}

// From 15 to the newest, with every answer; a move that is killed leaves the old
// cluster as it was.
func TestEmbeddedDatabaseMovesToTheNewestMajor(t *testing.T) {
	parent, err := os.MkdirTemp("", "clientintel-majors") // as root, t.TempDir keeps the server's account out
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	m := machine{filepath.Join(parent, "clientintel"), filepath.Join(parent, "data")}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", m.program, "github.com/clientintel/clientintel/cmd/clientintel").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	programs, err := exec.CommandContext(t.Context(), "../../../../.ci/postgres", "15").Output()
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if _, err := corpus.Generate(&file, corpus.Options{
		Seed: 1, From: time.Now().AddDate(0, -6, 0), To: time.Now(),
		Clients: []corpus.ClientOptions{{Slug: "acme", Mode: corpus.ModeCanonical, Interviews: 3000, Campaigns: 8, Synthesis: 10}},
	}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CLIENTINTEL_POSTGRES_BIN", strings.TrimSpace(string(programs)))
	m.run(t, file.String(), "import", "-")
	var issued struct{ Key string }
	if err := json.Unmarshal([]byte(m.run(t, "", "keys", "issue", "--client=acme", "--name=x", "--json",
		"--scopes=read:interviews_metadata,read:campaigns,read:synthesis,read:transcripts,read:customer_identity,read:raw_extraction,read:custom_extraction")), &issued); err != nil {
		t.Fatal(err)
	}
	before := m.answers(t, issued.Key)
	if !strings.Contains(m.run(t, "", "doctor"), "database/version: PostgreSQL 15") {
		t.Fatal("the cluster is not of PostgreSQL 15")
	}

	t.Setenv("CLIENTINTEL_POSTGRES_BIN", "")
	for after := time.Second; ; after += time.Second {
		cmd := m.command(t, "migrate", "--embedded-major", "18")
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		if kill.Stop() {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		if _, err := os.Stat(filepath.Join(m.dir, "pg18")); err == nil {
			break // after the last step
		}
		m.run(t, "", "measurement", "audit")
	}
	report := m.run(t, "", "doctor")
	if !strings.Contains(report, "database/version: PostgreSQL 18") {
		t.Errorf("the cluster is not of PostgreSQL 18: %s", report)
	}
	m.run(t, "", "measurement", "audit")
	after := m.answers(t, issued.Key)
	for path, was := range before {
		// The same key, so many requests later.
		if strings.Split(after[path], " remaining ")[0] != strings.Split(was, " remaining ")[0] {
			t.Errorf("%s answers otherwise: %.300s, before %.300s", path, after[path], was)
		}
	}
	if !strings.HasSuffix(after["/interviews?limit=100"], " remaining 595") {
		t.Error("the key's hour is not what it was")
	}
	if _, err := os.Stat(filepath.Join(m.dir, "pg15", "data")); err != nil {
		t.Error("the old cluster is gone")
	}
	if left, _ := filepath.Glob(filepath.Join(m.dir, "upgrade-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
