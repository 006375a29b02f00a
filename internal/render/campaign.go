package render

import (
	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/campaign"
)

// CampaignList encodes one page of campaigns, and returns how many it holds. A tool's page is bounded by its bytes, so each row is encoded by itself.
func CampaignList(found campaign.List, p Page, caller auth.Caller) ([]byte, int, error) {
	return appendPage(len(found.Campaigns), p, func(b []byte, i int) ([]byte, error) {
		return appendWith(b, Campaign(found.Campaigns[i]))
	}, func(rows int) api.Meta { return meta(caller, rows, found.Measurement) })
}

// Campaign is one campaign.
func Campaign(c campaign.Campaign) api.Campaign {
	return api.Campaign{
		ID: c.ID, ClientID: c.ClientID, Slug: c.Slug, DisplayName: c.DisplayName, CampaignBrief: c.CampaignBrief,
		Goal: c.Goal, GoalContext: c.GoalContext, KeyQuestions: c.KeyQuestions, TargetSegment: c.TargetSegment,
		Playbook: c.Playbook, Cadence: c.Cadence, Active: c.Active, LaunchStatus: c.LaunchStatus,
		LaunchedAt: optionalTimestamp(c.LaunchedAt), LastRefreshed: optionalTimestamp(c.LastRefreshed),
		CreatedAt: optionalTimestamp(c.CreatedAt), UpdatedAt: optionalTimestamp(c.UpdatedAt),
	}
}
