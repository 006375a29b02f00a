package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

func TestAccessLog_RequestIDs(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	for given, echoed := range map[string]bool{
		"abc-123": true, strings.Repeat("x", 128): true, strings.Repeat("x", 129): false, "tab\there": false, "é": false,
	} {
		answer := srv.Send(t, http.MethodGet, interviews, "", http.Header{"X-Request-Id": {given}})
		got := answer.Header.Get("X-Request-Id")
		if (got == given) != echoed || got == "" {
			t.Errorf("X-Request-Id %q came back as %q; echoed should be %v", given, got, echoed)
		}
	}
}
