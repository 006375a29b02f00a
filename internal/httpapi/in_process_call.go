package httpapi

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
	Limits    ResponseLimits
	// Flags are the names of the limit flags that the call takes.
	Flags []string
	// CheckSize is called before the answer, which holds so many rows, grows to a
	// size. Its error ends the call and becomes the answer. Nil sets no limit.
	CheckSize func(size, rows int) error
}

// Argument is a query parameter of a call.
type Argument struct {
	Name  string
	Value string
	Kind  Kind
	// Invalid, when set, describes what came in place of a value that a query
	// could carry, such as "null".
	Invalid string
}

// Kind is how a value was written.
type Kind int

// The kinds of value.
const (
	Text Kind = iota
	Number
	Boolean
)

// CallResponse is the answer that REST gives, an error envelope included.
type CallResponse struct {
	Status int
	Body   []byte
}

// IsCheap tells whether an operation may run for a request that is not admitted yet: a
// read whose answer is discarded costs next to nothing.
func IsCheap(operation string) bool {
	return operation == "listInterviews" || operation == "getInterview"
}

// Allows tells whether the caller holds the scopes of an operation.
func (s *Server) Allows(caller auth.Caller, operation string) bool {
	return s.contract.operations[operation].checkScopes(caller) == nil
}

// Do answers a call as REST does, with the same checks in the same order. It
// counts nothing: the request behind it was counted. ctx is that request's.
func (s *Server) Do(ctx context.Context, call Call) CallResponse {
	outer := recordFrom(ctx)
	outer.operation = call.LogName
	record := &requestRecord{
		encoding:  outer.encodingOfCall,
		requestID: outer.requestID, operation: call.Operation,
		call: &inProcess{limits: call.Limits, flags: call.Flags, invalid: map[string]string{}},
	}
	ctx, cancel := context.WithCancel(withRecord(ctx, record))
	defer cancel()
	r := s.callRequest(ctx, call, record.call)
	w := newRecordingWriter(record, call.CheckSize, cancel)
	// The contract requires them of every answer. These go nowhere: the request may not be
	// admitted yet.
	maxRequests, _, _ := ratelimit.Policy()
	setRateLimitHeaders(w.header, ratelimit.Admission{Max: int(maxRequests), ResetAt: time.Now()})
	w.header.Set("X-Request-Id", record.requestID)
	s.serveCall(w, r)
	if err := w.err; err != nil {
		w = newRecordingWriter(record, nil, cancel)
		writeError(w, r, err)
	}
	outer.rows, outer.err, outer.toolStatus, outer.reading = record.rows, record.err, w.status, record.reading
	if w.body.Len() >= countedResponse {
		if outer.decide != nil {
			outer.decide() // before the slot is taken: admission can take long
		}
		_ = record.encoding.acquire(ctx) // it fails where the caller has left
	}
	return CallResponse{Status: w.status, Body: w.body.Bytes()}
}

// callRequest is the request that REST would have got. It adds to what the call
// has beyond it.
func (s *Server) callRequest(ctx context.Context, call Call, beyond *inProcess) *http.Request {
	op := s.contract.operations[call.Operation]
	pairs := make([]string, len(call.Arguments))
	for i, a := range call.Arguments {
		param, isFlag := op.queryParams[a.Name], slices.Contains(call.Flags, a.Name)
		isInteger := param != nil && param.Schema.Value.Type.Is("integer")
		switch {
		case a.Invalid != "":
			beyond.invalid[a.Name] = a.Invalid
		case a.Kind == Boolean && !isFlag:
			beyond.invalid[a.Name] = "a boolean"
		case a.Kind != Boolean && isFlag, a.Kind == Text && isInteger:
			beyond.invalid[a.Name] = [...]string{"a text", "a number"}[a.Kind]
		case isFlag && a.Value == "true":
			limitFlags[a.Name](&beyond.limits)
		case isInteger:
			a.Value = wholeNumber.ReplaceAllString(a.Value, "$1")
		}
		pairs[i] = url.QueryEscape(a.Name) + "=" + url.QueryEscape(a.Value)
	}
	return (&http.Request{
		Method: http.MethodGet, Header: http.Header{}, Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		URL: &url.URL{Path: op.path, RawQuery: strings.Join(pairs, "&")},
	}).WithContext(ctx)
}

// wholeNumber is a whole number with a fraction of zeros, such as 5.0.
var wholeNumber = regexp.MustCompile(`^(-?[0-9]+)\.0+$`)

// serveCall runs an operation and sets the writer's err when the answer broke off
// or the handler panicked. The MCP library runs calls in goroutines of its own
// and recovers nothing.
func (s *Server) serveCall(w *recordingWriter, r *http.Request) {
	record := recordFrom(r.Context())
	defer func() {
		caught := recover()
		if caught == nil || w.err != nil {
			return
		}
		if err, _ := caught.(error); errors.Is(err, http.ErrAbortHandler) {
			if w.err = record.err; w.err == nil {
				w.err = apierror.Internal(errors.New("the answer broke off"))
			}
			return
		}
		s.logPanic(r, caught)
		w.err = apierror.Internal(errPanicked)
	}()
	s.endpoints[record.operation].ServeHTTP(w, r)
}

// recordingWriter keeps an answer in memory, up to the size that checkSize allows.
type recordingWriter struct {
	header    http.Header
	status    int
	body      bytes.Buffer
	record    *requestRecord
	checkSize func(size, rows int) error
	cancel    context.CancelFunc // of the request
	err       error              // why there is no answer
}

func newRecordingWriter(record *requestRecord, checkSize func(size, rows int) error, cancel context.CancelFunc) *recordingWriter {
	return &recordingWriter{header: http.Header{}, status: http.StatusOK, record: record, checkSize: checkSize, cancel: cancel}
}

func (w *recordingWriter) Header() http.Header    { return w.header }
func (w *recordingWriter) WriteHeader(status int) { w.status = status }

func (w *recordingWriter) Write(b []byte) (int, error) {
	if w.err == nil && w.checkSize != nil {
		if w.err = w.checkSize(w.body.Len()+len(b), w.record.rows); w.err != nil {
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
