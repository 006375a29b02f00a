package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/clientintel/clientintel/internal/access"
)

// probe asks a route whether the key has its scope. Anything but the answer or
// the exact refusal is a failure.
func (r *run) probe(ctx context.Context, s *subject, path string, scope access.Scope) (*answer, error) {
	a, err := r.wire.get(ctx, s, path)
	if err != nil {
		return nil, err
	}
	has := a.status == http.StatusOK
	if !has {
		if err := a.wantError(http.StatusForbidden, "insufficient_scope", "Missing required scope: "+string(scope)); err != nil {
			return nil, err
		}
		if challenge := a.header.Get("WWW-Authenticate"); !strings.Contains(challenge, string(scope)) {
			return nil, fmt.Errorf("%s answers 403 and does not name %s in WWW-Authenticate", a, scope)
		}
	}
	if err := s.learn(scope, has, a); err != nil {
		return nil, err
	}
	if !has {
		return nil, nil
	}
	return a, nil
}

// learn notes what an answer shows of a key's scope. All answers must agree.
func (s *subject) learn(scope access.Scope, has bool, a *answer) error {
	if known, told := s.scopes[scope]; told && known != has {
		return fmt.Errorf("%s shows that the key has %s: %v, and another answer the contrary", a, scope, has)
	}
	s.scopes[scope] = has
	return nil
}

// askScopes finds out what a key may read, and holds each route to it.
func (r *run) askScopes(ctx context.Context, s *subject) {
	r.check("scopes/interviews", s, func() error {
		p, a, err := r.probeList(ctx, s, "/interviews?limit=5", access.ReadInterviewsMetadata)
		if err != nil || p == nil {
			return err
		}
		if len(p.Data) > 0 {
			s.interview = idOf(p.Data[0])
		}
		for scope, has := range map[access.Scope]bool{
			access.ReadTranscripts: p.Meta.Transcript, access.ReadCustomerIdentity: p.Meta.Identity, access.ReadCustomExtraction: p.Meta.Custom,
		} {
			if err := s.learn(scope, has, a); err != nil {
				return err
			}
		}
		return r.holdFields(a, p.Data, r.contract.fields("Interview", s.hidden(true)...))
	})
	r.check("scopes/campaigns", s, func() error {
		p, a, err := r.probeList(ctx, s, "/campaigns?limit=5", access.ReadCampaigns)
		if err != nil || p == nil {
			return err
		}
		return r.holdFields(a, p.Data, r.contract.fields("Campaign"))
	})
	r.check("scopes/synthesis", s, func() error {
		p, a, err := r.probeList(ctx, s, "/synthesis?limit=5", access.ReadSynthesis)
		if err != nil || p == nil {
			return err
		}
		return r.holdFields(a, p.Data, r.contract.fields("SynthesisDocumentRow"))
	})
	r.check("scopes/analytics", s, func() error {
		_, err := r.probe(ctx, s, "/analytics/interviews", access.ReadInterviewsMetadata)
		return err
	})
	r.check("scopes/search", s, func() error {
		p, a, err := r.probeList(ctx, s, "/intelligence/search?q=e&limit=5", access.ReadCustomExtraction)
		if err != nil || p == nil {
			return err
		}
		return holdMatches(a, p.Data)
	})
	r.check("scopes/portal_home", s, func() error {
		_, err := r.probe(ctx, s, "/synthesis?surface=portal&limit=5", access.ReadSynthesis)
		return err
	})
	r.check("scopes/portal_daily_feed", s, func() error {
		if err := s.needs(access.ReadSynthesis); err != nil {
			return err
		}
		_, err := r.probe(ctx, s, "/synthesis?surface=portal&type=daily_feed&limit=2", access.ReadCustomerIdentity)
		return err
	})
	r.check("scopes/interview", s, func() error { return r.askDetail(ctx, s) })
}

func (r *run) probeList(ctx context.Context, s *subject, path string, scope access.Scope) (*page, *answer, error) {
	a, err := r.probe(ctx, s, path, scope)
	if err != nil || a == nil {
		return nil, nil, err
	}
	p, err := a.page()
	if err != nil {
		return nil, nil, err
	}
	if s.client == "" {
		s.client = p.Meta.ClientID
	}
	if p.Meta.ClientID != s.client {
		return nil, nil, fmt.Errorf("%s is of client %s, another answer to this key of %s", a, p.Meta.ClientID, s.client)
	}
	return p, a, nil
}

// hidden are the interview's fields that the key must not see.
func (s *subject) hidden(inList bool) []string {
	var names []string
	for scope, name := range map[access.Scope]string{
		access.ReadTranscripts: "transcript", access.ReadCustomerIdentity: "participant_email", access.ReadCustomExtraction: "custom_extraction",
	} {
		if !s.has(scope) {
			names = append(names, name)
		}
	}
	if inList || !s.has(access.ReadRawExtraction) {
		names = append(names, "raw_extraction")
	}
	return names
}

// holdFields holds rows to exactly these fields: one less is a broken promise,
// one more may be somebody's data.
func (r *run) holdFields(a *answer, rows []json.RawMessage, want []string) error {
	for _, row := range rows {
		fields, err := fieldsOf(row)
		if err != nil {
			return fmt.Errorf("%s: %w", a, err)
		}
		for name := range fields {
			if !slices.Contains(want, name) {
				return fmt.Errorf("%s: %s carries %q, which this key must not see here", a, idOf(row), name)
			}
		}
		for _, name := range want {
			if _, there := fields[name]; !there {
				return fmt.Errorf("%s: %s lacks %q", a, idOf(row), name)
			}
		}
	}
	return nil
}

// holdMatches holds each hit to what it says that it matched: "e", a letter
// that has no other forms, is in exactly these fields.
func holdMatches(a *answer, hits []json.RawMessage) error {
	for _, hit := range hits {
		fields, err := fieldsOf(hit)
		if err != nil {
			return fmt.Errorf("%s: %w", a, err)
		}
		var stated, found []string
		if err := json.Unmarshal(fields["matched_fields"], &stated); err != nil {
			return fmt.Errorf("%s: %s has no list of matched_fields", a, idOf(hit))
		}
		for _, name := range []string{"best_quote", "primary_pain_points", "feature_requests", "product_feedback", "competitor_mentions"} {
			var text *string
			if err := json.Unmarshal(fields[name], &text); err != nil {
				return fmt.Errorf("%s: %s has no text or null in %s", a, idOf(hit), name)
			}
			if text != nil && strings.ContainsAny(*text, "eE") {
				found = append(found, name)
			}
		}
		if !slices.Equal(stated, found) {
			return fmt.Errorf("%s: %s says that it matches in %v; the text is in %v", a, idOf(hit), stated, found)
		}
	}
	return nil
}

// askDetail reads one interview. Without the scope, an unknown one is refused
// for the scope, so that nobody learns what exists.
func (r *run) askDetail(ctx context.Context, s *subject) error {
	if has, known := s.scopes[access.ReadInterviewsMetadata]; !known {
		return skipf("whether the key has %s is not known", access.ReadInterviewsMetadata)
	} else if !has {
		_, err := r.probe(ctx, s, "/interviews/"+nobody, access.ReadInterviewsMetadata)
		return err
	}
	if s.interview == "" {
		return skipf("the key sees no interview")
	}
	a, err := r.probe(ctx, s, "/interviews/"+s.interview, access.ReadInterviewsMetadata)
	if err != nil {
		return err
	}
	var detail struct {
		Data struct {
			Interview json.RawMessage `json:"interview"`
		} `json:"data"`
		Meta struct {
			Raw bool `json:"includes_raw_extraction"`
		} `json:"meta"`
	}
	if a == nil || json.Unmarshal(a.body, &detail) != nil {
		return fmt.Errorf("the interview %s is listed and cannot be read", s.interview)
	}
	if err := s.learn(access.ReadRawExtraction, detail.Meta.Raw, a); err != nil {
		return err
	}
	if got := idOf(detail.Data.Interview); got != s.interview {
		return fmt.Errorf("%s answers the interview %s", a, got)
	}
	return r.holdFields(a, []json.RawMessage{detail.Data.Interview}, r.contract.fields("Interview", s.hidden(false)...))
}
