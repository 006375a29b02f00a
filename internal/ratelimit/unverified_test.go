package ratelimit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/google/uuid"
)

// However many callers without a known key there are, eight of them are in the
// queue, as one client of the rotation: the next group has room for a caller whose key
// is known.
func TestLimiter_UnverifiedCallersShareAFewSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		caller := Request{Prefix: "known", SecretHash: sha256.Sum256([]byte("s"))}
		l, _ := newLimiterKnowing(caller, Admission{Verdict: Admitted, Remaining: 1})

		ctx, stop := context.WithCancel(t.Context())
		var flood sync.WaitGroup
		defer flood.Wait()
		defer stop()
		const flooding = 500
		for i := range flooding {
			flood.Go(func() { _, _ = l.Admit(ctx, Request{Prefix: fmt.Sprint(i), SecretHash: caller.SecretHash}) })
		}
		flood.Go(func() { _, _ = l.Admit(ctx, Request{Prefix: caller.Prefix}) }) // a real prefix with a wrong secret
		flood.Go(func() { _, _ = l.Admit(ctx, caller) })
		synctest.Wait()
		if got := l.queue.len(); got != maxUnverified+1 {
			t.Fatalf("%d requests are in the queue, want %d", got, maxUnverified+1)
		}
		second := l.queue.take(2)
		if second[0].request != caller && second[1].request != caller {
			t.Error("a caller with a known key is not among the next two")
		}
		if _, likely, started := l.Start(caller); started {
			t.Errorf("%v: a caller without room for another request is likely to be admitted", likely)
		}
	})
}

// Known callers start until a whole group waits.
func TestLimiter_StartsNoMoreThanAGroup(t *testing.T) {
	t.Parallel()
	caller := Request{Prefix: "known"}
	l, client := newLimiterKnowing(caller, Admission{Verdict: Admitted, Remaining: 600})
	started := 0
	for range 2 * maxGroup {
		if _, likely, ok := l.Start(caller); ok && likely.ClientID == client {
			started++
		}
	}
	if started != maxGroup {
		t.Errorf("%d requests started, want %d", started, maxGroup)
	}
}

// A refusal for want of a slot differs from one of a limiter that decides nothing:
// anyone can bring about the first.
func TestLimiter_RefusalsForWantOfASlotAreTheirOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(nil)
		close(l.stop) // it decides nothing
		if _, err := l.Admit(t.Context(), Request{Prefix: "first"}); err == nil || errors.Is(err, ErrNoSlot) {
			t.Errorf("with a slot, and no decision: %v", err)
		}
		for _, u := range []refusalSlots{l.unverified, l.keyless} {
			for range maxUnverified {
				if err := u.acquire(t.Context(), uuid.Nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		var waiting sync.WaitGroup
		for what, ask := range map[string]func() error{
			"a key": func() error { _, err := l.Admit(t.Context(), Request{Prefix: "one more"}); return err },
			"none":  func() error { return l.AwaitUncounted(t.Context()) },
		} {
			waiting.Go(func() {
				if err := ask(); !errors.Is(err, ErrNoSlot) {
					t.Errorf("with %s, and no slot: %v", what, err)
				}
			})
		}
		waiting.Wait()
	})
}

// A key that is refused is not known any more.
func TestCallerCache_ForgetsRefusedKeys(t *testing.T) {
	t.Parallel()
	c := newCallerCache()
	r := Request{Prefix: "p"}
	a := Admission{Verdict: Admitted, Remaining: 2}
	a.Caller.ClientID = uuid.New()
	for _, verdict := range []Verdict{Invalid, Revoked, Expired} {
		c.update(r, a)
		if got := c.get(r); !got.isLikely || got.ClientID != a.Caller.ClientID {
			t.Errorf("an admitted caller is %v", got)
		}
		c.update(r, Admission{Verdict: verdict})
		if got := c.get(r); got.ClientID != uuid.Nil {
			t.Errorf("after %s the caller is still known", verdict)
		}
	}
}

// A key that has used up its limit has as few requests in the queue as all callers
// without a known key, however many it sends: what is refused costs the database too.
func TestLimiter_AKeyBeyondItsLimitHasAFewSlots(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		caller := Request{Prefix: "known"}
		l, _ := newLimiterKnowing(caller, Admission{Verdict: Limited})
		ctx, stop := context.WithCancel(t.Context())
		var flood sync.WaitGroup
		defer flood.Wait()
		defer stop()
		const flooding = 100
		for range flooding {
			flood.Go(func() { _, _ = l.Admit(ctx, caller) })
		}
		synctest.Wait()
		if got := l.queue.len(); got != maxUnverified {
			t.Errorf("%d requests are in the queue, want %d", got, maxUnverified)
		}
	})
}

// The more wait, the later each is refused: refusals have a bounded pace.
func TestRefusalDelay_GrowsWithThoseThatWait(t *testing.T) {
	t.Parallel()
	for _, waiting := range []int{0, 1000, maxRefusing} {
		least := minRefusalDelay + time.Duration(waiting)*delayEach
		if got := refusalDelay(waiting); got < least || got >= least+spreadRefusals {
			t.Errorf("with %d waiting: %s, want %s or up to %s more", waiting, got, least, spreadRefusals)
		}
	}
	if got, most := refusalDelay(1<<30), 12*time.Second; got > most {
		t.Errorf("%s, want %s at most: callers give up", got, most)
	}
}

// A client that sends more than may wait is not refused as fast as it sends.
func TestLimiter_RefusalsOfACrowdTakeTheirTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		caller := Request{Prefix: "known"}
		l, client := newLimiterKnowing(caller, Admission{Verdict: Admitted, Remaining: 2})
		for range maxOfClient {
			l.queue.push(client, &Pending{}, maxOfClient)
		}
		ctx, leave := context.WithCancel(t.Context())
		refused := make(chan struct{})
		go func() {
			defer close(refused)
			if _, err := l.Admit(ctx, caller); err == nil {
				t.Error("more than may wait was let in")
			}
		}()
		synctest.Wait()
		if l.overloaded.Waiting() == 0 {
			t.Error("it was refused at once")
		}
		leave()
		<-refused
		if n := l.overloaded.Waiting(); n != 0 {
			t.Errorf("%d requests still wait for their refusal", n)
		}
	})
}

// A decision that came in time holds, however late it is asked for: the request is
// counted.
func TestPending_ADecisionOutlivesItsDeadline(t *testing.T) {
	t.Parallel()
	l := newLimiter(nil) // admits nothing
	close(l.stop)
	for range 100 {
		p, _ := l.enqueue(uuid.New(), Request{}, time.Now())
		p.result <- result{admission: Admission{Verdict: Admitted, Remaining: 5}}
		if a, err := p.Wait(t.Context()); err != nil || a.Remaining != 5 {
			t.Fatalf("%+v, %v", a, err)
		}
	}
}

// Requests that the database is not asked about pass while it does not answer.
func TestLimiter_KeylessRequestsNeedNoDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(nil) // admits nothing
		ctx, leave := context.WithCancel(t.Context())
		var flood sync.WaitGroup
		defer flood.Wait()
		defer leave()
		for i := range maxUnverified {
			flood.Go(func() { _, _ = l.Admit(ctx, Request{Prefix: fmt.Sprint(i)}) })
		}
		synctest.Wait()
		if err := l.AwaitUncounted(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A request that waited for a slot of callers without a known key is refused at once
// where nothing more may wait: the next one needs the slot.
func TestLimiter_RefusalsHoldNoSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(nil) // admits nothing
		for range maxOfClient {
			l.queue.push(uuid.Nil, &Pending{}, maxOfClient)
		}
		began := time.Now()
		if _, err := l.Admit(t.Context(), Request{Prefix: "unknown"}); err == nil {
			t.Error("more than may wait was let in")
		}
		if took := time.Since(began); took > 0 { // of the bubble's clock
			t.Errorf("it keeps its slot for %s until its refusal is due", took)
		}
	})
}

// What is remembered of a caller is the key's prefix, not the header of up to 8 KiB that
// it was cut out of.
func TestCallerCache_KeepsNoHeaders(t *testing.T) {
	t.Parallel()
	c := newCallerCache()
	header := "prefix" + strings.Repeat(" ", 8<<10)
	c.update(Request{Prefix: header[:6]}, Admission{Verdict: Admitted, Remaining: 2})
	for _, kept := range c.Keys() {
		if unsafe.StringData(kept.Prefix) == unsafe.StringData(header) {
			t.Error("the header is kept")
		}
	}
}

// newLimiterKnowing makes a limiter that admits nothing and knows the client of a request
// by the last admission.
func newLimiterKnowing(r Request, last Admission) (*Limiter, uuid.UUID) {
	l := newLimiter(nil)
	last.Caller.ClientID = uuid.New()
	l.callers.update(r, last)
	return l, last.Caller.ClientID
}
