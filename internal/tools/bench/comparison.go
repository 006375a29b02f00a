package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// sample is one workload's run in one round.
type sample struct {
	requests int
	// rate is requests a second, mean how long one takes.
	rate           float64
	mean, p50, p99 time.Duration
	// A request's share: of the server's, PostgreSQL's and the generator's CPU
	// time, and of what was written to the log.
	server, database, generator time.Duration
	wal                         float64
	// peak is the server's memory at its height, in bytes, since its start.
	peak int64
}

// workload is one of those that a comparison runs in turn.
type workload struct {
	name string
	run  func(context.Context, time.Duration) (sample, error)
}

// series is a workload with all its rounds.
type series struct {
	name   string
	rounds []sample
}

// compare runs the workloads in turn: first once uncounted, so that none pays
// for what the others find warm, then so many rounds, every other one backwards.
func (s *session) compare(ctx context.Context, name string, workloads ...workload) ([]*series, error) {
	return s.compareRounds(ctx, s.rounds, name, workloads...)
}

// compareLonger has twice the rounds, for ratios that a busy moment of the machine
// moves most.
func (s *session) compareLonger(ctx context.Context, name string, workloads ...workload) ([]*series, error) {
	return s.compareRounds(ctx, 2*s.rounds, name, workloads...)
}

func (s *session) compareRounds(ctx context.Context, rounds int, name string, workloads ...workload) ([]*series, error) {
	s.logf("%s: %d workloads, %d rounds of %s", name, len(workloads), rounds, s.duration)
	all := make([]*series, len(workloads))
	for i, one := range workloads {
		all[i] = &series{name: one.name}
		if _, err := one.run(ctx, max(s.duration/2, 100*time.Millisecond)); err != nil {
			return nil, fmt.Errorf("%s: %w", one.name, err)
		}
	}
	order := make([]int, len(workloads))
	for i := range order {
		order[i] = i
	}
	for range rounds {
		for _, i := range order {
			took, err := workloads[i].run(ctx, s.duration)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", workloads[i].name, err)
			}
			all[i].rounds = append(all[i].rounds, took)
		}
		slices.Reverse(order)
	}
	return all, nil
}

func rate(m sample) float64 { return m.rate }

func meanSeconds(m sample) float64 { return m.mean.Seconds() }

// median is that of a figure over the rounds.
func (v *series) median(of func(sample) float64) float64 {
	values := make([]float64, len(v.rounds))
	for i, m := range v.rounds {
		values[i] = of(m)
	}
	return median(values)
}

// median is the middle of the values, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// ratio is the median of the rounds' ratios, with the least and the greatest.
type ratio struct{ value, low, high float64 }

// ratioTo divides a figure of one workload by that of another, round by round: what
// disturbs a round disturbs both.
func (v *series) ratioTo(other *series, of func(sample) float64) ratio {
	ratios := make([]float64, min(len(v.rounds), len(other.rounds)))
	for i := range ratios {
		ratios[i] = of(v.rounds[i]) / of(other.rounds[i])
	}
	return ratio{value: median(ratios), low: slices.Min(ratios), high: slices.Max(ratios)}
}

func (q ratio) dividedBy(by float64) ratio {
	return ratio{value: q.value / by, low: q.low / by, high: q.high / by}
}

// absolute is a figure that is not a ratio.
func (v *series) absolute(of func(sample) float64) ratio {
	q := ratio{value: v.median(of)}
	for i, m := range v.rounds {
		if i == 0 || of(m) < q.low {
			q.low = of(m)
		}
		q.high = max(q.high, of(m))
	}
	return q
}

// best is the workload with the greatest median.
func best(of func(sample) float64, workloads ...*series) *series {
	return slices.MaxFunc(workloads, func(a, b *series) int {
		switch x, y := a.median(of), b.median(of); {
		case x < y:
			return -1
		case x > y:
			return 1
		default:
			return 0
		}
	})
}
