package httpapi

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/tracing"
)

// observe gives each request an id and one line in the log, and turns a panic
// into a 500.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		e := &exchange{requestID: requestID(r)}
		r = withExchange(r, e)
		w.Header().Set("X-Request-Id", e.requestID)
		seen := &statusWriter{ResponseWriter: w}
		defer func() {
			caught := recover()
			e.broken = caught != nil && !s.recovered(seen, r, caught)
			took := time.Since(started)
			s.finish(r, e, seen.status, took)
			if s.trace != nil {
				s.trace(s.traced(r, e, seen.status, started, took))
			}
			if e.broken {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(seen, r)
	})
}

// recovered answers for a handler that panicked, and tells whether it could:
// half an answer must not look whole. What it panicked with may hold a client's
// data, so only a runtime error's own text is logged.
func (s *Server) recovered(w *statusWriter, r *http.Request, caught any) bool {
	err, _ := caught.(error)
	if errors.Is(err, http.ErrAbortHandler) {
		return false
	}
	s.logPanic(r, caught)
	if w.status != 0 {
		return false
	}
	writeError(w, r, fault.Unexpected(errors.New("a handler panicked")))
	return true
}

func (s *Server) logPanic(r *http.Request, caught any) {
	what := fmt.Sprintf("%T", caught)
	err, _ := caught.(error)
	var bug runtime.Error
	if errors.As(err, &bug) {
		what = bug.Error()
	}
	s.log.Error("a handler panicked",
		"request_id", exchangeFrom(r.Context()).requestID, "what", what, "stack", string(debug.Stack()))
}

func (s *Server) finish(r *http.Request, e *exchange, status int, took time.Duration) {
	if e.admission.Verdict == ratelimit.Admitted {
		s.limiter.Done(e.admission, status)
	}
	outcome := status
	if e.replied != 0 {
		outcome = e.replied
	}
	s.count(e.operation, outcome, took)
	attributes := []slog.Attr{
		slog.String("request_id", e.requestID),
		slog.String("method", knownMethod(r.Method)),
		slog.String("operation", e.operation),
		slog.Int("status", status),
		slog.Float64("duration_ms", float64(took.Microseconds())/1000),
	}
	if e.admission.Caller.KeyID != uuid.Nil {
		attributes = append(attributes,
			slog.String("client_id", e.admission.Caller.ClientID.String()),
			slog.String("key_id", e.admission.Caller.KeyID.String()))
	}
	if e.replied != 0 {
		attributes = append(attributes, slog.Int("replied", e.replied))
	}
	if e.broken {
		attributes = append(attributes, slog.Bool("broken", true))
	}
	if outcome == http.StatusOK && e.rows > 0 {
		attributes = append(attributes, slog.Int("rows", e.rows))
	}
	level := slog.LevelInfo
	if e.err != nil {
		attributes = append(attributes, slog.String("error", logged(e.err)))
	}
	// An answer that broke off without a fault of ours was left by its caller.
	var failed *fault.Error
	if outcome >= 500 || e.broken && errors.As(e.err, &failed) {
		level = slog.LevelError
	}
	s.log.LogAttrs(r.Context(), level, "request", attributes...)
}

// traced is what a collector is told: nothing that the caller sent but method,
// request id and the trace it belongs to.
func (s *Server) traced(r *http.Request, e *exchange, status int, started time.Time, took time.Duration) tracing.Request {
	told := tracing.Request{
		Header: r.Header, Method: knownMethod(r.Method), Operation: e.operation, RequestID: e.requestID,
		Status: status, Rows: e.rows, Failed: e.broken || max(status, e.replied) >= 500, Began: started, Took: took,
	}
	if op, known := s.contract.operations[e.operation]; known {
		told.Route = op.path
	} else if e.operation != "" { // the agents' adapter and the guides
		told.Route = Prefix + "/" + e.operation
	}
	return told
}

// logged is what the log may say of an error. A refusal's details can quote the
// caller's own values, so its code stands for it.
func logged(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return postgres.Loggable(err)
	}
	if cause := errors.Unwrap(f); cause != nil {
		return f.Code + ": " + postgres.Loggable(cause)
	}
	return f.Code
}

// requestID is the caller's own when it is fit to be logged and echoed.
func requestID(r *http.Request) string {
	given := r.Header.Get("X-Request-Id")
	if len(given) >= 1 && len(given) <= 128 && printable(given) {
		return given
	}
	return uuid.NewString()
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// knownMethod keeps a caller's invention out of the log.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
		http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// statusWriter remembers the status.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
