package server_test

import (
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

func TestValidateRequest_MissingScope(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme", auth.ReadCampaigns)
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
