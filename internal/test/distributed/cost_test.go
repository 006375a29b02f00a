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

// BenchmarkRoutes compares each route's latency with that on a plain PostgreSQL of the
// same settings, one caller, in turns: the table of docs/scale.md. It prints, and
// holds nothing against a bound.
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
			{Slug: "brand-0", Mode: corpus.ModeCanonical, Interviews: 20_000, Campaigns: 20, Synthesis: 300},
			{Slug: "brand-1", Mode: corpus.ModeCanonical, Interviews: 20_000, Campaigns: 20, Synthesis: 300},
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
	sides := []*side{{name: "plain", pg: plain}, {name: "distributed", pg: coordinator}}
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
		s.took = make([][]time.Duration, len(routes))
	}
	for round := range 6 {
		for i, route := range routes {
			for _, s := range sides {
				for range 60 {
					a := caller.Get(b.Context(), s.url, route, s.keys[i])
					if a.Status != http.StatusOK {
						b.Fatalf("%s on %s: %d %s", route, s.name, a.Status, a.Body)
					}
					if round > 0 { // the first only warms
						s.took[i] = append(s.took[i], a.Took)
					}
				}
			}
		}
	}
	for i, route := range routes {
		a, d := median(sides[0].took[i]), median(sides[1].took[i])
		fmt.Printf("| `%s` | %.2f | %.2f | %.2f | %.1f |\n", route, ms(a), ms(d), ms(d-a), float64(d)/float64(a))
	}
	a, d := sides[0].imported, sides[1].imported
	fmt.Printf("| import of 40,000 interviews | %.0f | %.0f | %.0f | %.1f |\n", ms(a), ms(d), ms(d-a), float64(d)/float64(a))
}

type side struct {
	name, url string
	pg        *cluster.Postgres
	keys      []string
	took      [][]time.Duration
	imported  time.Duration
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

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
