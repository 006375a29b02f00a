package measurement

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/clientintel/clientintel/internal/config"
)

// basisCacheBytes bounds the memory of cached ids in one server: some 80
// scopes of 10,000 interviews, or many more small ones.
const basisCacheBytes = 32 << 20

// basisCache keeps the ids of list scopes by scope hash, which covers the client, and
// membership version. A write changes the version, so older entries no longer match; a
// snapshot older than the write still finds or stores the old version.
type basisCache struct {
	mu         sync.Mutex
	max, bytes int
	lru        *simplelru.LRU[string, basisEntry]
}

type basisEntry struct {
	version version
	scopeIDs
}

// size is about what an entry takes: its ids, its hashes and its element of the list.
func (e basisEntry) size() int { return cap(e.json) + 512 }

func newBasisCache(maxBytes int) *basisCache {
	c := &basisCache{max: maxBytes}
	// put bounds the entries, by their bytes; only a size below 1 is an error.
	c.lru, _ = simplelru.NewLRU(math.MaxInt, func(_ string, e basisEntry) { c.bytes -= e.size() })
	return c
}

func (c *basisCache) get(scopeHash string, v version) (scopeIDs, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, known := c.lru.Get(scopeHash)
	if !known || entry.version != v || config.Disabled("basis_cache") {
		return scopeIDs{}, false
	}
	return entry.scopeIDs, true
}

// put keeps one version of a scope, the one read last, and removes the entries that
// were not used for longest.
func (c *basisCache) put(scopeHash string, v version, found scopeIDs) {
	entry := basisEntry{version: v, scopeIDs: found}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lru.Remove(scopeHash)
	if entry.size() > c.max {
		return
	}
	c.lru.Add(scopeHash, entry)
	for c.bytes += entry.size(); c.bytes > c.max; {
		c.lru.RemoveOldest()
	}
}
