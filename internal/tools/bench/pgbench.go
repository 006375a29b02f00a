//go:build linux

package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
)

// pgbench is PostgreSQL alone, reading the client's pages with the product's own query:
// each transaction begins somewhere else.
func (s *session) pgbench(c *client, connections int) (workload, error) {
	queries, err := os.ReadFile("sql/queries/interviews.sql")
	if err != nil {
		return workload{}, err
	}
	_, page, _ := strings.Cut(string(queries), "-- name: ListInterviews :many\n")
	page, _, _ = strings.Cut(regexp.MustCompile(`(?m)^--.*\n`).ReplaceAllString(page, ""), ";")
	newest, oldest := c.positions[0], c.positions[len(c.positions)-1]
	// Literals without colons, which pgbench takes for variables; of other parameters false.
	values := map[string]string{
		"client_id": "'" + c.id.String() + "'", "after_created_at": "to_timestamp(:us / 1000000.0)", "after_id": "'" + newest.ID.String() + "'",
		"from_created_at": "'0001-01-01'", "until_created_at": "'9999-12-31'", "status": "''", "max_rows": "51",
	}
	script := fmt.Sprintf("\\set us random(%d, %d)\n%s;\n", oldest.CreatedAt.UnixMicro(), newest.CreatedAt.UnixMicro(),
		regexp.MustCompile(`@\w+`).ReplaceAllStringFunc(page, func(name string) string { return cmp.Or(values[name[1:]], "false") }))
	return workload{"PostgreSQL alone", func(ctx context.Context, d time.Duration) (sample, error) {
		path := filepath.Join(s.dir, "page.sql")
		if err := os.WriteFile(path, []byte(script), 0o644); err != nil { //nolint:gosec // in a directory of our own
			return sample{}, err
		}
		out, err := s.pg.Run(ctx, "pgbench", "--no-vacuum", "--protocol=prepared", "--client="+strconv.Itoa(connections),
			"--time="+strconv.Itoa(max(int(d.Seconds()), 1)), "--file="+path, s.pg.URLOf(embedded.Owner, s.now.name))
		if err != nil {
			return sample{}, err
		}
		return parsePgbench(out)
	}}, nil
}

var pgbenchFigures = regexp.MustCompile(`(?s)actually processed: (\d+).*latency average = ([0-9.]+) ms.*tps = ([0-9.]+)`)

func parsePgbench(out string) (sample, error) {
	found := pgbenchFigures.FindStringSubmatch(out)
	if found == nil {
		return sample{}, fmt.Errorf("pgbench prints no figures: %s", out)
	}
	n, err1 := strconv.Atoi(found[1])
	millis, err2 := strconv.ParseFloat(found[2], 64)
	perSecond, err3 := strconv.ParseFloat(found[3], 64)
	return sample{requests: n, rate: perSecond, mean: time.Duration(millis * float64(time.Millisecond))}, cmp.Or(err1, err2, err3)
}
