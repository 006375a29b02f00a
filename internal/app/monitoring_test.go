package app_test

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/config"
)

// Of requests that succeed one in so many is logged, and each one that is refused.
func TestServer_LogsOneInSoMany(t *testing.T) {
	t.Parallel()
	server := newServer(t, func(s *config.Server) { s.LogOneIn = 3 })
	for range 9 {
		ask(t, server.Handler, "/api/client/v1/openapi.json")
		ask(t, server.Handler, "/nowhere")
	}
	if ok, refused := strings.Count(server.log.String(), "status=200"), strings.Count(server.log.String(), "status=404"); ok != 3 || refused != 9 {
		t.Errorf("%d of 9 that succeeded are logged and %d of 9 that were refused, want 3 and 9", ok, refused)
	}
}
