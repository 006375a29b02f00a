package handler

import (
	"context"
	"strconv"
	"strings"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/render"
	"github.com/clientintel/clientintel/internal/search"
)

// SearchIntelligence returns the caller's newest interviews that hold a text.
func (h *Handlers) SearchIntelligence(
	ctx context.Context, req api.SearchIntelligenceRequestObject,
) (api.SearchIntelligenceResponseObject, error) {
	caller := auth.CallerFrom(ctx)
	query, err := parseSearch(caller, req.Params)
	if err != nil {
		return nil, err
	}
	found, err := h.Search.Search(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	middleware.RecordFrom(ctx).Rows = len(found.Hits)
	b := newBuffer()
	body, err := render.SearchHits(b.bytes, found, query.Text, caller)
	return h.response(ctx, b, body), err
}

func parseSearch(caller auth.Caller, p api.SearchIntelligenceParams) (search.Query, error) {
	query := search.Query{Text: strings.TrimSpace(p.Q), Campaign: p.Campaign, Limit: parseLimit(p.Limit)}
	if query.Text == "" {
		return query, apierror.InvalidParameter("q must contain more than white space")
	}
	// The basis is of the hits returned, so the limit is a filter here.
	given := filters{"q": p.Q, "limit": strconv.Itoa(query.Limit)}
	given.add("campaign", p.Campaign)
	query.Scope = given.scope(caller, "/intelligence/search")
	return query, nil
}
