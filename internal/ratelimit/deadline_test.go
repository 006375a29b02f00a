package ratelimit

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clientintel/clientintel/internal/apierror"
)

// While the database gives no decision, callers hear so within five seconds, however
// many there are: those that are known, those that are not, and those that are read for
// speculatively.
func TestLimiter_GivesUpOnADatabaseThatDoesNotDecide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		known := Request{Prefix: "known"}
		l, _ := newLimiterKnowing(known, Admission{Verdict: Admitted, Remaining: 2})
		pending, _, started := l.Start(known)
		if !started {
			t.Fatal("a known caller's request was not started")
		}
		began := time.Now()
		var callers sync.WaitGroup
		wait := func(ask func() error) {
			callers.Go(func() {
				err := ask()
				if e, ok := errors.AsType[*apierror.Error](err); !ok || e.Kind != apierror.KindUnavailable {
					t.Errorf("a caller got %v, want that the service is unavailable", err)
				}
			})
		}
		wait(func() error { _, err := pending.Wait(t.Context()); return err })
		for range 100 {
			wait(func() error { _, err := l.Admit(t.Context(), known); return err })
			wait(func() error { _, err := l.Admit(t.Context(), Request{Prefix: "unknown"}); return err })
		}
		callers.Wait()
		if took := time.Since(began); took > 5*time.Second { // of the bubble's clock
			t.Errorf("the last caller heard so after %s", took)
		}
	})
}
