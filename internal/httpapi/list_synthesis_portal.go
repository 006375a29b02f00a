package httpapi

import (
	"context"
	"fmt"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// listPortal is ListSynthesis with surface=portal, the one surface there is.
func (s *Server) listPortal(
	ctx context.Context, caller access.Caller, p api.ListSynthesisParams,
) (api.ListSynthesisResponseObject, error) {
	query, walk, err := s.parsePortal(caller, p)
	if err != nil {
		return nil, err
	}
	found, err := s.synthesis.ListBodies(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	answered(ctx, len(found.Bodies))
	return api.ListSynthesis200JSONResponse(render.SynthesisPortal(found, s.seal(walk), caller)), nil
}

func (s *Server) parsePortal(
	caller access.Caller, p api.ListSynthesisParams,
) (synthesis.BodyQuery, page.Walk, error) {
	query := synthesis.BodyQuery{Type: synthesis.Home, Lane: p.Lane, Campaign: p.Campaign}
	if p.Type != nil {
		query.Type = synthesis.Type(*p.Type)
	}
	if err := portalMisfits(p, query.Type); err != nil {
		return query, page.Walk{}, err
	}
	var err error
	if query.Days, err = parseDays(p); err != nil {
		return query, page.Walk{}, err
	}
	walk := page.Walk{ClientID: caller.ClientID, Route: "/synthesis", Filters: []string{
		"portal", string(query.Type), optional(p.Lane), optional(p.Campaign), dayFilter(query.Days),
	}}
	query.Page, err = s.parsePage(p.Limit, p.StartingAfter, walk)
	return query, walk, err
}

// portalMisfits refuses what no surface takes, then what this one does not.
func portalMisfits(p api.ListSynthesisParams, t synthesis.Type) error {
	if err := refuseMisfits(
		misfit{"lane_id", p.LaneID, "does not go with surface=portal; use type=lane and the lane's slug in lane"},
		misfit{"campaign_id", p.CampaignID, "does not go with surface=portal; use type=campaign and the campaign's slug in campaign"},
		misfit{"updated_since", p.UpdatedSince, "does not go with surface=portal; leave surface out to see what changed"},
	); err != nil {
		return err
	}
	if t != synthesis.Lane {
		if err := refuseMisfits(misfit{"lane", p.Lane, fmt.Sprintf("goes with type=lane only, not with type=%s", t)}); err != nil {
			return err
		}
	}
	if t != synthesis.Campaign {
		if err := refuseMisfits(misfit{"campaign", p.Campaign, fmt.Sprintf("goes with type=campaign only, not with type=%s", t)}); err != nil {
			return err
		}
	}
	return feedDates(p, t)
}
