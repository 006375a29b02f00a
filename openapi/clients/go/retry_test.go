package clientintel_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	clientintel "github.com/clientintel/clientintel/openapi/clients/go"
)

// service answers from a list, on the test's clock.
type service func(n int, sent time.Duration) *http.Response

func (s service) client(t *testing.T, maxWait time.Duration, tries int, sent *[]time.Duration) *clientintel.Client {
	t.Helper()
	began := time.Now()
	c, err := clientintel.New(clientintel.Settings{
		BaseURL: "https://x.example", Key: "k", MaxWait: maxWait, Tries: tries, Logger: slog.New(slog.DiscardHandler),
		HTTPClient: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			*sent = append(*sent, time.Since(began))
			res := s(len(*sent), time.Since(began))
			res.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
			return res, nil
		})},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int, body string, headers ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

const found = `{"data":{"interview":{"id":"00000000-0000-4000-8000-000000000003"}},"meta":{}}`

// A refusal that says when to come back is heeded, within what may be waited in all.
func TestPatience_RetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent []time.Duration
		c := service(func(n int, _ time.Duration) *http.Response {
			switch n {
			case 1:
				return answer(429, `{"error":"rate_limited","code":"rate_limited"}`, "Retry-After", "30")
			case 2:
				return answer(503, `{"error":"service_unavailable","code":"service_unavailable"}`, "Retry-After", "5")
			}
			return answer(200, found)
		}).client(t, time.Minute, 5, &sent)
		if _, err := c.Interview(t.Context(), uuid.New()); err != nil {
			t.Fatal(err)
		}
		if len(sent) != 3 || sent[1] != 30*time.Second || sent[2] != 35*time.Second {
			t.Errorf("sent at %v", sent)
		}
	})
}

func TestPatience_HasAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent []time.Duration
		c := service(func(int, time.Duration) *http.Response {
			return answer(503, `{"error":"measurement_unavailable","code":"measurement_unavailable"}`, "Retry-After", "25", "X-Request-Id", "r1")
		}).client(t, time.Minute, 5, &sent)
		_, err := c.Interview(t.Context(), uuid.New())
		var refused *clientintel.Error
		if !errors.Is(err, clientintel.ErrUnavailable) || !errors.As(err, &refused) || refused.RetryAfter != 25*time.Second ||
			refused.Code != "measurement_unavailable" || refused.RequestID != "r1" || len(sent) != 3 {
			t.Errorf("%v after sending at %v", err, sent)
		}
		// By default: two tries, half a minute, whether the service says how long or is not there.
		for name, last := range map[string]*http.Response{
			"503": answer(503, "{}", "Retry-After", "20"), "503 without Retry-After": answer(503, "{}"), "a long 429": answer(429, "{}", "Retry-After", "31"),
		} {
			sent = nil
			c = service(func(int, time.Duration) *http.Response { return last }).client(t, 0, 0, &sent)
			_, err := c.Interview(t.Context(), uuid.New())
			if want := map[bool]int{true: 1, false: 2}[name == "a long 429"]; err == nil || len(sent) != want || sent[len(sent)-1] > 30*time.Second {
				t.Errorf("%s: %v after sending at %v", name, err, sent)
			}
		}
		// A negative MaxWait waits for nothing.
		sent = nil
		c = service(func(int, time.Duration) *http.Response {
			return answer(429, "<html>busy</html>", "Retry-After", "1")
		}).client(t, -1, 5, &sent)
		if _, err := c.Interview(t.Context(), uuid.New()); !errors.Is(err, clientintel.ErrRateLimited) || len(sent) != 1 {
			t.Errorf("%v after %d requests", err, len(sent))
		}
	})
}

// A request beyond the quota is sent only once the quota allows it.
func TestPatience_PacesAgainstTheQuota(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent []time.Duration
		c := service(func(n int, _ time.Duration) *http.Response {
			reset := strconv.FormatInt(time.Now().Add(40*time.Second).Unix(), 10)
			remaining := "2"
			if n == 2 {
				remaining = "1" // this one was the last
			}
			return answer(200, found, "X-RateLimit-Remaining", remaining, "X-RateLimit-Reset", reset)
		}).client(t, time.Minute, 5, &sent)
		for range 4 {
			if _, err := c.Interview(t.Context(), uuid.New()); err != nil {
				t.Fatal(err)
			}
		}
		want := []time.Duration{0, 0, 40 * time.Second, 40 * time.Second}
		for i := range want {
			if sent[i] != want[i] {
				t.Fatalf("sent at %v, want %v", sent, want)
			}
		}
	})
}

func TestPatience_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent []time.Duration
		c := service(func(int, time.Duration) *http.Response { return answer(429, "", "Retry-After", "50") }).client(t, time.Minute, 5, &sent)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Interview(ctx, uuid.New()); !errors.Is(err, context.DeadlineExceeded) || len(sent) != 1 {
			t.Errorf("%v after %d requests", err, len(sent))
		}
	})
}
