//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
)

// server is a running server.
type server struct {
	name    string
	build   *build // whose database it reads
	address string
	pid     int
	stop    func()
	// isBaseline: it takes cursors of its own.
	isBaseline bool
}

// start runs a build's server as it is released, with default settings.
func (s *session) start(ctx context.Context, name string, b *build) (*server, error) {
	p, err := b.base.StartServer(ctx, s.pg.URLOf(embedded.Login, b.name), "--no-migrate")
	if err != nil {
		return nil, err
	}
	return &server{name: name, build: b, address: strings.TrimPrefix(p.URL, "http://"), pid: p.PID, stop: func() {
		p.Signal(syscall.SIGTERM)
		if ended, _ := p.Wait(45 * time.Second); !ended {
			p.Kill()
		}
	}}, nil
}

// startBuilds runs this tree's server and the one from before, if it is named.
func (s *session) startBuilds(ctx context.Context) (all []*server, stop func(), err error) {
	stop = func() {
		for _, v := range all {
			v.stop()
		}
	}
	now, err := s.start(ctx, "now", s.now)
	if err != nil {
		return nil, nil, err
	}
	all = append(all, now)
	if s.before != nil {
		before, err := s.start(ctx, "before", s.before)
		if err != nil {
			stop()
			return nil, nil, err
		}
		all = append(all, before)
	}
	return all, stop, nil
}

// startBaseline runs the baseline server on this tree's database.
func (s *session) startBaseline(ctx context.Context) (*server, error) {
	cmd := exec.CommandContext(ctx, s.self, "baseline", s.pg.URLOf(embedded.Superuser, s.now.name))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(s.dir + "/baseline.log") // it writes one, as the product does
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop := func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return nil, fmt.Errorf("the baseline server does not start: %w", err)
	}
	return &server{name: "baseline server", build: s.now, address: strings.TrimSpace(address), pid: cmd.Process.Pid, stop: stop, isBaseline: true}, nil
}
