package goclient

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// patience sends requests, and waits where the service asks for it: before a
// request that the quota has no room for, and after a 429 or 503 that says when
// to come back.
type patience struct {
	http    *http.Client
	maxWait time.Duration

	mu sync.Mutex
	// openAt is when the quota next has room; zero: it has.
	openAt time.Time
}

// Do sends a request, which has no body and may be sent again.
func (p *patience) Do(req *http.Request) (*http.Response, error) {
	left := p.maxWait
	for {
		p.mu.Lock()
		closed := time.Until(p.openAt)
		p.mu.Unlock()
		// A wait that is too long is the service's to refuse: it knows best.
		if closed > 0 && closed <= left {
			if err := sleep(req.Context(), closed); err != nil {
				return nil, err
			}
			left -= closed
		}
		res, err := p.http.Do(req) //nolint:gosec // where to is the caller's own setting
		if err != nil {
			return nil, err
		}
		p.note(res)
		wait := retryAfter(res)
		again := res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusServiceUnavailable
		if !again || wait == 0 || wait > left {
			return res, nil
		}
		// Read to its end, so that the connection is used again.
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxRefusal))
		_ = res.Body.Close()
		if err := sleep(req.Context(), wait); err != nil {
			return nil, err
		}
		left -= wait
	}
}

// note learns from an answer's headers whether the next request has room. The
// service's own clock says how far away the reset is.
func (p *patience) note(res *http.Response) {
	remaining, err := strconv.Atoi(res.Header.Get("X-RateLimit-Remaining"))
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.openAt = time.Time{}
	// Remaining includes the request that was just answered.
	if remaining > 1 || res.StatusCode == http.StatusTooManyRequests {
		return
	}
	reset, err := strconv.ParseInt(res.Header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil {
		return
	}
	now := time.Now()
	if said, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		now = said
	}
	p.openAt = time.Now().Add(time.Unix(reset, 0).Sub(now))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
