//go:build linux

package main

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// account is what was sent and received with one key.
type account struct {
	sent      int
	statuses  map[int]int
	remaining map[string]int // X-RateLimit-Remaining of admitted requests
}

// maxResponseTime is how long an answer may take, whatever happens to the database. The
// rest is for a busy machine.
const maxResponseTime = 10 * time.Second

var paths = []string{
	"/interviews?limit=50", "/interviews?limit=200&date_from=2020-01-01", "/campaigns", "/synthesis",
	"/synthesis?surface=portal&type=home", "/analytics/interviews", "/analytics/interviews?date_from=2000-01-01",
	"/intelligence/search?q=support", "/intelligence/search?q=zanzibar", "/interviews?status=completed&limit=20",
}

// read sends requests for everything, key after key. Every third caller leaves before
// most responses have come.
func (e *environment) read(ctx context.Context) {
	const callers = 9
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			random := e.random(uint64(100 + n))
			c := e.clients[n/3]
			for ctx.Err() == nil {
				key, err := e.key(ctx, c.slug)
				if err != nil { // the database is away
					rest(ctx, 100*time.Millisecond)
					continue
				}
				for status := 0; ctx.Err() == nil && status != 429; {
					server, path := random.IntN(len(e.servers)), paths[random.IntN(len(paths))]
					if n%3 == 0 {
						status = e.leave(ctx, server, path, key, c, time.Duration(random.IntN(8000))*time.Microsecond)
					} else {
						status = e.get(ctx, server, path, key, c).Status
					}
					rest(ctx, time.Duration(random.IntN(40))*time.Millisecond)
				}
			}
		})
	}
	all.Wait()
}

// leave sends a request that it gives up after a moment.
func (e *environment) leave(ctx context.Context, n int, path, key string, c client, after time.Duration) int {
	ctx, cancel := context.WithTimeout(ctx, after)
	defer cancel()
	a := e.caller.Get(ctx, e.server(n).URL, path, key)
	e.left.Add(1)
	e.checkOwner(c, a)
	return a.Status
}

// get sends a request to one server and records the response in the key's account.
// The response is read whole, even when time is up.
func (e *environment) get(ctx context.Context, n int, path, key string, c client) cluster.Response {
	a := e.caller.Get(context.WithoutCancel(ctx), e.server(n).URL, path, key)
	e.reads.Add(1)
	e.mu.Lock()
	entry := e.accounts[key]
	if entry == nil {
		entry = &account{statuses: map[int]int{}, remaining: map[string]int{}}
		e.accounts[key] = entry
	}
	entry.sent++
	entry.statuses[a.Status]++
	if remaining := a.Header.Get("X-RateLimit-Remaining"); a.Status != 429 && remaining != "" {
		entry.remaining[remaining]++
	}
	e.mu.Unlock()
	if fault := badResponse(a); fault != "" && (n != restarted || a.Status != 0) {
		e.violation("%s: %s", path, fault)
	}
	e.checkOwner(c, a)
	if a.Status == 503 {
		e.refused.Add(1)
		rest(ctx, 100*time.Millisecond)
	}
	return a
}

var owners = regexp.MustCompile(`"client_id":"([^"]*)"`)

// checkOwner checks that a response names the key's client alone: a connection or buffer
// of a request that was given up may be used again.
func (e *environment) checkOwner(c client, a cluster.Response) {
	for _, found := range owners.FindAllSubmatch(a.Body, -1) {
		if a.Status == 200 && string(found[1]) != c.id {
			e.violation("%s got a response of the client %s", c.slug, found[1])
			return
		}
	}
}

// badResponse describes what is wrong with a response that no fault excuses.
func badResponse(a cluster.Response) string {
	switch {
	case a.Took > maxResponseTime:
		return fmt.Sprintf("status %d came after %s", a.Status, a.Took)
	case a.Status == 0:
		return fmt.Sprintf("the connection broke: %v", a.Err)
	case a.Status == 503 && (a.Code != "service_unavailable" || a.Header.Get("Retry-After") == ""):
		return fmt.Sprintf("503 with code %q, Retry-After %q", a.Code, a.Header.Get("Retry-After"))
	case a.Status != 200 && a.Status != 429 && a.Status != 503:
		return fmt.Sprintf("status %d: %s", a.Status, a.Body)
	}
	return ""
}

// rest waits, unless the end comes first.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
