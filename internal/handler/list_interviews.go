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
	body, err := render.InterviewList(found, h.Cursors.Next(query.Page, found.Next), caller)
	middleware.RecordFrom(ctx).Rows = len(found.Interviews)
	return rawResponse{ctx, body, h.unsent}, err
}

func (h *Handlers) parseListInterviews(
	caller auth.Caller, p api.ListInterviewsParams,
) (interview.ListQuery, error) {
	query := interview.ListQuery{CampaignID: parseID(p.CampaignID), Status: p.Status, Scope: basisScope(caller, "/interviews", map[string]*string{
		"campaign_id": p.CampaignID, "status": p.Status, "date_from": p.DateFrom, "date_to": p.DateTo,
	})}
	var err error
	if query.Created, err = parseWindow(p.DateFrom, p.DateTo); err != nil {
		return query, err
	}
	scope := page.Scope{ClientID: caller.ClientID, Route: "/interviews", Filters: []any{
		query.CampaignID, p.Status, query.Created.From.UnixMicro(), query.Created.Until.UnixMicro(),
	}}
	query.Page, err = h.Cursors.Request(p.Limit, p.StartingAfter, scope)
	return query, err
}
