package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// Call is one operation of the contract, called in-process for the context's caller.
type Call struct {
	// Operation is the contract's operationId.
	Operation string
	// LogName is the operation's name in the log; empty: the call is not logged.
	LogName string
	Query   url.Values
	// MaxRows is how many rows analytics may have: of more, none are given. Zero: any number.
	MaxRows int
}

// Allows reports whether the caller has the scopes of an operation.
func (s *Server) Allows(caller auth.Caller, operation string) bool {
	return s.contract.Operation(operation).CheckScopes(caller) == nil
}

// Do returns the body with which REST answers a call, or its error, after the same checks
// in the same order. It counts nothing: the request behind it was counted. ctx is that
// request's.
func (s *Server) Do(ctx context.Context, call Call) ([]byte, error) {
	outer := middleware.RecordFrom(ctx)
	ctx = context.WithValue(ctx, chi.RouteCtxKey, nil) // the outer request's route is not this one's
	record := &middleware.Record{RequestID: outer.RequestID, MaxRows: call.MaxRows}
	r := (&http.Request{
		Method: http.MethodGet, Header: http.Header{}, Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		URL: &url.URL{Path: s.contract.Operation(call.Operation).Path, RawQuery: call.Query.Encode()},
	}).WithContext(middleware.WithRecord(ctx, record))
	w := NewRecorder()
	// The contract requires these headers, so response validation expects them; they are
	// not sent.
	maxRequests, _, _ := ratelimit.Policy()
	middleware.SetRateLimitHeaders(w.header, ratelimit.Admission{Max: int(maxRequests), ResetAt: time.Now()})
	w.header.Set("X-Request-Id", record.RequestID)
	s.serveCall(w, r)
	if err := w.err; err != nil {
		w = NewRecorder()
		middleware.WriteError(w, r, err) // which has its status
	}
	if call.LogName != "" {
		outer.Operation, outer.ToolStatus = call.LogName, w.Status
		outer.Rows, outer.Err = record.Rows, record.Err
	}
	if w.Status != http.StatusOK {
		return nil, record.Err
	}
	return w.Body.Bytes(), nil
}

// serveCall runs an operation and sets the writer's err if the response broke off
// or the handler panicked. The MCP library runs calls in goroutines of its own
// and does not recover.
func (s *Server) serveCall(w *Recorder, r *http.Request) {
	record := middleware.RecordFrom(r.Context())
	defer func() {
		caught := recover()
		if caught == nil || w.err != nil {
			return
		}
		if err, _ := caught.(error); errors.Is(err, http.ErrAbortHandler) {
			if w.err = record.Err; w.err == nil {
				w.err = apierror.Internal(errors.New("the answer broke off"))
			}
			return
		}
		middleware.LogPanic(s.deps.Observers.Log, r, caught)
		w.err = apierror.Internal(middleware.ErrPanicked)
	}()
	s.operations.ServeHTTP(w, r)
}

// maxStreamed is the largest response, in bytes, that is collected from a stream. One
// that is written at once was in memory already.
const maxStreamed = 2 << 20

// Recorder keeps a response in memory.
type Recorder struct {
	Status int
	Body   bytes.Buffer
	header http.Header
	err    error // why there is no response
}

// NewRecorder returns a response with status 200 and no body.
func NewRecorder() *Recorder { return &Recorder{Status: http.StatusOK, header: http.Header{}} }

// Header returns the response's header.
func (w *Recorder) Header() http.Header { return w.header }

// WriteHeader keeps the status.
func (w *Recorder) WriteHeader(status int) { w.Status = status }

func (w *Recorder) Write(b []byte) (int, error) {
	if w.Body.Len() > 0 && w.Body.Len()+len(b) > maxStreamed {
		w.Body = bytes.Buffer{}
		w.err = apierror.PayloadTooLarge(fmt.Sprintf("the response would be larger than %d MiB", maxStreamed>>20))
	}
	if w.err != nil {
		return 0, w.err
	}
	return w.Body.Write(b)
}

// Flush does nothing: there is no connection.
func (w *Recorder) Flush() {}

// SetWriteDeadline does nothing: writing to memory never blocks.
func (w *Recorder) SetWriteDeadline(time.Time) error { return nil }
