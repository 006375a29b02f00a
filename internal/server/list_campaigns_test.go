package server_test

import (
	"encoding/json"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
)

const campaigns = "/api/client/v1/campaigns"

func TestListCampaigns_EveryFieldIsThere(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	bare := seed.Campaign(t, "acme", apitest.Fields{
		"slug": "bare", "display_name": nil, "active": nil, "launch_status": nil, "created_at": nil, "updated_at": nil,
	})
	full := seed.Campaign(t, "acme", apitest.Fields{
		"slug": "full", "display_name": "Full", "campaign_brief": "Why first-time buyers <return> & stay", "goal": "Retention",
		"goal_context": "After the relaunch", "key_questions": json.RawMessage(`[{"id": "q1", "question": "Why?"}]`),
		"target_segment": "buyers", "playbook": "retention", "cadence": "weekly", "active": false, "launch_status": "paused",
		"launched_at": apitest.At("2026-01-12T09:00:00Z"), "last_refreshed": apitest.At("2026-03-04T06:00:00.5Z"),
		"created_at": apitest.At("2026-01-08T11:42:10.123456Z"), "updated_at": apitest.At("2026-03-04T06:00:01Z"),
	})
	client := seed.Clients["acme"].String()
	want := []map[string]any{
		{
			"id": full.String(), "client_id": client, "slug": "full", "display_name": "Full",
			"campaign_brief": "Why first-time buyers <return> & stay", "goal": "Retention", "goal_context": "After the relaunch",
			"key_questions":  []any{map[string]any{"id": "q1", "question": "Why?"}},
			"target_segment": "buyers", "playbook": "retention", "cadence": "weekly", "active": false, "launch_status": "paused",
			"launched_at": "2026-01-12T09:00:00.000000Z", "last_refreshed": "2026-03-04T06:00:00.500000Z",
			"created_at": "2026-01-08T11:42:10.123456Z", "updated_at": "2026-03-04T06:00:01.000000Z",
		},
		{
			"id": bare.String(), "client_id": client, "slug": "bare", "display_name": nil, "campaign_brief": nil, "goal": nil,
			"goal_context": nil, "key_questions": []any{}, "target_segment": nil, "playbook": nil, "cadence": nil, "active": nil,
			"launch_status": nil, "launched_at": nil, "last_refreshed": nil, "created_at": nil, "updated_at": nil,
		},
	}
	var got struct {
		Data []map[string]any
		Meta map[string]any
	}
	srv.Get(t, campaigns, srv.KeyFor(t, "acme", auth.ReadCampaigns)).WantStatus(t, 200).Decode(t, &got)
	check.DeepEqual(t, got.Data, want, "data")
	wantMeta := map[string]any{
		"client_id": client, "count": 2.0, "has_more": false, "next_cursor": nil, "measurement_mode": "legacy",
		"includes_customer_identity": false, "includes_transcripts": false,
		"includes_raw_extraction": false, "includes_custom_extraction": false,
	}
	check.DeepEqual(t, got.Meta, wantMeta, "meta")
}

func TestListCampaigns_DeclaredRefusals(t *testing.T) {
	t.Parallel()
	checkDeclaredRefusals(t, campaigns, auth.ReadCampaigns)
}
