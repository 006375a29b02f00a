package httpapi

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/tracing"
)

// accessLog gives each request an id, and when it has ended a log line, a metric
// and a trace. A panic is answered with 500.
func (s *Server) accessLog(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		dropUnusedHeaders(r)
		record := &requestRecord{requestID: requestID(r)}
		r = r.WithContext(withRecord(r.Context(), record))
		w.Header().Set("X-Request-Id", record.requestID)
		out := &statusWriter{ResponseWriter: w}
		defer func() {
			caught := recover()
			record.aborted = caught != nil && !s.recovered(out, r, caught)
			status := out.status
			if record.callerLeft = callerLeft(r, record, status); record.callerLeft {
				// A caller that closed only its side of the connection must not get an error.
				status, record.toolStatus, record.aborted = statusCallerLeft, 0, true
			}
			took := time.Since(started)
			if s.deps.Trace != nil {
				record.traceID = s.deps.Trace(s.traceOf(r, record, status, started, took))
			} else {
				record.traceID = tracing.CallerTraceID(r.Header)
			}
			if record.keyID != uuid.Nil {
				s.deps.Limiter.Record(record.keyID, record.operation, status)
			}
			s.logRequest(r, record, status, took)
			if record.aborted {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(out, r)
	})
}

// statusCallerLeft is recorded if the caller left before the response. It is never sent.
const statusCallerLeft = 499

// callerLeft reports whether the request ended without a response because the caller
// closed or reset the connection or stopped reading; later errors are its consequences.
func callerLeft(r *http.Request, record *requestRecord, status int) bool {
	failed := status == 0 || record.aborted || max(status, record.toolStatus) >= 500 || status == http.StatusOK && record.toolStatus == 0 && record.err != nil
	resetInMidBody := status == http.StatusBadRequest && errors.Is(record.err, syscall.ECONNRESET)
	return failed && r.Context().Err() != nil || resetInMidBody
}

func (s *Server) logRequest(r *http.Request, record *requestRecord, status int, took time.Duration) {
	result := status
	if record.toolStatus != 0 {
		result = record.toolStatus
	}
	caller := callerOf(record, result)
	s.deps.RecordRequest(record.operation, result, caller, took)
	if result < 400 && record.err == nil && !record.aborted && s.deps.LogOneIn > 1 && s.succeeded.Add(1)%int64(s.deps.LogOneIn) != 1 {
		return
	}
	failed := result >= 500 && caller != callerUnverified
	unlogged := int64(0)
	if record.admission.Verdict != ratelimit.Admitted {
		budget := &s.uncounted.other
		switch {
		case failed:
			budget = &s.uncounted.failed
		case record.keyID != uuid.Nil:
			budget = &s.uncounted.keyed
		}
		var logged bool
		if unlogged, logged = budget.take(time.Now()); !logged {
			return
		}
	}
	attributes := []slog.Attr{
		slog.String("request_id", record.requestID),
		slog.String("method", knownMethod(r.Method)),
		slog.String("operation", record.operation),
		slog.Int("status", status),
		slog.Float64("duration_ms", float64(took.Microseconds())/1000),
	}
	addIf := func(known bool, attribute slog.Attr) {
		if known {
			attributes = append(attributes, attribute)
		}
	}
	addIf(record.traceID != "", slog.String("trace_id", record.traceID))
	addIf(record.clientID != uuid.Nil, slog.String("client_id", record.clientID.String()))
	addIf(record.keyID != uuid.Nil, slog.String("key_id", record.keyID.String()))
	addIf(record.toolStatus != 0, slog.Int("tool_status", record.toolStatus))
	addIf(record.aborted, slog.Bool("aborted", true))
	addIf(result == http.StatusOK && record.rows > 0, slog.Int("rows", record.rows))
	if record.err != nil {
		attributes = append(attributes, slog.String("error", loggedError(record.err)))
	}
	addIf(unlogged > 0, slog.Int64("unlogged", unlogged))
	level := slog.LevelInfo
	if failed || record.aborted && !record.callerLeft {
		level = slog.LevelError
	}
	s.deps.Log.LogAttrs(r.Context(), level, "request", attributes...)
}

// The callers of the metrics.
const (
	callerVerified   = "verified"   // its key was right
	callerUnverified = "unverified" // it had no such key, needed none, or got no slot for its verification
	callerUnknown    = "unknown"    // the server failed before the key was verified
)

// callerOf returns the caller label of the metrics. A caller without a key can send any
// number of requests of callerUnverified, so the alerts leave them out.
func callerOf(record *requestRecord, result int) string {
	switch {
	case record.admission.Verdict != "":
		return callerVerified
	case result >= 500 && !errors.Is(record.err, ratelimit.ErrNoSlot):
		return callerUnknown
	default:
		return callerUnverified
	}
}

// maxUncountedLines bounds the log lines a second of requests that count against no
// key's limit.
const maxUncountedLines = 100

// lineBudget bounds the log lines of each second.
type lineBudget struct {
	mu                       sync.Mutex
	second, logged, unlogged int64
}

// take reports whether a line may be logged, and how many were left out before it.
func (b *lineBudget) take(now time.Time) (unlogged int64, may bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if second := now.Unix(); second != b.second {
		b.second, b.logged = second, 0
	}
	if b.logged == maxUncountedLines {
		b.unlogged++
		return 0, false
	}
	b.logged++
	unlogged, b.unlogged = b.unlogged, 0
	return unlogged, true
}

// traceOf contains nothing that the caller sent except method, request id and trace
// context.
func (s *Server) traceOf(
	r *http.Request, record *requestRecord, status int, started time.Time, took time.Duration,
) tracing.Request {
	traced := tracing.Request{
		Header: r.Header, Method: knownMethod(r.Method), Operation: record.operation, RequestID: record.requestID,
		Status: status, Rows: record.rows, Failed: !record.callerLeft && (record.aborted || max(status, record.toolStatus) >= 500),
		Began: started, Took: took, Phases: record.phases(started.Add(took)),
	}
	if op, known := s.contract.operations[record.operation]; known {
		traced.Route = op.path
	} else if record.operation != "" { // the MCP adapter and the guides
		traced.Route = Prefix + "/" + record.operation
	}
	return traced
}

// loggedError is the text of an error for the log. The details of a refusal can quote
// the caller's own values, so only its code is logged.
func loggedError(err error) string {
	refused, ok := errors.AsType[*apierror.Error](err)
	if !ok {
		return loggedCause(err)
	}
	if cause := errors.Unwrap(refused); cause != nil {
		return refused.Code + ": " + loggedCause(cause)
	}
	return refused.Code
}

// loggedCause leaves out the addresses of a network error: one is the caller's.
func loggedCause(err error) string {
	text := postgres.Loggable(err)
	if network, ok := errors.AsType[*net.OpError](err); ok {
		text = strings.ReplaceAll(text, network.Error(), network.Err.Error())
	}
	return text
}

// requestID returns the caller's own id if it can be logged and echoed safely.
func requestID(r *http.Request) string {
	given := r.Header.Get("X-Request-Id")
	isUnprintable := func(c rune) bool { return c < ' ' || c > '~' }
	if given == "" || len(given) > 128 || strings.ContainsFunc(given, isUnprintable) {
		return uuid.NewString()
	}
	return given
}

// knownMethod keeps text that the caller chose out of the log.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
		http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// statusWriter keeps the status for the log. If a caller leaves in the middle of a
// response, no second status is sent: net/http would log that.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
