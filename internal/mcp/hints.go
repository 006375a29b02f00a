package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/server"
)

// explainEmpty returns why a call for one campaign found nothing, as far as the key may
// know it; nil: the other arguments left nothing.
func (h *Handler) explainEmpty(ctx context.Context, t tool, query url.Values) []string {
	name, kind := "campaign_id", "id"
	if query.Has("campaign") {
		name, kind = "campaign", "slug"
	}
	given := query.Get(name)
	if given == "" || query.Has("starting_after") {
		return nil
	}
	if !h.api.Allows(auth.CallerFrom(ctx), "listCampaigns") {
		return []string{fmt.Sprintf("There may be no campaign whose %s is %q, or it is not live: this key may not read campaigns.", kind, given)}
	}
	body, err := h.api.Do(ctx, server.Call{Operation: "listCampaigns", Query: url.Values{"limit": {"200"}}})
	var campaigns api.CampaignListResponse
	if err != nil || json.Unmarshal(body, &campaigns) != nil {
		return nil
	}
	ofInterviews := t.Operation != "listCampaigns" && t.Operation != "listSynthesis"
	for _, c := range campaigns.Data {
		if kind == "id" && !strings.EqualFold(c.ID.String(), given) || kind == "slug" && c.Slug != given {
			continue
		}
		if isLive := c.LaunchStatus != nil && *c.LaunchStatus == "live" && (c.Active == nil || *c.Active); ofInterviews && !isLive {
			return []string{fmt.Sprintf("The campaign %q is not live, so its interviews are visible nowhere.", c.Slug)}
		}
		return nil
	}
	if *campaigns.Meta.HasMore { // it may be one of the others
		return nil
	}
	hint := fmt.Sprintf("There is no campaign whose %s is %q.", kind, given)
	text := strings.ToLower(given[:min(len(given), 100)])
	slices.SortStableFunc(campaigns.Data, func(a, b api.Campaign) int { return cmp.Compare(distance(a, text), distance(b, text)) })
	for _, c := range campaigns.Data[:min(len(campaigns.Data), 3)] {
		hint += fmt.Sprintf(" Close is the slug %s, whose id is %s.", c.Slug, c.ID)
	}
	return []string{hint}
}

// distance is how far a text in lower case is from what names a campaign.
func distance(c api.Campaign, text string) int {
	nearest := min(levenshtein.ComputeDistance(c.Slug, text), levenshtein.ComputeDistance(c.ID.String(), text))
	if c.DisplayName != nil {
		nearest = min(nearest, levenshtein.ComputeDistance(strings.ToLower(*c.DisplayName), text))
	}
	return nearest
}
