package httpapi

import (
	"context"
	"strconv"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/campaign"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
)

// ListCampaigns returns one page of the caller's campaigns.
func (s *Server) ListCampaigns(
	ctx context.Context, req api.ListCampaignsRequestObject,
) (api.ListCampaignsResponseObject, error) {
	caller := auth.CallerFrom(ctx)
	query, err := s.parseListCampaigns(caller, req.Params)
	if err != nil {
		return nil, err
	}
	found, err := s.deps.Campaigns.List(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	buffer := NewBuffer()
	rows := len(found.Campaigns)
	body, err := render.CampaignList(buffer.Bytes, found, s.nextCursor(query.Page, found.Next(rows)), caller)
	recordFrom(ctx).rows = rows
	return rawResponse{buffer, body, recordFrom(ctx).reservation}, err
}

func (s *Server) parseListCampaigns(
	caller auth.Caller, p api.ListCampaignsParams,
) (campaign.ListQuery, error) {
	query := campaign.ListQuery{LaunchStatus: p.Status, Dated: p.DateFrom != nil || p.DateTo != nil}
	query.ID, query.MatchesNothing = parseID(p.CampaignID)
	var err error
	if query.Created, err = parseWindow(p.DateFrom, p.DateTo); err != nil {
		return query, err
	}
	if query.UpdatedSince, err = parseUpdatedSince(p.UpdatedSince); err != nil {
		return query, err
	}
	scope := page.Scope{ClientID: caller.ClientID, Route: "/campaigns", Filters: []string{
		idFilter(p.CampaignID), textFilter(p.Status), strconv.FormatBool(query.Dated),
		timeFilter(query.Created.From), timeFilter(query.Created.Until), optionalTimeFilter(query.UpdatedSince),
	}}
	query.Page, err = s.parsePage(p.Limit, p.StartingAfter, scope)
	return query, err
}
