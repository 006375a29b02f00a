package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/clientintel/clientintel/internal/apierror"
)

// maxResponse is the largest result of a tool, in bytes, unless it has one row
// alone, which no argument makes smaller. REST streams analytics; here a result is
// collected, and its message contains it twice.
const maxResponse = 8 << 20

// request is an HTTP request while its message is handled.
type request struct {
	ctx       context.Context            // of the HTTP request
	members   map[string]json.RawMessage // of the message
	id        json.RawMessage            // of the message, as it was sent; nil if unknown
	isNotJSON bool                       // of the message
}

// sizeLimit returns the check of a growing response's size. It reserves memory
// for a large one.
func (r *request) sizeLimit(t tool) func(size, rows int) error {
	return func(size, rows int) error {
		if size > maxResponse && rows != 1 {
			return apierror.PayloadTooLarge(fmt.Sprintf("the answer would be larger than %d MiB; %s", maxResponse>>20, t.Narrower))
		}
		return nil
	}
}

type requestKey struct{}

func withRequest(r *http.Request, v *request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), requestKey{}, v))
}

// requestFrom returns what withRequest stored, in the SDK's goroutine.
func requestFrom(ctx context.Context) *request {
	v, _ := ctx.Value(requestKey{}).(*request)
	return v
}
