//go:build linux

package main

import (
	"context"
	"syscall"
	"time"
)

// recovery is how long the servers may take to be ready once what they stand on is back.
const recovery = 25 * time.Second

// breakThings breaks one thing after the other, in an order of chance, and wants
// every server ready again after each.
func (w *world) breakThings(ctx context.Context) {
	random := w.random(2)
	things := w.things()
	for ctx.Err() == nil {
		rest(ctx, time.Duration(2000+random.IntN(6000))*time.Millisecond)
		if ctx.Err() != nil {
			return
		}
		thing := things[random.IntN(len(things))]
		w.quiet.RLock()
		w.say("%s", thing.name)
		if err := thing.do(ctx); err != nil {
			w.wrong("%s: %v", thing.name, err)
		}
		w.awaitReady(ctx, thing.name)
		w.faults.Add(1)
		w.quiet.RUnlock()
	}
}

type thing struct {
	name string
	do   func(context.Context) error
}

func (w *world) things() []thing {
	// What is broken is mended, even when time is up.
	again := func(ctx context.Context) error { return w.pg.Start(context.WithoutCancel(ctx)) }
	return []thing{
		{"PostgreSQL is killed", func(ctx context.Context) error { w.pg.Kill(); return again(ctx) }},
		{"PostgreSQL is away for three seconds", func(ctx context.Context) error {
			w.pg.Stop()
			time.Sleep(3 * time.Second)
			return again(ctx)
		}},
		{"PostgreSQL is frozen for six seconds", func(context.Context) error {
			w.pg.Freeze()
			time.Sleep(6 * time.Second)
			w.pg.Thaw()
			return nil
		}},
		{"PostgreSQL stutters", func(context.Context) error {
			for range 10 {
				w.pg.Freeze()
				time.Sleep(100 * time.Millisecond)
				w.pg.Thaw()
				time.Sleep(100 * time.Millisecond)
			}
			return nil
		}},
		{"every connection is ended", func(ctx context.Context) error {
			conn, err := w.connect(ctx)
			if err != nil {
				return err
			}
			defer conn.Close(context.WithoutCancel(ctx))
			_, err = conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()")
			return err
		}},
		{"the network is cut for six seconds", func(context.Context) error {
			w.network.Cut()
			time.Sleep(6 * time.Second)
			w.network.Heal()
			return nil
		}},
		{"the network forgets its connections", func(context.Context) error {
			w.network.Cut()
			time.Sleep(time.Second)
			w.network.Failover()
			return nil
		}},
		{"a server is killed", func(ctx context.Context) error { w.server(victim).Kill(); return w.start(ctx, victim) }},
		{"a server is restarted", func(ctx context.Context) error {
			s := w.server(victim)
			s.Signal(syscall.SIGTERM)
			if inTime, _ := s.Wait(30 * time.Second); !inTime {
				w.wrong("a server asked to stop still runs")
				s.Kill()
			}
			return w.start(ctx, victim)
		}},
	}
}

func (w *world) awaitReady(ctx context.Context, after string) {
	for n := range w.servers {
		began := time.Now()
		for {
			if ready, _ := w.server(n).Ready(context.WithoutCancel(ctx)); ready {
				break
			}
			if time.Since(began) > recovery {
				w.wrong("%s: server %d is not ready after %s: %s", after, n, recovery, w.server(n).Logs())
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}
