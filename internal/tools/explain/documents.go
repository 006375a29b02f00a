package main

import (
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/page"
)

// documentQueries are those of campaigns, synthesis and portal bodies. The
// places they go on from are first pages and the tail without dates.
func documentQueries(s sample) []query {
	never, undated := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), page.Missing()
	day := s.middle.Truncate(24 * time.Hour)
	return []query{
		{"ListCampaigns, first page", db.ListCampaigns, db.ListCampaignsParams{
			ClientID: s.client, AfterCreatedAt: never, AfterID: uuid.Max, FromCreatedAt: undated, MaxRows: 51,
		}},
		{"ListCampaigns, without a date", db.ListCampaigns, db.ListCampaignsParams{
			ClientID: s.client, AfterCreatedAt: undated, AfterID: uuid.Nil, FromCreatedAt: undated, MaxRows: 51,
		}},
		{"ListSynthesisDocuments, in the middle", db.ListSynthesisDocuments, db.ListSynthesisDocumentsParams{
			ClientID: s.client, AfterRefreshedKey: s.middle, AfterUpdatedAt: s.middle, AfterID: uuid.Nil, UpdatedSince: undated, MaxRows: 51,
		}},
		{"ListSynthesisDocuments, never refreshed", db.ListSynthesisDocuments, db.ListSynthesisDocumentsParams{
			ClientID: s.client, AfterRefreshedKey: undated, AfterUpdatedAt: never, AfterID: uuid.Max, UpdatedSince: undated, MaxRows: 51,
		}},
		{"ListSynthesisDocumentsOfType", db.ListSynthesisDocumentsOfType, db.ListSynthesisDocumentsOfTypeParams{
			ClientID: s.client, SynthesisType: "daily_feed", AfterRefreshedKey: s.middle, AfterUpdatedAt: s.middle, UpdatedSince: undated, MaxRows: 51,
		}},
		{"ListSynthesisDocumentsOfLane", db.ListSynthesisDocumentsOfLane, db.ListSynthesisDocumentsOfLaneParams{
			ClientID: s.client, LaneID: s.lane, AfterRefreshedKey: s.middle, AfterUpdatedAt: s.middle, UpdatedSince: undated,
			FirstDay: undated, LastDay: never, MaxRows: 51,
		}},
		{"ListSynthesisDocumentsOfCampaign", db.ListSynthesisDocumentsOfCampaign, db.ListSynthesisDocumentsOfCampaignParams{
			ClientID: s.client, CampaignID: s.campaign, AfterRefreshedKey: never, AfterUpdatedAt: never, UpdatedSince: undated,
			FirstDay: undated, LastDay: never, MaxRows: 51,
		}},
		{"ListSynthesisDocumentsOfDays", db.ListSynthesisDocumentsOfDays, db.ListSynthesisDocumentsOfDaysParams{
			ClientID: s.client, FirstDay: day, LastDay: day, AfterRefreshedKey: never, AfterUpdatedAt: never, UpdatedSince: undated, MaxRows: 51,
		}},
		{"ListPortalDocuments", db.ListPortalDocuments, db.ListPortalDocumentsParams{
			ClientID: s.client, Type: "daily_feed", AfterFeedKey: never, AfterPublishedKey: never, FirstDay: undated, MaxRows: 51,
		}},
		{"ListPortalDocumentsOfLane", db.ListPortalDocumentsOfLane, db.ListPortalDocumentsOfLaneParams{
			ClientID: s.client, Slug: "none", AfterFeedKey: never, AfterPublishedKey: never, MaxRows: 51,
		}},
		{"ListPortalDocumentsOfCampaign", db.ListPortalDocumentsOfCampaign, db.ListPortalDocumentsOfCampaignParams{
			ClientID: s.client, Slug: "none", AfterFeedKey: never, AfterPublishedKey: never, MaxRows: 51,
		}},
	}
}
