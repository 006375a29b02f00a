package httpapi

import (
	"context"
	"fmt"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// listCollection is ListSynthesis without a surface.
func (s *Server) listCollection(
	ctx context.Context, caller access.Caller, p api.ListSynthesisParams,
) (api.ListSynthesisResponseObject, error) {
	query, walk, err := s.parseCollection(caller, p)
	if err != nil {
		return nil, err
	}
	found, err := s.synthesis.ListDocuments(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	answered(ctx, len(found.Documents))
	return api.ListSynthesis200JSONResponse(render.SynthesisCollection(found, s.seal(walk), caller)), nil
}

func (s *Server) parseCollection(
	caller access.Caller, p api.ListSynthesisParams,
) (synthesis.DocumentQuery, page.Walk, error) {
	var query synthesis.DocumentQuery
	if err := refuseMisfits(
		misfit{"lane", p.Lane, "is available with surface=portal only; without it, filter by lane_id"},
		misfit{"campaign", p.Campaign, "is available with surface=portal only; without it, filter by campaign_id"},
	); err != nil {
		return query, page.Walk{}, err
	}
	if p.Type != nil {
		t := synthesis.Type(*p.Type)
		if t.PortalOnly() {
			return query, page.Walk{}, fault.UnsupportedParameter(
				fmt.Sprintf("type=%s is available with surface=portal only; without it, type is lane, campaign, home or daily_feed", t))
		}
		if err := feedDates(p, t); err != nil {
			return query, page.Walk{}, err
		}
		query.Type = &t
	}
	var err error
	if query.Days, err = parseDays(p); err != nil {
		return query, page.Walk{}, err
	}
	if query.UpdatedSince, err = parseUpdatedSince(p.UpdatedSince); err != nil {
		return query, page.Walk{}, err
	}
	var noLane, noCampaign bool
	query.LaneID, noLane = parseID(p.LaneID)
	query.CampaignID, noCampaign = parseID(p.CampaignID)
	query.MatchesNothing = noLane || noCampaign
	walk := page.Walk{ClientID: caller.ClientID, Route: "/synthesis", Filters: []string{
		"collection", optional((*string)(p.Type)), optional(lower(p.LaneID)), optional(lower(p.CampaignID)),
		dayFilter(query.Days), optionalInstant(query.UpdatedSince),
	}}
	query.Page, err = s.parsePage(p.Limit, p.StartingAfter, walk)
	return query, walk, err
}
