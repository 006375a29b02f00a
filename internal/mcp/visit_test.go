package mcp

import (
	"errors"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/fault"
)

// An answer has a bound, all large answers together have one, and what a visit
// took is given back when it ends.
func TestVisit_RoomIsBounded(t *testing.T) {
	t.Parallel()
	everyone := &memory{}
	analytics := tools()[0]
	first := &visit{memory: everyone}
	room := first.roomFor(analytics)
	for _, size := range []int{1, freeAnswer, freeAnswer + 1, 3 * freeAnswer, maxAnswer} {
		if err := room(size); err != nil {
			t.Errorf("%d bytes are refused: %v", size, err)
		}
	}
	if got := everyone.taken.Load(); got != maxAnswer-freeAnswer {
		t.Errorf("%d bytes are taken, want %d", got, maxAnswer-freeAnswer)
	}
	var f *fault.Error
	if err := room(maxAnswer + 1); !errors.As(err, &f) || f.Code != "payload_too_large" || !strings.Contains(f.Details, "date_from") {
		t.Errorf("one byte too many: %v, want payload_too_large with advice", err)
	}

	visits := []*visit{first}
	for {
		next := &visit{memory: everyone}
		visits = append(visits, next)
		if err := next.roomFor(analytics)(maxAnswer); err != nil {
			if !errors.As(err, &f) || f.Code != "service_unavailable" || f.RetryAfter == 0 {
				t.Errorf("a crowd is refused with %v, want service_unavailable with a time to wait", err)
			}
			break
		}
		if len(visits) > 100 {
			t.Fatal("large answers have no common bound")
		}
	}
	small := &visit{memory: everyone}
	if err := small.roomFor(analytics)(freeAnswer); err != nil {
		t.Errorf("a small answer is refused in a crowd: %v", err)
	}
	for _, v := range append(visits, small) {
		v.leave()
	}
	if got := everyone.taken.Load(); got != 0 {
		t.Errorf("%d bytes are still taken when everyone has left", got)
	}
}
