package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// sample is one side's run in one round.
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

// side is one of those that take turns.
type side struct {
	name string
	run  func(context.Context, time.Duration) (sample, error)
}

// series is a side with all its rounds.
type series struct {
	name   string
	rounds []sample
}

// contest lets the sides take turns: first once for nothing, so that none pays
// for what the others find warm, then so many rounds, every other one backwards.
func (s *session) contest(ctx context.Context, name string, sides ...side) ([]*series, error) {
	return s.contestOf(ctx, s.rounds, name, sides...)
}

// longContest has twice the rounds, for ratios that a busy moment of the machine
// moves most.
func (s *session) longContest(ctx context.Context, name string, sides ...side) ([]*series, error) {
	return s.contestOf(ctx, 2*s.rounds, name, sides...)
}

func (s *session) contestOf(ctx context.Context, rounds int, name string, sides ...side) ([]*series, error) {
	s.tell("%s: %d sides, %d rounds of %s", name, len(sides), rounds, s.duration)
	all := make([]*series, len(sides))
	for i, one := range sides {
		all[i] = &series{name: one.name}
		if _, err := one.run(ctx, max(s.duration/2, 100*time.Millisecond)); err != nil {
			return nil, fmt.Errorf("%s: %w", one.name, err)
		}
	}
	order := make([]int, len(sides))
	for i := range order {
		order[i] = i
	}
	for range rounds {
		for _, i := range order {
			took, err := sides[i].run(ctx, s.duration)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", sides[i].name, err)
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

// quotient is the median of the rounds' ratios, with the least and the greatest.
type quotient struct{ value, low, high float64 }

// over divides a figure of one side by that of another, round by round: what the
// machine does to one round it does to both.
func (v *series) over(other *series, of func(sample) float64) quotient {
	ratios := make([]float64, min(len(v.rounds), len(other.rounds)))
	for i := range ratios {
		ratios[i] = of(v.rounds[i]) / of(other.rounds[i])
	}
	return quotient{value: median(ratios), low: slices.Min(ratios), high: slices.Max(ratios)}
}

// alone is a figure that is divided by nothing.
func (v *series) alone(of func(sample) float64) quotient {
	q := quotient{value: v.median(of)}
	for i, m := range v.rounds {
		if i == 0 || of(m) < q.low {
			q.low = of(m)
		}
		q.high = max(q.high, of(m))
	}
	return q
}

// best is the side with the greatest median.
func best(of func(sample) float64, sides ...*series) *series {
	return slices.MaxFunc(sides, func(a, b *series) int {
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
