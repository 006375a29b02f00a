//go:build distributed && linux

package distributed

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// BenchmarkRoutes compares what each route costs with a plain PostgreSQL of the same
// settings, one caller, in turns: the table of docs/scale.md. Processor time hardly
// depends on what else the machine does; of latencies it takes the fastest tenth. It
// prints, and holds nothing against a bound.
//
//	go test -tags distributed -run '^$' -bench Routes -benchtime 1x ./internal/test/distributed
func BenchmarkRoutes(b *testing.B) {
	settings := map[string]string{"shared_buffers": "256MB", "autovacuum": "on"}
	plain, err := base.NewPostgres(b.Context(), "", settings)
	if err != nil {
		b.Fatal(err)
	}
	defer plain.Crash()
	on, err := base.NewNodes(b.Context(), 2, settings)
	if err != nil {
		b.Fatal(err)
	}
	defer on.Stop()
	if err := on.CreateDatabase(b.Context(), "clientintel_distributed"); err != nil {
		b.Fatal(err)
	}
	coordinator := on.Coordinator.InDatabase("clientintel_distributed")
	command(b, coordinator.OwnerURL(), "migrate", "--distribute")

	var file strings.Builder
	if _, err := corpus.Generate(&file, corpus.Options{
		Seed: 1, From: time.Now().AddDate(0, -6, 0), To: time.Now(),
		Clients: []corpus.ClientOptions{
			{Slug: "brand-0", Mode: corpus.ModeCanonical, Interviews: 5_000, Campaigns: 20, Synthesis: 300},
			{Slug: "brand-1", Mode: corpus.ModeCanonical, Interviews: 5_000, Campaigns: 20, Synthesis: 300},
		},
	}); err != nil {
		b.Fatal(err)
	}
	caller := cluster.NewCaller(1)
	defer caller.Close()
	routes := []string{
		"/interviews?limit=50", "/interviews?limit=1", "/campaigns?limit=20", "/synthesis?limit=10",
		"/analytics/interviews", "/intelligence/search?q=delivery&limit=10", "/intelligence/search?q=zyzzyvas&limit=10",
	}
	sides := []*side{{name: "plain", pg: plain, machines: [][]*cluster.Postgres{{plain}}},
		{name: "distributed", pg: coordinator, machines: [][]*cluster.Postgres{{on.Coordinator}, on.Workers}}}
	for _, s := range sides {
		began := time.Now()
		if err := base.Import(s.pg, file.String()); err != nil {
			b.Fatal(err)
		}
		s.imported = time.Since(began)
		for range routes {
			keys, err := s.pg.IssueKeys(b.Context(), "brand-0", 1)
			if err != nil {
				b.Fatal(err)
			}
			s.keys = append(s.keys, keys...)
		}
		server, err := base.StartServer(b.Context(), s.pg.OwnerURL())
		if err != nil {
			b.Fatal(err)
		}
		defer server.Close()
		s.url = server.URL
		s.took, s.used = make([][]time.Duration, len(routes)), make([][3]time.Duration, len(routes))
		s.server = server
	}
	for round := range 5 {
		for i, route := range routes {
			for _, s := range sides {
				began := s.cpu(b)
				for range 40 {
					a := caller.Get(b.Context(), s.url, route, s.keys[i])
					if a.Status != http.StatusOK {
						b.Fatalf("%s on %s: %d %s", route, s.name, a.Status, a.Body)
					}
					if round > 0 { // the first only warms
						s.took[i] = append(s.took[i], a.Took)
					}
				}
				if ended := s.cpu(b); round > 0 {
					for n := range ended {
						s.used[i][n] += ended[n] - began[n]
					}
				}
			}
		}
	}
	for i, route := range routes {
		p, c := sides[0], sides[1]
		requests := time.Duration(len(p.took[i]))
		fmt.Printf("| `%s` | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f |\n", route,
			ms(p.used[i][0]/requests), ms(c.used[i][0]/requests), ms(c.used[i][1]/requests), ms((c.used[i][2]-p.used[i][2])/requests),
			ms(fast(p.took[i])), ms(fast(c.took[i])), float64(fast(c.took[i]))/float64(fast(p.took[i])))
	}
	p, c := sides[0].imported, sides[1].imported
	fmt.Printf("import of 10,000 interviews: %.1f s plain, %.1f s distributed, ratio %.1f\n", p.Seconds(), c.Seconds(), float64(c)/float64(p))
}

// cpu is the processor time so far: of the database or the coordinator, of the workers,
// and of the server.
func (s *side) cpu(b *testing.B) (used [3]time.Duration) {
	b.Helper()
	for n, machines := range s.machines {
		for _, machine := range machines {
			used[n] += machine.ProcessorTime()
		}
	}
	used[2] = s.server.ProcessorTime()
	return used
}

type side struct {
	name, url string
	pg        *cluster.Postgres
	keys      []string
	took      [][]time.Duration
	// used are the processor times of each route, as cpu tells them apart.
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
