//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"
)

// figures are what must come back to where they were.
type figures struct {
	goroutines, files, megabytes float64
	// backends are the database's connections of all servers; open is how many of
	// them are in a transaction.
	backends, open int
}

// rested gives the servers some work, lets them rest and takes the elder's figures.
func (w *world) rested(ctx context.Context) (figures, error) {
	const callers, each = 16, 60
	var all sync.WaitGroup
	for i := range callers {
		key, err := w.key(ctx, w.brands[i%len(w.brands)].slug)
		if err != nil {
			return figures{}, err
		}
		all.Go(func() {
			for n := range each {
				w.ask(ctx, n%len(w.servers), paths()[(n+i)%len(paths())], key)
			}
		})
	}
	all.Wait()
	w.caller.Close() // its idle connections
	rest(ctx, 5*time.Second)
	m, err := w.server(elder).Metrics(ctx)
	if err != nil {
		return figures{}, err
	}
	f := figures{
		goroutines: m["go_goroutines"], files: float64(filesOf(w.server(elder).PID)), megabytes: m["process_resident_memory_bytes"] / 1e6,
	}
	conn, err := w.connect(ctx)
	if err != nil {
		return f, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	err = conn.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity
		WHERE application_name LIKE 'clientintel %'`).Scan(&f.backends, &f.open)
	w.say("%s", f)
	return f, err
}

func filesOf(pid int) int {
	open, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(open)
}

func (f figures) String() string {
	return fmt.Sprintf("%.0f goroutines, %.0f files, %.0f MB; %d connections, %d of them at work",
		f.goroutines, f.files, f.megabytes, f.backends, f.open)
}

// compare wants the figures of before. Pools open connections as they need them,
// each with a goroutine and a file, and the garbage collector takes its time.
func (w *world) compare(before, after figures) {
	const connections, slack = 16, 8
	if after.goroutines > before.goroutines+connections+slack {
		w.wrong("goroutines: %.0f, before %.0f", after.goroutines, before.goroutines)
	}
	if after.files > before.files+connections+slack {
		w.wrong("open files: %.0f, before %.0f", after.files, before.files)
	}
	if after.megabytes > before.megabytes*1.5+48 {
		w.wrong("memory: %.0f MB, before %.0f", after.megabytes, before.megabytes)
	}
	if after.backends > before.backends+len(w.servers)*connections || after.open > 0 {
		w.wrong("connections: %d, %d of them at work; before %d", after.backends, after.open, before.backends)
	}
}

func (w *world) summary() string {
	return fmt.Sprintf("%d requests (%d refused), %d imports, %d faults, %d comparisons, %d keys: %d wrong",
		w.reads.Load(), w.refused.Load(), w.writes.Load(), w.faults.Load(), w.checks.Load(), len(w.ledger), len(w.wrongs))
}
