package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// writeProgram writes a file that can be run at once. A process that a parallel test
// starts meanwhile would hold it open for writing, and the kernel runs no such file.
func writeProgram(t *testing.T, path, content string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

// shell runs a line as cron does: in the home directory, with cron's PATH unless env
// has another. The home directory stands for /usr/local/bin.
func shell(t *testing.T, home, line, stdin string, env ...string) (int, string) {
	t.Helper()
	installed := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asProgram, os.Args[0])
	writeProgram(t, filepath.Join(home, "clientintel"), installed)
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", line)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
	for _, e := range env {
		cmd.Env = append(cmd.Env, strings.Replace(e, "/usr/local/bin", home, 1))
	}
	cmd.Stdin = strings.NewReader(stdin)
	told, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(told)
}

// Every other command line of the page, as it stands there.
func TestRun_TheImportPagesCommands(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)\n```|`(clientintel import [^`A-Z]*)`").FindAllStringSubmatch(string(page), -1) {
		lines = append(lines, m[1]+m[2])
	}
	const commands = 4
	if len(lines) != commands {
		t.Fatalf("the page has %d commands, want %d: %q", len(lines), commands, lines)
	}
	home := t.TempDir()
	northwind := strings.NewReplacer("acme", "northwind").Replace(strings.TrimSpace(acme))
	files := map[string]string{"clients.ndjson": northwind, "export-records": "#!/bin/sh\ncat clients.ndjson\necho; echo '{\"kind\":\"end\",\"lines\":1}'\n"}
	var gz, zst bytes.Buffer
	zipped := gzip.NewWriter(&gz)
	packed, _ := zstd.NewWriter(&zst)
	for _, w := range []io.WriteCloser{zipped, packed} {
		if _, err := io.WriteString(w, northwind); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
	}
	files["export.ndjson.gz"], files["interviews-1.ndjson.zst"] = gz.String(), zst.String()
	files["records.ndjson.gz"] = files["export.ndjson.gz"]
	for name, content := range files {
		writeProgram(t, filepath.Join(home, name), content)
	}
	before, after := dbtest.New(t), dbtest.New(t)
	run := func(line, to string) (int, string) {
		t.Helper()
		return shell(t, home, line, "northwind\n", "PATH=/usr/local/bin:/usr/bin:/bin", "DATABASE_URL="+before.OwnerURL, "OLD="+before.OwnerURL, "NEW="+to)
	}
	for n, line := range lines {
		if n == commands-1 {
			if got := command(t, map[string]string{"DATABASE_URL": before.OwnerURL}, "", "keys", "issue", "--client", "northwind", "--name", "x"); got.code != exitDone {
				t.Fatalf("keys issue: %+v", got)
			}
			if code, told := run(line, "postgres://127.0.0.1:1/none"); code == exitDone {
				t.Errorf("%s: to no database: %s", line, told)
			}
			if got := command(t, map[string]string{"DATABASE_URL": before.OwnerURL}, "", "clients", "list"); !strings.Contains(got.stdout, "northwind") {
				t.Errorf("a move that failed removed the client: %+v", got)
			}
		}
		code, told := run(line, after.OwnerURL)
		if code != exitDone {
			t.Errorf("%s: exit code %d and %s", line, code, told)
		}
	}
	for d, want := range map[*dbtest.Database]string{before: "0 clients, 0 keys", after: "1 clients, 1 keys"} {
		var got string
		d.Query(t, &got, "SELECT format('%s clients, %s keys', (SELECT count(*) FROM clients), (SELECT count(*) FROM api_keys WHERE client_id IS NOT NULL))")
		if got != want {
			t.Errorf("after the move: %s, want %s", got, want)
		}
	}
}
