package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// asProgram makes the test binary the program itself, for tests of real processes.
const asProgram = "CLIENTINTEL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// process is a server in a process of its own.
type process struct {
	cmd     *exec.Cmd
	address string
	logs    io.Closer
}

func startServer(t *testing.T, databaseURL string, environ ...string) *process {
	t.Helper()
	p := &process{cmd: exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0],
		"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0")}
	p.cmd.Env = append(os.Environ(), asProgram+"=1", "CLIENTINTEL_DRAIN_DELAY=0", "DATABASE_URL="+databaseURL)
	p.cmd.Env = append(p.cmd.Env, environ...)
	logs, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.logs = logs
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() })
	lines := bufio.NewScanner(logs)
	for lines.Scan() {
		var line struct{ Msg, Address string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("the server logs %q, which is no JSON", lines.Text())
		}
		if line.Msg == "serving" {
			p.address = line.Address
			break
		}
	}
	if p.address == "" {
		t.Fatal("the server ended before it served")
	}
	go func() {
		for lines.Scan() {
		}
	}()
	return p
}

func (p *process) get(t *testing.T, key string) (status, remaining int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.address+"/api/client/v1/interviews?limit=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, 0
	}
	defer answer.Body.Close()
	remaining, _ = strconv.Atoi(answer.Header.Get("X-RateLimit-Remaining"))
	return answer.StatusCode, remaining
}

// One key meets exactly 600 answers over two server processes, one of which is
// killed and started again on the way: a request is counted before it is
// answered, so a crash may lose answers, never counts.
func TestProcesses_TheLimitIsExactAcrossThemAndACrash(t *testing.T) {
	t.Parallel()
	env := onDatabase(t)
	if got := command(t, env, acme, "import", "-"); got.code != exitDone {
		t.Fatalf("import: %+v", got)
	}
	var key struct{ Key string }
	issued := command(t, env, "", "keys", "issue", "--json", "--client", "acme", "--name", "x")
	if err := json.Unmarshal([]byte(issued.stdout), &key); err != nil {
		t.Fatal(err)
	}
	steady, doomed := startServer(t, env["DATABASE_URL"]), startServer(t, env["DATABASE_URL"])

	var mu sync.Mutex
	statuses := map[int]int{}
	said := map[int]int{}
	call := func(p *process, times int) {
		for range times {
			status, remaining := p.get(t, key.Key)
			mu.Lock()
			statuses[status]++
			if status == http.StatusOK {
				said[remaining]++
			}
			mu.Unlock()
		}
	}
	var callers sync.WaitGroup
	for i := range 16 {
		callers.Go(func() { call([]*process{steady, doomed}[i%2], 20) })
	}
	time.Sleep(100 * time.Millisecond) // somewhere among the requests
	if err := doomed.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	callers.Wait()
	again := startServer(t, env["DATABASE_URL"])
	for i := range 16 {
		callers.Go(func() { call([]*process{steady, again}[i%2], 45) })
	}
	callers.Wait()

	if statuses[200] > 600 || statuses[200] < 600-16 || statuses[429] == 0 {
		t.Errorf("statuses %v: want 600 answers but for those in flight at the crash", statuses)
	}
	for n, times := range said {
		if times != 1 {
			t.Errorf("Remaining %d was said %d times", n, times)
		}
	}
	for status := range statuses {
		if status >= 500 {
			t.Errorf("statuses %v hold a server error", statuses)
		}
	}
	for _, p := range []*process{steady, again} {
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("a server asked to stop: %v", err)
		}
	}
}
