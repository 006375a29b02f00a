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
	goroutines, files, megabytes int
	// backends are the database's connections of all servers; open is how many of them
	// are in a transaction.
	backends, open int
}

func (f resources) String() string {
	return fmt.Sprintf("%d goroutines, %d files, %d MB; %d connections, %d of them at work",
		f.goroutines, f.files, f.megabytes, f.backends, f.open)
}

// measureAtRest sends some requests, waits and measures the undisturbed server.
func (e *environment) measureAtRest(ctx context.Context) (resources, error) {
	const callers, each = 16, 60
	var all sync.WaitGroup
	for i := range callers {
		c := e.clients[i%len(e.clients)]
		key, err := e.key(ctx, c.slug)
		if err != nil {
			return resources{}, err
		}
		all.Go(func() {
			for n := range each {
				e.get(ctx, n%len(e.servers), paths[(n+i)%len(paths)], key, c)
			}
		})
	}
	all.Wait()
	e.caller.Close() // its idle connections
	rest(ctx, 5*time.Second)
	server := e.server(undisturbed)
	m, err := server.Metrics(ctx)
	if err != nil {
		return resources{}, err
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", server.PID))
	if err != nil {
		return resources{}, err
	}
	f := resources{goroutines: int(m["go_goroutines"]), files: len(files), megabytes: int(m["process_resident_memory_bytes"] / 1e6)}
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

// compare wants the resources of before. Pools open connections as they need them, each
// with a goroutine and a file, and the garbage collector takes its time.
func (e *environment) compare(before, after resources) {
	const slack = 24
	if after.goroutines > before.goroutines+slack || after.files > before.files+slack || after.megabytes > before.megabytes*3/2+48 ||
		after.backends > before.backends+len(e.servers)*slack || after.open > 0 {
		e.violation("resources: %s; before: %s", after, before)
	}
}
