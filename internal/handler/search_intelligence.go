package handler

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/page"
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
	body, err := render.SearchHits(found, query.Text, caller)
	return rawResponse{ctx, body, h.unsent}, err
}

func parseSearch(caller auth.Caller, p api.SearchIntelligenceParams) (search.Query, error) {
	query := search.Query{Text: strings.TrimSpace(p.Q), Campaign: p.Campaign, Limit: *cmp.Or(p.Limit, new(page.DefaultLimit))}
	if query.Text == "" {
		return query, apierror.InvalidParameter("q must contain more than white space")
	}
	// The basis is of the hits returned, so the limit is a filter here.
	query.Scope = basisScope(caller, "/intelligence/search", map[string]*string{
		"q": &p.Q, "limit": new(strconv.Itoa(query.Limit)), "campaign": p.Campaign,
	})
	return query, nil
}
