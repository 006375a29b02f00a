package handler

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/test/require"
)

// parsers has the handlers' place. It runs their parsers, records the parsed
// query and reads nothing.
type parsers struct{ handlers *Handlers }

var _ api.ServerInterface = (*parsers)(nil)

// parsed is a parsed query: one text for one meaning.
type parsed struct {
	as  string
	err error
}

type parsedKey struct{}

func withParsed(r *http.Request, n *parsed) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), parsedKey{}, n))
}

func parsedOf(r *http.Request) *parsed { return r.Context().Value(parsedKey{}).(*parsed) }

func (u *parsers) ListInterviews(_ http.ResponseWriter, r *http.Request, params api.ListInterviewsParams) {
	query, err := u.handlers.parseListInterviews(auth.CallerFrom(r.Context()), params)
	u.parsedPage(r, query.Page, err)
	parsedOf(r).as += fmt.Sprintf("%s%q", basisOf, query.Scope.Filters)
}

func (u *parsers) ListCampaigns(_ http.ResponseWriter, r *http.Request, params api.ListCampaignsParams) {
	query, err := u.handlers.parseListCampaigns(auth.CallerFrom(r.Context()), params)
	u.parsedPage(r, query.Page, err)
}

func (u *parsers) ListSynthesis(_ http.ResponseWriter, r *http.Request, params api.ListSynthesisParams) {
	caller := auth.CallerFrom(r.Context())
	if params.Surface != nil {
		query, err := u.handlers.parsePortal(caller, params)
		u.parsedPage(r, query.Page, err)
		return
	}
	query, err := u.handlers.parseCollection(caller, params)
	u.parsedPage(r, query.Page, err)
}

// basisOf comes before the filters of a list's basis.
const basisOf = ", its basis of "

// A cursor is one text for every filter of a list.
func (u *parsers) parsedPage(r *http.Request, p page.Request, err error) {
	n := parsedOf(r)
	n.as, n.err = fmt.Sprint(p.Limit, " of ", u.handlers.Cursors.Encode(place, p.Scope)), err
}

func (u *parsers) GetInterviewAnalytics(_ http.ResponseWriter, r *http.Request, params api.GetInterviewAnalyticsParams) {
	n := parsedOf(r)
	query, err := parseAnalytics(auth.CallerFrom(r.Context()), params)
	n.as, n.err = fmt.Sprintf("%q %+v %+v", query.Scope.Filters, query.From, query.To), err
}

func (u *parsers) SearchIntelligence(_ http.ResponseWriter, r *http.Request, params api.SearchIntelligenceParams) {
	n := parsedOf(r)
	query, err := parseSearch(auth.CallerFrom(r.Context()), params)
	n.as, n.err = fmt.Sprintf("%q %d %q", query.Text, query.Limit, query.Scope.Filters), err
}

func (u *parsers) GetInterview(_ http.ResponseWriter, r *http.Request, id uuid.UUID) {
	parsedOf(r).as = id.String()
}

// Without a filter in its cursor a walk would go on with rows of another list, and
// without it in its scope a basis would be another list's.
func TestParameters_EachOfAListIsPartOfItsWalk(t *testing.T) {
	t.Parallel()
	server := newFuzzedServer(t)
	goesWith := map[string]string{
		"lane": "surface=portal&type=lane", "campaign": "surface=portal&type=campaign", "day": "type=daily_feed",
	}
	for _, path := range []string{middleware.Prefix + "/interviews", middleware.Prefix + "/campaigns", middleware.Prefix + "/synthesis"} {
		for name, p := range server.params[path] {
			if name == "limit" || name == "starting_after" {
				continue
			}
			without, err := server.parse(t, path, goesWith[name])
			require.NoError(t, err)
			value := "2026-03-01" // dates have several examples
			if p.Example != nil {
				value = fmt.Sprint(p.Example)
			}
			query := goesWith[name] + "&" + name + "=" + url.QueryEscape(value)
			with, err := server.parse(t, path, query)
			require.NoError(t, err)
			before, _, _ := strings.Cut(without, basisOf)
			cursor, filters, hasBasis := strings.Cut(with, basisOf)
			if cursor == before {
				t.Errorf("%s?%s: the cursor is the same without %s", path, query, name)
			}
			if hasBasis && !strings.Contains(filters, name) {
				t.Errorf("%s?%s: the basis is of %s", path, query, filters)
			}
		}
	}
}
