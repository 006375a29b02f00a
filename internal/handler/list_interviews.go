package handler

import (
	"context"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/interview"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
)

// ListInterviews returns one page of the caller's usable interviews.
func (h *Handlers) ListInterviews(
	ctx context.Context, req api.ListInterviewsRequestObject,
) (api.ListInterviewsResponseObject, error) {
	caller := auth.CallerFrom(ctx)
	query, err := h.parseListInterviews(caller, req.Params)
	if err != nil {
		return nil, err
	}
	found, err := h.Interviews.List(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	b := newBuffer()
	body, err := render.InterviewList(b.bytes, found, h.nextCursor(query.Page, found.Next), caller)
	middleware.RecordFrom(ctx).Rows = len(found.Interviews)
	return h.response(ctx, b, body), err
}

func (h *Handlers) parseListInterviews(
	caller auth.Caller, p api.ListInterviewsParams,
) (interview.ListQuery, error) {
	given := filters{}
	given.add("campaign_id", p.CampaignID)
	given.add("status", p.Status)
	given.add("date_from", p.DateFrom)
	given.add("date_to", p.DateTo)

	query := interview.ListQuery{Status: p.Status, Scope: given.scope(caller, "/interviews")}
	query.CampaignID = parseID(p.CampaignID)
	var err error
	if query.Created, err = parseWindow(p.DateFrom, p.DateTo); err != nil {
		return query, err
	}
	scope := page.Scope{ClientID: caller.ClientID, Route: "/interviews", Filters: []string{
		idFilter(p.CampaignID), textFilter(p.Status), timeFilter(query.Created.From), timeFilter(query.Created.Until),
	}}
	query.Page, err = h.parsePage(p.Limit, p.StartingAfter, scope)
	return query, err
}
