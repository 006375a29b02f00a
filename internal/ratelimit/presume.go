package ratelimit

import (
	"crypto/sha256"
	"sync"

	"github.com/clientintel/clientintel/internal/access"
)

// maxRegulars bounds the callers that are remembered.
const maxRegulars = 4096

// regulars are callers whose last request was admitted with room for another.
type regulars struct {
	mu    sync.Mutex
	known map[regular]access.Caller
}

type regular struct {
	prefix     string
	secretHash [sha256.Size]byte
}

func newRegulars() *regulars { return &regulars{known: map[regular]access.Caller{}} }

func (g *regulars) note(r Request, a Admission) {
	who := regular{r.Prefix, r.SecretHash}
	g.mu.Lock()
	defer g.mu.Unlock()
	if a.Verdict != Admitted || a.Remaining <= 1 {
		delete(g.known, who)
		return
	}
	if _, known := g.known[who]; !known && len(g.known) >= maxRegulars {
		clear(g.known) // they come again
	}
	g.known[who] = a.Caller
}

// Presume tells who a request is most likely from, while the door is quiet: a
// caller who came with the same secret and was admitted. An answer may be read
// on that presumption while Admit decides, and must not leave before it has.
func (l *Limiter) Presume(r Request) (access.Caller, bool) {
	if !l.turn.TryLock() {
		return access.Caller{}, false
	}
	l.turn.Unlock()
	l.regulars.mu.Lock()
	defer l.regulars.mu.Unlock()
	caller, known := l.regulars.known[regular{r.Prefix, r.SecretHash}]
	return caller, known
}
