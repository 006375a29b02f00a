package server_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

func TestGetInterview_AnswersWithGatedFields(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	id := seed.Interview(t, "acme", nil)
	var full struct {
		Data struct{ Interview map[string]json.RawMessage }
		Meta map[string]json.RawMessage
	}
	srv.Get(t, "/api/client/v1/interviews/"+id, srv.KeyFor(t, "acme")).WantStatus(t, http.StatusOK).Decode(t, &full)
	for _, field := range []string{"participant_email", "transcript", "custom_extraction", "raw_extraction"} {
		if _, there := full.Data.Interview[field]; !there {
			t.Errorf("with every scope, %s is missing", field)
		}
		if flag := map[string]string{
			"participant_email": "includes_customer_identity", "transcript": "includes_transcripts",
			"custom_extraction": "includes_custom_extraction", "raw_extraction": "includes_raw_extraction",
		}[field]; string(full.Meta[flag]) != "true" {
			t.Errorf("meta.%s is %s, want true", flag, full.Meta[flag])
		}
	}
	if string(full.Meta["count"]) != "1" {
		t.Errorf("meta.count is %s, want 1", full.Meta["count"])
	}
	if _, there := full.Meta["has_more"]; there {
		t.Error("meta.has_more is on a detail")
	}

	var bare struct {
		Data struct{ Interview map[string]json.RawMessage }
	}
	srv.Get(t, "/api/client/v1/interviews/"+id, srv.KeyFor(t, "acme", auth.ReadInterviewsMetadata)).
		WantStatus(t, http.StatusOK).Decode(t, &bare)
	for _, field := range []string{"participant_email", "transcript", "custom_extraction", "raw_extraction"} {
		if _, there := bare.Data.Interview[field]; there {
			t.Errorf("without its scope, %s is there", field)
		}
	}
}

// What is not the caller's, what is not usable, what does not exist and what is
// no id at all are one response.
func TestGetInterview_WhatIsNotVisibleIsNotFound(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	foreign := seed.Interview(t, "globex", nil)
	test := seed.Interview(t, "acme", apitest.Fields{"is_test": true})
	mine := seed.Interview(t, "acme", nil)
	key := srv.KeyFor(t, "acme")
	for _, id := range []string{
		foreign, test, uuid.NewString(), "not-a-uuid", "urn:uuid:" + mine, "{" + mine + "}", "00000000000000000000000000000000", mine + "0",
	} {
		srv.Get(t, "/api/client/v1/interviews/"+id, key).WantError(t, http.StatusNotFound, "not_found", "not found")
	}
}
