//go:build linux

package main

import (
	"context"
	"syscall"
	"time"
)

// recovery is how long the servers may take to be ready once database and network are back.
const recovery = 25 * time.Second

// injectFaults injects one fault after another, at random, and wants every server ready
// again after each.
func (e *environment) injectFaults(ctx context.Context) {
	random := e.random(2)
	for ctx.Err() == nil {
		rest(ctx, time.Duration(2000+random.IntN(6000))*time.Millisecond)
		if ctx.Err() != nil {
			return
		}
		fault := faults[random.IntN(len(faults))]
		e.comparing.RLock()
		e.logf("%s", fault.name)
		// What is broken is repaired, even when time is up.
		if err := fault.inject(context.WithoutCancel(ctx), e); err != nil {
			e.violation("%s: %v", fault.name, err)
		}
		e.awaitReady(fault.name)
		e.faults.Add(1)
		e.comparing.RUnlock()
	}
}

var faults = []struct {
	name   string
	inject func(context.Context, *environment) error
}{
	{"PostgreSQL is killed", func(ctx context.Context, e *environment) error { e.pg.Kill(); return e.pg.Start(ctx) }},
	{"PostgreSQL is away for three seconds", func(ctx context.Context, e *environment) error {
		e.pg.Stop()
		time.Sleep(3 * time.Second)
		return e.pg.Start(ctx)
	}},
	{"PostgreSQL is frozen for six seconds", func(_ context.Context, e *environment) error {
		e.pg.Freeze()
		time.Sleep(6 * time.Second)
		e.pg.Resume()
		return nil
	}},
	{"every connection is ended", func(ctx context.Context, e *environment) error {
		conn, err := e.pg.Connect(ctx)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()")
		return err
	}},
	{"the network is cut for six seconds", func(_ context.Context, e *environment) error {
		e.network.Cut()
		time.Sleep(6 * time.Second)
		e.network.Restore()
		return nil
	}},
	{"the network forgets its connections", func(_ context.Context, e *environment) error {
		e.network.Cut()
		time.Sleep(time.Second)
		e.network.Failover()
		return nil
	}},
	{"a server is killed", func(ctx context.Context, e *environment) error {
		e.server(restarted).Kill()
		return e.start(ctx, restarted)
	}},
	{"a server is restarted", func(ctx context.Context, e *environment) error {
		s := e.server(restarted)
		s.Signal(syscall.SIGTERM)
		if inTime, _ := s.Wait(30 * time.Second); !inTime {
			e.violation("a server asked to stop still runs")
			s.Kill()
		}
		return e.start(ctx, restarted)
	}},
}

func (e *environment) awaitReady(after string) {
	for n := range e.servers {
		began := time.Now()
		for ready := false; !ready; {
			if ready, _ = e.server(n).Ready(context.Background()); !ready && time.Since(began) > recovery {
				e.violation("%s: server %d is not ready after %s: %s", after, n, recovery, e.server(n).Logs())
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}
