//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// sample is one workload's run in one round.
type sample struct {
	rate           float64 // requests a second
	mean, p50, p99 time.Duration
	// A request's share of the server's, PostgreSQL's and the load generator's CPU time.
	server, database, generator time.Duration
}

func rate(m sample) float64      { return m.rate }
func p99Millis(m sample) float64 { return m.p99.Seconds() * 1000 }
func spread(m sample) float64    { return m.p99.Seconds() / m.p50.Seconds() }
func cpuTime(m sample) float64   { return (m.server + m.database).Seconds() }

// workload is one side of a comparison.
type workload struct {
	name string
	run  func(context.Context, time.Duration) (sample, error)
}

// series is a workload with all its rounds.
type series struct {
	name   string
	rounds []sample
}

// compare runs the workloads in turn: first once uncounted, so that none pays for what
// the others find warm, then so many rounds, every other one backwards.
func (s *session) compare(ctx context.Context, workloads ...workload) ([]*series, error) {
	all, order := make([]*series, len(workloads)), make([]int, len(workloads))
	for i, w := range workloads {
		all[i], order[i] = &series{name: w.name}, i
		if _, err := w.run(ctx, s.duration); err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
	}
	for range s.rounds {
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

// figure is the median of the rounds' values, with the least and the greatest.
type figure struct{ value, low, high float64 }

func figureOf(values []float64) figure {
	slices.Sort(values)
	n := len(values)
	return figure{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]}
}

func (v *series) figure(of func(sample) float64) figure {
	values := make([]float64, len(v.rounds))
	for i, m := range v.rounds {
		values[i] = of(m)
	}
	return figureOf(values)
}

// dividedBy compares two workloads round by round: what disturbs a round disturbs both.
func (v *series) dividedBy(other *series, of func(sample) float64) figure {
	values := make([]float64, len(v.rounds))
	for i := range values {
		values[i] = of(v.rounds[i]) / of(other.rounds[i])
	}
	return figureOf(values)
}

// String is a workload's line.
func (v *series) String() string {
	text := fmt.Sprintf("    %-34s %8.0f/s", v.name, v.figure(rate).value)
	add := func(format string, of func(sample) time.Duration) {
		text += fmt.Sprintf(format, v.figure(func(m sample) float64 { return float64(of(m).Nanoseconds()) / 1000 }).value)
	}
	add("  µs: mean %.0f", func(m sample) time.Duration { return m.mean })
	add(", p50 %.0f", func(m sample) time.Duration { return m.p50 })
	add(", p99 %.0f", func(m sample) time.Duration { return m.p99 })
	add("; CPU: server %.0f", func(m sample) time.Duration { return m.server })
	add(", database %.0f", func(m sample) time.Duration { return m.database })
	add(", generator %.0f", func(m sample) time.Duration { return m.generator })
	return text
}

// goal is what a figure should be. The zero goal is none.
type goal struct{ atLeast, atMost float64 }

// report prints a figure, and below it the workloads that it was taken from.
func (s *session) report(name string, f figure, unit string, g goal, workloads ...*series) {
	verdict := ""
	switch {
	case g.atLeast > 0:
		verdict = fmt.Sprintf("goal: at least %g", g.atLeast)
	case g.atMost > 0:
		verdict = fmt.Sprintf("goal: at most %g", g.atMost)
	}
	if g.atLeast > f.value || g.atMost > 0 && g.atMost < f.value {
		verdict += " MISSED"
	}
	value := fmt.Sprintf("%.2f", f.value)
	if f.value >= 100 {
		value = fmt.Sprintf("%.0f", f.value)
	}
	lines := []string{fmt.Sprintf("%-52s %8s %-2s (%.2f to %.2f)  %s", name, value, unit, f.low, f.high, verdict)}
	for _, w := range workloads {
		lines = append(lines, w.String())
	}
	fmt.Fprintln(s.out, strings.Join(lines, "\n"))
}
