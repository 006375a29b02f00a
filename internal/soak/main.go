//go:build linux

// Command soak runs servers of its own under mixed load, with writers, restarts
// and faults, and holds them all along to what may never be wrong: lists, totals
// and charts against the tables, the limit against the log. At the end
// goroutines, files, memory and connections must be back where they were.
//
//	go run ./internal/soak -duration 10m
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
	w, err := newWorld(ctx, seed)
	if err != nil {
		return err
	}
	defer w.close()
	w.say("seed %d; warming up", seed)
	before, err := w.rested(ctx)
	if err != nil {
		return err
	}

	loading, stop := context.WithTimeout(ctx, duration)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() { w.read(loading) })
	all.Go(func() { w.write(loading) })
	all.Go(func() { w.breakThings(loading) })
	all.Go(func() { w.check(loading) })
	all.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}

	w.say("resting")
	w.checkAll(ctx)
	w.checkKeys(ctx)
	after, err := w.rested(ctx)
	if err != nil {
		return err
	}
	w.compare(before, after)
	w.say("%s", w.summary())
	if n := len(w.wrongs); n > 0 {
		return fmt.Errorf("%d things were wrong:\n%s", n, strings.Join(w.wrongs, "\n"))
	}
	return nil
}

// random is a source of its own for each activity, so that one's pace does not
// change another's choices.
func (w *world) random(activity uint64) *rand.Rand { return rand.New(rand.NewPCG(w.seed, activity)) }

// say tells what happens, with the time.
func (w *world) say(format string, args ...any) {
	fmt.Printf("%8s  %s\n", time.Since(w.began).Round(100*time.Millisecond), fmt.Sprintf(format, args...))
}

// wrong notes that a promise was broken.
func (w *world) wrong(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.say("WRONG: %s", text)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.wrongs) < 100 {
		w.wrongs = append(w.wrongs, text)
	}
}
