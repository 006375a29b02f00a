package app_test

import (
	"net/http"
	"strings"
	"testing"
)

// Headers are read up to 12 KiB, whoever sends them.
func TestServe_HeadersAreBounded(t *testing.T) {
	t.Parallel()
	_, at := serve(t)
	for size, want := range map[int]int{7 << 10: http.StatusOK, 13 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+"/api/client/v1/openapi.json", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Long", strings.Repeat("x", size))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%d bytes of headers: status %d, want %d", size, response.StatusCode, want)
		}
	}
}
