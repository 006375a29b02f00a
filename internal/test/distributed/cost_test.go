//go:build distributed && linux

package distributed

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// BenchmarkRoutes compares what each route costs with a plain PostgreSQL of the same
// settings, one caller, in turns. Processor time hardly
// depends on what else the machine does; of latencies it takes the fastest tenth. It
// prints, and checks no bound.
//
//	go test -tags distributed -run '^$' -bench Routes -benchtime 1x ./internal/test/distributed
func BenchmarkRoutes(b *testing.B) {
	file := clientsFile(b, 2)
	routes := []string{
		"/interviews?limit=50", continued, "/interviews?limit=1", "/campaigns?limit=20", "/synthesis?limit=10",
		"/analytics/interviews", "/intelligence/search?q=delivery&limit=10", "/intelligence/search?q=zyzzyvas&limit=10",
	}
	p, c := newSide(b, 0, file), newSide(b, 2, file)
	for _, s := range []*side{p, c} {
		s.took, s.used = make([][]time.Duration, len(routes)), make([][3]time.Duration, len(routes))
		s.issueKeys(b, "client-0", len(routes))
		s.second = []string{secondPage(b, s.server.URL, s.keys[0])}
	}
	caller := cluster.NewCaller(1)
	defer caller.Close()
	for round := range 5 {
		for i, route := range routes {
			for _, s := range []*side{p, c} {
				path, began := strings.Replace(route, continued, s.second[0], 1), s.cpu()
				for range 40 {
					a := caller.Get(b.Context(), s.server.URL, path, s.keys[i])
					if a.Status != http.StatusOK {
						b.Fatalf("%s on %s: %d %s", route, s.name, a.Status, a.Body)
					}
					if round > 0 { // the first only warms
						s.took[i] = append(s.took[i], a.Took)
					}
				}
				if ended := s.cpu(); round > 0 {
					for n := range ended {
						s.used[i][n] += ended[n] - began[n]
					}
				}
			}
		}
	}
	for i, route := range routes {
		requests := time.Duration(len(p.took[i]))
		fmt.Printf("| `%s` | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f |\n", route,
			ms(p.used[i][0]/requests), ms(c.used[i][0]/requests), ms(c.used[i][1]/requests), ms((c.used[i][2]-p.used[i][2])/requests),
			ms(fast(p.took[i])), ms(fast(c.took[i])), float64(fast(c.took[i]))/float64(fast(p.took[i])))
	}
	fmt.Printf("import of 10,000 interviews: %.1f s plain, %.1f s distributed, ratio %.1f\n",
		p.imported.Seconds(), c.imported.Seconds(), float64(c.imported)/float64(p.imported))
}

// BenchmarkWorkers lets eight callers, two for each of four clients, read pages from a
// plain PostgreSQL, from one worker and from two, in turns. With all of them on one
// machine it shows what a second worker costs, and not what its processors would add.
//
//	go test -tags distributed -run '^$' -bench Workers -benchtime 1x ./internal/test/distributed
func BenchmarkWorkers(b *testing.B) {
	const callers, requests, rounds = 8, 50, 5
	file := clientsFile(b, 4)
	var sides []*side
	for workers := range 3 {
		s := newSide(b, workers, file)
		for i := range callers {
			s.issueKeys(b, fmt.Sprint("client-", i%4), 1)
			s.second = append(s.second, secondPage(b, s.server.URL, s.keys[i]))
		}
		s.took, s.used = make([][]time.Duration, 1), make([][3]time.Duration, 1)
		sides = append(sides, s)
	}
	for round := range rounds + 1 {
		for _, s := range sides {
			used, began := s.cpu(), time.Now()
			var all sync.WaitGroup
			failed := make([]error, callers)
			for i := range callers {
				all.Go(func() {
					caller := cluster.NewCaller(1)
					defer caller.Close()
					for range requests {
						if a := caller.Get(b.Context(), s.server.URL, s.second[i], s.keys[i]); a.Status != http.StatusOK {
							failed[i] = fmt.Errorf("%s: %d %s", s.name, a.Status, a.Body)
							return
						}
					}
				})
			}
			all.Wait()
			if err := errors.Join(failed...); err != nil {
				b.Fatal(err)
			}
			if ended := s.cpu(); round > 0 {
				s.took[0] = append(s.took[0], time.Since(began))
				for n := range ended {
					s.used[0][n] += ended[n] - used[n]
				}
			}
		}
	}
	for _, s := range sides {
		const total = callers * requests * rounds
		slices.Sort(s.took[0])
		fmt.Printf("| %s | %.0f | %.2f | %.2f | %.2f |\n", s.name, callers*requests/s.took[0][rounds/2].Seconds(),
			ms(s.used[0][0]/total), ms(s.used[0][1]/total), ms(s.used[0][2]/total))
	}
}

// continued stands for a side's second page.
const continued = "/interviews?limit=50&starting_after=…"

// secondPage continues a first one, whose basis would be most of the answer.
func secondPage(b *testing.B, server, key string) string {
	b.Helper()
	caller := cluster.NewCaller(1)
	defer caller.Close()
	a := caller.Get(b.Context(), server, "/interviews?limit=50", key)
	var first struct {
		Meta struct {
			NextCursor string `json:"next_cursor"`
		}
	}
	if err := json.Unmarshal(a.Body, &first); err != nil || first.Meta.NextCursor == "" {
		b.Fatalf("%d %v: %.300s", a.Status, err, a.Body)
	}
	return "/interviews?limit=50&starting_after=" + url.QueryEscape(first.Meta.NextCursor)
}

// clientsFile is an import of n clients with 5,000 interviews each.
func clientsFile(b *testing.B, n int) string {
	b.Helper()
	options := corpus.Options{Seed: 1, From: time.Now().AddDate(0, -6, 0), To: time.Now()}
	for i := range n {
		options.Clients = append(options.Clients, corpus.ClientOptions{
			Slug: fmt.Sprint("client-", i), Mode: corpus.ModeCanonical, Interviews: 5_000, Campaigns: 20, Synthesis: 300,
		})
	}
	var file strings.Builder
	if _, err := corpus.Generate(&file, options); err != nil {
		b.Fatal(err)
	}
	return file.String()
}

// newSide is a server on a plain PostgreSQL, or on a coordinator and so many workers,
// with what the file holds. Of several workers each has some of the clients.
func newSide(b *testing.B, workers int, file string) *side {
	b.Helper()
	settings := map[string]string{"shared_buffers": "256MB", "autovacuum": "on"}
	s := &side{name: []string{"plain", "1 worker", "2 workers"}[workers]}
	if workers == 0 {
		plain, err := base.NewPostgres(b.Context(), "", settings)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(plain.Crash)
		s.pg, s.machines = plain, [][]*cluster.Postgres{{plain}}
	} else {
		nodes, err := base.NewNodes(b.Context(), workers, settings)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(nodes.Stop)
		if err := nodes.CreateDatabase(b.Context(), "clientintel_distributed"); err != nil {
			b.Fatal(err)
		}
		s.pg, s.machines = nodes.Coordinator.InDatabase("clientintel_distributed"), [][]*cluster.Postgres{{nodes.Coordinator}, nodes.Workers}
		command(b, s.pg.OwnerURL(), "migrate", "--distribute")
	}
	began := time.Now()
	if err := base.Import(s.pg, file); err != nil {
		b.Fatal(err)
	}
	s.imported = time.Since(began)
	if workers > 1 {
		s.wantAllWorkersUsed(b, workers)
	}
	server, err := base.StartServer(b.Context(), s.pg.OwnerURL())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(server.Kill)
	s.server = server
	return s
}

func (s *side) wantAllWorkersUsed(b *testing.B, workers int) {
	b.Helper()
	conn, err := s.pg.Connect(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(b.Context())
	var used int
	if err := conn.QueryRow(b.Context(), `SELECT count(DISTINCT s.nodeport) FROM clients AS c
		JOIN citus_shards AS s ON s.shardid = get_shard_id_for_distribution_column('clients', c.id)`).Scan(&used); err != nil {
		b.Fatal(err)
	}
	if used != workers {
		b.Fatalf("the clients lie on %d workers of %d", used, workers)
	}
}

func (s *side) issueKeys(b *testing.B, client string, n int) {
	b.Helper()
	keys, err := s.pg.IssueKeys(b.Context(), client, n)
	if err != nil {
		b.Fatal(err)
	}
	s.keys = append(s.keys, keys...)
}

// cpu is the processor time so far: of the database or the coordinator, of the workers,
// and of the server.
func (s *side) cpu() (used [3]time.Duration) {
	for n, machines := range s.machines {
		for _, machine := range machines {
			used[n] += machine.ProcessorTime()
		}
	}
	used[2] = s.server.ProcessorTime()
	return used
}

type side struct {
	name string
	pg   *cluster.Postgres
	keys []string
	// second are the paths of second pages, whose cursors only this side takes.
	second []string
	took   [][]time.Duration
	// used are the processor times of each route, as cpu divides them.
	used     [][3]time.Duration
	machines [][]*cluster.Postgres
	server   *cluster.Server
	imported time.Duration
}

func command(b *testing.B, url string, args ...string) {
	b.Helper()
	c, err := base.Start(url, args...)
	if err != nil {
		b.Fatal(err)
	}
	if stdout, stderr, err := c.Output(2 * time.Minute); err != nil {
		b.Fatalf("%v: %v: %s%s", args, err, stdout, stderr)
	}
}

// fast is what the fastest tenth stays below.
func fast(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/10]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
