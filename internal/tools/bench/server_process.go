package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// serverProcess is a running server, the product's or the baseline's.
type serverProcess struct {
	name    string
	address string
	ready   string // URL that answers 200 once it is ready
	cmd     *exec.Cmd
	log     string
	ended   chan struct{}
	// readyAfter is how long it took from its start.
	readyAfter time.Duration
}

func (v *serverProcess) pid() int { return v.cmd.Process.Pid }

// startProcess runs a program until it is ready.
func startProcess(ctx context.Context, v *serverProcess, dir string, environment []string, program string, args ...string) error {
	v.log = filepath.Join(dir, v.name+".log")
	out, err := os.Create(v.log)
	if err != nil {
		return err
	}
	defer out.Close()                      // the process has its own handle
	v.cmd = exec.Command(program, args...) //nolint:noctx // stop ends it in order
	v.cmd.Env, v.cmd.Stdout, v.cmd.Stderr = environment, out, out
	began := time.Now()
	if err := v.cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", v.name, err)
	}
	v.ended = make(chan struct{})
	go func() {
		_ = v.cmd.Wait()
		close(v.ended)
	}()
	if err := v.awaitReady(ctx); err != nil {
		v.stop()
		return err
	}
	v.readyAfter = time.Since(began)
	return nil
}

func (v *serverProcess) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if v.answers(ctx) {
			return nil
		}
		select {
		case <-v.ended:
			return fmt.Errorf("%s ended while starting: %s", v.name, v.logTail())
		case <-ctx.Done():
			return fmt.Errorf("%s does not become ready: %w: %s", v.name, context.Cause(ctx), v.logTail())
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (v *serverProcess) answers(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.ready, nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func (v *serverProcess) logTail() string {
	text, _ := os.ReadFile(v.log)
	return string(text[max(len(text)-1000, 0):])
}

// stop lets the server finish, and its database if it runs one.
func (v *serverProcess) stop() {
	_ = v.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-v.ended:
	case <-time.After(45 * time.Second):
		_ = v.cmd.Process.Kill()
		<-v.ended
	}
}

// startServer runs the product's server on the benchmark's database. More
// settings come as NAME=value.
func (s *session) startServer(ctx context.Context, name, binary string, settings ...string) (*serverProcess, error) {
	return s.startProduct(ctx, name, binary, settings, "--database-url", s.cluster.ServerURL(), "--no-migrate")
}

func (s *session) startProduct(ctx context.Context, name, binary string, settings []string, args ...string) (*serverProcess, error) {
	api, operator, err := freeAddresses()
	if err != nil {
		return nil, err
	}
	v := &serverProcess{name: name, address: api, ready: "http://" + operator + "/readyz"}
	args = append([]string{"serve", "--listen", api, "--ops-listen", operator}, args...)
	return v, startProcess(ctx, v, s.dir, append(append(environment(), "CLIENTINTEL_DRAIN_DELAY=0"), settings...), binary, args...)
}

func (s *session) startBaseline(ctx context.Context) (*serverProcess, error) {
	address, _, err := freeAddresses()
	if err != nil {
		return nil, err
	}
	v := &serverProcess{name: "baseline", address: address, ready: "http://" + address + "/readyz"}
	return v, startProcess(ctx, v, s.dir, environment(), s.self, "baseline", "--database-url", s.cluster.OwnerURL(), "--listen", address)
}

// environment is this process's without any setting of the product.
func environment() []string {
	var kept []string
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "CLIENTINTEL_") && !strings.HasPrefix(pair, "DATABASE_") {
			kept = append(kept, pair)
		}
	}
	return kept
}

func freeAddresses() (string, string, error) {
	var found [2]string
	for i := range found {
		l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed at once
		if err != nil {
			return "", "", errors.Join(errors.New("looking for a free port"), err)
		}
		defer l.Close()
		found[i] = l.Addr().String()
	}
	return found[0], found[1], nil
}
