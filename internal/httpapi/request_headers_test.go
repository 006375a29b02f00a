package httpapi

import (
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// The request that the connection holds while it is answered has no header left that
// nothing reads.
func TestAccessLog_DropsUnusedHeaders(t *testing.T) {
	t.Parallel()
	s := &Server{deps: Deps{RecordRequest: func(string, int, string, time.Duration) {}, Log: slog.New(slog.DiscardHandler)}}
	r := httptest.NewRequest(http.MethodGet, Prefix+"/interviews", nil)
	for _, name := range []string{"authorization", "mcp-protocol-version", "cookie", "range", "x-forwarded-for", "x-pad"} {
		r.Header.Set(name, "x")
	}
	answered := false
	s.accessLog(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		answered = true
		if kept := slices.Sorted(maps.Keys(r.Header)); !slices.Equal(kept, []string{"Authorization", "Mcp-Protocol-Version"}) {
			t.Errorf("the request holds %q", kept)
		}
	})).ServeHTTP(httptest.NewRecorder(), r)
	if !answered {
		t.Error("the request was not passed on")
	}
}
