package clientintel

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// retryingClient sends requests, and waits where that helps: before a request that
// the quota has no room for, and after a 429, 502, 503, 504 or a broken connection.
type retryingClient struct {
	http    *http.Client
	maxWait time.Duration
	tries   int
	log     *slog.Logger

	mu sync.Mutex
	// openAt is when the quota next has room; zero: it has.
	openAt time.Time
}

// Do sends a request, which has no body and may be sent again.
func (p *retryingClient) Do(req *http.Request) (*http.Response, error) {
	left := p.maxWait
	wait := func(d time.Duration, reason string) error {
		left -= d
		p.log.WarnContext(req.Context(), "clientintel: waiting", "seconds", d.Round(time.Second).Seconds(), "reason", reason)
		return sleep(req.Context(), d)
	}
	p.mu.Lock()
	untilOpen := time.Until(p.openAt)
	p.mu.Unlock()
	// When the wait is too long, the service decides.
	if untilOpen > 0 && untilOpen <= left {
		if err := wait(untilOpen, "few requests are left in this hour"); err != nil {
			return nil, err
		}
	}
	for tried := 1; ; tried++ {
		res, err := p.http.Do(req) //nolint:gosec // where to is the caller's own setting
		pause := firstPause << min(tried-1, 6)
		var reason string
		if err != nil {
			reason = err.Error()
			if req.Context().Err() != nil {
				return nil, err
			}
		} else {
			p.readQuota(res)
			reason = res.Status
			if !worthAnotherTry[res.StatusCode] {
				return res, nil
			}
			pause = cmp.Or(retryAfter(res), pause)
		}
		if tried >= p.tries || pause > left {
			return res, err
		}
		if res != nil {
			// Read to its end, so that the connection is used again.
			_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxErrorBody))
			_ = res.Body.Close()
		}
		if err := wait(pause, reason); err != nil {
			return nil, err
		}
	}
}

// firstPause is waited where no Retry-After says how long; then twice that, and so on.
const firstPause = 5 * time.Second

var worthAnotherTry = map[int]bool{
	http.StatusTooManyRequests: true, http.StatusBadGateway: true, http.StatusServiceUnavailable: true, http.StatusGatewayTimeout: true,
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
