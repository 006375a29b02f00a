package app_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// A server that is asked to stop refuses no connection before a prober was told
// that it is not ready.
func TestServe_RefusesNoRequestWhileReady(t *testing.T) {
	t.Parallel()
	settings, err := config.FromEnv(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	settings.Server.PoolSize, settings.Server.DrainDelay = 2, 2*time.Second
	settings.Server.Listen, settings.Server.OpsListen = "127.0.0.1:0", "127.0.0.1:0"
	server, err := app.NewServer(t.Context(), dbtest.New(t).ServerURL, settings.Server, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	addresses, done := make(chan [2]string, 1), make(chan error, 1)
	go func() {
		done <- server.Serve(ctx, func(api, operations string) { addresses <- [2]string{api, operations} })
	}()
	at := <-addresses

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
			if status, err := get("http://" + at[0] + "/api/client/v1/openapi.json"); err != nil || status != http.StatusOK {
				answered <- time.Now()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if status, err := get("http://" + at[1] + "/readyz"); err != nil || status != http.StatusOK {
		t.Fatalf("/readyz answers %d, %v before the stop", status, err)
	}
	asked := time.Now()
	stop()
	var told time.Time
	for told.IsZero() && time.Since(asked) < 10*time.Second {
		switch status, err := get("http://" + at[1] + "/readyz"); {
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
	if err := <-done; err != nil {
		t.Errorf("serving ends with %v", err)
	}
}
