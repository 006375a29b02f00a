package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/tools/bench/load"
)

const (
	admitted = 600 // what a key may in an hour
	// leastRequests requests are a good many more than a key may make.
	leastRequests = 5 * admitted
	longestRun    = 3 * time.Minute
	exactShare    = 20 * time.Second
)

// measureExactness is goal 14: two servers are asked by one new key for longer
// than its quota lasts.
func (s *session) measureExactness(ctx context.Context) error {
	var targets []string
	for _, name := range []string{"server one", "server two"} {
		v, err := s.startServer(ctx, name, s.product)
		if err != nil {
			return err
		}
		defer v.stop()
		targets = append(targets, v.address)
	}
	issued, err := s.issue(ctx, clientTen, auth.Default(), 1)
	if err != nil {
		return err
	}
	s.logf("one key, two servers: %s", s.exact)
	counts, all := map[int]int{}, 0
	began := time.Now()
	for time.Since(began) < s.exact || all < leastRequests && time.Since(began) < longestRun {
		result, err := s.generate(ctx, load.Job{
			Targets: targets, Connections: 64, Duration: min(s.exact, exactShare), Keys: []string{issued[0].Key},
			Paths: []string{listPath + "?limit=1"}, Statuses: []int{http.StatusOK, http.StatusTooManyRequests},
		})
		if err != nil {
			return err
		}
		all += result.Requests
		for status, n := range result.ByStatus {
			counts[status] += n
		}
	}
	n := float64(counts[http.StatusOK])
	s.report.set("14", ratio{n, n, n}).note = fmt.Sprintf("%d requests in %s: %d answered, %d refused with 429",
		all, time.Since(began).Round(time.Second), counts[http.StatusOK], counts[http.StatusTooManyRequests])
	if counts[http.StatusOK] != admitted {
		return fmt.Errorf("%d requests of %d were admitted, not %d", counts[http.StatusOK], all, admitted)
	}
	return nil
}
