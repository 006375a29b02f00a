//go:build linux

// Command soak runs servers of its own under mixed load, with writers, restarts and
// faults. It compares lists, totals and charts with the tables all along, and the quota with
// the log. At the end goroutines, files, memory and connections must be as at the start.
//
//	go run ./internal/tools/soak -duration 10m
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	duration := flag.Duration("duration", 10*time.Minute, "how long")
	seed := flag.Uint64("seed", uint64(time.Now().Unix()), "what is done when; the same seed tries the same")
	flag.Parse()
	err := run(ctx, *duration, *seed)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, duration time.Duration, seed uint64) error {
	e := &environment{began: time.Now(), seed: seed, accounts: map[string]*account{}, caller: cluster.NewCaller(64)}
	defer e.close()
	if err := e.open(ctx); err != nil {
		return err
	}
	e.logf("seed %d; warming up", seed)
	before, err := e.measureAtRest(ctx)
	if err != nil {
		return err
	}

	loading, stop := context.WithTimeout(ctx, duration)
	defer stop()
	var all sync.WaitGroup
	for _, activity := range []func(context.Context){e.read, e.write, e.injectFaults, e.check} {
		all.Go(func() { activity(loading) })
	}
	all.Wait()

	e.logf("resting")
	if err := errors.Join(ctx.Err(), e.checkAll(ctx), e.checkKeys(ctx)); err != nil {
		return err
	}
	after, err := e.measureAtRest(ctx)
	if err != nil {
		return err
	}
	e.compare(before, after)
	e.logf("%d requests (%d refused), %d given up, %d imports, %d faults, %d comparisons, %d keys: %d wrong",
		e.reads.Load(), e.refused.Load(), e.left.Load(), e.writes.Load(), e.faults.Load(), e.checks.Load(), len(e.accounts), len(e.violations))
	if e.writes.Load() == 0 {
		e.violation("no import succeeded")
	}
	if n := len(e.violations); n > 0 {
		return fmt.Errorf("%d things were wrong:\n%s", n, strings.Join(e.violations, "\n"))
	}
	return nil
}
