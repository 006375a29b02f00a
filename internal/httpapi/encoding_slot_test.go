package httpapi

import (
	"context"
	"io"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

// The rows of a call's response are encoded in a slot, those of an HTTP request are not.
func TestEncodingSlot_RowsOfCallsAreEncodedInIt(t *testing.T) {
	t.Parallel()
	s := logTo(t, io.Discard)
	s.encoding = fairqueue.NewSlots(1, 1, 100)
	encode := func(encoding *encodingSlot) {
		answer := &analyticsResponse{
			ctx: withRecord(t.Context(), &requestRecord{encoding: encoding}), unsent: s.unsent,
			buffered: &analytics.BufferedReport{Report: analytics.Report{Total: countedResponse, Volume: func(func(analytics.Point) bool) {}}},
		}
		if err := answer.VisitGetInterviewAnalyticsResponse(httptest.NewRecorder()); err != nil {
			t.Error(err)
		}
	}
	other, mine := &encodingSlot{slots: s.encoding, client: uuid.New()}, &encodingSlot{slots: s.encoding, client: uuid.New()}
	if err := other.acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	encode(nil)
	var waiting sync.WaitGroup
	waiting.Go(func() { encode(mine) })
	awaitSlots(t, s.encoding, 1)
	other.release()
	waiting.Wait()
	mine.release()
}

// A slot that is taken is not acquired again, and is released with its request, even
// before it was granted.
func TestEncodingSlot_IsReleasedWithItsRequest(t *testing.T) {
	t.Parallel()
	slots := fairqueue.NewSlots(1, 1, 100)
	first, second := &encodingSlot{slots: slots, client: uuid.New()}, &encodingSlot{slots: slots, client: uuid.New()}
	for range 2 {
		if err := first.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	acquired := make(chan error, 1)
	go func() { acquired <- second.acquire(t.Context()) }()
	awaitSlots(t, slots, 1)
	second.release()
	first.release()
	if err := <-acquired; err != nil {
		t.Error(err)
	}
	inTime, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	third := &encodingSlot{slots: slots, client: uuid.New()}
	if err := third.acquire(inTime); err != nil {
		t.Errorf("a slot was kept after its release: %v", err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if err := (&encodingSlot{slots: slots, client: uuid.New()}).acquire(left); err == nil {
		t.Error("two requests hold the one slot")
	}
}
