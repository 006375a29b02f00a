package httpapi

import (
	"context"
	"strings"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/interview"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
)

// ListInterviews answers one page of the caller's usable interviews.
func (s *Server) ListInterviews(
	ctx context.Context, req api.ListInterviewsRequestObject,
) (api.ListInterviewsResponseObject, error) {
	caller := access.CallerFrom(ctx)
	query, walk, err := s.parseListInterviews(caller, req.Params)
	if err != nil {
		return nil, err
	}
	buffer := newBuffer()
	answer := render.NewInterviewList(buffer.bytes, caller)
	found, err := s.interviews.List(ctx, caller, query, answer.Add)
	if err != nil {
		return nil, err
	}
	body, err := answer.End(found, s.seal(walk))
	if err != nil {
		return nil, err
	}
	answered(ctx, found.Count)
	return written{buffer, body}, nil
}

func (s *Server) parseListInterviews(
	caller access.Caller, p api.ListInterviewsParams,
) (interview.ListQuery, page.Walk, error) {
	given := filters{}
	given.add("campaign_id", p.CampaignID)
	given.add("status", p.Status)
	given.add("date_from", p.DateFrom)
	given.add("date_to", p.DateTo)

	query := interview.ListQuery{Status: p.Status, Scope: given.scope(caller, "/interviews")}
	query.CampaignID, query.MatchesNothing = parseID(p.CampaignID)
	var err error
	if query.Created, err = parseWindow(p.DateFrom, p.DateTo); err != nil {
		return query, page.Walk{}, err
	}
	walk := page.Walk{ClientID: caller.ClientID, Route: "/interviews", Filters: []string{
		optional(lower(p.CampaignID)), optional(p.Status), instant(query.Created.From), instant(query.Created.Until),
	}}
	query.Page, err = s.parsePage(p.Limit, p.StartingAfter, walk)
	return query, walk, err
}

// lower spells an id one way, as ids match in any case.
func lower(id *string) *string {
	if id == nil {
		return nil
	}
	spelled := strings.ToLower(*id)
	return &spelled
}
