package ratelimit

import (
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/clientintel/clientintel/internal/auth"
)

// maxCachedCallers bounds the callers that are remembered, to those seen last.
const maxCachedCallers = 4096

// callerCache has the callers whose last request came with a key that is active, by
// the request without its route: a prefix alone anyone can send.
type callerCache struct {
	*lru.Cache[Request, cachedCaller]
}

type cachedCaller struct {
	auth.Caller
	// isLikely reports whether the next request is likely to be admitted.
	isLikely bool
}

func newCallerCache() callerCache {
	cache, _ := lru.New[Request, cachedCaller](maxCachedCallers) // only a size below 1 is an error
	return callerCache{cache}
}

func (c callerCache) update(r Request, a Admission) {
	r.Route = ""
	if a.Verdict == Admitted || a.Verdict == Limited {
		r.Prefix = strings.Clone(r.Prefix) // not the whole header that it is a part of
		c.Add(r, cachedCaller{a.Caller, a.Verdict == Admitted && a.Remaining > 1})
	} else {
		c.Remove(r)
	}
}

func (c callerCache) get(r Request) cachedCaller {
	r.Route = ""
	cached, _ := c.Get(r)
	return cached
}
