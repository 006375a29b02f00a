package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

const (
	// maxResponse is the largest result of a tool, in bytes, unless it has one row
	// alone, which no argument makes smaller. REST streams analytics; here a result is
	// collected, and its message contains it twice.
	maxResponse = 8 << 20
	// unreservedResponse is the size below which a response reserves no memory.
	unreservedResponse = 128 << 10
)

var errTooManyLargeResponses = errors.New("too many large answers at once")

// request is an HTTP request while its message is handled.
type request struct {
	ctx      context.Context // of the HTTP request
	client   uuid.UUID
	unsent   *fairqueue.Budget
	id       json.RawMessage // of the message, as it was sent; nil if unknown
	unparsed bool            // the message is no JSON
	reserved int64
}

// sizeLimit returns the check of a growing response's size. It reserves memory
// for a large one.
func (r *request) sizeLimit(t tool) func(size, rows int) error {
	return func(size, rows int) error {
		if size > maxResponse && rows != 1 {
			return apierror.PayloadTooLarge(fmt.Sprintf("the answer would be larger than %d MiB; %s", maxResponse>>20, t.narrower))
		}
		// In steps, so that a response of small pieces seldom touches the counter.
		// The message contains the response twice.
		want := 2 * max(0, int64(size+unreservedResponse-1)/unreservedResponse*unreservedResponse-unreservedResponse)
		if want > r.reserved {
			if !r.unsent.Reserve(r.client, want-r.reserved) {
				return apierror.Unavailable(errTooManyLargeResponses)
			}
			r.reserved = want
		}
		return nil
	}
}

// release returns the memory that the request reserved.
func (r *request) release() {
	r.unsent.Release(r.client, r.reserved)
}

type requestKey struct{}

func withRequest(r *http.Request, v *request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), requestKey{}, v))
}

// requestFrom returns what withRequest stored, in the library's goroutine.
func requestFrom(ctx context.Context) *request {
	v, _ := ctx.Value(requestKey{}).(*request)
	return v
}
