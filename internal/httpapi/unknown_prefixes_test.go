package httpapi_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// Callers who send prefixes that were never issued, more at once than may wait,
// are refused themselves; a caller whose key is known is not.
func TestAdmit_UnknownPrefixesCrowdOutNoKnownKey(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := srv.KeyFor(t, "acme")
	srv.Get(t, interviews, key).WantStatus(t, 200)
	stop := make(chan struct{})
	var flood sync.WaitGroup
	defer flood.Wait()
	defer close(stop)
	for i := range 100 {
		flood.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				status, err := statusOf(srv.URL+interviews, fmt.Sprintf("cik_%04d%08d_%049d", i, n, 0))
				if err != nil || status != 401 && status != 503 {
					t.Errorf("an unknown prefix: %d, %v", status, err)
					return
				}
			}
		})
	}
	for range 100 {
		srv.Get(t, interviews, key).WantStatus(t, 200)
	}
}
