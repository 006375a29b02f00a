// Command keytiming sends a server of its own requests with keys that are refused, each
// for another reason, in random order, and reports how long the refusals take and
// whether that distinguishes them. It asserts nothing, as timings on a busy machine
// vary.
//
//	go run ./internal/tools/bench/keytiming -samples 500
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/sql/migrations"
)

func main() {
	samples := flag.Int("samples", 500, "requests for each reason; from 600 on, surplus rows of the log are deleted besides")
	flood := flag.Int("flood", 0, "requests with unknown prefixes beforehand: the decoy's log is then fuller than a key's")
	flag.Parse()
	if err := run(context.Background(), *samples, *flood); err != nil {
		fmt.Fprintln(os.Stderr, "keytiming:", err)
		os.Exit(1)
	}
}

// reason is why a key is refused, with a token for each request.
type reason struct {
	name  string
	token func() string
	took  []float64 // microseconds
}

func run(ctx context.Context, samples, flood int) error {
	dir, err := os.MkdirTemp("", "clientintel-timing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	cluster, err := embedded.Open(ctx, embedded.Options{Dir: filepath.Join(dir, "data"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer cluster.Close(ctx)
	reasons, err := prepare(ctx, cluster.OwnerURL())
	if err != nil {
		return err
	}
	settings, err := config.FromEnv(func(string) string { return "" })
	if err != nil {
		return err
	}
	server, err := app.NewServer(ctx, cluster.ServerURL(), settings.Server, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer server.Close()
	listening := httptest.NewServer(server.Handler)
	defer listening.Close()

	for range flood {
		if _, err := refused(ctx, listening.URL+"/api/client/v1/campaigns", reasons[0].token()); err != nil {
			return fmt.Errorf("flooding: %w", err)
		}
	}
	const warmUp = 50
	for n := range warmUp + samples {
		for _, i := range rand.Perm(len(reasons)) {
			r := reasons[i]
			took, err := refused(ctx, listening.URL+"/api/client/v1/campaigns", r.token())
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			if n >= warmUp {
				r.took = append(r.took, float64(took.Nanoseconds())/1000)
			}
		}
	}
	report(reasons)
	return nil
}

// prepare makes a client with keys that are refused.
func prepare(ctx context.Context, ownerURL string) ([]*reason, error) {
	if _, err := postgres.Migrate(ctx, ownerURL, migrations.Files, slog.New(slog.DiscardHandler)); err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "INSERT INTO clients (id, slug, name) VALUES (gen_random_uuid(), 'bench', 'Bench')"); err != nil {
		return nil, err
	}
	keys := apikey.NewRegistry(conn)
	issue := func(name string, expires *time.Time) (apikey.Issued, error) {
		return keys.Issue(ctx, apikey.Request{Client: "bench", Name: name, ExpiresAt: expires})
	}
	past := time.Now().Add(-time.Hour)
	active, errActive := issue("active", nil)
	torn, errTorn := issue("torn", nil)
	revoked, errRevoked := issue("revoked", nil)
	expired, errExpired := issue("expired", &past)
	if err := errors.Join(errActive, errTorn, errRevoked, errExpired); err != nil {
		return nil, err
	}
	if _, err := keys.Revoke(ctx, revoked.ID.String()); err != nil {
		return nil, err
	}
	return []*reason{
		{name: "unknown prefix", token: func() string { return "cik_" + base62(12) + "_" + base62(49) }},
		{name: "wrong secret", token: func() string { return active.Key[:len("cik_")+13] + base62(49) }},
		{name: "half a secret", token: func() string { return torn.Key[:len("cik_")+13] + base62(20) }},
		{name: "revoked", token: func() string { return revoked.Key }},
		{name: "expired", token: func() string { return expired.Key }},
	}, nil
}

func base62(n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var text strings.Builder
	for range n {
		text.WriteByte(digits[rand.IntN(len(digits))])
	}
	return text.String()
}

// refused times one request, which must be answered 401.
func refused(ctx context.Context, url, token string) (time.Duration, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	began := time.Now()
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return 0, err
	}
	took := time.Since(began)
	if answer.StatusCode != http.StatusUnauthorized {
		return 0, fmt.Errorf("status %d, want 401", answer.StatusCode)
	}
	return took, nil
}
