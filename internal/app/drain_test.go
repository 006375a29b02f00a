package app_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/config"
)

// A server that is asked to stop refuses no connection before a prober was told
// that it is not ready.
func TestServe_RefusesNoRequestWhileReady(t *testing.T) {
	t.Parallel()
	api, operations, stop := newServer(t, func(s *config.Server) { s.DrainDelay = 2 * time.Second }).serve(t)

	// Each request is a connection of its own.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	get := func(url string) (int, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			return 0, err
		}
		response, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		return response.StatusCode, err
	}
	answered := make(chan time.Time, 1)
	go func() { // answers until the address is closed
		defer close(answered)
		for {
			if status, err := get("http://" + api + "/api/client/v1/openapi.json"); err != nil || status != http.StatusOK {
				answered <- time.Now()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if status, err := get("http://" + operations + "/readyz"); err != nil || status != http.StatusOK {
		t.Fatalf("/readyz answers %d, %v before the stop", status, err)
	}
	asked := time.Now()
	go stop()
	var told time.Time
	for told.IsZero() && time.Since(asked) < 10*time.Second {
		switch status, err := get("http://" + operations + "/readyz"); {
		case err != nil:
			t.Fatalf("/readyz is gone before it said not ready: %v", err)
		case status == http.StatusServiceUnavailable:
			told = time.Now()
		default:
			time.Sleep(100 * time.Millisecond)
		}
	}
	refused := <-answered
	if told.IsZero() || refused.Before(told) || refused.Sub(asked) < 1900*time.Millisecond {
		t.Errorf("told %s after the stop and refused %s after it; want first told, and refused after 2 s", told.Sub(asked), refused.Sub(asked))
	}
}
