//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/tools/bench/baseline"
	"github.com/clientintel/clientintel/internal/tools/bench/load"
)

const (
	listPath = cluster.Prefix + "/interviews"
	// keyCount is how many keys share the requests of a target.
	keyCount = 1000
	// requestsBefore is how many requests of the last hour a key begins with: keys in use
	// are somewhere within their quota, and what counting costs can depend on where.
	requestsBefore = 200
	// requestsEach is how many requests a key makes before it is replaced: far enough from
	// the limit for the next run.
	requestsEach = 250
)

// position is where a page begins: after this row.
type position struct {
	Cursor    string
	CreatedAt time.Time
	ID        uuid.UUID
}

// target is clients of a server that are asked for in turn.
type target struct {
	*session
	server  *server
	clients []*client
	scopes  []auth.Scope
	keys    [][]string // of each client
	used    int        // requests with these keys
}

// target finds clients of a server and issues keys to them.
func (s *session) target(ctx context.Context, v *server, slugs []string, scopes ...auth.Scope) (*target, error) {
	if len(scopes) == 0 {
		scopes = auth.Default()
	}
	t := &target{session: s, server: v, scopes: scopes, keys: make([][]string, len(slugs))}
	for _, slug := range slugs {
		t.clients = append(t.clients, v.build.clients[slug])
	}
	return t, t.issueKeys(ctx)
}

// issueKeys replaces the keys, in the baseline server's tables too.
func (t *target) issueKeys(ctx context.Context) error {
	admin := t.server.build.admin
	for i, c := range t.clients {
		n := (keyCount + len(t.clients) - 1) / len(t.clients)
		texts, prefixes, hashes, ids := make([]string, n), make([]string, n), make([][]byte, n), make([]uuid.UUID, n)
		for k := range n {
			// A text that is no issued key's is hashed whole.
			texts[k] = "cik_" + rand.Text()[:12] + "_bench"
			token, _ := apikey.ParseToken(texts[k])
			prefixes[k], hashes[k], ids[k] = token.Prefix, token.SecretHash[:], uuid.New()
		}
		t.keys[i] = texts
		if _, err := admin.Exec(ctx, `INSERT INTO api_keys (client_id, prefix, secret_hash, id, name, scopes)
			SELECT $1, k.prefix, k.hash, k.id, 'bench', $2 FROM unnest($3::text[], $4::bytea[], $5::uuid[]) AS k (prefix, hash, id)`,
			c.id, t.scopes, prefixes, hashes, ids); err != nil {
			return fmt.Errorf("issuing keys: %w", err)
		}
		if _, err := admin.Exec(ctx, `INSERT INTO request_log (client_id, key_id, at, seq, route, status)
			SELECT $1, k.id, now() - (3000 - 14 * n) * interval '1 second', n, 'listInterviews', 200
			FROM unnest($2::uuid[]) AS k (id) CROSS JOIN generate_series(1, $3) AS n`, c.id, ids, requestsBefore); err != nil {
			return fmt.Errorf("filling the keys' windows: %w", err)
		}
		if t.server.build == t.now {
			if err := baseline.AddKeys(ctx, admin, c.id, t.scopes, texts, requestsBefore); err != nil {
				return err
			}
		}
	}
	t.used = 0
	return nil
}

// requests are what a workload sends.
type requests struct {
	*target
	paths       [][]string // of each client
	post        string     // the endpoint that paths are posted to as messages
	connections int
	contains    string
}

// get asks each client of the target for one of these paths.
func (t *target) get(connections int, contains string, paths ...string) requests {
	r := requests{target: t, connections: connections, contains: contains}
	for range t.clients {
		r.paths = append(r.paths, paths)
	}
	return r
}

// pages are pages of so many rows in the middle of each client's interviews.
func (t *target) pages(ctx context.Context, limit, connections int) (requests, error) {
	r := requests{target: t, connections: connections, contains: fmt.Sprintf(`"count":%d,`, limit)}
	for i, c := range t.clients {
		if err := t.walk(ctx, c, t.keys[i]); err != nil {
			return r, err
		}
		var paths []string
		for _, p := range c.positions {
			cursor := p.Cursor
			if t.server.isBaseline {
				cursor = baseline.Cursor(c.id, p.CreatedAt, p.ID)
			}
			paths = append(paths, fmt.Sprintf("%s?limit=%d&starting_after=%s", listPath, limit, cursor))
		}
		r.paths = append(r.paths, paths)
	}
	return r, nil
}

// walk reads a client's whole list, proves that it is whole, and keeps positions in the
// middle of it. It is the product's, whose cursors the baseline server does not take.
func (t *target) walk(ctx context.Context, c *client, keys []string) error {
	if c.positions != nil {
		return nil
	}
	caller := cluster.NewCaller(1)
	defer caller.Close()
	var all []position
	rows, cursor := 0, ""
	for n := 0; n == 0 || cursor != ""; n++ {
		path := listPath + "?limit=200"
		if cursor != "" {
			path += "&starting_after=" + cursor
		}
		var page struct {
			Data []struct {
				ID        uuid.UUID
				CreatedAt time.Time `json:"created_at"`
			}
			Meta struct {
				Next string `json:"next_cursor"`
			}
		}
		a := caller.Get(ctx, "http://"+t.server.address, strings.TrimPrefix(path, cluster.Prefix), keys[n%len(keys)])
		if err := json.Unmarshal(a.Body, &page); err != nil || a.Status != http.StatusOK {
			return fmt.Errorf("%s: status %d: %.300s", path, a.Status, a.Body)
		}
		rows, cursor = rows+len(page.Data), page.Meta.Next
		last := page.Data[len(page.Data)-1]
		all = append(all, position{cursor, last.CreatedAt, last.ID})
	}
	if rows != c.usable {
		return fmt.Errorf("a walk through %s found %d interviews of %d", c.slug, rows, c.usable)
	}
	all = all[:len(all)-1] // after the last row there is none
	c.positions = all[len(all)/10 : max(len(all)*9/10, len(all)/10+1)]
	t.used += len(all)
	return nil
}

// workload sends the requests in a process of its own. A wrong response is an error.
func (r requests) workload(name string) workload {
	return workload{name, func(ctx context.Context, d time.Duration) (sample, error) {
		if r.used > keyCount*requestsEach {
			if err := r.issueKeys(ctx); err != nil {
				return sample{}, err
			}
		}
		r.jobs++
		job := load.Job{
			Address: r.server.address, Connections: r.connections, Duration: d, Post: r.post, First: r.used, Seed: r.jobs,
			Contains: r.contains,
		}
		for i, paths := range r.paths {
			job.Clients = append(job.Clients, load.Client{Keys: r.keys[i], Paths: paths})
		}
		text, err := json.Marshal(job)
		if err != nil {
			return sample{}, err
		}
		generator := exec.CommandContext(ctx, r.self, "load")
		generator.Stdin = bytes.NewReader(text)
		server, database := cluster.ProcessorTime(r.server.pid), r.pg.ProcessorTime()
		out, err := generator.Output()
		if err != nil {
			return sample{}, fmt.Errorf("the load generator: %w", err)
		}
		server, database = cluster.ProcessorTime(r.server.pid)-server, r.pg.ProcessorTime()-database
		var result load.Result
		if err := json.Unmarshal(out, &result); err != nil {
			return sample{}, fmt.Errorf("the load generator's result: %w", err)
		}
		if result.Fault != "" || result.Requests == 0 {
			return sample{}, fmt.Errorf("a wrong response, of %d: %s", result.Requests, result.Fault)
		}
		r.used += result.Requests
		n := time.Duration(result.Requests)
		return sample{
			rate: float64(result.Requests) / result.Elapsed.Seconds(),
			mean: result.Mean, p50: result.P50, p99: result.P99,
			server: server / n, database: database / n, generator: result.CPU / n,
		}, nil
	}}
}
