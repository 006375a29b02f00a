package ratelimit

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/uuid"
)

// Callers that were not verified yet wait in turn by the client that their prefix names:
// neither a flood of unknown prefixes nor one of another client's is before them.
func TestLimiter_UnverifiedCallersTakeTurnsByClient(t *testing.T) {
	t.Parallel()
	for name, flooding := range map[string]func(int) string{
		"unknown prefixes":        func(i int) string { return fmt.Sprint(i) },
		"another client's prefix": func(int) string { return "other" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLimiter(nil) // admits nothing
				l.keyClients.byPrefixHash.Store(&map[[sha256.Size]byte]uuid.UUID{
					sha256.Sum256([]byte("mine")): uuid.New(), sha256.Sum256([]byte("other")): uuid.New(),
				})
				var flood sync.WaitGroup
				defer flood.Wait()
				defer close(l.stop)
				for i := range 300 {
					flood.Go(func() { _, _ = l.Admit(t.Context(), Request{Prefix: flooding(i)}) })
				}
				synctest.Wait()
				flood.Go(func() { _, _ = l.Admit(t.Context(), Request{Prefix: "mine"}) })
				synctest.Wait()
				if second := l.queue.take(2); second[0].request.Prefix != "mine" && second[1].request.Prefix != "mine" {
					t.Error("a caller of another client is not among the next two")
				}
				// The flood has its share of the slots, though others are free.
				if got := l.queue.len(); got != maxUnverified-1 {
					t.Errorf("%d requests of the flood are in the queue, want %d", got+1, maxUnverified)
				}
			})
		})
	}
}

// ClientOf is for tests of other packages' part in it; false before the clients were read.
func (l *Limiter) ClientOf(prefix string) (uuid.UUID, bool) {
	return l.keyClients.of(prefix), l.keyClients.byPrefixHash.Load() != nil
}
