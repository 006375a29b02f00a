//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// load is one way to overload a server.
type load struct {
	name string
	// start begins the load, and returns a function that waits for its end after ctx.
	start func(ctx context.Context, s *environment, own *tally) (wait func(), err error)
	// newKeys: the probes' keys are not verified yet when it begins, as no key is on a
	// server that starts in the midst of a flood.
	newKeys bool
}

func loads() []load {
	return []load{
		{name: "nothing", start: func(context.Context, *environment, *tally) (func(), error) { return func() {}, nil }},
		{name: "1000 keep-alive", start: keepAlive},
		{name: "slow headers", start: slowHeaders},
		{name: "slow bodies", start: slowBodies},
		{name: "large heads", start: largeHeads},
		{name: "large messages", start: largeMessages},
		{name: "unknown prefixes", start: unknownPrefixes},
		{name: "new keys", start: unknownPrefixes, newKeys: true},
		{name: "no key", start: noKey},
		{name: "one key", start: oneKey},
		{name: "idle connections", start: idleConnections},
		{name: "unread pages", start: unreadPages},
		{name: "unread lists", start: unreadLists},
		{name: "slow streams", start: slowStreams},
		{name: "rare searches", start: rareSearches},
		{name: "large bases", start: largeBases},
		{name: "agents", start: agents},
		{name: "imports", start: imports},
		{name: "key storm", start: keyStorm},
		{name: "heavy reads", start: heavyReads},
	}
}

// keepAlive opens a thousand connections that ask now and then.
func keepAlive(ctx context.Context, s *environment, own *tally) (func(), error) {
	const connections = 1000
	keys, err := s.pg.IssueKeys(ctx, "globex", 20)
	if err != nil {
		return nil, err
	}
	caller := cluster.NewCaller(connections)
	return many(connections, func(i int) {
		for ctx.Err() == nil {
			own.add(caller.Get(context.WithoutCancel(ctx), s.server.URL, "/campaigns?limit=1", keys[i%len(keys)]))
			rest(ctx, 10*time.Second)
		}
	}, caller.Close), nil
}

// keyStorm is one key's requests without end, most of them beyond its 600.
func keyStorm(ctx context.Context, s *environment, own *tally) (func(), error) {
	const connections = 256
	keys, err := s.pg.IssueKeys(ctx, "globex", 1)
	if err != nil {
		return nil, err
	}
	caller := cluster.NewCaller(connections)
	return many(connections, func(int) {
		for ctx.Err() == nil {
			own.add(caller.Get(context.WithoutCancel(ctx), s.server.URL, "/interviews?limit=1", keys[0]))
		}
	}, caller.Close), nil
}

// heavyReads are long windows of many keys at once: more than the machine can do.
func heavyReads(ctx context.Context, s *environment, own *tally) (func(), error) {
	const connections = 64
	keys, err := s.pg.IssueKeys(ctx, "globex", 16)
	if err != nil {
		return nil, err
	}
	caller := cluster.NewCaller(connections)
	return many(connections, func(i int) {
		for ctx.Err() == nil {
			own.add(caller.Get(context.WithoutCancel(ctx), s.server.URL,
				"/analytics/interviews?date_from=2000-01-01", keys[i%len(keys)]))
		}
	}, caller.Close), nil
}

// slowHeaders dribbles a request line and its headers.
func slowHeaders(ctx context.Context, s *environment, own *tally) (func(), error) {
	return many(200, func(int) {
		for ctx.Err() == nil {
			sendSlowly(ctx, s, own, "GET "+cluster.Prefix+"/interviews HTTP/1.1\r\nHost: x\r\n", strings.Repeat("X-A: b\r\n", 1000))
		}
	}, nil), nil
}

// slowBodies dribbles an agent's message, with a key that is good.
func slowBodies(ctx context.Context, s *environment, own *tally) (func(), error) {
	keys, err := s.pg.IssueKeys(ctx, "globex", 4)
	if err != nil {
		return nil, err
	}
	return many(200, func(i int) {
		for ctx.Err() == nil {
			sendSlowly(ctx, s, own, messageHead(keys[i%len(keys)], 100_000)+"{", strings.Repeat(" ", 99_000))
		}
	}, nil), nil
}

// largeMessages sends nearly all of the largest messages at once, and dribbles the rest.
func largeMessages(ctx context.Context, s *environment, own *tally) (func(), error) {
	keys, err := s.pg.IssueKeys(ctx, "globex", 1)
	if err != nil {
		return nil, err
	}
	const size, dribbled = 1 << 20, 1000
	beginning := messageHead(keys[0], size) + strings.Repeat(" ", size-dribbled)
	return many(500, func(int) {
		for ctx.Err() == nil {
			sendSlowly(ctx, s, own, beginning, strings.Repeat(" ", dribbled))
			rest(ctx, time.Second)
		}
	}, nil), nil
}

// messageHead is the head of an agent's message.
func messageHead(key string, length int) string {
	return fmt.Sprintf("POST %s/mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n", cluster.Prefix, key, length)
}

// sendSlowly sends a beginning at once and the rest one byte at a time, until the
// server has had enough.
func sendSlowly(ctx context.Context, s *environment, own *tally, head, tail string) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(s.server.URL, "http://"))
	if err != nil {
		rest(ctx, time.Second)
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, head)
	for i := range tail {
		if _, err := conn.Write([]byte{tail[i]}); err != nil || ctx.Err() != nil {
			break
		}
		rest(ctx, 500*time.Millisecond)
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	own.Statuses[0]++ // connections that were given up
}

// many runs so many at once; wait waits for all of them.
func many(n int, do func(i int), after func()) (wait func()) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	return func() {
		all.Wait()
		if after != nil {
			after()
		}
	}
}

// rest waits, unless the end comes first.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
