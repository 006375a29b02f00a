package server

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// Call is one operation of the contract, called in-process for the caller that
// Admit names.
type Call struct {
	// Operation is the contract's operationId.
	Operation string
	// LogName is the operation's name in the log.
	LogName   string
	Arguments []Argument
	Limits    middleware.Limits
	// Flags are the names of the limit flags that the call takes.
	Flags []string
	// CheckSize is called before the response, which has so many rows, grows to a size.
	// Its error ends the call and becomes the response. Nil sets no limit.
	CheckSize func(size, rows int) error
}

// Argument is a query parameter of a call.
type Argument struct {
	Name  string
	Value string
	Kind  Kind
	// Invalid, if set, describes a value that a query could not carry, such as "null".
	Invalid string
}

// Kind is the JSON type of a value.
type Kind int

// The kinds of value.
const (
	Text Kind = iota
	Number
	Boolean
)

// CallResponse is REST's response, which may be an error envelope.
type CallResponse struct {
	Status int
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
	outer.Operation = call.LogName
	record := &middleware.Record{
		RequestID: outer.RequestID,
		Call:      &middleware.Call{Limits: call.Limits, Flags: call.Flags, Invalid: map[string]string{}},
	}
	ctx, cancel := context.WithCancel(middleware.WithRecord(ctx, record))
	defer cancel()
	r := s.callRequest(ctx, call, record.Call)
	w := newRecordingWriter(record, call.CheckSize, cancel)
	// The contract requires these headers, so response validation expects them; they are
	// not sent.
	maxRequests, _, _ := ratelimit.Policy()
	middleware.SetRateLimitHeaders(w.header, ratelimit.Admission{Max: int(maxRequests), ResetAt: time.Now()})
	w.header.Set("X-Request-Id", record.RequestID)
	s.serveCall(w, r)
	if err := w.err; err != nil {
		w = newRecordingWriter(record, nil, cancel)
		middleware.WriteError(w, r, err)
	}
	outer.Rows, outer.Err, outer.ToolStatus = record.Rows, record.Err, w.status
	return CallResponse{Status: w.status, Body: w.body.Bytes()}
}

// callRequest returns the REST request of a call. It adds to other what a query string
// cannot express.
func (s *Server) callRequest(ctx context.Context, call Call, other *middleware.Call) *http.Request {
	op := s.contract.Operation(call.Operation)
	pairs := make([]string, len(call.Arguments))
	for i, a := range call.Arguments {
		param, isFlag := op.QueryParams[a.Name], slices.Contains(call.Flags, a.Name)
		isInteger := param != nil && param.Schema.Value.Type.Is("integer")
		switch {
		case a.Invalid != "":
			other.Invalid[a.Name] = a.Invalid
		case a.Kind == Boolean && !isFlag:
			other.Invalid[a.Name] = "a boolean"
		case a.Kind != Boolean && isFlag, a.Kind == Text && isInteger:
			other.Invalid[a.Name] = [...]string{"a text", "a number"}[a.Kind]
		case isFlag && a.Value == "true":
			limitFlags[a.Name](&other.Limits)
		case isInteger:
			a.Value = wholeNumber.ReplaceAllString(a.Value, "$1")
		}
		pairs[i] = url.QueryEscape(a.Name) + "=" + url.QueryEscape(a.Value)
	}
	return (&http.Request{
		Method: http.MethodGet, Header: http.Header{}, Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		URL: &url.URL{Path: op.Path, RawQuery: strings.Join(pairs, "&")},
	}).WithContext(ctx)
}

// limitFlags are the arguments by which a call lifts a limit.
var limitFlags = map[string]func(*middleware.Limits){
	"include_basis": func(l *middleware.Limits) { l.MaxIDs = 0 },
	"include_rows":  func(l *middleware.Limits) { l.MaxRows = 0 },
}

// wholeNumber is a whole number with a fraction of zeros, such as 5.0.
var wholeNumber = regexp.MustCompile(`^(-?[0-9]+)\.0+$`)

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

// recordingWriter keeps a response in memory, up to the size that checkSize allows.
type recordingWriter struct {
	header    http.Header
	status    int
	body      bytes.Buffer
	record    *middleware.Record
	checkSize func(size, rows int) error
	cancel    context.CancelFunc // of the request
	err       error              // why there is no response
}

func newRecordingWriter(record *middleware.Record, checkSize func(size, rows int) error, cancel context.CancelFunc) *recordingWriter {
	return &recordingWriter{header: http.Header{}, status: http.StatusOK, record: record, checkSize: checkSize, cancel: cancel}
}

func (w *recordingWriter) Header() http.Header    { return w.header }
func (w *recordingWriter) WriteHeader(status int) { w.status = status }

func (w *recordingWriter) Write(b []byte) (int, error) {
	if w.err == nil && w.checkSize != nil {
		if w.err = w.checkSize(w.body.Len()+len(b), w.record.Rows); w.err != nil {
			w.body = bytes.Buffer{}
			w.cancel() // reading on is of no use
		}
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
