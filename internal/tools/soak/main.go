//go:build linux

// Command soak runs servers of its own under mixed load, with writers, restarts
// and faults. All along it compares lists, totals and charts with the tables, and the
// quota with the log. At the end goroutines, files, memory and connections must be as at
// the start.
//
//	go run ./internal/tools/soak -duration 10m
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"
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
	e, err := newEnvironment(ctx, seed)
	if err != nil {
		return err
	}
	defer e.close()
	e.logf("seed %d; warming up", seed)
	before, err := e.measureAtRest(ctx)
	if err != nil {
		return err
	}

	loading, stop := context.WithTimeout(ctx, duration)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() { e.read(loading) })
	all.Go(func() { e.abort(loading) })
	all.Go(func() { e.write(loading) })
	all.Go(func() { e.injectFaults(loading) })
	all.Go(func() { e.check(loading) })
	all.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}

	e.logf("resting")
	e.checkAll(ctx)
	e.checkKeys(ctx)
	after, err := e.measureAtRest(ctx)
	if err != nil {
		return err
	}
	e.compare(before, after)
	e.logf("%s", e.summary())
	if n := len(e.violations); n > 0 {
		return fmt.Errorf("%d things were wrong:\n%s", n, strings.Join(e.violations, "\n"))
	}
	return nil
}

// random is a source of its own for each activity, so that one's pace does not
// change another's choices.
func (e *environment) random(activity uint64) *rand.Rand {
	return rand.New(rand.NewPCG(e.seed, activity))
}

// logf prints a line with the time since the start.
func (e *environment) logf(format string, args ...any) {
	fmt.Printf("%8s  %s\n", time.Since(e.began).Round(100*time.Millisecond), fmt.Sprintf(format, args...))
}

// violation records that a promise was broken.
func (e *environment) violation(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	e.logf("WRONG: %s", text)
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.violations) < 100 {
		e.violations = append(e.violations, text)
	}
}
