package mcp

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

// An answer has a bound, all large answers of a client together have one, and what
// a request took is given back when it ends.
func TestResponseSize_IsBounded(t *testing.T) {
	t.Parallel()
	const everything, small, many = 4 * maxResponse, 32 << 10, 2 // rows
	unsent := fairqueue.NewBudget(everything, everything/2)
	greedy, other := uuid.New(), uuid.New()
	texts, err := readTexts()
	if err != nil {
		t.Fatal(err)
	}
	analytics := texts.Tools[0]
	first := &request{reservation: unsent.NewReservation(greedy)}
	check := first.sizeLimit(analytics)
	for _, size := range []int{1, small, small + 1, 3 * small, maxResponse} {
		if err := check(size, many); err != nil {
			t.Errorf("%d bytes are refused: %v", size, err)
		}
	}
	if !unsent.Full(greedy, 2*small+1) || unsent.Full(greedy, 2*small) {
		t.Error("a message does not reserve its answer twice")
	}
	var f *apierror.Error
	if err := check(maxResponse+1, many); !errors.As(err, &f) || f.Code != "payload_too_large" || !strings.Contains(f.Details, "date_from") {
		t.Errorf("one byte too many: %v, want payload_too_large with advice", err)
	}
	second := &request{reservation: unsent.NewReservation(greedy)}
	if err := second.sizeLimit(analytics)(maxResponse, many); !errors.As(err, &f) || f.Code != "service_unavailable" || f.RetryAfter == 0 {
		t.Errorf("beyond its share a client is refused with %v, want service_unavailable with a time to wait", err)
	}
	if err := second.sizeLimit(analytics)(small, many); err != nil {
		t.Errorf("a small answer is refused: %v", err)
	}
	third := &request{reservation: unsent.NewReservation(other)}
	if err := third.sizeLimit(analytics)(maxResponse, many); err != nil {
		t.Errorf("another client is refused: %v", err)
	}
	if err := third.sizeLimit(analytics)(2*maxResponse, 1); !errors.As(err, &f) || f.Code != "service_unavailable" {
		t.Errorf("a long row beside the others is refused with %v, want service_unavailable", err)
	}
	for _, r := range []*request{first, second, third} {
		r.reservation.Release()
	}
	alone := &request{reservation: unsent.NewReservation(greedy)}
	if err := alone.sizeLimit(analytics)(2*maxResponse, 1); err != nil || unsent.Reserve(other, everything/2) {
		t.Errorf("a row alone is refused: %v, or reserves too little", err)
	}
	alone.reservation.Release()
	if !unsent.Reserve(greedy, everything) {
		t.Error("something is still taken when everything has ended")
	}
}
