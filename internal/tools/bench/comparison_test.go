package main

import (
	"context"
	"io"
	"slices"
	"testing"
	"time"
)

func ofRates(name string, rates ...float64) *series {
	v := &series{name: name}
	for _, r := range rates {
		v.rounds = append(v.rounds, sample{rate: r})
	}
	return v
}

func TestRatioTo_IsTheMedianOfTheRounds(t *testing.T) {
	t.Parallel()
	ours, theirs := ofRates("ours", 10, 30, 20), ofRates("theirs", 10, 10, 40)
	if got, want := ours.ratioTo(theirs, rate), (ratio{value: 1, low: 0.5, high: 3}); got != want {
		t.Errorf("the quotient is %+v, want %+v", got, want)
	}
	if got, want := ours.absolute(rate), (ratio{value: 20, low: 10, high: 30}); got != want {
		t.Errorf("alone it is %+v, want %+v", got, want)
	}
	if got := median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("the median of four is %g, want 2.5", got)
	}
	// One lucky round makes no best workload.
	if got := best(rate, ofRates("steady", 5, 5, 5), ofRates("lucky", 1, 1, 99)); got.name != "steady" {
		t.Errorf("the best is %s", got.name)
	}
}

// Neither workload always comes first, and the run before the rounds counts nowhere.
func TestCompare_OrderAlternates(t *testing.T) {
	t.Parallel()
	var order []string
	turn := func(name string) workload {
		return workload{name, func(context.Context, time.Duration) (sample, error) {
			order = append(order, name)
			return sample{rate: float64(len(order))}, nil
		}}
	}
	s := &session{options: options{rounds: 3, duration: time.Second}, progress: io.Discard}
	all, err := s.compare(context.Background(), "turns", turn("a"), turn("b"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "b", "a", "b", "b", "a", "a", "b"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
	if got := all[0].median(rate); len(all[0].rounds) != 3 || got != 6 {
		t.Errorf("a has %d rounds with the median %g, want 3 and 6", len(all[0].rounds), got)
	}
}
