package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

const interviews = "/api/client/v1/interviews"

func TestAuthenticate_AuthorizationHeader(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	for _, c := range []struct {
		name    string
		header  []string
		status  int
		code    string
		message string
	}{
		{"none", nil, 401, "missing_api_key", "Missing Bearer API key"},
		{"another scheme", []string{"Basic " + key}, 401, "missing_api_key", "Missing Bearer API key"},
		{"no token", []string{"Bearer"}, 401, "missing_api_key", "Missing Bearer API key"},
		{"blank token", []string{"Bearer   "}, 401, "missing_api_key", "Missing Bearer API key"},
		{"no key at all", []string{"Bearer abc"}, 401, "invalid_api_key", "Invalid API key"},
		{"unknown prefix", []string{"Bearer cik_000000000000_" + key[17:]}, 401, "invalid_api_key", "Invalid API key"},
		{"wrong secret", []string{"Bearer " + key[:20] + "00000" + key[25:]}, 401, "invalid_api_key", "Invalid API key"},
		{"wrong checksum", []string{"Bearer " + key[:len(key)-6] + "000000"}, 401, "invalid_api_key", "Invalid API key"},
		{"without its checksum", []string{"Bearer " + key[:len(key)-6]}, 401, "invalid_api_key", "Invalid API key"},
		{"something behind it", []string{"Bearer " + key + " x"}, 401, "invalid_api_key", "Invalid API key"},
		{"two headers", []string{"Bearer " + key, "Bearer " + key}, 401, "invalid_api_key", "Invalid API key"},
		{"any case of the scheme", []string{"bEARER " + key}, 200, "", ""},
		{"two spaces", []string{"Bearer  " + key}, 200, "", ""},
	} {
		answer := srv.Send(t, http.MethodGet, interviews, "", http.Header{"Authorization": c.header})
		if c.status == 200 {
			answer.WantStatus(t, 200)
			continue
		}
		answer.WantError(t, c.status, c.code, c.message)
		if got := answer.Header.Get("WWW-Authenticate"); !strings.HasPrefix(got, "Bearer") || strings.Contains(got, "resource_metadata") {
			t.Errorf("%s: WWW-Authenticate is %q", c.name, got)
		}
		check.Equal(t, answer.Header.Get("X-RateLimit-Limit"), "", c.name)
	}
}

// Only a caller with the right secret learns a key's state, and revoked wins.
func TestAuthenticate_RevokedAndExpiredKeys(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	past := time.Now().Add(-time.Hour)
	expired := srv.Issue(t, apikey.Request{Client: "acme", Name: "expired", ExpiresAt: &past})
	srv.Get(t, interviews, expired.Key).WantError(t, 401, "expired_api_key", "API key has expired")

	wrong := expired.Key[:20] + "00000" + expired.Key[25:]
	srv.Get(t, interviews, wrong).WantError(t, 401, "invalid_api_key", "Invalid API key")

	srv.Revoke(t, expired.Prefix)
	srv.Get(t, interviews, expired.Key).WantError(t, 401, "inactive_api_key", "API key is not active")

	counted := dbtest.Value[int](t, seed, "SELECT count(*) FROM request_log WHERE key_id = $1 AND status = 401", expired.ID)
	check.Equal(t, counted, 3, "counted rows of failed authentication")
}

func TestAuthenticate_RotationWithGrace(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	old := srv.Issue(t, apikey.Request{Client: "acme", Name: "rotated", Scopes: []auth.Scope{auth.ReadInterviewsMetadata}})
	var graceful, prompt apikey.Issued
	srv.WithKeys(t, func(r *apikey.Registry) (err error) {
		graceful, err = r.Rotate(t.Context(), apikey.Named{Key: old.Prefix}, apikey.Rotation{Grace: time.Hour}, apikey.By{}, shown)
		return err
	})
	srv.Get(t, interviews, old.Key).WantStatus(t, 200)
	srv.Get(t, interviews, graceful.Key).WantStatus(t, 200)
	srv.WithKeys(t, func(r *apikey.Registry) (err error) {
		prompt, err = r.Rotate(t.Context(), apikey.Named{Key: graceful.ID.String()}, apikey.Rotation{}, apikey.By{}, shown)
		return err
	})
	srv.Get(t, interviews, graceful.Key).WantError(t, 401, "inactive_api_key", "API key is not active")
	srv.Get(t, interviews, prompt.Key).WantStatus(t, 200)
	if prompt.Name != old.Name || len(prompt.Scopes) != 1 {
		t.Errorf("the new key is %q with %v, want the old one's name and scopes", prompt.Name, prompt.Scopes)
	}
}
