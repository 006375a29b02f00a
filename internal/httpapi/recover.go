package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/postgres"
)

var errPanicked = errors.New("a handler panicked")

// recovered answers 500 after a panic and reports whether it could: once part of the
// response was sent, the connection must be closed instead.
func (s *Server) recovered(w *statusWriter, r *http.Request, caught any) bool {
	err, _ := caught.(error)
	if errors.Is(err, http.ErrAbortHandler) {
		return false
	}
	s.logPanic(r, caught)
	if w.status != 0 {
		return false
	}
	writeError(w, r, apierror.Internal(errPanicked))
	return true
}

// logPanic logs the text of runtime errors only: another value may hold a
// client's data.
func (s *Server) logPanic(r *http.Request, caught any) {
	stack := debug.Stack()
	if reader, ok := caught.(*postgres.ReaderPanic); ok {
		caught, stack = reader.Cause, reader.Stack
	}
	what := fmt.Sprintf("%T", caught)
	err, _ := caught.(error)
	if bug, ok := errors.AsType[runtime.Error](err); ok {
		what = bug.Error()
	}
	s.deps.Log.Error(errPanicked.Error(),
		"request_id", recordFrom(r.Context()).requestID, "what", what, "stack", string(stack))
}
