package conformance

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/clientintel/clientintel/internal/access"
)

// askDocuments reads what is public.
func (r *run) askDocuments(ctx context.Context) {
	var etag string
	r.check("documents/contract", nil, func() error {
		a, err := r.wire.get(ctx, nil, "/openapi.json")
		if err != nil {
			return err
		}
		if err := a.want(http.StatusOK); err != nil {
			return err
		}
		etag = a.header.Get("ETag")
		return r.contract.same(a.body)
	})
	r.check("documents/not_modified", nil, func() error {
		if etag == "" {
			return skipf("the contract has no ETag")
		}
		a, err := r.wire.send(ctx, nil, http.MethodGet, prefix+"/openapi.json", http.Header{"If-None-Match": {etag}}, nil)
		if err != nil {
			return err
		}
		return a.want(http.StatusNotModified)
	})
	for _, name := range []string{"bi-guide.md", "agent-guide.md"} {
		r.check("documents/"+name, nil, func() error {
			a, err := r.wire.get(ctx, nil, "/"+name)
			if err != nil {
				return err
			}
			if err := a.want(http.StatusOK); err != nil {
				return err
			}
			if kind := a.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/markdown") {
				return fmt.Errorf("%s is %q, not text/markdown", a, kind)
			}
			return nil
		})
	}
}

// askWithoutKey asks for the refusals that need no key.
func (r *run) askWithoutKey(ctx context.Context) {
	refused := func(name, method, path string, header http.Header, status int, code, message string) {
		r.check("errors/"+name, nil, func() error {
			a, err := r.wire.send(ctx, nil, method, path, header, nil)
			if err != nil {
				return err
			}
			if err := a.wantError(status, code, message); err != nil {
				return err
			}
			if status == http.StatusUnauthorized && !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer") {
				return fmt.Errorf("%s answers 401 without a Bearer challenge in WWW-Authenticate", a)
			}
			if allow := a.header.Get("Allow"); status == http.StatusMethodNotAllowed && !strings.Contains(allow, http.MethodGet) {
				return fmt.Errorf("%s answers 405 without GET in Allow", a)
			}
			return nil
		})
	}
	bearer := func(token string) http.Header { return http.Header{"Authorization": {token}} }
	refused("missing_key", http.MethodGet, prefix+"/interviews", nil, 401, "missing_api_key", "Missing Bearer API key")
	refused("other_scheme", http.MethodGet, prefix+"/campaigns", bearer("Basic YTpi"), 401, "missing_api_key", "Missing Bearer API key")
	refused("garbage_key", http.MethodGet, prefix+"/synthesis", bearer("Bearer no-key-at-all"), 401, "invalid_api_key", "Invalid API key")
	refused("unknown_path", http.MethodGet, prefix+"/no-such-route", nil, 404, "not_found", "not found")
	refused("wrong_method", http.MethodDelete, prefix+"/interviews", nil, 405, "method_not_allowed", "method not allowed")
	refused("agents_without_key", http.MethodPost, prefix+"/mcp", nil, 401, "missing_api_key", "Missing Bearer API key")
}

// nobody is an id that no interview has.
const nobody = "00000000-0000-4000-8000-000000000000"

// askRefusals asks with a key for what must be refused.
func (r *run) askRefusals(ctx context.Context, s *subject) {
	for _, c := range []struct {
		name   string
		scope  access.Scope
		path   string
		status int
		code   string
	}{
		{"unknown_parameter", access.ReadInterviewsMetadata, "/interviews?colour=x", 400, "unknown_parameter"},
		{"repeated_parameter", access.ReadCampaigns, "/campaigns?status=live&status=live", 400, "invalid_parameter"},
		{"limit_too_small", access.ReadCampaigns, "/campaigns?limit=0", 400, "invalid_parameter"},
		{"limit_too_large", access.ReadInterviewsMetadata, "/interviews?limit=201", 400, "invalid_parameter"},
		{"limit_no_number", access.ReadSynthesis, "/synthesis?limit=ten", 400, "invalid_parameter"},
		{"impossible_date", access.ReadInterviewsMetadata, "/interviews?date_from=2026-02-30", 400, "invalid_parameter"},
		{"dates_reversed", access.ReadInterviewsMetadata, "/analytics/interviews?date_from=2026-02-02&date_to=2026-02-01", 400, "invalid_date_range"},
		{"updated_since_unsupported", access.ReadInterviewsMetadata, "/interviews?updated_since=2026-01-01", 400, "updated_since_unsupported"},
		{"updated_since_malformed", access.ReadCampaigns, "/campaigns?updated_since=yesterday", 400, "invalid_updated_since"},
		{"portal_only_type", access.ReadSynthesis, "/synthesis?type=playbook", 400, "unsupported_parameter"},
		{"blank_search", access.ReadCustomExtraction, "/intelligence/search?q=%20", 400, "invalid_parameter"},
		{"unknown_interview", access.ReadInterviewsMetadata, "/interviews/" + nobody, 404, "not_found"},
		{"interview_id_no_uuid", access.ReadInterviewsMetadata, "/interviews/one", 404, "not_found"},
	} {
		r.check("errors/"+c.name, s, func() error {
			if err := s.needs(c.scope); err != nil {
				return err
			}
			a, err := r.wire.get(ctx, s, c.path)
			if err != nil {
				return err
			}
			return a.wantError(c.status, c.code, "")
		})
	}
}
