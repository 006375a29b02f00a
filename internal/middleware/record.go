package middleware

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// Record is what is known of a request while it is handled. Its log line is written
// from it.
type Record struct {
	RequestID string
	// Operation is the name under which the request is logged; empty: unknown.
	Operation string
	// Rows is how many the response has.
	Rows int
	// Err is why the request was refused or its response broke off.
	Err error
	// ToolStatus is the status of the operation behind an MCP tool call, whose own HTTP
	// status is 200.
	ToolStatus int
	// EncodeError, if set, encodes an error for the caller of another protocol, given the
	// envelope that REST has for it.
	EncodeError func(status int, e *apierror.Error, envelope []byte) []byte
	// MaxRows is how many rows analytics may have: of more, none are given. Zero: any number.
	MaxRows int

	operation *Operation // nil: none of the contract's
	admission ratelimit.Admission
	// keyID is the key that the prefix names; clientID is set only if the secret was right.
	keyID, clientID uuid.UUID
	// help is the Link to documentation, for an error.
	help string
	// method is the request's, "other" if no route has it.
	method string
	// began is when the request's headers had been read.
	began time.Time
	// aborted is set if the response broke off and the connection was closed, callerLeft
	// if the caller caused that.
	aborted, callerLeft bool
}

type recordKey struct{}

// WithRecord puts a request's record into its context.
func WithRecord(ctx context.Context, record *Record) context.Context {
	return context.WithValue(ctx, recordKey{}, record)
}

// RecordFrom takes the request's record out of the context. Outside a request it is an
// empty one, so that callers need no check.
func RecordFrom(ctx context.Context) *Record {
	if record, ok := ctx.Value(recordKey{}).(*Record); ok {
		return record
	}
	return &Record{}
}

// Named records under which name a handler's requests are logged.
func Named(operation string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		RecordFrom(r.Context()).Operation = operation
		next.ServeHTTP(w, r)
	})
}
