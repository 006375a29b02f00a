package middleware

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"

	chi "github.com/go-chi/chi/v5/middleware"

	"github.com/clientintel/clientintel/internal/apierror"
)

// ErrPanicked is the error of a request whose handler panicked.
var ErrPanicked = errors.New("a handler panicked")

// recovered answers 500 after a panic and reports whether it could: once part of the
// response was sent, the connection must be closed instead.
func recovered(log *slog.Logger, w chi.WrapResponseWriter, r *http.Request, caught any) bool {
	err, _ := caught.(error)
	if errors.Is(err, http.ErrAbortHandler) {
		return false
	}
	LogPanic(log, r, caught)
	if w.Status() != 0 {
		return false
	}
	WriteError(w, r, apierror.Internal(ErrPanicked))
	return true
}

// LogPanic logs the text of runtime errors only: another value may hold a
// client's data.
func LogPanic(log *slog.Logger, r *http.Request, caught any) {
	stack := debug.Stack()
	what := fmt.Sprintf("%T", caught)
	err, _ := caught.(error)
	if bug, ok := errors.AsType[runtime.Error](err); ok {
		what = bug.Error()
	}
	log.Error(ErrPanicked.Error(),
		"request_id", RecordFrom(r.Context()).RequestID, "what", what, "stack", string(stack))
}
