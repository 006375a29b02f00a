package ratelimit

import (
	"crypto/sha256"
	"sync"

	"github.com/clientintel/clientintel/internal/auth"
)

// maxCachedCallers bounds the callers that are remembered.
const maxCachedCallers = 4096

// callerCache holds the callers whose last request came with a key that is active.
type callerCache struct {
	mu    sync.Mutex
	byKey map[callerKey]cachedCaller
}

type cachedCaller struct {
	auth.Caller
	// likely says that the next request is likely to be admitted.
	likely bool
}

type callerKey struct {
	prefix     string
	secretHash [sha256.Size]byte
}

func newCallerCache() *callerCache { return &callerCache{byKey: map[callerKey]cachedCaller{}} }

func (c *callerCache) update(r Request, a Admission) {
	key := callerKey{r.Prefix, r.SecretHash}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.Verdict != Admitted && a.Verdict != Limited {
		delete(c.byKey, key)
		return
	}
	if _, known := c.byKey[key]; !known && len(c.byKey) >= maxCachedCallers {
		clear(c.byKey) // refilled by the next requests
	}
	c.byKey[key] = cachedCaller{a.Caller, a.Verdict == Admitted && a.Remaining > 1}
}

func (c *callerCache) get(r Request) cachedCaller {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byKey[callerKey{r.Prefix, r.SecretHash}]
}
