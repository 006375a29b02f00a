//go:build linux

package cluster

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Server is the program serving, in a process of its own.
type Server struct {
	*Process
	// URL is the API's address, OpsURL the operator's.
	URL, OpsURL string

	logs *tail
}

// StartServer runs `clientintel serve` on a database and waits until it serves.
// Further settings are NAME=value or --flags.
func (b *Base) StartServer(ctx context.Context, databaseURL string, env ...string) (*Server, error) {
	s := &Server{logs: newTail()}
	args, variables := []string{"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"}, []string(nil)
	for _, setting := range env {
		if strings.HasPrefix(setting, "--") {
			args = append(args, setting)
		} else {
			variables = append(variables, setting)
		}
	}
	cmd := b.command(databaseURL, args, variables)
	cmd.Stderr = s.logs
	var err error
	if s.Process, err = startProcess(cmd, syscall.SIGKILL); err != nil {
		return nil, err
	}
	select {
	case <-s.logs.serving:
		s.URL, s.OpsURL = s.logs.address, s.logs.operations
		return s, nil
	case <-s.Done:
		return s, fmt.Errorf("the server ended before it served: %s", s.Logs())
	case <-time.After(2 * time.Minute):
		return s, fmt.Errorf("the server does not serve: %s", s.Logs())
	case <-ctx.Done():
		return s, ctx.Err()
	}
}

func (b *Base) command(databaseURL string, args, env []string) *exec.Cmd {
	cmd := exec.Command(b.Program, args...) //nolint:noctx // it outlives any one context
	cmd.Env = append(append(os.Environ(), "DATABASE_URL="+databaseURL, "CLIENTINTEL_DRAIN_DELAY=0"), env...)
	return cmd
}

// Logs is the end of what the server logged.
func (s *Server) Logs() string { return s.logs.String() }

// Kill ends it at once.
func (s *Server) Kill() {
	s.Signal(syscall.SIGKILL)
	<-s.Done
}

// Ready requests /readyz and reports how long that took.
func (s *Server) Ready(ctx context.Context) (bool, time.Duration) {
	began := time.Now()
	return s.Unready(ctx) == nil, time.Since(began)
}

// Unready is the body of /readyz when the server is not ready.
func (s *Server) Unready(ctx context.Context) error {
	status, body, err := s.ops(ctx, "/readyz")
	if err == nil && status != http.StatusOK {
		err = errors.New(strings.TrimSpace(string(body)))
	}
	return err
}

// Metrics are the figures of /metrics by name, labels included.
func (s *Server) Metrics(ctx context.Context) (map[string]float64, error) {
	status, body, err := s.ops(ctx, "/metrics")
	if err != nil || status != http.StatusOK {
		return nil, errors.Join(err, fmt.Errorf("/metrics answers %d", status))
	}
	figures := map[string]float64{}
	for line := range strings.Lines(string(body)) {
		cut := strings.LastIndexByte(strings.TrimSpace(line), ' ')
		if cut < 0 || line[0] == '#' {
			continue
		}
		if value, err := strconv.ParseFloat(strings.TrimSpace(line[cut:]), 64); err == nil {
			figures[line[:cut]] = value
		}
	}
	return figures, nil
}

func (s *Server) ops(ctx context.Context, path string) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.OpsURL+path, nil)
	if err != nil {
		return 0, nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, body, err
}

// Command is another command of the program, under way.
type Command struct {
	*Process
	Stdin          io.WriteCloser
	stdout, stderr bytes.Buffer
}

// Start runs a command of the program.
func (b *Base) Start(databaseURL string, args ...string) (*Command, error) {
	c := &Command{}
	cmd := b.command(databaseURL, args, nil)
	cmd.Stdout, cmd.Stderr = &c.stdout, &c.stderr
	var err error
	if c.Stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	c.Process, err = startProcess(cmd, syscall.SIGKILL)
	return c, err
}

// Output waits for the end: standard output, standard error, and nil if it
// succeeded.
func (c *Command) Output(patience time.Duration) (string, string, error) {
	inTime, err := c.Wait(patience)
	if !inTime {
		c.Signal(syscall.SIGKILL)
		<-c.Done
		err = errors.New("it did not end in time")
	}
	return c.stdout.String(), c.stderr.String(), err
}

// Run runs a command of the program to its end and returns what it printed.
func (b *Base) Run(databaseURL, stdin string, args ...string) (string, error) {
	c, err := b.Start(databaseURL, args...)
	if err != nil {
		return "", err
	}
	// The reason, if the program ends early.
	_, _ = io.WriteString(c.Stdin, stdin)
	_ = c.Stdin.Close()
	stdout, stderr, err := c.Output(5 * time.Minute)
	if err != nil {
		return stdout, fmt.Errorf("clientintel %s: %w: %s", strings.Join(args, " "), err, stderr)
	}
	return stdout, nil
}

// tail keeps the end of a log and finds the line with the address.
type tail struct {
	mu                  sync.Mutex
	text                []byte
	partial             []byte
	serving             chan struct{}
	address, operations string
}

const tailBytes = 64 << 10

func newTail() *tail { return &tail{serving: make(chan struct{})} }

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if len(t.text) > 2*tailBytes {
		t.text = append([]byte(nil), t.text[len(t.text)-tailBytes:]...)
	}
	if t.address == "" {
		t.partial = append(t.partial, b...)
		t.look()
	}
	return len(b), nil
}

func (t *tail) look() {
	lines := bufio.NewScanner(bytes.NewReader(t.partial))
	for lines.Scan() {
		var line struct{ Msg, Address, Operations string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			t.address, t.operations, t.partial = line.Address, line.Operations, nil
			close(t.serving)
			return
		}
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
