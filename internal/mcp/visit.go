package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/clientintel/clientintel/internal/fault"
)

const (
	// maxAnswer is the largest answer of a tool, in bytes. REST streams
	// analytics; here an answer is collected, and said twice in one message.
	maxAnswer = 8 << 20
	// freeAnswer is what each answer may take without asking.
	freeAnswer = 1 << 20
	// maxLarge is what all answers together may take beyond that.
	maxLarge = 64 << 20
)

var errCrowded = errors.New("too many large answers at once")

// memory counts the bytes that large answers take.
type memory struct{ taken atomic.Int64 }

func (m *memory) take(n int64) bool {
	if m.taken.Add(n) > maxLarge {
		m.taken.Add(-n)
		return false
	}
	return true
}

// visit is one request while it is answered.
type visit struct {
	ctx    context.Context // of the HTTP request
	memory *memory
	large  int64
}

// roomFor lets a tool's answer grow, as far as there is room.
func (v *visit) roomFor(t tool) func(size int) error {
	return func(size int) error {
		if size > maxAnswer {
			return fault.TooLarge(fmt.Sprintf("the answer would be larger than %d MiB; %s", maxAnswer>>20, t.narrower))
		}
		// By whole steps, so that a stream of small pieces asks rarely.
		want := max(0, int64(size+freeAnswer-1)/freeAnswer*freeAnswer-freeAnswer)
		if want > v.large {
			if !v.memory.take(want - v.large) {
				return fault.OutOfReach(errCrowded)
			}
			v.large = want
		}
		return nil
	}
}

// leave gives back what the visit took.
func (v *visit) leave() {
	v.memory.taken.Add(-v.large)
}

type visitKey struct{}

func withVisit(r *http.Request, v *visit) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
}

// visitFrom takes the visit out again, in the library's goroutine.
func visitFrom(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}
