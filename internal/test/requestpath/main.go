// Command requestpath answers requests in its own process and writes which code they
// passed. Its test builds it with coverage counters and counts the functions.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/coverage"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
)

// requests is how many are counted, after some that open connections and prepare
// statements.
const requests, before = 300, 20

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, databaseURL, key, path, dir string) error {
	settings, err := config.FromEnv(func(string) string { return "" })
	if err != nil {
		return err
	}
	settings.Server.ResponseValidation = config.Off // samples are validated beside the requests
	server, err := app.NewServer(ctx, databaseURL, settings.Server, slog.New(slog.NewJSONHandler(io.Discard, nil)))
	if err != nil {
		return err
	}
	defer server.Close()
	listening := httptest.NewServer(server.Handler)
	defer listening.Close()
	for n := range before + requests {
		if n == before {
			if err := coverage.ClearCounters(); err != nil {
				return err
			}
		}
		if err := get(ctx, listening.URL+path, key); err != nil {
			return err
		}
	}
	if err := coverage.WriteMetaDir(dir); err != nil {
		return err
	}
	return coverage.WriteCountersDir(dir)
}

func get(ctx context.Context, url, key string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil) //nolint:gosec // its own server's
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(r) //nolint:gosec // its own server's
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", url, response.StatusCode)
	}
	return nil
}
