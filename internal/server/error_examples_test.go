package server_test

import (
	"net/http"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
)

// Readers of the contract see the words of an error there first: each example of a 400 is
// what the service answers.
func TestContract_ExamplesOfErrorsAreAnswered(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	const routes, anID = "/api/client/v1", "9c4d2a7e-0f63-4b1d-8e25-6a7b8c9d0e1f"
	requests := map[string]string{
		"InvalidParameter":        "/interviews?limit=0",
		"InvalidDate":             "/analytics/interviews?date_from=2026-02-30",
		"MalformedQuery":          "/interviews/" + anID + "?a=%zz",
		"BlankSearch":             "/intelligence/search?q=%20",
		"UnknownParameter":        "/interviews?campain_id=" + anID,
		"UnsupportedParameter":    "/synthesis?type=playbook",
		"InvalidDateRange":        "/interviews?date_from=2026-03-02&date_to=2026-03-01",
		"InvalidCursor":           "/interviews?starting_after=another",
		"InvalidUpdatedSince":     "/campaigns?updated_since=2026-03-01T06:30:00+02:00",
		"UpdatedSinceUnsupported": "/interviews?updated_since=2026-03-01",
	}
	var served struct {
		Components struct {
			Examples map[string]struct{ Value map[string]any }
		}
	}
	srv.Get(t, contractPath, "").WantStatus(t, http.StatusOK).Decode(t, &served)
	key := srv.KeyFor(t, "acme")
	for name, example := range served.Components.Examples {
		path, known := requests[name]
		if !known {
			t.Errorf("no request is known that is answered with the example %s", name)
			continue
		}
		var answered map[string]any
		srv.Get(t, routes+path, key).WantStatus(t, http.StatusBadRequest).Decode(t, &answered)
		check.DeepEqual(t, answered, example.Value, name, path)
	}
	check.Equal(t, len(served.Components.Examples), len(requests), "examples")
}
