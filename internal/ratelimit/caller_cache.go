package ratelimit

import (
	"crypto/sha256"
	"sync"

	"github.com/clientintel/clientintel/internal/auth"
)

// maxCachedCallers bounds the callers that are remembered.
const maxCachedCallers = 4096

// callerCache holds the callers whose last request was admitted with room for another.
type callerCache struct {
	mu    sync.Mutex
	byKey map[callerKey]auth.Caller
}

type callerKey struct {
	prefix     string
	secretHash [sha256.Size]byte
}

func newCallerCache() *callerCache { return &callerCache{byKey: map[callerKey]auth.Caller{}} }

func (c *callerCache) update(r Request, a Admission) {
	key := callerKey{r.Prefix, r.SecretHash}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.Verdict != Admitted || a.Remaining <= 1 {
		delete(c.byKey, key)
		return
	}
	if _, known := c.byKey[key]; !known && len(c.byKey) >= maxCachedCallers {
		clear(c.byKey) // refilled by the next requests
	}
	c.byKey[key] = a.Caller
}

// CachedCaller returns, while no group is under way, the caller that was last
// admitted with the same secret. Data may be read speculatively for that caller
// while Admit decides; a response must not be sent before it has.
func (l *Limiter) CachedCaller(r Request) (auth.Caller, bool) {
	if !l.sending.TryLock() {
		return auth.Caller{}, false
	}
	l.sending.Unlock()
	l.callers.mu.Lock()
	defer l.callers.mu.Unlock()
	caller, known := l.callers.byKey[callerKey{r.Prefix, r.SecretHash}]
	return caller, known
}
