package server_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// Cursors are bound to the mode and to every effective filter, defaults filled in.
func TestListSynthesis_CursorsBelongToTheirWalk(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	day := apitest.At("2026-03-04")
	for _, client := range []string{"acme", "globex"} {
		lane := seed.Lane(t, client, apitest.Fields{"slug": "checkout"})
		for range 3 {
			seed.Campaign(t, client, nil)
			seed.SynthesisDocument(t, client, apitest.Fields{"synthesis_type": "daily_feed", "feed_date": day, "lane_id": lane})
			seed.PortalDocument(t, client, apitest.Fields{"type": "daily_feed", "feed_date": day})
			seed.PortalDocument(t, client, apitest.Fields{"type": "lane", "lane_id": lane})
			seed.PortalDocument(t, client, nil)
		}
	}
	acme, globex := srv.KeyFor(t, "acme"), srv.KeyFor(t, "globex")
	laneID := func(client string) string {
		var id uuid.UUID
		seed.Query(t, &id, "SELECT id FROM lanes WHERE client_id = $1", seed.Clients[client])
		return id.String()
	}
	cursorOf := func(path string) string {
		cursor := srv.Get(t, path+"&limit=1", acme).List(t).NextCursor(t)
		if cursor == "" {
			t.Fatalf("%s has one page only", path)
		}
		return cursor
	}
	lane := "lane_id=" + laneID("acme")
	for issued, others := range map[string][]string{
		synthesisPath + "?": {
			synthesisPath + "?type=daily_feed", synthesisPath + "?date_from=0001-01-01", synthesisPath + "?updated_since=0001-01-01",
			synthesisPath + "?" + lane, portal, campaigns + "?",
		},
		synthesisPath + "?day=2026-03-04": {
			synthesisPath + "?day=2026-03-05", synthesisPath + "?type=daily_feed&day=2026-03-04", portal + "&type=daily_feed&day=2026-03-04",
		},
		synthesisPath + "?" + lane: {synthesisPath + "?", synthesisPath + "?lane_id=nonsense"},
		portal:                     {portal + "&type=lane", portal + "&type=daily_feed", synthesisPath + "?type=home", synthesisPath + "?"},
		portal + "&type=lane":      {portal + "&type=lane&lane=checkout"},
		portal + "&type=lane&lane=checkout": {
			portal + "&type=lane&lane=other", portal + "&type=lane", portal,
		},
		portal + "&type=daily_feed&day=2026-03-04": {
			portal + "&type=daily_feed", portal + "&type=daily_feed&day=2026-03-05", portal + "&type=daily_feed&date_from=2026-03-04",
		},
	} {
		cursor := cursorOf(issued)
		for _, other := range others {
			answer := srv.Get(t, other+"&starting_after="+cursor, acme)
			if answer.Status != 400 {
				t.Errorf("a cursor of %s went on in %s: status %d", issued, other, answer.Status)
				continue
			}
			answer.WantError(t, 400, "invalid_cursor", "Invalid cursor")
		}
		foreign := strings.Replace(issued, lane, "lane_id="+laneID("globex"), 1)
		srv.Get(t, foreign+"&starting_after="+cursor, globex).WantError(t, 400, "invalid_cursor", "Invalid cursor")
		edited := cursor[:len(cursor)-2] + "AA"
		if edited == cursor {
			edited = cursor[:len(cursor)-2] + "BA"
		}
		srv.Get(t, issued+"&starting_after="+edited, acme).WantError(t, 400, "invalid_cursor", "Invalid cursor")
	}

	// The same effective filters: another limit, a default spelled out, an id in
	// capitals, another key of the client.
	other := srv.Issue(t, keyRequest("acme")).Key
	for issued, same := range map[string]string{
		portal:                     portal + "&type=home&limit=2",
		synthesisPath + "?" + lane: synthesisPath + "?lane_id=" + strings.ToUpper(strings.TrimPrefix(lane, "lane_id=")),
		synthesisPath + "?updated_since=2026-01-01": synthesisPath + "?updated_since=2026-01-01T02:00%2B02:00",
		synthesisPath + "?day=2026-03-04":           synthesisPath + "?date_from=2026-03-04&date_to=2026-03-04",
	} {
		if got := len(srv.Get(t, same+"&starting_after="+cursorOf(issued), other).List(t).Data); got != 2 {
			t.Errorf("%s goes on in %s with %d rows, want 2", issued, same, got)
		}
	}
}
