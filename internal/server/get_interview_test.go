package server_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

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
