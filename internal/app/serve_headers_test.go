package app_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// Headers are read up to 12 KiB, whoever sends them.
func TestServe_HeadersAreBounded(t *testing.T) {
	t.Parallel()
	settings, err := config.FromEnv(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	settings.Server.PoolSize, settings.Server.DrainDelay = 2, 0
	settings.Server.Listen, settings.Server.OpsListen = "127.0.0.1:0", "127.0.0.1:0"
	server, err := app.NewServer(t.Context(), dbtest.New(t).ServerURL, settings.Server, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ctx, stop := context.WithCancel(t.Context())
	address, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- server.Serve(ctx, func(api, _ string) { address <- api }) }()
	at := <-address
	for size, want := range map[int]int{7 << 10: http.StatusOK, 13 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+"/api/client/v1/openapi.json", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Long", strings.Repeat("x", size))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%d bytes of headers: status %d, want %d", size, response.StatusCode, want)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
