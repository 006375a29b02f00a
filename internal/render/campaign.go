package render

import (
	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/campaign"
)

// CampaignList encodes one page of campaigns. next is the cursor of the page after it.
func CampaignList(found campaign.List, next *string, caller auth.Caller) ([]byte, error) {
	return appendPage(len(found.Campaigns), next, func(b []byte, i int) ([]byte, error) {
		return appendWith(b, Campaign(found.Campaigns[i]))
	}, meta(caller, len(found.Campaigns), found.Measurement))
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
