package conformance

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/clientintel/clientintel/internal/auth"
)

// setScope records whether a response shows that the key has a scope. All
// responses must agree.
func (key *apiKey) setScope(scope auth.Scope, has bool, res *response) error {
	known, told := key.scopes[scope]
	if told && known != has {
		return fmt.Errorf("%s shows that the key has %s: %v, and another answer the contrary", res, scope, has)
	}
	key.scopes[scope] = has
	return nil
}

// checkScopes finds out the scopes of a key from every route's 200 or 403. What a 200
// shows is checked as every response is.
func (r *run) checkScopes(ctx context.Context, key *apiKey) {
	for _, c := range []struct {
		name   string
		path   string
		scope  auth.Scope
		needed []auth.Scope
	}{
		{"interviews", "/interviews?limit=5", auth.ReadInterviewsMetadata, nil},
		{"campaigns", "/campaigns?limit=5", auth.ReadCampaigns, nil},
		{"synthesis", "/synthesis?limit=5", auth.ReadSynthesis, nil},
		{"analytics", "/analytics/interviews", auth.ReadInterviewsMetadata, nil},
		{"search", "/intelligence/search?q=e&limit=5", auth.ReadCustomExtraction, nil},
		{"portal_home", "/synthesis?surface=portal&limit=5", auth.ReadSynthesis, nil},
		{"portal_daily_feed", "/synthesis?surface=portal&type=daily_feed&limit=2", auth.ReadCustomerIdentity, []auth.Scope{auth.ReadSynthesis}},
	} {
		r.check("scopes/"+c.name, key, func() error {
			return r.probe(ctx, key, c.path, c.scope)
		}, c.needed...)
	}
	r.check("scopes/interview", key, func() error {
		if key.scopes[auth.ReadInterviewsMetadata] && key.interview == "" {
			return skipf("the key sees no interview")
		}
		// Without the scope an unknown interview is a 403 too: a 404 would disclose what exists.
		return r.probe(ctx, key, "/interviews/"+cmp.Or(key.interview, unknownInterview), auth.ReadInterviewsMetadata)
	})
}

// probe reads a route, and learns from a 200 or the exact 403 whether the key has the
// scope. Any other response is a failure.
func (r *run) probe(ctx context.Context, key *apiKey, path string, scope auth.Scope) error {
	res, err := r.get(ctx, key, path)
	if err != nil {
		return err
	}
	if res.status == http.StatusOK {
		return key.setScope(scope, true, res)
	}
	if err := res.wantError(http.StatusForbidden, "insufficient_scope", "Missing required scope: "+string(scope)); err != nil {
		return err
	}
	if challenge := res.header.Get("WWW-Authenticate"); !strings.Contains(challenge, string(scope)) {
		return fmt.Errorf("%s answers 403 and does not name %s in WWW-Authenticate", res, scope)
	}
	return key.setScope(scope, false, res)
}
