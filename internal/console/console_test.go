package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

type key struct {
	ID, Prefix, Key, Name, State string
	Scopes                       []string
	CreatedBy                    *string `json:"created_by"`
	ExpiresAt                    *string `json:"expires_at"`
	LastHour                     int     `json:"requests_last_hour"`
	Month                        int     `json:"requests_30_days"`
	Limited                      int     `json:"limited_30_days"`
}

func keyOf(t *testing.T, r *apitest.Response, status int) key {
	t.Helper()
	var body struct{ Data key }
	r.WantStatus(t, status).Decode(t, &body)
	return body.Data
}

func start(t *testing.T) (*apitest.Server, *apitest.Console, *apitest.Seed) {
	t.Helper()
	t.Parallel()
	srv, seed := apitest.Start(t)
	return srv, srv.StartConsole(t, seed, ""), seed
}

const campaigns = "/api/client/v1/campaigns"

// A key works from its issue until it is revoked, is shown once, and the audit trail has
// each step with who asked.
func TestConsole_AKeyIsIssuedRotatedAndRevoked(t *testing.T) {
	srv, console, _ := start(t)
	token := console.As(t, "acme")
	body := map[string]any{"name": "BI <b>&", "scopes": []string{"read:campaigns"}, "expires_at": "2999-01-31T00:00:00Z"}
	first := keyOf(t, console.Do(t, "POST", "/clients/acme/keys", token, body, "Idempotency-Key", "one", "X-Forwarded-For", "192.0.2.9"), 201)
	srv.Get(t, campaigns, first.Key).WantStatus(t, 200)
	again := console.Do(t, "POST", "/clients/acme/keys", token, body, "Idempotency-Key", "one").WantError(t, 409, "already_done", "already done")
	check.Equal(t, again.Details(t), first.ID, "what a repeat names")
	rotate := "/clients/acme/keys/" + first.ID + "/rotate"
	second := keyOf(t, console.Do(t, "POST", rotate, token, map[string]any{"grace": "1h"}, "Idempotency-Key", "two"), 201)
	console.Do(t, "POST", rotate, token, nil, "Idempotency-Key", "two").WantError(t, 409, "already_done", "already done")
	console.Do(t, "POST", rotate, token, nil).WantError(t, 409, "conflict", "conflict")
	if second.Name != first.Name || *second.ExpiresAt != *first.ExpiresAt || fmt.Sprint(second.Scopes) != "[read:campaigns]" {
		t.Errorf("the replacement is %+v", second)
	}
	if got := keyOf(t, console.Do(t, "GET", "/clients/acme/keys/"+first.ID, token, nil), 200); got.State != "ending" || got.LastHour != 1 {
		t.Errorf("the replaced key is %+v", got)
	}
	srv.Get(t, campaigns, first.Key).WantStatus(t, 200)
	revoked := keyOf(t, console.Do(t, "POST", "/clients/acme/keys/"+first.ID+"/revoke", token, map[string]any{"reason": "left"}), 200)
	if revoked.State != "revoked" || *revoked.CreatedBy != "dana@example.com" {
		t.Errorf("the revoked key is %+v", revoked)
	}
	srv.Get(t, campaigns, first.Key).WantError(t, 401, "inactive_api_key", "API key is not active")
	srv.Get(t, campaigns, second.Key).WantStatus(t, 200)

	trail := console.Do(t, "GET", "/clients/acme/audit", token, nil)
	var got strings.Builder
	for _, entry := range trail.List(t).Data {
		fmt.Fprintf(&got, "%s %s %s %s %s\n", entry["action"], entry["actor"], entry["prefix"], entry["reason"], entry["address"])
	}
	want := fmt.Sprintf(`"revoke" "dana@example.com" "%[1]s" "left" "127.0.0.1"
"rotate" "dana@example.com" "%[1]s" null "127.0.0.1"
"issue" "dana@example.com" "%[1]s" null "127.0.0.1"
`, first.Prefix)
	check.Equal(t, got.String(), want, "audit trail")
	listed := string(console.Do(t, "GET", "/clients/acme/keys", token, nil).Body)
	check.Contains(t, listed, `"keys_in_force":1,`, "one of the keys is in force")
	shown := string(trail.Body) + listed + srv.Logs.String()
	for _, secret := range []string{first.Key[17:], second.Key[17:]} {
		check.Lacks(t, shown, secret, "a secret is shown again")
	}
}

// A token of one client sees nothing of another, whatever it asks for.
func TestConsole_AnotherClientIsNotFound(t *testing.T) {
	_, console, _ := start(t)
	theirs := keyOf(t, console.Do(t, "POST", "/clients/globex/keys", console.As(t, "globex"), map[string]any{"name": "theirs"}), 201)
	token := console.As(t, "acme")
	for _, path := range []string{
		"GET /clients", "GET /clients/globex/keys", "POST /clients/globex/keys", "GET /clients/globex/usage", "GET /clients/globex/audit",
		"GET /clients/nobody/keys", "GET /clients/globex/keys/" + theirs.ID, "GET /clients/acme/keys/" + theirs.ID,
		"POST /clients/acme/keys/" + theirs.ID + "/rotate", "POST /clients/acme/keys/" + theirs.ID + "/revoke",
		"GET /clients/acme/usage?key=" + theirs.ID, "GET /clients/acme/keys/no-id", "GET /elsewhere",
	} {
		method, path, _ := strings.Cut(path, " ")
		var body any
		if method == "POST" && strings.HasSuffix(path, "keys") {
			body = map[string]any{"name": "mine"}
		}
		console.Do(t, method, path, token, body).WantError(t, 404, "not_found", "not found")
	}
	if got := keyOf(t, console.Do(t, "GET", "/clients/globex/keys/"+theirs.ID, console.As(t, ""), nil), 200); got.State != "active" {
		t.Errorf("the other client's key is %s", got.State)
	}
	console.Do(t, "GET", "/clients/acme/keys", token, nil).WantIDs(t)
}

func TestConsole_RefusesWhatTheContractDoesNotAccept(t *testing.T) {
	_, console, seed := start(t)
	seed.Exec(t, "UPDATE clients SET allowed_scopes = '{read:campaigns,read:synthesis}' WHERE slug = 'globex'")
	token := console.As(t, "acme")
	for _, c := range []struct {
		path string
		body any
		code string
	}{
		{"/clients/acme/keys", map[string]any{}, "invalid_body"},
		{"/clients/acme/keys", map[string]any{"name": " "}, "invalid_body"},
		{"/clients/acme/keys", map[string]any{"name": "\x1b[2J"}, "invalid_body"},
		{"/clients/acme/keys", map[string]any{"name": "x", "scope": "y"}, "invalid_body"},
		{"/clients/acme/keys", map[string]any{"name": "x", "scopes": []string{}}, "invalid_body"},
		{"/clients/acme/keys", map[string]any{"name": "x", "scopes": []string{"read:everything"}}, "invalid_body"},
		{"/clients/acme/keys", map[string]any{"name": "x", "expires_at": "2001-01-01T00:00:00Z"}, "invalid_body"},
		{"/clients/acme/keys", []string{"x"}, "invalid_body"},
		{"/clients/acme/keys/" + uuid.NewString() + "/rotate", map[string]any{"grace": "forever"}, "invalid_body"},
		{"/clients/acme/keys/" + uuid.NewString() + "/rotate", map[string]any{"grace": "31d"}, "invalid_body"},
		{"/clients/acme/keys/" + uuid.NewString() + "/revoke", map[string]any{"reason": strings.Repeat("x", 501)}, "invalid_body"},
	} {
		console.Do(t, "POST", c.path, token, c.body).WantError(t, 400, c.code, "Invalid request body")
	}
	for query, code := range map[string]string{
		"keys?limit=0": "invalid_parameter", "keys?state=gone": "invalid_parameter", "keys?stat=ended": "unknown_parameter",
		"keys?starting_after=x": "invalid_cursor", "usage?by=week": "invalid_parameter", "usage?from=2026-02-30": "invalid_parameter",
		"usage?from=2026-03-02&to=2026-03-01": "invalid_date_range", "usage?from=2020-01-01": "invalid_parameter",
		"usage?by=hour&from=2026-03-01&to=2026-03-08": "invalid_parameter", "audit?limit=201": "invalid_parameter",
	} {
		res := console.Do(t, "GET", "/clients/acme/"+query, token, nil).WantStatus(t, 400)
		check.Contains(t, string(res.Body), `"code":"`+code+`"`, query)
	}
	globex := console.As(t, "globex")
	for _, body := range []map[string]any{{"name": "x"}, {"name": "x", "scopes": []string{"read:transcripts"}}} {
		console.Do(t, "POST", "/clients/globex/keys", globex, body).WantError(t, 400, "invalid_body", "Invalid request body")
	}
	keyOf(t, console.Do(t, "POST", "/clients/globex/keys", globex, map[string]any{"name": "x", "scopes": []string{"read:campaigns"}}), 201)
	console.Do(t, "POST", "/clients/acme/keys", token, strings.Repeat("x", 70_000)).WantError(t, 413, "payload_too_large", "payload too large")
	console.Do(t, "POST", "/clients/acme/keys", token, map[string]any{"name": "x"}, "Content-Type", "text/plain").WantError(t, 415, "unsupported_media_type", "unsupported media type")
	console.Do(t, "DELETE", "/clients/acme/keys", token, nil).WantError(t, 405, "method_not_allowed", "method not allowed")
}

// Of many who issue at once, none passes the limit, and of repeats one makes a key.
func TestConsole_LimitsHoldWhenManyAsk(t *testing.T) {
	_, console, seed := start(t)
	seed.Exec(t, `INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes, created_at)
		SELECT lpad(n::text, 12, '0'), gen_random_uuid(), $1, 'n', sha256('x'), '{}', '2026-01-01' FROM generate_series(1, 497) AS n`, seed.Clients["acme"])
	token := console.As(t, "acme")
	var made, repeated, refused atomic.Int64
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			header := []string{"Idempotency-Key", "same"}
			if i%2 == 0 {
				header = nil
			}
			switch res := console.Do(t, "POST", "/clients/acme/keys", token, map[string]any{"name": "x"}, header...); {
			case res.Status == 201:
				made.Add(1)
			case strings.Contains(string(res.Body), "already_done"):
				repeated.Add(1)
			case strings.Contains(string(res.Body), `"conflict"`):
				refused.Add(1)
			}
		})
	}
	all.Wait()
	if made.Load() != 3 || repeated.Load()+refused.Load() != 9 || refused.Load() < 4 {
		t.Errorf("%d made, %d repeats, %d refused", made.Load(), repeated.Load(), refused.Load())
	}

	// 500 keys, most of one moment, are walked without a gap or a repeat.
	for _, limit := range []int{7, 100, 200} {
		seen, after := map[string]bool{}, ""
		for {
			page := console.Do(t, "GET", fmt.Sprintf("/clients/acme/keys?state=in_force&limit=%d%s", limit, after), token, nil).List(t)
			for _, id := range page.IDs(t) {
				if seen[id] {
					t.Fatalf("%s comes twice", id)
				}
				seen[id] = true
			}
			if page.NextCursor(t) == "" {
				break
			}
			after = "&starting_after=" + page.NextCursor(t)
			console.Do(t, "GET", "/clients/globex/keys?state=in_force"+after, console.As(t, "globex"), nil).WantError(t, 400, "invalid_cursor", "Invalid cursor")
		}
		check.Equal(t, len(seen), 500, "keys on pages of", limit)
	}
	if ids := console.Do(t, "GET", "/clients/acme/keys?state=ended", token, nil).List(t).IDs(t); len(ids) != 0 {
		t.Errorf("%d keys have ended", len(ids))
	}
	if clients := console.Do(t, "GET", "/clients?limit=1", console.As(t, ""), nil).List(t); len(clients.Data) != 1 || clients.NextCursor(t) == "" {
		t.Errorf("an operator's first client: %v", clients)
	}
}

// Usage has each request of each server once, by day, hour, key, route and status: of a
// server that ended at once, of the others ten seconds later.
func TestConsole_UsageIsWhatWasSent(t *testing.T) {
	srv, console, _ := start(t)
	token := console.As(t, "acme")
	issue := func(name string) key {
		return keyOf(t, console.Do(t, "POST", "/clients/acme/keys", token, map[string]any{"name": name}), 201)
	}
	busy, other := issue("busy"), issue("other")
	sent := 0
	send := func(server, path, key string, times int) {
		for range times {
			sent++
			apitest.Fetch(t, "GET", server+path, http.Header{"Authorization": {"Bearer " + key}}, nil)
		}
	}
	sendAll := func(server string) {
		send(server, campaigns, busy.Key, 301) // 602 of 600
		send(server, campaigns+"?limit=0", other.Key, 3)
		send(server, campaigns, other.Key[:60]+"x", 2)
	}
	t.Run("restarted", func(t *testing.T) { sendAll(srv.StartAnother(t)) })
	ended := sent
	sendAll(srv.StartAnother(t))
	sum := func(query string) (total int, rows string) {
		var body struct {
			Data []struct {
				At, Route        string
				Status, Requests int
			}
			Meta struct{ Requests int }
		}
		console.Do(t, "GET", "/clients/acme/usage"+query, token, nil).WantStatus(t, 200).Decode(t, &body)
		found := map[string]int{}
		for _, row := range body.Data {
			found[fmt.Sprint(row.Route, " ", row.Status)] += row.Requests
		}
		return body.Meta.Requests, fmt.Sprint(found)
	}
	if total, _ := sum(""); total < ended {
		t.Errorf("the server that ended wrote %d requests, want %d", total, ended)
	}
	// A write may take four seconds more.
	for deadline := time.Now().Add(14 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		if total, _ := sum(""); total == sent || time.Now().After(deadline) {
			break
		}
	}
	want := "map[listCampaigns 200:600 listCampaigns 400:6 listCampaigns 401:4 listCampaigns 429:2]"
	for _, query := range []string{"", "?by=hour"} {
		if total, rows := sum(query); total != sent || rows != want {
			t.Errorf("usage%s: %d %s, want %d %s", query, total, rows, sent, want)
		}
		ofKey := "?key=" + other.ID + strings.Replace(query, "?", "&", 1)
		if total, rows := sum(ofKey); total != 10 || rows != "map[listCampaigns 400:6 listCampaigns 401:4]" {
			t.Errorf("usage%s: %d %s", ofKey, total, rows)
		}
	}
	if got := keyOf(t, console.Do(t, "GET", "/clients/acme/keys/"+busy.ID, token, nil), 200); got.LastHour != 600 || got.Month != 602 || got.Limited != 2 {
		t.Errorf("the busy key: %+v", got)
	}
}

// The page cannot be framed, runs no foreign script and holds nothing of a client.
func TestConsole_ThePageIsLockedDown(t *testing.T) {
	srv, console, _ := start(t)
	for path, contains := range map[string]string{
		"/": srv.URL, "/console.js": "administration API", "/assets/base.css": ":root", "/api/admin/v1/openapi.json": `"openapi": "3.1.0"`,
	} {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", console.URL+path, nil)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		body := new(strings.Builder)
		_ = res.Write(body)
		_ = res.Body.Close()
		policy := res.Header.Get("Content-Security-Policy")
		if res.StatusCode != 200 || !strings.Contains(body.String(), contains) || !strings.Contains(policy, "frame-ancestors 'none'") ||
			strings.Contains(policy, "unsafe") || len(res.Cookies()) > 0 || res.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %d, policy %q, body with %q: %t", path, res.StatusCode, policy, contains, strings.Contains(body.String(), contains))
		}
	}
}
