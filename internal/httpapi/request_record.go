package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/fairqueue"
	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/tracing"
)

// requestRecord is what is known of a request while it is handled. Its log line
// and its trace are written from it.
type requestRecord struct {
	requestID string
	operation string
	admission ratelimit.Admission
	// keyID is the key that the prefix names; clientID is set only if the secret was right.
	keyID, clientID uuid.UUID
	// traceID is the request's trace; empty: none.
	traceID string
	// admitting and reading are when these parts of the work were done.
	admitting, reading span
	rows               int
	err                error
	// help is the Link to documentation, for an error.
	help string
	// aborted is set if the response broke off and the connection was closed.
	aborted bool
	// callerLeft is set if the caller caused that.
	callerLeft bool
	// toolStatus is the status of the operation behind an MCP tool call, whose
	// own HTTP status is 200.
	toolStatus int
	// encodeError, if set, encodes an error for the caller of another protocol.
	encodeError func(status int, e *apierror.Error, envelope []byte) []byte
	// reservation is what the response has reserved of the budget of unsent bytes; nil:
	// nothing is bounded.
	reservation *fairqueue.Reservation
	// maxRows is how many rows analytics may have: of more, none are given. Zero: any number.
	maxRows int
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

// EncodeErrors sets how errors of a request are encoded, given the envelope that REST
// has for them.
func EncodeErrors(r *http.Request, encode func(status int, e *apierror.Error, envelope []byte) []byte) {
	recordFrom(r.Context()).encodeError = encode
}

// RecordError records why a request was refused, for the log, if the response was not
// written by this package. The error's text is logged.
func RecordError(r *http.Request, err error) { recordFrom(r.Context()).err = err }

// withOperation records under which name a handler's requests are logged.
func withOperation(operation string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recordFrom(r.Context()).operation = operation
		next.ServeHTTP(w, r)
	})
}

// span is a part of a request's time.
type span struct{ began, ended time.Time }

// phases are the parts of a request's time: what follows reading is rendering.
func (r *requestRecord) phases(ended time.Time) []tracing.Phase {
	var phases []tracing.Phase
	for _, p := range []struct {
		name string
		span
	}{{"admission", r.admitting}, {"read", r.reading}, {"render", span{r.reading.ended, ended}}} {
		if !p.began.IsZero() {
			phases = append(phases, tracing.Phase{Name: p.name, Began: p.began, Took: p.ended.Sub(p.began)})
		}
	}
	return phases
}

// timeReading notes when an operation's rows are read.
func timeReading(f api.StrictHandlerFunc, _ string) api.StrictHandlerFunc {
	return func(ctx context.Context, w http.ResponseWriter, r *http.Request, request any) (any, error) {
		record := recordFrom(ctx)
		began := time.Now()
		response, err := f(ctx, w, r, request)
		record.reading = span{began, time.Now()}
		return response, err
	}
}
