package httpapi_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// Requests that count against no key's limit are served at a bounded rate: a response that
// costs no more than its request would otherwise be asked for without end.
func TestUncounted_AreServedAtABoundedPace(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	const requests, slots, pause = 40, 8, 20 * time.Millisecond
	for name, c := range map[string]struct {
		method, path, key string
		header            http.Header
		status            int
	}{
		"no key":            {"GET", interviews, "", nil, 401},
		"no key's form":     {"GET", interviews, "x", nil, 401},
		"an unknown prefix": {"GET", interviews, "cik_aaaaaaaaaaaa_0000000000000000000000000000000000000000000000000", nil, 401},
		"an unknown path":   {"GET", "/nothing", "", nil, 404},
		"a wrong method":    {"POST", interviews, "", nil, 405},
		"a document":        {"GET", "/api/client/v1/openapi.json", "", nil, 200},
		"a foreign origin":  {"POST", "/api/client/v1/mcp", "", http.Header{"Origin": {"https://elsewhere.example"}}, 403},
	} {
		began := time.Now()
		var all sync.WaitGroup
		for range requests {
			all.Go(func() { srv.Send(t, c.method, c.path, c.key, c.header).WantStatus(t, c.status) })
		}
		all.Wait()
		// A lower bound: no machine is too slow for it.
		if took := time.Since(began); took < (requests/slots-1)*pause {
			t.Errorf("%s: %d requests took %s", name, requests, took)
		}
	}
}
