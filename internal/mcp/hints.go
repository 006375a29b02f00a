package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/server"
)

// explainEmpty returns why a call for one campaign or lane found nothing, as far as the key
// may know it; nil: the other arguments left nothing.
func (h *Handler) explainEmpty(ctx context.Context, t tool, query url.Values) []string {
	if query.Has("starting_after") {
		return nil
	}
	for name, kind := range map[string]string{"lane": "slug", "lane_id": "id"} {
		if query.Has(name) { // no operation lists lanes
			return []string{fmt.Sprintf("There is no visible lane whose %s is %q, or nothing that you ask for is published in it; leave %s out to see all lanes.", kind, query.Get(name), name)}
		}
	}
	name, kind := "campaign_id", "id"
	if query.Has("campaign") {
		name, kind = "campaign", "slug"
	}
	given := query.Get(name)
	if given == "" {
		return nil
	}
	if !h.api.Allows(auth.CallerFrom(ctx), "listCampaigns") {
		return []string{fmt.Sprintf("There may be no campaign whose %s is %q, or it is not live: this key may not read campaigns.", kind, given)}
	}
	campaigns, err := h.campaigns(ctx)
	if err != nil { // the answer stands without the hint
		return nil
	}
	if i := slices.IndexFunc(campaigns, func(c api.Campaign) bool {
		return kind == "id" && strings.EqualFold(c.ID.String(), given) || kind == "slug" && c.Slug == given
	}); i >= 0 {
		c := campaigns[i]
		isLive := c.LaunchStatus != nil && *c.LaunchStatus == "live" && (c.Active == nil || *c.Active)
		if isLive || t.Operation == "listCampaigns" || t.Operation == "listSynthesis" {
			return nil
		}
		return []string{fmt.Sprintf("The campaign %q is not live, so its interviews are visible nowhere.", c.Slug)}
	}
	hint := fmt.Sprintf("There is no campaign whose %s is %q.", kind, given)
	text := strings.ToLower(given[:min(len(given), 100)])
	slices.SortStableFunc(campaigns, func(a, b api.Campaign) int { return cmp.Compare(distance(a, text), distance(b, text)) })
	for _, c := range campaigns[:min(len(campaigns), 3)] {
		hint += fmt.Sprintf(" Close is the slug %s, whose id is %s.", c.Slug, c.ID)
	}
	return []string{hint}
}

// campaigns are all of the caller's, in pages of the largest size.
func (h *Handler) campaigns(ctx context.Context) ([]api.Campaign, error) {
	var all []api.Campaign
	for query := (url.Values{"limit": {"200"}}); ; {
		body, err := h.api.Do(ctx, server.Call{Operation: "listCampaigns", Query: query})
		if err != nil {
			return nil, err
		}
		var page api.CampaignListResponse
		if err := json.Unmarshal(body, &page); err != nil {
			return nil, fmt.Errorf("reading the campaigns: %w", err)
		}
		all = append(all, page.Data...)
		if !*page.Meta.HasMore {
			return all, nil
		}
		query.Set("starting_after", page.Meta.NextCursor.MustGet())
	}
}

// distance is how far a text in lower case is from what names a campaign; 0: it is a part.
func distance(c api.Campaign, text string) int {
	names := []string{strings.ToLower(c.Slug), c.ID.String()}
	if c.DisplayName != nil {
		names = append(names, strings.ToLower(*c.DisplayName))
	}
	nearest := math.MaxInt
	for _, name := range names {
		if strings.Contains(name, text) {
			return 0
		}
		nearest = min(nearest, levenshtein.ComputeDistance(name, text))
	}
	return nearest
}
