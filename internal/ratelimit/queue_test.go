package ratelimit

import (
	"math"
	"slices"
	"testing"

	"github.com/google/uuid"
)

var storm, clientA, clientB = uuid.New(), uuid.New(), uuid.New()

func pushAll(t *testing.T, q *queue, clients ...uuid.UUID) []*Pending {
	t.Helper()
	var pushed []*Pending
	for _, client := range clients {
		w := &Pending{}
		if !q.push(client, w, math.MaxInt) {
			t.Fatal("no room")
		}
		pushed = append(pushed, w)
	}
	return pushed
}

// Whoever comes after a thousand requests of another client goes with the next group.
func TestQueue_ClientsTakeTurns(t *testing.T) {
	t.Parallel()
	q := newQueue()
	for range maxOfClient {
		pushAll(t, q, storm)
	}
	if q.push(storm, &Pending{}, math.MaxInt) {
		t.Error("one client may wait without end")
	}
	others := pushAll(t, q, clientA, clientB, clientA)
	group := q.take(6)
	for i, want := range map[int]*Pending{1: others[0], 2: others[1], 4: others[2]} {
		if group[i] != want {
			t.Errorf("number %d of the group is another", i)
		}
	}
	taken := len(group)
	for group := q.take(64); len(group) > 0; group = q.take(64) {
		taken += len(group)
	}
	if taken != maxOfClient+3 || q.len() != 0 {
		t.Errorf("%d were taken, %d are left", taken, q.len())
	}
}

// What refuses a client is what waits before its own next request, not what waits
// in all.
func TestQueue_RefusesByTheClientsOwnWait(t *testing.T) {
	t.Parallel()
	q := newQueue()
	const mayWait = 100
	for range maxOfClient {
		pushAll(t, q, storm)
	}
	if q.push(storm, &Pending{}, mayWait) {
		t.Error("a client that waits too long was let in")
	}
	if !q.push(clientA, &Pending{}, mayWait) {
		t.Error("a client whose turn is next was refused for what others have sent")
	}
}

// The order of one client's requests is the order they came in.
func TestQueue_KeepsAClientsOrder(t *testing.T) {
	t.Parallel()
	q := newQueue()
	var pushed, taken []*Pending
	for range 100 {
		pushed = append(pushed, pushAll(t, q, clientA, clientB)[0])
	}
	for group := q.take(7); len(group) > 0; group = q.take(7) {
		for _, w := range group {
			if slices.Contains(pushed, w) {
				taken = append(taken, w)
			}
		}
	}
	if !slices.Equal(taken, pushed) {
		t.Error("the order has changed")
	}
}
