package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// row is a goal's value, and the workloads it was taken from.
type row struct {
	ratio
	workloads []*series
	note      string
}

type report struct {
	rows map[string]*row
}

func (r *report) set(key string, q ratio, workloads ...*series) *row {
	r.rows[key] = &row{ratio: q, workloads: workloads}
	return r.rows[key]
}

// missing names the goals that were asked for and have no value.
func (r *report) missing(o options) error {
	var names []string
	for _, g := range goals() {
		if o.wants(g.key) && !g.isOptional && r.rows[g.key] == nil {
			names = append(names, g.key)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("there is no value for %s", strings.Join(names, ", "))
	}
	return nil
}

func (r *report) writeJSON(path string) error {
	values := map[string]float64{}
	for key, row := range r.rows {
		values[key] = row.value
	}
	text, err := json.MarshalIndent(map[string]any{"goals": values}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// print writes the table: a line a goal, below it a line a workload.
func (r *report) print(out io.Writer, o options) error {
	var b strings.Builder
	fmt.Fprintf(&b, "scale %s, medians of %d rounds of %s a workload\n\n", o.scale.name, o.rounds, o.duration)
	fmt.Fprintf(&b, "%-14s  %10s  %-15s  %9s  %8s  %-4s  %s\n", "goal", "value", "rounds", "threshold", "goal", "", "what")
	shown := map[*series]bool{}
	for _, g := range goals() {
		row := r.rows[g.key]
		if row == nil {
			continue
		}
		fmt.Fprintf(&b, "%-14s  %10s  %-15s  %9s  %8s  %-4s  %s\n", g.key, figure(row.value), row.extent(),
			g.bound(g.threshold), g.bound(g.aim), g.verdict(row.value), g.measure())
		if row.note != "" {
			fmt.Fprintf(&b, "    %s\n", row.note)
		}
		for _, workload := range row.workloads {
			if !shown[workload] { // once is enough where goals share a comparison
				fmt.Fprintf(&b, "    %s\n", workload)
			}
			shown[workload] = true
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (g goal) measure() string {
	if g.unit == "" {
		return g.text
	}
	return g.text + ", " + g.unit
}

func (g goal) bound(value float64) string {
	switch {
	case g.hasNoVerdict:
		return ""
	case g.isExact:
		return "= " + figure(value)
	case g.moreIsBetter:
		return ">= " + figure(value)
	default:
		return "<= " + figure(value)
	}
}

// figure spells three digits that count.
func figure(v float64) string {
	switch {
	case v >= 100 || v == float64(int(v)):
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

func (q ratio) extent() string {
	if q.low == q.high {
		return ""
	}
	return figure(q.low) + " to " + figure(q.high)
}

// String is a workload's line. What does not apply to it is left out.
func (v *series) String() string {
	parts := []string{fmt.Sprintf("%-34s %9s/s", v.name, figure(v.median(rate)))}
	add := func(format string, value float64) {
		if value > 0 {
			parts = append(parts, fmt.Sprintf(format, value))
		}
	}
	micros := func(of func(sample) time.Duration) float64 {
		return v.median(func(m sample) float64 { return float64(of(m)) / float64(time.Microsecond) })
	}
	millis := func(of func(sample) time.Duration) float64 { return micros(of) / 1000 }
	add("mean %.2f ms", millis(func(m sample) time.Duration { return m.mean }))
	add("p50 %.2f", millis(func(m sample) time.Duration { return m.p50 }))
	add("p99 %.2f", millis(func(m sample) time.Duration { return m.p99 }))
	add("CPU us: server %.0f", micros(func(m sample) time.Duration { return m.server }))
	add("database %.0f", micros(func(m sample) time.Duration { return m.database }))
	add("generator %.0f", micros(func(m sample) time.Duration { return m.generator }))
	add("WAL %.0f bytes", v.median(func(m sample) float64 { return m.wal }))
	add("peak %.0f MB", v.median(func(m sample) float64 { return float64(m.peak) / (1 << 20) }))
	return strings.Join(parts, "  ")
}
