package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
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
	cmd                 *exec.Cmd
	address, operations string
	logs                io.Closer
	output              strings.Builder // of the log, to be read when it is drained
	drained             chan struct{}
}

func startServer(t *testing.T, databaseURL string, environ ...string) *process {
	t.Helper()
	p := &process{drained: make(chan struct{}), cmd: exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0],
		"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0")}
	p.cmd.Env = append(os.Environ(), asProgram+"=1", "CLIENTINTEL_DRAIN_DELAY=0", "DATABASE_URL="+databaseURL)
	p.cmd.Env = append(p.cmd.Env, environ...)
	logs, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	p.logs = logs
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() })
	lines := bufio.NewScanner(logs)
	for p.address == "" && lines.Scan() {
		fmt.Fprintln(&p.output, lines.Text())
		var line logLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("the server logs %q, which is no JSON", lines.Text())
		}
		if line.Msg == "serving" {
			p.address, p.operations = line.Address, line.Operations
		}
	}
	if p.address == "" {
		t.Fatal("the server ended before it served")
	}
	go func() {
		defer close(p.drained)
		for lines.Scan() {
			fmt.Fprintln(&p.output, lines.Text())
		}
	}()
	return p
}

// serving is a server in this process.
type serving struct {
	log   chan logLine
	stop  context.CancelFunc
	ended chan int
}

type logLine struct{ Msg, Reason, Address, Operations string }

func serveHere(t *testing.T, env map[string]string, flags ...string) *serving {
	t.Helper()
	return startHere(t, env, append([]string{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--drain-delay", "0"}, flags...)...)
}

// startHere runs a command that serves in this process.
func startHere(t *testing.T, env map[string]string, args ...string) *serving {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	logs, writer := io.Pipe()
	s := &serving{log: make(chan logLine, 1000), stop: stop, ended: make(chan int, 1)}
	go func() {
		s.ended <- run(ctx, args, environOf(env), strings.NewReader(""), io.Discard, writer)
		writer.Close()
	}()
	go func() {
		defer close(s.log)
		var line logLine
		for lines := json.NewDecoder(logs); lines.Decode(&line) == nil; line = (logLine{}) {
			s.log <- line
		}
	}()
	return s
}

// next reads the log up to a message.
func (s *serving) next(t *testing.T, message string) logLine {
	t.Helper()
	for line := range s.log {
		if line.Msg == message {
			return line
		}
	}
	t.Fatalf("the log ends before %q", message)
	return logLine{}
}

// end stops the server as a signal does.
func (s *serving) end(t *testing.T) {
	t.Helper()
	s.stop()
	select {
	case code := <-s.ended:
		check.Equal(t, code, exitDone, "exit")
	case <-time.After(30 * time.Second):
		t.Fatal("the server does not stop")
	}
}

func get(t *testing.T, url string, want int) string {
	t.Helper()
	return string(apitest.Fetch(t, http.MethodGet, url, nil, nil).WantStatus(t, want).Body)
}
