package main

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// sample is what the queries are asked about: the largest client, one of its
// campaigns, and a place in the middle of its interviews.
type sample struct {
	client, campaign, interview, lane uuid.UUID
	middle, tied                      time.Time
}

func takeSample(ctx context.Context, conn *pgx.Conn) (sample, error) {
	var s sample
	err := conn.QueryRow(ctx, `
		SELECT s.client_id, i.campaign_id, i.id, i.created_at,
			(SELECT t.created_at FROM interviews AS t WHERE t.client_id = s.client_id GROUP BY 1 ORDER BY count(*) DESC LIMIT 1)
		FROM measurement_states AS s
		CROSS JOIN LATERAL (
			SELECT u.campaign_id, u.id, u.created_at
			FROM usable_interviews AS u
			WHERE u.client_id = s.client_id AND u.campaign_id IS NOT NULL
			ORDER BY u.created_at DESC, u.id
			OFFSET s.members / 3 LIMIT 1
		) AS i
		ORDER BY s.members DESC
		LIMIT 1`).Scan(&s.client, &s.campaign, &s.interview, &s.middle, &s.tied)
	if err != nil {
		return s, err
	}
	err = conn.QueryRow(ctx, `
		SELECT d.lane_id
		FROM synthesis_documents AS d
		WHERE d.client_id = $1 AND d.lane_id IS NOT NULL
		LIMIT 1`, s.client).Scan(&s.lane)
	return s, err
}

func queries(s sample) []query {
	always, never := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	middle := uuid.MustParse("80000000-0000-4000-8000-000000000000")
	return []query{
		{"GetMeasurement", db.GetMeasurement, s.client},
		{"ListInterviews, first page", db.ListInterviews, db.ListInterviewsParams{
			ClientID: s.client, AfterCreatedAt: never, AfterID: uuid.Max, FromCreatedAt: always, MaxRows: 51,
		}},
		{"ListInterviews, in the middle", db.ListInterviews, db.ListInterviewsParams{
			ClientID: s.client, AfterCreatedAt: s.middle, AfterID: s.interview, FromCreatedAt: always, MaxRows: 51,
		}},
		{"ListInterviews, inside equal times", db.ListInterviews, db.ListInterviewsParams{
			ClientID: s.client, AfterCreatedAt: s.tied, AfterID: middle, FromCreatedAt: always, MaxRows: 51,
		}},
		{"ListInterviews, every field", db.ListInterviews, db.ListInterviewsParams{
			ClientID: s.client, WithIdentity: true, WithTranscripts: true, WithCustomExtraction: true,
			AfterCreatedAt: s.middle, AfterID: s.interview, FromCreatedAt: always, MaxRows: 201,
		}},
		{"ListInterviewsOfCampaign", db.ListInterviewsOfCampaign, db.ListInterviewsOfCampaignParams{
			ClientID: s.client, CampaignID: s.campaign, AfterCreatedAt: s.middle, AfterID: s.interview, FromCreatedAt: always, MaxRows: 51,
		}},
		{"ListInterviewsWithStatus", db.ListInterviewsWithStatus, db.ListInterviewsWithStatusParams{
			ClientID: s.client, Status: "analyzed", AfterCreatedAt: s.middle, AfterID: s.interview, FromCreatedAt: always, MaxRows: 51,
		}},
		{"ListInterviewsWithStatus, one that nothing has", db.ListInterviewsWithStatus, db.ListInterviewsWithStatusParams{
			ClientID: s.client, Status: "unheard of", AfterCreatedAt: never, AfterID: uuid.Max, FromCreatedAt: always, MaxRows: 51,
		}},
		{"GetInterview", db.GetInterview, db.GetInterviewParams{ClientID: s.client, ID: s.interview}},
		{"ListMemberIDs", db.ListMemberIDs, db.ListMemberIDsParams{
			ClientID: s.client, FromCreatedAt: always, UntilCreatedAt: never, MaxRows: 10_001,
		}},
		{"ListMemberIDsOfCampaign", db.ListMemberIDsOfCampaign, db.ListMemberIDsOfCampaignParams{
			ClientID: s.client, CampaignID: s.campaign, FromCreatedAt: always, UntilCreatedAt: never, MaxRows: 10_001,
		}},
		{"ListMemberIDsWithStatus", db.ListMemberIDsWithStatus, db.ListMemberIDsWithStatusParams{
			ClientID: s.client, Status: "analyzed", FromCreatedAt: always, UntilCreatedAt: never, MaxRows: 10_001,
		}},
		{"ListDataPoints, 30 days", db.ListDataPoints, db.ListDataPointsParams{
			ClientID: s.client, FromCreatedAt: s.middle.AddDate(0, 0, -30), UntilCreatedAt: s.middle,
		}},
		{"ListDataPointsOfCampaign, 30 days", db.ListDataPointsOfCampaign, db.ListDataPointsOfCampaignParams{
			ClientID: s.client, CampaignID: s.campaign, FromCreatedAt: s.middle.AddDate(0, 0, -30), UntilCreatedAt: s.middle,
		}},
		{"ListNewestSearchHits, a common word", db.ListNewestSearchHits, db.ListNewestSearchHitsParams{
			ClientID: s.client, Query: corpus.TermVeryCommon, MaxHits: 50, MaxRows: 20_000,
		}},
		{"ListSearchHits, a rare word", db.ListSearchHits, db.ListSearchHitsParams{
			ClientID: s.client, Query: corpus.TermRare, MaxHits: 50,
		}},
	}
}
