//go:build linux

package main

import (
	"context"
	"syscall"
	"time"
)

// recovery is how long the servers may take to be ready once database and network are back.
const recovery = 25 * time.Second

// injectFaults injects one fault after another, at random, and wants every server
// ready again after each.
func (e *environment) injectFaults(ctx context.Context) {
	random := e.random(2)
	things := e.faultKinds()
	for ctx.Err() == nil {
		rest(ctx, time.Duration(2000+random.IntN(6000))*time.Millisecond)
		if ctx.Err() != nil {
			return
		}
		thing := things[random.IntN(len(things))]
		e.comparing.RLock()
		e.logf("%s", thing.name)
		if err := thing.do(ctx); err != nil {
			e.violation("%s: %v", thing.name, err)
		}
		e.awaitReady(ctx, thing.name)
		e.faults.Add(1)
		e.comparing.RUnlock()
	}
}

type fault struct {
	name string
	do   func(context.Context) error
}

func (e *environment) faultKinds() []fault {
	// What is broken is repaired, even when time is up.
	again := func(ctx context.Context) error { return e.pg.Start(context.WithoutCancel(ctx)) }
	return []fault{
		{"PostgreSQL is killed", func(ctx context.Context) error { e.pg.Kill(); return again(ctx) }},
		{"PostgreSQL is away for three seconds", func(ctx context.Context) error {
			e.pg.Stop()
			time.Sleep(3 * time.Second)
			return again(ctx)
		}},
		{"PostgreSQL is frozen for six seconds", func(context.Context) error {
			e.pg.Freeze()
			time.Sleep(6 * time.Second)
			e.pg.Resume()
			return nil
		}},
		{"PostgreSQL stutters", func(context.Context) error {
			for range 10 {
				e.pg.Freeze()
				time.Sleep(100 * time.Millisecond)
				e.pg.Resume()
				time.Sleep(100 * time.Millisecond)
			}
			return nil
		}},
		{"every connection is ended", func(ctx context.Context) error {
			conn, err := e.pg.Connect(ctx)
			if err != nil {
				return err
			}
			defer conn.Close(context.WithoutCancel(ctx))
			_, err = conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()")
			return err
		}},
		{"the network is cut for six seconds", func(context.Context) error {
			e.network.Cut()
			time.Sleep(6 * time.Second)
			e.network.Restore()
			return nil
		}},
		{"the network forgets its connections", func(context.Context) error {
			e.network.Cut()
			time.Sleep(time.Second)
			e.network.Failover()
			return nil
		}},
		{"a server is killed", func(ctx context.Context) error { e.server(restarted).Kill(); return e.start(ctx, restarted) }},
		{"a server is restarted", func(ctx context.Context) error {
			s := e.server(restarted)
			s.Signal(syscall.SIGTERM)
			if inTime, _ := s.Wait(30 * time.Second); !inTime {
				e.violation("a server asked to stop still runs")
				s.Kill()
			}
			return e.start(ctx, restarted)
		}},
	}
}

func (e *environment) awaitReady(ctx context.Context, after string) {
	for n := range e.servers {
		began := time.Now()
		for {
			if ready, _ := e.server(n).Ready(context.WithoutCancel(ctx)); ready {
				break
			}
			if time.Since(began) > recovery {
				e.violation("%s: server %d is not ready after %s: %s", after, n, recovery, e.server(n).Logs())
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}
