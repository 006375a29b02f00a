package measurement

import (
	"container/list"
	"sync"

	"github.com/clientintel/clientintel/internal/config"
)

// basisCacheBytes bounds the memory of cached ids in one server: some 80
// scopes of 10,000 interviews, or many more small ones.
const basisCacheBytes = 32 << 20

// basisCache keeps what lists of interviews held, by the hash of their scope, which
// names the client too, under the version of the membership it was read from: a
// write makes another version, and an entry of another version is none. A snapshot
// that is older than a write still sees the old version, and finds or leaves the old
// entry.
type basisCache struct {
	mu     sync.Mutex
	max    int
	bytes  int
	byHash map[string]*list.Element
	recent *list.List // of *basisEntry, the last used first
}

type basisEntry struct {
	scopeHash string
	version   version
	scopeIDs
}

// size is about what an entry takes: its ids, and its place and hashes.
func (e *basisEntry) size() int { return cap(e.json) + 512 }

func newBasisCache(maxBytes int) *basisCache {
	return &basisCache{max: maxBytes, byHash: map[string]*list.Element{}, recent: list.New()}
}

func (c *basisCache) get(scopeHash string, v version) (scopeIDs, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, known := c.byHash[scopeHash]
	if !known || config.Disabled("basis_cache") {
		return scopeIDs{}, false
	}
	entry := at.Value.(*basisEntry)
	if entry.version != v {
		return scopeIDs{}, false
	}
	c.recent.MoveToFront(at)
	return entry.scopeIDs, true
}

// put keeps one version of a scope, the one read last, and lets go of what was
// not used for longest.
func (c *basisCache) put(scopeHash string, v version, found scopeIDs) {
	entry := &basisEntry{scopeHash: scopeHash, version: v, scopeIDs: found}
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, known := c.byHash[scopeHash]; known {
		c.remove(at)
	}
	if entry.size() > c.max {
		return
	}
	c.byHash[scopeHash] = c.recent.PushFront(entry)
	c.bytes += entry.size()
	for c.bytes > c.max {
		c.remove(c.recent.Back())
	}
}

func (c *basisCache) remove(at *list.Element) {
	entry := c.recent.Remove(at).(*basisEntry)
	delete(c.byHash, entry.scopeHash)
	c.bytes -= entry.size()
}
