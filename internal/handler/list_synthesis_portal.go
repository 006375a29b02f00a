package handler

import (
	"context"
	"fmt"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// listPortal is ListSynthesis with surface=portal, the only surface.
func (h *Handlers) listPortal(
	ctx context.Context, caller auth.Caller, p api.ListSynthesisParams,
) (api.ListSynthesisResponseObject, error) {
	query, err := h.parsePortal(caller, p)
	if err != nil {
		return nil, err
	}
	found, err := h.Synthesis.ListBodies(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	body, err := render.SynthesisPortal(found, h.Cursors.Next(query.Page, found.Next), caller)
	middleware.RecordFrom(ctx).Rows = len(found.Bodies)
	return rawResponse{ctx, body, h.unsent}, err
}

func (h *Handlers) parsePortal(
	caller auth.Caller, p api.ListSynthesisParams,
) (synthesis.BodyQuery, error) {
	query := synthesis.BodyQuery{Type: synthesis.Home, Lane: p.Lane, Campaign: p.Campaign}
	if p.Type != nil {
		query.Type = synthesis.Type(*p.Type)
	}
	if err := checkPortalParameters(p, query.Type); err != nil {
		return query, err
	}
	var err error
	if query.Days, err = parseDays(p); err != nil {
		return query, err
	}
	scope := page.Scope{ClientID: caller.ClientID, Route: "/synthesis", Filters: []any{
		"portal", query.Type, p.Lane, p.Campaign, query.Days,
	}}
	query.Page, err = h.Cursors.Request(p.Limit, p.StartingAfter, scope)
	return query, err
}

// checkPortalParameters refuses parameters that the portal never takes, then those that
// the type does not take.
func checkPortalParameters(p api.ListSynthesisParams, t synthesis.Type) error {
	refused := []incompatible{
		{"lane_id", p.LaneID, "does not go with surface=portal; use type=lane and the lane's slug in lane"},
		{"campaign_id", p.CampaignID, "does not go with surface=portal; use type=campaign and the campaign's slug in campaign"},
		{"updated_since", p.UpdatedSince, "does not go with surface=portal; leave surface out to see what changed"},
	}
	if t != synthesis.Lane {
		refused = append(refused, incompatible{"lane", p.Lane, fmt.Sprintf("goes with type=lane only, not with type=%s", t)})
	}
	if t != synthesis.Campaign {
		refused = append(refused, incompatible{"campaign", p.Campaign, fmt.Sprintf("goes with type=campaign only, not with type=%s", t)})
	}
	if err := refuseIncompatible(refused...); err != nil {
		return err
	}
	return refuseFeedDates(p, t)
}
