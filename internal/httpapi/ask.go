package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
)

// Question is one operation of the contract, asked in-process on behalf of a
// caller who has passed Admit.
type Question struct {
	// Operation is the contract's operationId, As what the log calls it.
	Operation string
	As        string
	Arguments []Argument
	// Room is asked before the answer grows to a size. Its fault becomes the answer.
	Room func(size int) error
}

// Argument is a query parameter that came another way.
type Argument struct {
	Name  string
	Value string
	// Unfit, when set, says what came in place of a value that a query could
	// carry, such as "null".
	Unfit string
}

// Reply is an answer as REST would give it, the error envelope included.
type Reply struct {
	Status int
	Body   []byte
}

// Allows tells whether the caller holds the base scope of an operation.
func (s *Server) Allows(caller access.Caller, operation string) bool {
	_, lacking := s.contract.operations[operation].missingScope(caller)
	return !lacking
}

// Ask answers a question as REST does: the same checks, reader and words, in
// the same order. It counts nothing, as the request that asks was counted.
// ctx is that request's.
func (s *Server) Ask(ctx context.Context, q Question) Reply {
	asking := exchangeFrom(ctx)
	asking.operation = q.As
	e := &exchange{requestID: asking.requestID, operation: q.Operation, admission: asking.admission}
	ctx, stop := context.WithCancel(context.WithValue(ctx, exchangeKey{}, e))
	defer stop()
	r := s.request(ctx, q)
	sheet := newSheet(q.Room, stop)
	// The contract requires them of every answer.
	setRateLimitHeaders(sheet.header, e.admission)
	sheet.header.Set("X-Request-Id", e.requestID)
	s.serveInside(sheet, r)
	if refused := sheet.refused; refused != nil {
		sheet = newSheet(nil, stop)
		writeError(sheet, r, refused)
	}
	asking.rows, asking.err, asking.replied = e.rows, e.err, sheet.status
	return Reply{Status: sheet.status, Body: sheet.body.Bytes()}
}

// request is the one that REST would have got.
func (s *Server) request(ctx context.Context, q Question) *http.Request {
	unfit := map[string]string{}
	pairs := make([]string, len(q.Arguments))
	for i, a := range q.Arguments {
		if a.Unfit != "" {
			unfit[a.Name] = a.Unfit
		}
		pairs[i] = url.QueryEscape(a.Name) + "=" + url.QueryEscape(a.Value)
	}
	r := &http.Request{
		Method: http.MethodGet, Header: http.Header{}, Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		URL: &url.URL{Path: s.contract.operations[q.Operation].path, RawQuery: strings.Join(pairs, "&")},
	}
	// Routed anew, not as a part of the route that asks.
	ctx = context.WithValue(ctx, chi.RouteCtxKey, (*chi.Context)(nil))
	return r.WithContext(context.WithValue(ctx, unfitKey{}, unfit))
}

// serveInside runs a request and notes on the sheet why its answer is none: it
// broke off, or the handler panicked. Nobody else would catch it: agents' calls
// run in goroutines of their library.
func (s *Server) serveInside(sheet *sheet, r *http.Request) {
	defer func() {
		caught := recover()
		if caught == nil || sheet.refused != nil {
			return
		}
		if broken, _ := caught.(error); errors.Is(broken, http.ErrAbortHandler) {
			if sheet.refused = exchangeFrom(r.Context()).err; sheet.refused == nil {
				sheet.refused = fault.Unexpected(errors.New("the answer broke off"))
			}
			return
		}
		s.logPanic(r, caught)
		sheet.refused = fault.Unexpected(errors.New("a handler panicked"))
	}()
	s.inside.ServeHTTP(sheet, r)
}

type unfitKey struct{}

// unfitFrom are the arguments that no query could carry, by name.
func unfitFrom(ctx context.Context) map[string]string {
	unfit, _ := ctx.Value(unfitKey{}).(map[string]string)
	return unfit
}

// sheet collects an answer, as far as there is room.
type sheet struct {
	header  http.Header
	status  int
	body    bytes.Buffer
	room    func(size int) error
	stop    context.CancelFunc
	refused error // why there is no answer
}

func newSheet(room func(size int) error, stop context.CancelFunc) *sheet {
	return &sheet{header: http.Header{}, status: http.StatusOK, room: room, stop: stop}
}

func (s *sheet) Header() http.Header    { return s.header }
func (s *sheet) WriteHeader(status int) { s.status = status }

func (s *sheet) Write(b []byte) (int, error) {
	if s.refused == nil && s.room != nil {
		if s.refused = s.room(s.body.Len() + len(b)); s.refused != nil {
			s.body = bytes.Buffer{}
			s.stop() // the reader need not go on
		}
	}
	if s.refused != nil {
		return 0, s.refused
	}
	return s.body.Write(b)
}

// A stream sets deadlines and flushes; nothing here can be slow.

// Flush does nothing.
func (s *sheet) Flush() {}

// SetWriteDeadline does nothing.
func (s *sheet) SetWriteDeadline(time.Time) error { return nil }
