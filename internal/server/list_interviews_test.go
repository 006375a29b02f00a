package server_test

import (
	"encoding/json"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
)

func TestListInterviews_GatedFieldsFollowScopes(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "acme", apitest.Fields{"participant_email": nil})
	gated := map[string]auth.Scope{
		"participant_email": auth.ReadCustomerIdentity,
		"transcript":        auth.ReadTranscripts,
		"custom_extraction": auth.ReadCustomExtraction,
	}
	for field, scope := range gated {
		with := srv.Get(t, "/api/client/v1/interviews", srv.KeyFor(t, "acme", auth.ReadInterviewsMetadata, scope)).List(t)
		for other := range gated {
			if _, there := with.Data[0][other]; there != (other == field) {
				t.Errorf("with %s alone, %s is there: %v", scope, other, there)
			}
		}
	}
	all := srv.Get(t, "/api/client/v1/interviews", srv.KeyFor(t, "acme")).List(t).Data[0]
	check.Equal(t, string(all["participant_email"]), "null", "an unknown participant_email")
	if _, there := all["raw_extraction"]; there {
		t.Error("raw_extraction is on the list; it belongs to detail only")
	}
	var extraction struct {
		Big json.Number `json:"big"`
	}
	if err := json.Unmarshal(all["custom_extraction"], &extraction); err != nil || extraction.Big != "12345678901234567890.123" {
		t.Errorf("a long number came back as %s (%v)", extraction.Big, err)
	}
}

// A number that JSON does not have, which no import writes, is an internal error of the
// list as of the detail, never a response that no parser takes.
func TestListInterviews_NumbersThatJSONLacks(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(s *config.Server) { s.ResponseValidation = config.Off })
	id := seed.Interview(t, "acme", nil)
	for _, set := range []string{"nps_score = 'NaN'", "nps_score = '-Infinity'", "nps_score = NULL, duration_seconds = 'Infinity'"} {
		seed.Exec(t, "UPDATE interviews SET "+set)
		for _, path := range []string{"/api/client/v1/interviews", "/api/client/v1/interviews/" + id} {
			srv.Get(t, path, srv.KeyFor(t, "acme")).WantError(t, 500, "internal_error", "internal error")
		}
	}
}
