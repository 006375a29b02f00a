package server_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// A key that was revoked, or rotated without a grace, is refused from the very
// next request on, by every server under load: no server trusts a cached key.
func TestAuthenticate_RevocationHoldsFromTheNextRequestOn(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "acme", nil)
	servers := []string{srv.URL, srv.StartAnother(t)}
	for name, end := range map[string]func(*apikey.Registry, string) error{
		"revoked": func(r *apikey.Registry, id string) error {
			_, err := r.Revoke(context.Background(), apikey.Named{Key: id}, apikey.By{})
			return err
		},
		"rotated": func(r *apikey.Registry, id string) error {
			_, err := r.Rotate(context.Background(), apikey.Named{Key: id}, apikey.Rotation{}, apikey.By{}, shown)
			return err
		},
	} {
		issued := srv.Issue(t, apikey.Request{Client: "acme", Name: name})
		stop := make(chan struct{})
		var mu sync.Mutex
		sent := map[time.Time]int{} // when, and what came back
		var busy sync.WaitGroup
		for i := range 4 {
			url := servers[i%len(servers)] + interviews + "?limit=1"
			busy.Go(func() {
				for range 100 { // a key serves 600 in all
					select {
					case <-stop:
						return
					default:
					}
					began := time.Now()
					status, err := statusOf(url, issued.Key)
					if err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
					mu.Lock()
					sent[began] = status
					mu.Unlock()
				}
			})
		}
		for answered := 0; answered < 20; time.Sleep(time.Millisecond) {
			mu.Lock()
			answered = len(sent)
			mu.Unlock()
		}
		srv.WithKeys(t, func(r *apikey.Registry) error { return end(r, issued.ID.String()) })
		ended := time.Now()
		for _, url := range servers {
			srv.URL = url
			srv.Get(t, interviews, issued.Key).WantError(t, http.StatusUnauthorized, "inactive_api_key", "API key is not active")
		}
		close(stop)
		busy.Wait()
		before := 0
		for began, status := range sent {
			switch {
			case began.After(ended) && status != http.StatusUnauthorized:
				t.Errorf("%s: a request sent %v later is answered %d, want 401", name, began.Sub(ended), status)
			case status == http.StatusOK:
				before++
			}
		}
		if before < 20 {
			t.Errorf("%s: only %d requests were answered before", name, before)
		}
	}
}

// Who revokes or rotates a key at the same time is waited for: a revoked key gets no
// successor, and of two rotations one succeeds.
func TestRotate_HasOneSuccessorAtMost(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	ctx := context.Background()
	for name, end := range map[string]func(*apikey.Registry, string) error{
		"revoked": func(r *apikey.Registry, id string) error {
			_, err := r.Revoke(ctx, apikey.Named{Key: id}, apikey.By{})
			return err
		},
		"rotated": func(r *apikey.Registry, id string) error {
			_, err := r.Rotate(ctx, apikey.Named{Key: id}, apikey.Rotation{Grace: time.Hour}, apikey.By{}, shown)
			return err
		},
	} {
		issued := srv.Issue(t, apikey.Request{Client: "acme", Name: name})
		// Both start while the key is held.
		held, err := dbtest.Connect(t, srv.Database.OwnerURL).Begin(ctx)
		require.NoError(t, err)
		dbtest.Exec(t, held, "SELECT FROM api_keys WHERE id = $1 FOR NO KEY UPDATE", issued.ID)
		results := make(chan error, 2)
		ending, rotating := dbtest.Connect(t, srv.Database.OwnerURL), dbtest.Connect(t, srv.Database.OwnerURL)
		go func() { results <- end(apikey.NewRegistry(ending), issued.ID.String()) }()
		time.Sleep(200 * time.Millisecond)
		go func() {
			_, err := apikey.NewRegistry(rotating).Rotate(ctx, apikey.Named{Key: issued.ID.String()}, apikey.Rotation{}, apikey.By{}, shown)
			results <- err
		}()
		time.Sleep(200 * time.Millisecond)
		require.NoError(t, held.Commit(ctx))
		failed := 0
		for range 2 {
			if err := <-results; err != nil {
				failed++
			}
		}
		keys := dbtest.Value[int](t, seed, "SELECT count(*) FROM api_keys WHERE name = $1 AND revoked_at IS NULL", name)
		if want := map[string]int{"revoked": 0, "rotated": 1}[name]; failed != 1 || keys != want {
			t.Errorf("%s: %d failed, want 1; %d keys are in force, want %d", name, failed, keys, want)
		}
	}
}

// shown is what a caller does with a key that it got.
func shown(apikey.Issued) error { return nil }
