package synthesis

import (
	"regexp"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/test/check"
)

var (
	slugLookUp = regexp.MustCompile(`= \((?s:.*?)\n +\)`)
	condition  = regexp.MustCompile(`^ +AND `)
	// What every query of a list has in common: where the page starts, and the
	// client's rows that changed since.
	position = regexp.MustCompile(`^ +AND [a-z]\.((refreshed_key|updated_at|feed_key|published_key|id) [=<>]|updated_at >=) \$`)
	number   = regexp.MustCompile(`\$\d+`)
)

// skeleton is a query without its name, its numbering and its filters.
func skeleton(query string) string {
	_, body, _ := strings.Cut(slugLookUp.ReplaceAllString(query, "= $$"), "\n")
	var kept []string
	for _, line := range strings.Split(body, "\n") {
		if !condition.MatchString(line) || position.MatchString(line) {
			kept = append(kept, number.ReplaceAllString(line, "$$"))
		}
	}
	return strings.Join(kept, "\n")
}

// A filter that an index serves has a query of its own. But for the filter it is
// the same query: what is visible, its order and its ranges.
func TestQueries_OfOneListAreAlike(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]struct {
		positions int
		queries   []string
	}{
		"documents": {9, []string{
			db.ListSynthesisDocuments, db.ListSynthesisDocumentsOfType, db.ListSynthesisDocumentsOfDays,
			db.ListSynthesisDocumentsOfLane, db.ListSynthesisDocumentsOfCampaign,
		}},
		"bodies": {6, []string{db.ListPortalDocuments, db.ListPortalDocumentsOfLane, db.ListPortalDocumentsOfCampaign}},
	} {
		want := skeleton(list.queries[0])
		if got := strings.Count(want, " AND "); got != list.positions || strings.Count(want, "client_id = $") != 3 {
			t.Fatalf("%s: the skeleton has %d conditions on the position, want %d:\n%s", name, got, list.positions, want)
		}
		for _, query := range list.queries[1:] {
			check.Equal(t, skeleton(query), want, name)
		}
	}
}
