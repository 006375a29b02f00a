package conformance

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/clientintel/clientintel/internal/auth"
)

// checkWithoutKey sends requests that must be refused, without a valid key.
func (r *run) checkWithoutKey(ctx context.Context) {
	refused := func(name, method, path string, header http.Header, status int, code, message string) {
		r.check("errors/"+name, nil, func() error {
			res, err := r.send(ctx, nil, method, path, header, nil)
			if err != nil {
				return err
			}
			if err := res.wantError(status, code, message); err != nil {
				return err
			}
			if status == http.StatusUnauthorized && !strings.HasPrefix(res.header.Get("WWW-Authenticate"), "Bearer") {
				return fmt.Errorf("%s answers 401 without a Bearer challenge in WWW-Authenticate", res)
			}
			if allow := res.header.Get("Allow"); status == http.StatusMethodNotAllowed && !strings.Contains(allow, http.MethodGet) {
				return fmt.Errorf("%s answers 405 without GET in Allow", res)
			}
			return nil
		})
	}
	bearer := func(token string) http.Header { return http.Header{"Authorization": {token}} }
	refused("missing_key", http.MethodGet, "/interviews", nil, 401, "missing_api_key", "Missing Bearer API key")
	refused("other_scheme", http.MethodGet, "/campaigns", bearer("Basic YTpi"), 401, "missing_api_key", "Missing Bearer API key")
	refused("garbage_key", http.MethodGet, "/synthesis", bearer("Bearer no-key-at-all"), 401, "invalid_api_key", "Invalid API key")
	refused("unknown_path", http.MethodGet, "/no-such-route", nil, 404, "not_found", "not found")
	refused("wrong_method", http.MethodDelete, "/interviews", nil, 405, "method_not_allowed", "method not allowed")
	refused("agents_without_key", http.MethodPost, "/mcp", nil, 401, "missing_api_key", "Missing Bearer API key")
}

// unknownInterview is an id that no interview has.
const unknownInterview = "00000000-0000-4000-8000-000000000000"

// checkRefusals sends requests that must be refused, with a key.
func (r *run) checkRefusals(ctx context.Context, key *apiKey) {
	for _, c := range []struct {
		name   string
		scope  auth.Scope
		path   string
		status int
		code   string
	}{
		{"unknown_parameter", auth.ReadInterviewsMetadata, "/interviews?colour=x", 400, "unknown_parameter"},
		{"repeated_parameter", auth.ReadCampaigns, "/campaigns?status=live&status=live", 400, "invalid_parameter"},
		{"limit_too_small", auth.ReadCampaigns, "/campaigns?limit=0", 400, "invalid_parameter"},
		{"limit_too_large", auth.ReadInterviewsMetadata, "/interviews?limit=201", 400, "invalid_parameter"},
		{"limit_no_number", auth.ReadSynthesis, "/synthesis?limit=ten", 400, "invalid_parameter"},
		{"impossible_date", auth.ReadInterviewsMetadata, "/interviews?date_from=2026-02-30", 400, "invalid_parameter"},
		{"dates_reversed", auth.ReadInterviewsMetadata, "/analytics/interviews?date_from=2026-02-02&date_to=2026-02-01", 400, "invalid_date_range"},
		{"updated_since_unsupported", auth.ReadInterviewsMetadata, "/interviews?updated_since=2026-01-01", 400, "updated_since_unsupported"},
		{"updated_since_malformed", auth.ReadCampaigns, "/campaigns?updated_since=yesterday", 400, "invalid_updated_since"},
		{"portal_only_type", auth.ReadSynthesis, "/synthesis?type=playbook", 400, "unsupported_parameter"},
		{"blank_search", auth.ReadCustomExtraction, "/intelligence/search?q=%20", 400, "invalid_parameter"},
		{"unknown_interview", auth.ReadInterviewsMetadata, "/interviews/" + unknownInterview, 404, "not_found"},
		{"interview_id_no_uuid", auth.ReadInterviewsMetadata, "/interviews/one", 404, "not_found"},
	} {
		r.check("errors/"+c.name, key, func() error {
			return r.wantError(ctx, key, c.path, c.status, c.code)
		}, c.scope)
	}
}
