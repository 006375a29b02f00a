package main

import (
	"fmt"
	"math"
	"slices"
)

// report prints each reason's quantiles and compares it with the first by the
// Mann–Whitney test. slower is the probability that a request of this reason took
// longer than one of the first: 0.5 is no difference. p is the probability of a
// difference as large by chance alone.
func report(reasons []*reason) {
	fmt.Printf("%-16s %8s %8s %8s %8s %10s %18s %8s\n", "microseconds", "samples", "p10", "p50", "p90", "slower", "95%", "p")
	for i, r := range reasons {
		sorted := slices.Sorted(slices.Values(r.took))
		at := func(q float64) float64 { return sorted[int(q*float64(len(sorted)-1))] }
		fmt.Printf("%-16s %8d %8.0f %8.0f %8.0f", r.name, len(sorted), at(0.1), at(0.5), at(0.9))
		if i > 0 {
			slower, spread, p := mannWhitney(r.took, reasons[0].took)
			fmt.Printf(" %10.3f %8.3f to %.3f %8.3f", slower, slower-1.96*spread, slower+1.96*spread, p)
		}
		fmt.Println()
	}
}

// mannWhitney returns the chance that one of a is greater than one of b, its
// standard deviation if they are alike, and the two-sided p.
func mannWhitney(a, b []float64) (chance, deviation, p float64) {
	type measured struct {
		value float64
		ofA   bool
	}
	all := make([]measured, 0, len(a)+len(b))
	for _, v := range a {
		all = append(all, measured{v, true})
	}
	for _, v := range b {
		all = append(all, measured{v, false})
	}
	slices.SortFunc(all, func(x, y measured) int {
		switch {
		case x.value < y.value:
			return -1
		case x.value > y.value:
			return 1
		default:
			return 0
		}
	})
	ranks := 0.0
	for start := 0; start < len(all); {
		end := start
		for end < len(all) && all[end].value == all[start].value {
			end++
		}
		shared := float64(start+end+1) / 2 // equal values share the middle of their ranks
		for _, m := range all[start:end] {
			if m.ofA {
				ranks += shared
			}
		}
		start = end
	}
	na, nb := float64(len(a)), float64(len(b))
	chance = (ranks - na*(na+1)/2) / (na * nb)
	deviation = math.Sqrt((na + nb + 1) / (12 * na * nb))
	return chance, deviation, math.Erfc(math.Abs(chance-0.5) / deviation / math.Sqrt2)
}
