package middleware

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	chi "github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Observers are told of each finished request.
type Observers struct {
	// RecordRequest counts it. caller is verified, unverified or unknown.
	RecordRequest func(operation string, status int, caller string, took time.Duration)
	// RecordUse adds it to the use of its key.
	RecordUse func(key uuid.UUID, operation string, status int)
	Log       *slog.Logger
	// LogOneIn logs one of so many requests that succeed; zero logs all.
	LogOneIn int
}

// Log gives each request an id, and when it has ended a log line and a metric.
// A panic is answered with 500.
func Log(o Observers) func(http.Handler) http.Handler {
	a := &accessLog{Observers: o}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			record := &Record{RequestID: requestID(r), method: r.Method, began: time.Now()}
			if !slices.Contains(methods, r.Method) {
				record.method = "other" // not what the caller chose
			}
			r = r.WithContext(WithRecord(r.Context(), record))
			w.Header().Set("X-Request-Id", record.RequestID)
			out := chi.NewWrapResponseWriter(w, r.ProtoMajor)
			defer func() {
				caught := recover()
				record.aborted = caught != nil && !recovered(a.Log, out, r, caught)
				a.finish(r, record, out.Status())
				if record.aborted {
					panic(http.ErrAbortHandler)
				}
			}()
			next.ServeHTTP(out, r)
		})
	}
}

// methods are those that are logged by their names.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

type accessLog struct {
	Observers
	succeeded atomic.Int64
}

// statusCallerLeft is recorded if the caller left before the response. It is never sent.
const statusCallerLeft = 499

// callerLeft reports whether the request ended without a response because the caller
// closed or reset the connection or stopped reading; later errors are its consequences.
func callerLeft(r *http.Request, record *Record, status int) bool {
	failed := status == 0 || record.aborted || max(status, record.ToolStatus) >= 500 || status == http.StatusOK && record.ToolStatus == 0 && record.Err != nil
	resetInMidBody := status == http.StatusBadRequest && errors.Is(record.Err, syscall.ECONNRESET)
	return failed && r.Context().Err() != nil || resetInMidBody
}

// finish counts a request that has ended, and logs it.
func (a *accessLog) finish(r *http.Request, record *Record, status int) {
	if record.callerLeft = callerLeft(r, record, status); record.callerLeft {
		// A caller that closed only its side of the connection must not get an error.
		status, record.ToolStatus, record.aborted = statusCallerLeft, 0, true
	}
	took := time.Since(record.began)
	if record.keyID != uuid.Nil {
		a.RecordUse(record.keyID, record.Operation, status)
	}
	result := cmp.Or(record.ToolStatus, status)
	// A caller without a key can send any number of unverified requests, so the alerts
	// leave them out.
	caller := callerUnverified
	switch {
	case record.admission.Verdict != "":
		caller = callerVerified
	case result >= 500:
		caller = callerUnknown
	}
	a.RecordRequest(record.Operation, result, caller, took)
	if result < 400 && record.Err == nil && !record.aborted && a.LogOneIn > 1 && a.succeeded.Add(1)%int64(a.LogOneIn) != 1 {
		return
	}
	attributes := []slog.Attr{
		slog.String("request_id", record.RequestID),
		slog.String("method", record.method),
		slog.String("operation", record.Operation),
		slog.Int("status", status),
		slog.Float64("duration_ms", float64(took.Microseconds())/1000),
	}
	addIf := func(known bool, attribute slog.Attr) {
		if known {
			attributes = append(attributes, attribute)
		}
	}
	addIf(record.clientID != uuid.Nil, slog.String("client_id", record.clientID.String()))
	addIf(record.keyID != uuid.Nil, slog.String("key_id", record.keyID.String()))
	addIf(record.ToolStatus != 0, slog.Int("tool_status", record.ToolStatus))
	addIf(record.aborted, slog.Bool("aborted", true))
	addIf(result == http.StatusOK && record.Rows > 0, slog.Int("rows", record.Rows))
	if record.Err != nil {
		attributes = append(attributes, slog.String("error", loggedError(record.Err)))
	}
	level := slog.LevelInfo
	if result >= 500 && caller != callerUnverified || record.aborted && !record.callerLeft {
		level = slog.LevelError
	}
	a.Log.LogAttrs(r.Context(), level, "request", attributes...)
}

// The callers of the metrics.
const (
	callerVerified   = "verified"   // its key was right
	callerUnverified = "unverified" // it had no such key, or needed none
	callerUnknown    = "unknown"    // the server failed before the key was verified
)

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
