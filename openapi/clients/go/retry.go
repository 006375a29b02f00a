package clientintel

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// retryingClient sends requests, and waits where the service asks for it: before a
// request that the quota has no room for, and after a 429 or 503 that says when
// to come back.
type retryingClient struct {
	http    *http.Client
	maxWait time.Duration

	mu sync.Mutex
	// openAt is when the quota next has room; zero: it has.
	openAt time.Time
}

// Do sends a request, which has no body and may be sent again.
func (p *retryingClient) Do(req *http.Request) (*http.Response, error) {
	left := p.maxWait
	for {
		p.mu.Lock()
		untilOpen := time.Until(p.openAt)
		p.mu.Unlock()
		// When the wait is too long, the service decides.
		if untilOpen > 0 && untilOpen <= left {
			if err := sleep(req.Context(), untilOpen); err != nil {
				return nil, err
			}
			left -= untilOpen
		}
		res, err := p.http.Do(req) //nolint:gosec // where to is the caller's own setting
		if err != nil {
			return nil, err
		}
		p.readQuota(res)
		wait := retryAfter(res)
		again := res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusServiceUnavailable
		if !again || wait == 0 || wait > left {
			return res, nil
		}
		// Read to its end, so that the connection is used again.
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxErrorBody))
		_ = res.Body.Close()
		if err := sleep(req.Context(), wait); err != nil {
			return nil, err
		}
		left -= wait
	}
}

// readQuota reads from a response's headers when the next request fits the quota.
// The Date header tells how far away the reset is.
func (p *retryingClient) readQuota(res *http.Response) {
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
