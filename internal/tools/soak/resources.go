//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"
)

// resources are what must return to where they were.
type resources struct {
	goroutines, files, megabytes float64
	// backends are the database's connections of all servers; open is how many of
	// them are in a transaction.
	backends, open int
}

// measureAtRest sends some requests, waits and measures the undisturbed server's
// resources.
func (e *environment) measureAtRest(ctx context.Context) (resources, error) {
	const callers, each = 16, 60
	var all sync.WaitGroup
	for i := range callers {
		key, err := e.key(ctx, e.clients[i%len(e.clients)].slug)
		if err != nil {
			return resources{}, err
		}
		all.Go(func() {
			for n := range each {
				e.get(ctx, n%len(e.servers), paths()[(n+i)%len(paths())], key)
			}
		})
	}
	all.Wait()
	e.caller.Close() // its idle connections
	rest(ctx, 5*time.Second)
	m, err := e.server(undisturbed).Metrics(ctx)
	if err != nil {
		return resources{}, err
	}
	f := resources{
		goroutines: m["go_goroutines"], files: float64(filesOf(e.server(undisturbed).PID)), megabytes: m["process_resident_memory_bytes"] / 1e6,
	}
	conn, err := e.pg.Connect(ctx)
	if err != nil {
		return f, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	err = conn.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity
		WHERE application_name LIKE 'clientintel %'`).Scan(&f.backends, &f.open)
	e.logf("%s", f)
	return f, err
}

func filesOf(pid int) int {
	open, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(open)
}

func (f resources) String() string {
	return fmt.Sprintf("%.0f goroutines, %.0f files, %.0f MB; %d connections, %d of them at work",
		f.goroutines, f.files, f.megabytes, f.backends, f.open)
}

// compare wants the resources of before. Pools open connections as they need them,
// each with a goroutine and a file, and the garbage collector takes its time.
func (e *environment) compare(before, after resources) {
	const connections, slack = 16, 8
	if after.goroutines > before.goroutines+connections+slack {
		e.violation("goroutines: %.0f, before %.0f", after.goroutines, before.goroutines)
	}
	if after.files > before.files+connections+slack {
		e.violation("open files: %.0f, before %.0f", after.files, before.files)
	}
	if after.megabytes > before.megabytes*1.5+48 {
		e.violation("memory: %.0f MB, before %.0f", after.megabytes, before.megabytes)
	}
	if after.backends > before.backends+len(e.servers)*connections || after.open > 0 {
		e.violation("connections: %d, %d of them at work; before %d", after.backends, after.open, before.backends)
	}
}

func (e *environment) summary() string {
	return fmt.Sprintf("%d requests (%d refused), %d left early (%d answered all the same), %d imports, %d faults, %d comparisons, %d keys: %d wrong",
		e.reads.Load(), e.refused.Load(), e.aborted.Load(), e.owned.Load(), e.writes.Load(), e.faults.Load(), e.checks.Load(), len(e.accounts), len(e.violations))
}
