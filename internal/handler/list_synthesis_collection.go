package handler

import (
	"context"
	"fmt"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// listCollection is ListSynthesis without a surface.
func (h *Handlers) listCollection(
	ctx context.Context, caller auth.Caller, p api.ListSynthesisParams,
) (api.ListSynthesisResponseObject, error) {
	query, err := h.parseCollection(caller, p)
	if err != nil {
		return nil, err
	}
	found, err := h.Synthesis.ListDocuments(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	body, err := render.SynthesisCollection(found, h.Cursors.Next(query.Page, found.Next), caller)
	middleware.RecordFrom(ctx).Rows = len(found.Documents)
	return rawResponse{ctx, body, h.unsent}, err
}

func (h *Handlers) parseCollection(
	caller auth.Caller, p api.ListSynthesisParams,
) (synthesis.DocumentQuery, error) {
	var query synthesis.DocumentQuery
	if err := refuseIncompatible(
		incompatible{"lane", p.Lane, "is available with surface=portal only; without it, filter by lane_id"},
		incompatible{"campaign", p.Campaign, "is available with surface=portal only; without it, filter by campaign_id"},
	); err != nil {
		return query, err
	}
	if p.Type != nil {
		t := synthesis.Type(*p.Type)
		if t.PortalOnly() {
			return query, apierror.UnsupportedParameter(
				fmt.Sprintf("type=%s is available with surface=portal only; without it, type is lane, campaign, home or daily_feed", t))
		}
		if err := refuseFeedDates(p, t); err != nil {
			return query, err
		}
		query.Type = &t
	}
	var err error
	if query.Days, err = parseDays(p); err != nil {
		return query, err
	}
	if query.UpdatedSince, err = parseUpdatedSince(p.UpdatedSince); err != nil {
		return query, err
	}
	query.LaneID, query.CampaignID = parseID(p.LaneID), parseID(p.CampaignID)
	scope := page.Scope{ClientID: caller.ClientID, Route: "/synthesis", Filters: []any{
		"collection", p.Type, query.LaneID, query.CampaignID, query.Days, query.UpdatedSince,
	}}
	query.Page, err = h.Cursors.Request(p.Limit, p.StartingAfter, scope)
	return query, err
}
