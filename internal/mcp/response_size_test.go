package mcp

import (
	"errors"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/apierror"
)

// An answer has a bound, all large answers together have one, and what a visit
// took is given back when it ends.
func TestResponseSize_IsBounded(t *testing.T) {
	t.Parallel()
	everyone := &responseMemory{}
	analytics := tools()[0]
	first := &request{memory: everyone}
	room := first.sizeLimit(analytics)
	for _, size := range []int{1, unreservedResponse, unreservedResponse + 1, 3 * unreservedResponse, maxResponse} {
		if err := room(size); err != nil {
			t.Errorf("%d bytes are refused: %v", size, err)
		}
	}
	if got := everyone.taken.Load(); got != maxResponse-unreservedResponse {
		t.Errorf("%d bytes are taken, want %d", got, maxResponse-unreservedResponse)
	}
	var f *apierror.Error
	if err := room(maxResponse + 1); !errors.As(err, &f) || f.Code != "payload_too_large" || !strings.Contains(f.Details, "date_from") {
		t.Errorf("one byte too many: %v, want payload_too_large with advice", err)
	}

	visits := []*request{first}
	for {
		next := &request{memory: everyone}
		visits = append(visits, next)
		if err := next.sizeLimit(analytics)(maxResponse); err != nil {
			if !errors.As(err, &f) || f.Code != "service_unavailable" || f.RetryAfter == 0 {
				t.Errorf("a crowd is refused with %v, want service_unavailable with a time to wait", err)
			}
			break
		}
		if len(visits) > 100 {
			t.Fatal("large answers have no common bound")
		}
	}
	small := &request{memory: everyone}
	if err := small.sizeLimit(analytics)(unreservedResponse); err != nil {
		t.Errorf("a small answer is refused in a crowd: %v", err)
	}
	for _, v := range append(visits, small) {
		v.release()
	}
	if got := everyone.taken.Load(); got != 0 {
		t.Errorf("%d bytes are still taken when everyone has left", got)
	}
}
