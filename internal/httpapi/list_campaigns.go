package httpapi

import (
	"context"
	"strconv"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/campaign"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
)

// ListCampaigns answers one page of the caller's campaigns.
func (s *Server) ListCampaigns(
	ctx context.Context, req api.ListCampaignsRequestObject,
) (api.ListCampaignsResponseObject, error) {
	caller := access.CallerFrom(ctx)
	query, walk, err := s.parseListCampaigns(caller, req.Params)
	if err != nil {
		return nil, err
	}
	found, err := s.campaigns.List(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	answered(ctx, len(found.Campaigns))
	return api.ListCampaigns200JSONResponse(render.CampaignList(found, s.seal(walk), caller)), nil
}

func (s *Server) parseListCampaigns(
	caller access.Caller, p api.ListCampaignsParams,
) (campaign.ListQuery, page.Walk, error) {
	query := campaign.ListQuery{LaunchStatus: p.Status, Dated: p.DateFrom != nil || p.DateTo != nil}
	query.ID, query.MatchesNothing = parseID(p.CampaignID)
	var err error
	if query.Created, err = parseWindow(p.DateFrom, p.DateTo); err != nil {
		return query, page.Walk{}, err
	}
	if query.UpdatedSince, err = parseUpdatedSince(p.UpdatedSince); err != nil {
		return query, page.Walk{}, err
	}
	walk := page.Walk{ClientID: caller.ClientID, Route: "/campaigns", Filters: []string{
		optional(lower(p.CampaignID)), optional(p.Status), strconv.FormatBool(query.Dated),
		instant(query.Created.From), instant(query.Created.Until), optionalInstant(query.UpdatedSince),
	}}
	query.Page, err = s.parsePage(p.Limit, p.StartingAfter, walk)
	return query, walk, err
}
