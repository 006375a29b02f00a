package server_test

import (
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// updated_since is inclusive to the microsecond, and what has never been changed
// does not match any.
func TestListCampaigns_UpdatedSinceBoundaries(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	changed := seed.Campaign(t, "acme", apitest.Fields{"updated_at": apitest.At("2026-03-02T00:00:00.000001Z")}).String()
	seed.Campaign(t, "acme", apitest.Fields{"updated_at": nil})
	key := srv.KeyFor(t, "acme")
	for since, matches := range map[string]bool{
		"2026-03-02":                          true,
		"2026-03-03":                          false,
		"2026-03-02T00:00":                    true,
		"2026-03-02T00:00:00.000001Z":         true,
		"2026-03-02T00:00:00.000001999Z":      true, // cut off, not rounded
		"2026-03-02T00:00:00.000002":          false,
		"2026-03-02T02:00:00.000001%2B02:00":  true,
		"2026-03-01T22:00:00.000001-02:00":    true,
		"2026-03-01T22:00:00.000002-02:00":    false,
		"0001-01-01":                          true,
		"9999-12-31T23:59:59.999999999-00:00": false,
	} {
		var want []string
		if matches {
			want = []string{changed}
		}
		srv.Get(t, campaigns+"?updated_since="+since, key).WantIDs(t, want...)
	}
}
