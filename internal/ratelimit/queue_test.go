package ratelimit

import (
	"slices"
	"testing"
)

func wait(prefix string) *waiter { return &waiter{request: Request{Prefix: prefix}} }

func prefixes(group []*waiter) []string {
	var all []string
	for _, w := range group {
		all = append(all, w.request.Prefix)
	}
	return all
}

// Whoever comes after a thousand requests of another key goes with the next group.
func TestQueue_KeysTakeTurns(t *testing.T) {
	t.Parallel()
	q := newQueue()
	for range maxOfKey {
		if !q.push(wait("storm")) {
			t.Fatal("no room")
		}
	}
	if q.push(wait("storm")) {
		t.Error("one key may wait without end")
	}
	for _, prefix := range []string{"a", "b", "a"} {
		if !q.push(wait(prefix)) {
			t.Errorf("no room for %s beside the storm", prefix)
		}
	}
	if got, want := prefixes(q.take(6)), []string{"storm", "a", "b", "storm", "a", "storm"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	taken := 6
	for group := q.take(64); len(group) > 0; group = q.take(64) {
		taken += len(group)
	}
	if taken != maxOfKey+3 || q.len() != 0 || len(q.byKey) != 0 || len(q.rotation) != 0 {
		t.Errorf("%d were taken, %d are left of %d keys", taken, q.len(), len(q.byKey))
	}
}

// The order of one key's requests is the order they came in.
func TestQueue_KeepsAKeysOrder(t *testing.T) {
	t.Parallel()
	q := newQueue()
	var pushed []*waiter
	for range 100 {
		w := wait("a")
		pushed = append(pushed, w)
		q.push(w)
		q.push(wait("b"))
	}
	var taken []*waiter
	for group := q.take(7); len(group) > 0; group = q.take(7) {
		for _, w := range group {
			if w.request.Prefix == "a" {
				taken = append(taken, w)
			}
		}
	}
	if !slices.Equal(taken, pushed) {
		t.Error("the order has changed")
	}
}

// The queue as a whole is bounded too.
func TestQueue_IsBounded(t *testing.T) {
	t.Parallel()
	q := newQueue()
	for i := range maxWaiting {
		if !q.push(wait(string(rune('a' + i%8)))) {
			t.Fatalf("no room for number %d", i)
		}
	}
	if q.push(wait("another")) {
		t.Error("the queue grows without end")
	}
}
