package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

func TestRoutes_UnknownRoutesAndMethods(t *testing.T) {
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

func TestRoutes_KeyRoutesAreNeverCached(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for _, key := range []string{"", srv.KeyFor(t, "acme")} {
		if got := srv.Get(t, interviews, key).Header.Get("Cache-Control"); got != "private, no-store" {
			t.Errorf("Cache-Control is %q, want private, no-store", got)
		}
	}
}
