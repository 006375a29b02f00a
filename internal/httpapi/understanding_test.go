package httpapi

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/page"
)

// understanding stands where the handlers stand, runs their parsers and notes
// what they understood, without reading anything.
type understanding struct{ server *Server }

var _ api.ServerInterface = (*understanding)(nil)

// note is what was understood: one text for one meaning.
type note struct {
	as  string
	err error
}

type noteKey struct{}

func withNote(r *http.Request, n *note) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), noteKey{}, n))
}

func noteOf(r *http.Request) *note { return r.Context().Value(noteKey{}).(*note) }

func (u *understanding) ListInterviews(_ http.ResponseWriter, r *http.Request, params api.ListInterviewsParams) {
	query, walk, err := u.server.parseListInterviews(access.CallerFrom(r.Context()), params)
	u.noteWalk(r, query.Page, walk, err)
}

func (u *understanding) ListCampaigns(_ http.ResponseWriter, r *http.Request, params api.ListCampaignsParams) {
	query, walk, err := u.server.parseListCampaigns(access.CallerFrom(r.Context()), params)
	u.noteWalk(r, query.Page, walk, err)
}

func (u *understanding) ListSynthesis(_ http.ResponseWriter, r *http.Request, params api.ListSynthesisParams) {
	caller := access.CallerFrom(r.Context())
	if params.Surface != nil {
		query, walk, err := u.server.parsePortal(caller, params)
		u.noteWalk(r, query.Page, walk, err)
		return
	}
	query, walk, err := u.server.parseCollection(caller, params)
	u.noteWalk(r, query.Page, walk, err)
}

// A cursor is one text for everything that decides which rows a walk has.
func (u *understanding) noteWalk(r *http.Request, p page.Request, walk page.Walk, err error) {
	n := noteOf(r)
	n.as, n.err = fmt.Sprint(p.Limit, " of ", u.server.cursors.Seal(place, walk)), err
}

func (u *understanding) GetInterviewAnalytics(_ http.ResponseWriter, r *http.Request, params api.GetInterviewAnalyticsParams) {
	n := noteOf(r)
	query, err := parseAnalytics(access.CallerFrom(r.Context()), params)
	n.as, n.err = fmt.Sprintf("%q %+v %+v", query.Scope.Filters, query.From, query.To), err
}

func (u *understanding) SearchIntelligence(_ http.ResponseWriter, r *http.Request, params api.SearchIntelligenceParams) {
	n := noteOf(r)
	query, err := parseSearch(access.CallerFrom(r.Context()), params)
	n.as, n.err = fmt.Sprintf("%q %d %q", query.Text, query.Limit, query.Scope.Filters), err
}

func (u *understanding) GetInterview(_ http.ResponseWriter, r *http.Request, id uuid.UUID) {
	noteOf(r).as = id.String()
}
