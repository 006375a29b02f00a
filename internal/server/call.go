package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

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

// CallResponse is REST's response, which may be an error envelope.
type CallResponse struct {
	Status int
	Header http.Header
	Body   []byte
}

// Allows reports whether the caller has the scopes of an operation.
func (s *Server) Allows(caller auth.Caller, operation string) bool {
	return s.contract.Operation(operation).CheckScopes(caller) == nil
}

// Do answers a call as REST does, with the same checks in the same order. It
// counts nothing: the request behind it was counted. ctx is that request's.
func (s *Server) Do(ctx context.Context, call Call) CallResponse {
	outer := middleware.RecordFrom(ctx)
	record := &middleware.Record{RequestID: outer.RequestID, MaxRows: call.MaxRows}
	r := (&http.Request{
		Method: http.MethodGet, Header: http.Header{}, Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		URL: &url.URL{Path: s.contract.Operation(call.Operation).Path, RawQuery: call.Query.Encode()},
	}).WithContext(middleware.WithRecord(ctx, record))
	w := &recordingWriter{header: http.Header{}, status: http.StatusOK}
	// The contract requires these headers, so response validation expects them; they are
	// not sent.
	maxRequests, _, _ := ratelimit.Policy()
	middleware.SetRateLimitHeaders(w.header, ratelimit.Admission{Max: int(maxRequests), ResetAt: time.Now()})
	w.header.Set("X-Request-Id", record.RequestID)
	s.serveCall(w, r)
	if err := w.err; err != nil {
		w = &recordingWriter{header: http.Header{}}
		middleware.WriteError(w, r, err)
	}
	if call.LogName != "" {
		outer.Operation, outer.ToolStatus = call.LogName, w.status
		outer.Rows, outer.Err = record.Rows, record.Err
	}
	return CallResponse{Status: w.status, Header: w.header, Body: w.body.Bytes()}
}

// serveCall runs an operation and sets the writer's err if the response broke off
// or the handler panicked. The MCP library runs calls in goroutines of its own
// and does not recover.
func (s *Server) serveCall(w *recordingWriter, r *http.Request) {
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
const maxStreamed = 8 << 20

// recordingWriter keeps a response in memory.
type recordingWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
	err    error // why there is no response
}

func (w *recordingWriter) Header() http.Header    { return w.header }
func (w *recordingWriter) WriteHeader(status int) { w.status = status }

func (w *recordingWriter) Write(b []byte) (int, error) {
	if w.body.Len() > 0 && w.body.Len()+len(b) > maxStreamed {
		w.body = bytes.Buffer{}
		w.err = apierror.PayloadTooLarge(fmt.Sprintf("the response would be larger than %d MiB", maxStreamed>>20))
	}
	if w.err != nil {
		return 0, w.err
	}
	return w.body.Write(b)
}

// Flush does nothing: there is no connection.
func (w *recordingWriter) Flush() {}

// SetWriteDeadline does nothing: writing to memory never blocks.
func (w *recordingWriter) SetWriteDeadline(time.Time) error { return nil }
