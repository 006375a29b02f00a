//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// niceness is a load's priority: a tenth of the processor time of what has the usual
// one, where both want it.
const niceness = 10

// loadCommand is the first argument of a process that is a load.
const loadCommand = "load"

// startLoad starts a load in a process of its own. stop ends it and adds how its
// requests were answered.
func (s *environment) startLoad(ctx context.Context, l load) (stop func(*tally) error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.CommandContext(ctx, self, loadCommand, l.name, s.server.URL, s.pg.Dir, s.base.Program)
	child.Stderr = os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // for yieldProcessor
	end, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	return func(into *tally) error {
		_ = end.Close()
		var own tally
		err := json.NewDecoder(out).Decode(&own)
		if ended := child.Wait(); err == nil {
			err = ended
		}
		into.merge(&own)
		return err
	}, nil
}

// runLoad is that process: it loads the server until its standard input ends, and
// prints its tally.
func runLoad(ctx context.Context, args []string) error {
	at := slices.IndexFunc(loads(), func(l load) bool { return len(args) == 4 && l.name == args[0] })
	if at < 0 {
		return fmt.Errorf("no load is %q", args)
	}
	yieldProcessor()
	s := &environment{
		server: &cluster.Server{URL: args[1]}, pg: &cluster.Postgres{Dir: args[2]}, base: &cluster.Base{Program: args[3]},
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	own := newTally()
	wait, err := loads()[at].start(ctx, s, own)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	cancel()
	wait()
	return json.NewEncoder(os.Stdout).Encode(own)
}

// yieldProcessor lets the server, the database and the probes go first. Where the
// kernel shares the processors among sessions first (sched_autogroup_enabled), a
// thread's priority counts only among those of its session, and the session has one
// of its own.
func yieldProcessor() {
	_ = os.WriteFile("/proc/self/autogroup", []byte(strconv.Itoa(niceness)), 0)
	threads, _ := filepath.Glob("/proc/self/task/*")
	for _, thread := range threads {
		if id, err := strconv.Atoi(filepath.Base(thread)); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, niceness)
		}
	}
}
