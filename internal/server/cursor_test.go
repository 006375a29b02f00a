package server_test

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
)

// A cursor continues the walk that it was issued for, with any key of the client and any
// page size, and no other. That each filter is part of a walk is tested with the handlers.
func TestCursors_BelongToTheirWalk(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	for _, client := range []string{"acme", "globex"} {
		for range 3 {
			seed.Interview(t, client, nil)
			seed.Campaign(t, client, apitest.Fields{"created_at": nil})
			seed.SynthesisDocument(t, client, nil)
			seed.PortalDocument(t, client, nil)
		}
	}
	acme, globex := srv.KeyFor(t, "acme"), srv.KeyFor(t, "globex")
	other := srv.Issue(t, keyRequest("acme")).Key
	for _, c := range []struct{ walk, another, same string }{
		{interviews + "?date_from=2026-01-01", campaigns + "?date_from=2026-01-01", interviews + "?date_from=2026-01-01T00:00:00Z"},
		{campaigns + "?updated_since=2026-01-01", campaigns + "?limit=200", campaigns + "?updated_since=2026-01-01T01:00%2B01:00"},
		{synthesisPath + "?updated_since=2026-01-01", portal, synthesisPath + "?updated_since=2026-01-01T02:00%2B02:00"},
		{portal, synthesisPath + "?type=home", portal + "&type=home"},
	} {
		cursor := srv.Get(t, c.walk+"&limit=1", acme).List(t).NextCursor(t)
		edited := strings.Map(func(r rune) rune { return map[bool]rune{true: 'B', false: 'A'}[r == 'A'] }, cursor[len(cursor)-2:])
		for name, query := range map[string]string{
			"another walk":  c.another + "&starting_after=" + cursor,
			"edited":        c.walk + "&starting_after=" + cursor[:len(cursor)-2] + edited,
			"truncated":     c.walk + "&starting_after=" + cursor[:20],
			"empty":         c.walk + "&starting_after=",
			"twice":         c.walk + "&starting_after=" + cursor + "&starting_after=" + cursor,
			"too long":      c.walk + "&starting_after=" + strings.Repeat("A", 1025),
			"not even text": c.walk + "&starting_after=%00",
		} {
			if answer := srv.Get(t, query, acme); answer.Status != 400 || !strings.Contains(string(answer.Body), `"code":"invalid_cursor"`) {
				t.Errorf("%s, %s: %d %s, want 400 invalid_cursor", c.walk, name, answer.Status, answer.Body)
			}
		}
		srv.Get(t, c.walk+"&starting_after="+cursor, globex).WantError(t, 400, "invalid_cursor", "Invalid cursor")
		check.Equal(t, len(srv.Get(t, c.same+"&limit=2&starting_after="+cursor, other).List(t).Data), 2, c.walk, c.same)
	}
}
