package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/clientintel/clientintel/internal/auth"
)

// probe reads a route, and learns from a 200 or the exact 403 whether the key
// has the scope. Any other response is a failure.
func (r *run) probe(ctx context.Context, key *apiKey, path string, scope auth.Scope) (*response, error) {
	res, err := r.get(ctx, key, path)
	if err != nil {
		return nil, err
	}
	has := res.status == http.StatusOK
	if !has {
		if err := res.wantError(http.StatusForbidden, "insufficient_scope", "Missing required scope: "+string(scope)); err != nil {
			return nil, err
		}
		if challenge := res.header.Get("WWW-Authenticate"); !strings.Contains(challenge, string(scope)) {
			return nil, fmt.Errorf("%s answers 403 and does not name %s in WWW-Authenticate", res, scope)
		}
	}
	if err := key.setScope(scope, has, res); err != nil || !has {
		return nil, err
	}
	return res, nil
}

// setScope records whether a response shows that the key has a scope. All
// responses must agree.
func (key *apiKey) setScope(scope auth.Scope, has bool, res *response) error {
	if known, told := key.scopes[scope]; told && known != has {
		return fmt.Errorf("%s shows that the key has %s: %v, and another answer the contrary", res, scope, has)
	}
	key.scopes[scope] = has
	return nil
}

// checkScopes finds out the scopes of a key, and compares each route with them.
func (r *run) checkScopes(ctx context.Context, key *apiKey) {
	hasFields := func(schema string) func(*page) error {
		return func(p *page) error { return checkFields(p.response, p.rows, r.fields(schema)) }
	}
	for _, c := range []struct {
		name  string
		scope auth.Scope
		path  string
		check func(*page) error // nil: only the status is checked
	}{
		{"interviews", auth.ReadInterviewsMetadata, "/interviews?limit=5", func(p *page) error { return r.checkInterviews(key, p) }},
		{"campaigns", auth.ReadCampaigns, "/campaigns?limit=5", hasFields("Campaign")},
		{"synthesis", auth.ReadSynthesis, "/synthesis?limit=5", hasFields("SynthesisDocumentRow")},
		{"analytics", auth.ReadInterviewsMetadata, "/analytics/interviews", nil},
		{"search", auth.ReadCustomExtraction, "/intelligence/search?q=e&limit=5", checkMatches},
		{"portal_home", auth.ReadSynthesis, "/synthesis?surface=portal&limit=5", nil},
	} {
		r.check("scopes/"+c.name, key, func() error {
			res, err := r.probe(ctx, key, c.path, c.scope)
			if err != nil || res == nil || c.check == nil {
				return err
			}
			p, err := key.ownPage(res)
			if err != nil {
				return err
			}
			return c.check(p)
		})
	}
	r.check("scopes/portal_daily_feed", key, func() error {
		_, err := r.probe(ctx, key, "/synthesis?surface=portal&type=daily_feed&limit=2", auth.ReadCustomerIdentity)
		return err
	}, auth.ReadSynthesis)
	r.check("scopes/interview", key, func() error { return r.checkDetail(ctx, key) })
}

// ownPage decodes a list. All responses to a key must be of one client.
func (key *apiKey) ownPage(res *response) (*page, error) {
	p, err := res.page()
	if err != nil {
		return nil, err
	}
	client := p.decoded.Meta.ClientID
	if key.client == "" {
		key.client = client
	}
	if client != key.client {
		return nil, fmt.Errorf("%s is of client %s, another answer to this key of %s", p, client, key.client)
	}
	return p, nil
}

// checkInterviews reads the key's scopes for single fields from a list's meta, and
// checks that rows have the fields of these scopes.
func (r *run) checkInterviews(key *apiKey, p *page) error {
	if len(p.rows) > 0 {
		key.interview = p.rows[0].id
	}
	meta := p.decoded.Meta
	for scope, has := range map[auth.Scope]bool{
		auth.ReadTranscripts: meta.Transcripts, auth.ReadCustomerIdentity: meta.Identity, auth.ReadCustomExtraction: meta.CustomExtraction,
	} {
		if err := key.setScope(scope, has, p.response); err != nil {
			return err
		}
	}
	return checkFields(p.response, p.rows, r.fields("Interview", key.hidden(true)...))
}

// hidden are the interview's fields that the key must not see.
func (key *apiKey) hidden(inList bool) []string {
	var names []string
	for scope, name := range map[auth.Scope]string{
		auth.ReadTranscripts: "transcript", auth.ReadCustomerIdentity: "participant_email",
		auth.ReadCustomExtraction: "custom_extraction", auth.ReadRawExtraction: "raw_extraction",
	} {
		if !key.scopes[scope] || inList && scope == auth.ReadRawExtraction {
			names = append(names, name)
		}
	}
	return names
}

// checkFields fails unless rows have exactly these fields: a missing one breaks
// the contract, an additional one may disclose data.
func checkFields(res *response, rows []row, want []string) error {
	for _, one := range rows {
		for name := range one.fields {
			if !slices.Contains(want, name) {
				return fmt.Errorf("%s: %s carries %q, which this key must not see here", res, one.id, name)
			}
		}
		for _, name := range want {
			if _, there := one.fields[name]; !there {
				return fmt.Errorf("%s: %s lacks %q", res, one.id, name)
			}
		}
	}
	return nil
}

// checkMatches compares matched_fields with the fields that contain "e", a
// letter that folds to no other.
func checkMatches(p *page) error {
	for _, hit := range p.rows {
		var stated, found []string
		if err := json.Unmarshal(hit.fields["matched_fields"], &stated); err != nil {
			return fmt.Errorf("%s: %s has no list of matched_fields", p, hit.id)
		}
		for _, name := range []string{"best_quote", "primary_pain_points", "feature_requests", "product_feedback", "competitor_mentions"} {
			var text *string
			if err := json.Unmarshal(hit.fields[name], &text); err != nil {
				return fmt.Errorf("%s: %s has no text or null in %s", p, hit.id, name)
			}
			if text != nil && strings.ContainsAny(*text, "eE") {
				found = append(found, name)
			}
		}
		if !slices.Equal(stated, found) {
			return fmt.Errorf("%s: %s says that it matches in %v; the text is in %v", p, hit.id, stated, found)
		}
	}
	return nil
}

// checkDetail reads one interview. Without the scope an unknown interview is a
// 403 too: a 404 would disclose what exists.
func (r *run) checkDetail(ctx context.Context, key *apiKey) error {
	has, err := key.known(auth.ReadInterviewsMetadata)
	if err != nil {
		return err
	}
	id := key.interview
	if !has {
		id = unknownInterview
	}
	if id == "" {
		return skipf("the key sees no interview")
	}
	res, err := r.probe(ctx, key, "/interviews/"+id, auth.ReadInterviewsMetadata)
	if err != nil || res == nil {
		return err
	}
	detail, err := res.decode()
	if err != nil {
		return err
	}
	if err := key.setScope(auth.ReadRawExtraction, detail.Meta.RawExtraction, res); err != nil {
		return err
	}
	interview, err := decodeRow(detail.Object["interview"])
	if err != nil || interview.id != key.interview {
		return fmt.Errorf("%s answers the interview %q", res, interview.id)
	}
	return checkFields(res, []row{interview}, r.fields("Interview", key.hidden(false)...))
}
