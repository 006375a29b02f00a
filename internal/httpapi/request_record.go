package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/ratelimit"
)

// requestRecord is what is known of a request while it is answered. Its log line
// and its trace are written from it.
type requestRecord struct {
	requestID string
	operation string
	admission ratelimit.Admission
	// keyID is the key that the prefix names, whether or not the rest was right,
	// clientID whose it is where it was.
	keyID, clientID uuid.UUID
	rows            int
	err             error
	// help is the Link of an error that documentation helps with.
	help string
	// aborted says that the answer broke off and the connection was closed.
	aborted bool
	// callerLeft says that this was the caller's doing.
	callerLeft bool
	// toolStatus is the status of the operation behind an MCP tool call, whose
	// own HTTP status is 200.
	toolStatus int
}

type recordKey struct{}

func withRecord(ctx context.Context, record *requestRecord) context.Context {
	return context.WithValue(ctx, recordKey{}, record)
}

// recordFrom takes the request's record out of the context. Outside a request it
// is an empty one, so that callers need no check.
func recordFrom(ctx context.Context) *requestRecord {
	if record, ok := ctx.Value(recordKey{}).(*requestRecord); ok {
		return record
	}
	return &requestRecord{}
}

// withOperation records under which name a handler's requests are logged.
func withOperation(operation string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recordFrom(r.Context()).operation = operation
		next.ServeHTTP(w, r)
	})
}

// recordRows records how many rows an answer holds.
func recordRows(ctx context.Context, rows int) { recordFrom(ctx).rows = rows }
