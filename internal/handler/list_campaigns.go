package handler

import (
	"context"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/campaign"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
)

// ListCampaigns returns one page of the caller's campaigns.
func (h *Handlers) ListCampaigns(
	ctx context.Context, req api.ListCampaignsRequestObject,
) (api.ListCampaignsResponseObject, error) {
	caller := auth.CallerFrom(ctx)
	query, err := h.parseListCampaigns(caller, req.Params)
	if err != nil {
		return nil, err
	}
	found, err := h.Campaigns.List(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	body, err := render.CampaignList(found, h.Cursors.Next(query.Page, found.Next), caller)
	middleware.RecordFrom(ctx).Rows = len(found.Campaigns)
	return rawResponse{ctx, body, h.unsent}, err
}

func (h *Handlers) parseListCampaigns(
	caller auth.Caller, p api.ListCampaignsParams,
) (campaign.ListQuery, error) {
	query := campaign.ListQuery{LaunchStatus: p.Status, Dated: p.DateFrom != nil || p.DateTo != nil}
	query.ID = parseID(p.CampaignID)
	var err error
	if query.Created, err = parseWindow(p.DateFrom, p.DateTo); err != nil {
		return query, err
	}
	if query.UpdatedSince, err = parseUpdatedSince(p.UpdatedSince); err != nil {
		return query, err
	}
	scope := page.Scope{ClientID: caller.ClientID, Route: "/campaigns", Filters: []any{
		query.ID, p.Status, query.Dated, query.Created.From.UnixMicro(), query.Created.Until.UnixMicro(), query.UpdatedSince,
	}}
	query.Page, err = h.Cursors.Request(p.Limit, p.StartingAfter, scope)
	return query, err
}
