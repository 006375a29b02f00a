package server_test

import (
	"slices"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
)

func keyRequest(client string) apikey.Request {
	return apikey.Request{Client: client, Name: "a test", Scopes: auth.All()}
}

// checkDeclaredRefusals checks the refusals of a route that its operation declares beside
// 400: every 401, the scope, the quota and a measurement that cannot be proven.
func checkDeclaredRefusals(t *testing.T, path string, scope auth.Scope) {
	t.Helper()
	srv, seed := apitest.Start(t)
	others := slices.DeleteFunc(auth.All(), func(s auth.Scope) bool { return s == scope })
	srv.Get(t, path, "").WantError(t, 401, "missing_api_key", "Missing Bearer API key")
	srv.Get(t, path, "cik_unknown").WantError(t, 401, "invalid_api_key", "Invalid API key")
	past := time.Now().Add(-time.Hour)
	expired := srv.Issue(t, apikey.Request{Client: "acme", Name: "expired", ExpiresAt: &past})
	srv.Get(t, path, expired.Key).WantError(t, 401, "expired_api_key", "API key has expired")
	revoked := srv.Issue(t, keyRequest("acme"))
	srv.Revoke(t, revoked.Prefix)
	srv.Get(t, path, revoked.Key).WantError(t, 401, "inactive_api_key", "API key is not active")

	lacking := srv.Get(t, path, srv.KeyFor(t, "acme", others...)).
		WantError(t, 403, "insufficient_scope", "Missing required scope: "+string(scope))
	check.Equal(t, lacking.Header.Get("WWW-Authenticate"), `Bearer error="insufficient_scope", scope="`+string(scope)+`"`, path)
	check.Equal(t, lacking.Header.Get("X-RateLimit-Remaining"), "600", path)
	check.Equal(t, srv.Get(t, path, srv.KeyFor(t, "acme", others...)).Header.Get("X-RateLimit-Remaining"), "599", path)

	spent := srv.Issue(t, keyRequest("acme"))
	srv.Get(t, path, spent.Key).WantStatus(t, 200)
	seed.Exec(t, `WITH moved AS (UPDATE request_log SET at = at - interval '1 minute' WHERE key_id = $1 RETURNING client_id, at)
		INSERT INTO request_log (client_id, key_id, at, seq, route, status)
		SELECT m.client_id, $1, m.at, n, 'any', 200 FROM moved AS m, generate_series(2, 600) AS n`, spent.ID)
	srv.Get(t, path, spent.Key).WantError(t, 429, "rate_limited", "rate_limited")

	seed.Exec(t, "UPDATE measurement_states SET broken_at = now() WHERE client_id = $1", seed.Clients["globex"])
	srv.Get(t, path, srv.KeyFor(t, "globex")).WantError(t, 503, "measurement_unavailable", "measurement_unavailable")
}
