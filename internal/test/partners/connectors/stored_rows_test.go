//go:build partners

package connectors_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/partners/npm"
	"github.com/clientintel/clientintel/internal/test/require"
)

// packages are the tools that come from npm.
var packages = npm.Folder{Path: "."}

// brand is the demo's canonical client.
const brand = "brightlarder"

// tables are rows by table and id, each a list of the columns below.
type tables map[string]map[string][]any

// columns are what is compared of each table.
var columns = map[string][]string{
	"campaigns":  {"slug", "display_name", "launch_status", "active", "created_at", "updated_at"},
	"synthesis":  {"synthesis_type", "contract_version", "document", "feed_date", "updated_at"},
	"interviews": {"conversation_goal_id", "status", "duration_seconds", "nps_score", "best_quote", "created_at"},
}

// held is what the database holds for the brand, under the usable rule and nothing
// else: it is written out once more here, not taken from the server's queries.
func held(t *testing.T, seed *apitest.Seed) tables {
	t.Helper()
	found := tables{}
	for table, query := range map[string]string{
		"campaigns": `SELECT id, json_build_array(slug, display_name, launch_status, active, created_at, updated_at) AS row
			FROM campaigns WHERE client_id = $1`,
		"synthesis": `SELECT d.id, json_build_array(synthesis_type, contract_version, document, feed_date, updated_at) AS row
			FROM synthesis_documents AS d LEFT JOIN lanes AS l ON l.client_id = d.client_id AND l.id = d.lane_id
			WHERE d.client_id = $1 AND d.status = 'published' AND (d.lane_id IS NULL OR l.visible)
				AND synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')`,
		"interviews": `SELECT i.id, json_build_array(campaign_id, status, duration_seconds, nps_score, best_quote, i.created_at) AS row
			FROM interviews AS i LEFT JOIN campaigns AS c ON c.client_id = i.client_id AND c.id = i.campaign_id
			WHERE i.client_id = $1 AND i.status IN ('completed', 'analyzed') AND NOT is_test AND quality = 'passed'
				AND reportable AND client_safe AND engagement IS DISTINCT FROM 'disengaged'
				AND (duration_seconds IS NULL OR duration_seconds >= 60)
				AND (campaign_id IS NULL OR (c.launch_status = 'live' AND c.active IS NOT FALSE))`,
	} {
		rows := dbtest.Value[string](t, seed, "SELECT coalesce(json_object_agg(id, row), '{}')::text FROM ("+query+") AS rows", seed.Clients[brand])
		found[table] = decodeRows(t, []byte(rows))
		if len(found[table]) < 5 {
			t.Fatalf("the brand has %d %s only", len(found[table]), table)
		}
	}
	return found
}

func decodeRows(t *testing.T, text []byte) map[string][]any {
	t.Helper()
	var rows map[string][]any
	require.NoError(t, json.Unmarshal(text, &rows), text)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = sameMoment(cell)
		}
	}
	return rows
}

// sameMoment spells moments alike, however a tool does.
func sameMoment(cell any) any {
	text, ok := cell.(string)
	if !ok {
		return cell
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999-07", "2006-01-02 15:04:05.999999-07:00"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
	}
	return text
}

// wantSame fails the test where what was loaded is not what is held.
func wantSame(t *testing.T, when string, got, want tables) {
	t.Helper()
	for table := range columns {
		check.Equal(t, len(got[table]), len(want[table]), when, table)
		for id, row := range want[table] {
			check.DeepEqual(t, got[table][id], row, when, table, id)
		}
		for id := range got[table] {
			if _, there := want[table][id]; !there {
				t.Errorf("%s, %s %s is still there", when, table, id)
			}
		}
	}
}

// prepare adds what the demo lacks: a campaign that was never dated, and a
// document to unpublish later.
func prepare(t *testing.T, seed *apitest.Seed) (document string) {
	t.Helper()
	seed.Campaign(t, brand, apitest.Fields{"slug": "never-dated", "updated_at": nil})
	return seed.SynthesisDocument(t, brand, nil)
}

// unpublish does what only a full run can notice.
func unpublish(t *testing.T, seed *apitest.Seed, document string) {
	t.Helper()
	seed.Exec(t, "UPDATE synthesis_documents SET status = 'draft' WHERE client_id = $1 AND id = $2", seed.Clients[brand], document)
}

// change does to the brand what time does: each kind of change that a loader
// must notice in its next run.
func change(t *testing.T, seed *apitest.Seed) {
	t.Helper()
	client, now := seed.Clients[brand], time.Now().UTC()
	one := func(query string, args ...any) string {
		id := dbtest.Value[string](t, seed, query, append([]any{client}, args...)...)
		return id
	}
	const usable = "SELECT id::text FROM usable_interviews WHERE client_id = $1 ORDER BY created_at "
	seed.Interview(t, brand, apitest.Fields{"created_at": now, "best_quote": "Just said."})
	// It was there all the time, but its review has ended only now.
	seed.Interview(t, brand, apitest.Fields{"created_at": now.AddDate(0, 0, -100), "best_quote": "Said long ago."})
	for _, withdrawn := range []string{one(usable + "LIMIT 1"), one(usable + "DESC OFFSET 3 LIMIT 1")} {
		seed.Exec(t, "UPDATE interviews SET client_safe = false WHERE client_id = $1 AND id = $2", client, withdrawn)
	}
	seed.Exec(t, "UPDATE interviews SET best_quote = 'Corrected.' WHERE client_id = $1 AND id = $2",
		client, one(usable+"DESC OFFSET 5 LIMIT 1"))
	seed.Exec(t, "UPDATE campaigns SET display_name = 'Renamed', updated_at = $2 WHERE client_id = $1 AND id = $3",
		client, now, one("SELECT id::text FROM campaigns WHERE client_id = $1 AND updated_at IS NOT NULL ORDER BY id LIMIT 1"))
	seed.Campaign(t, brand, apitest.Fields{"slug": "brand-new", "created_at": now, "updated_at": now})
	const published = `SELECT id::text FROM synthesis_documents
		WHERE client_id = $1 AND status = 'published' AND synthesis_type = 'home' ORDER BY updated_at `
	seed.Exec(t, `UPDATE synthesis_documents SET document = '{"headline": "Rewritten"}', updated_at = $2, last_refreshed = $2
		WHERE client_id = $1 AND id = $3`, client, now, one(published+"DESC LIMIT 1"))
	seed.SynthesisDocument(t, brand, apitest.Fields{"updated_at": now, "last_refreshed": now})
}

// waited counts the refusals for a used up quota so far.
func waited(srv *apitest.Server) int {
	return strings.Count(srv.Logs.String(), fmt.Sprintf("%q:429", "status"))
}
