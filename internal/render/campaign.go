package render

import (
	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/campaign"
)

// CampaignList is one page of campaigns.
func CampaignList(found campaign.List, next *string, caller auth.Caller) api.CampaignListResponse {
	data := make([]api.Campaign, len(found.Campaigns))
	for i, one := range found.Campaigns {
		data[i] = Campaign(one)
	}
	m := meta(caller, len(data), found.Measurement)
	paged(&m, next)
	return api.CampaignListResponse{Data: data, Meta: m}
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
