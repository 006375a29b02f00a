package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/apitest"
)

const interviews = "/api/client/v1/interviews"

func TestDoor_AuthorizationHeader(t *testing.T) {
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
		if got := answer.Header.Get("X-RateLimit-Limit"); got != "" {
			t.Errorf("%s: a 401 carries rate-limit headers", c.name)
		}
	}
}

// A key's state is told only to who has the right secret, and revoked wins.
func TestDoor_RevokedAndExpiredKeys(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	past := time.Now().Add(-time.Hour)
	expired := srv.Issue(t, apikey.Request{Client: "acme", Name: "expired", ExpiresAt: &past})
	srv.Get(t, interviews, expired.Key).WantError(t, 401, "expired_api_key", "API key has expired")

	wrong := expired.Key[:20] + "00000" + expired.Key[25:]
	srv.Get(t, interviews, wrong).WantError(t, 401, "invalid_api_key", "Invalid API key")

	srv.WithKeys(t, func(r *apikey.Registry) error { _, err := r.Revoke(t.Context(), expired.Prefix); return err })
	srv.Get(t, interviews, expired.Key).WantError(t, 401, "inactive_api_key", "API key is not active")

	var counted int
	seed.Query(t, &counted, "SELECT count(*) FROM request_log WHERE key_id = $1 AND status = 401", expired.ID)
	if counted != 3 {
		t.Errorf("%d rows of failed authentication are counted, want 3", counted)
	}
}

// Revocation holds from the very next request, on every server process.
func TestDoor_RevocationIsImmediate(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	other := srv.StartAnother(t)
	key := srv.Issue(t, apikey.Request{Client: "acme", Name: "short-lived"})
	first := srv.URL
	for _, url := range []string{first, other} {
		srv.URL = url
		srv.Get(t, interviews, key.Key).WantStatus(t, 200)
	}
	srv.WithKeys(t, func(r *apikey.Registry) error { _, err := r.Revoke(t.Context(), key.ID.String()); return err })
	for _, url := range []string{first, other} {
		srv.URL = url
		srv.Get(t, interviews, key.Key).WantError(t, 401, "inactive_api_key", "API key is not active")
	}
}

func TestDoor_RotationWithGrace(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	old := srv.Issue(t, apikey.Request{Client: "acme", Name: "rotated", Scopes: []access.Scope{access.ReadInterviewsMetadata}})
	var graceful, prompt apikey.Issued
	srv.WithKeys(t, func(r *apikey.Registry) (err error) {
		graceful, err = r.Rotate(t.Context(), old.Prefix, time.Hour)
		return err
	})
	srv.Get(t, interviews, old.Key).WantStatus(t, 200)
	srv.Get(t, interviews, graceful.Key).WantStatus(t, 200)
	srv.WithKeys(t, func(r *apikey.Registry) (err error) {
		prompt, err = r.Rotate(t.Context(), graceful.ID.String(), 0)
		return err
	})
	srv.Get(t, interviews, graceful.Key).WantError(t, 401, "inactive_api_key", "API key is not active")
	srv.Get(t, interviews, prompt.Key).WantStatus(t, 200)
	if prompt.Name != old.Name || len(prompt.Scopes) != 1 {
		t.Errorf("the new key is %q with %v, want the old one's name and scopes", prompt.Name, prompt.Scopes)
	}
}

func TestDoor_MissingScope(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme", access.ReadCampaigns)
	answer := srv.Get(t, interviews, key).
		WantError(t, 403, "insufficient_scope", "Missing required scope: read:interviews_metadata")
	if got, want := answer.Header.Get("WWW-Authenticate"), `Bearer error="insufficient_scope", scope="read:interviews_metadata"`; got != want {
		t.Errorf("WWW-Authenticate is %q, want %q", got, want)
	}
	if got := answer.Header.Get("X-RateLimit-Remaining"); got != "600" {
		t.Errorf("the first request's Remaining is %q, want 600", got)
	}
	if got := srv.Get(t, interviews, key).Header.Get("X-RateLimit-Remaining"); got != "599" {
		t.Errorf("a 403 was not counted: Remaining is %q, want 599", got)
	}
}

func TestDoor_UnknownRoutesAndMethods(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for _, path := range []string{
		"/", "/api/client/v1", "/api/client/v1/", "/api/client/v1/nothing", "/api/client/v1/interviews/", "/api/client/v2/interviews",
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server", "/api/client/v1/interviews/a/b",
	} {
		srv.Get(t, path, "").WantError(t, 404, "not_found", "not found")
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions} {
		answer := srv.Send(t, method, interviews, "", nil).WantError(t, 405, "method_not_allowed", "method not allowed")
		if got := answer.Header.Get("Allow"); got != "GET" {
			t.Errorf("%s: Allow is %q, want GET", method, got)
		}
	}
	head := srv.Send(t, http.MethodHead, interviews, "", nil).WantStatus(t, 405)
	if head.Header.Get("Allow") != "GET" {
		t.Errorf("HEAD: Allow is %q, want GET", head.Header.Get("Allow"))
	}
	answer := srv.Send(t, http.MethodPost, "/api/client/v1/openapi.json", "", nil).WantStatus(t, 405)
	if got := answer.Header.Get("Allow"); got != "GET, HEAD" {
		t.Errorf("the contract's Allow is %q, want GET, HEAD", got)
	}
}

func TestDoor_RequestIDs(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for given, echoed := range map[string]bool{
		"abc-123": true, strings.Repeat("x", 128): true, strings.Repeat("x", 129): false, "tab\there": false, "é": false,
	} {
		answer := srv.Send(t, http.MethodGet, interviews, "", http.Header{"X-Request-Id": {given}})
		got := answer.Header.Get("X-Request-Id")
		if (got == given) != echoed || got == "" {
			t.Errorf("X-Request-Id %q came back as %q; echoed should be %v", given, got, echoed)
		}
	}
}

func TestDoor_KeyRoutesAreNeverCached(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for _, key := range []string{"", srv.KeyFor(t, "acme")} {
		if got := srv.Get(t, interviews, key).Header.Get("Cache-Control"); got != "private, no-store" {
			t.Errorf("Cache-Control is %q, want private, no-store", got)
		}
	}
}
