package httpapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

const (
	// maxUnsent bounds the bytes of all answers that wait for their callers to read
	// them, maxUnsentOfClient those of one client.
	maxUnsent         = 64 << 20
	maxUnsentOfClient = 24 << 20
	// countedAnswer is the size from which an answer counts.
	countedAnswer = 64 << 10
	// roomForAnswer is what a client must have left to be read for.
	roomForAnswer = 4 << 20
	// maxInFlight bounds the admitted requests at once, maxInFlightOfClient those of
	// one client.
	maxInFlight         = 4096
	maxInFlightOfClient = 1024
)

var (
	errTooMuchUnsent = errors.New("the client's answers are not read as fast as they are asked for")
	errTooManyAtOnce = errors.New("too many requests of the client at once")
)

// Unsent is the budget of the bytes of answers, for the MCP adapter's.
func (s *Server) Unsent() *fairqueue.Budget { return s.unsent }

// limitClient refuses a client early that has too many requests under way, or too
// many bytes of answers that it does not read.
func (s *Server) limitClient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client := auth.CallerFrom(r.Context()).ClientID
		if !s.inFlight.Reserve(client, 1) {
			writeError(w, r, apierror.Unavailable(errTooManyAtOnce))
			return
		}
		defer s.inFlight.Release(client, 1)
		if s.unsent.Full(client, roomForAnswer) {
			writeError(w, r, apierror.Unavailable(errTooMuchUnsent))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// countUnsent counts an answer for as long as it is written. One that finds no
// room is dropped, and 503 is sent in its place.
func (s *Server) countUnsent(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counting := &unsentWriter{ResponseWriter: w, server: s, r: r}
		next.ServeHTTP(counting, r)
		counting.begin()
	})
}

// unsentWriter delays a status of 200 until the first bytes have found room.
type unsentWriter struct {
	http.ResponseWriter
	server  *Server
	r       *http.Request
	delayed bool
	begun   bool
	// streamed says that the answer is sent in chunks, which have their own bound.
	streamed bool
	refused  error
}

func (w *unsentWriter) WriteHeader(status int) {
	switch {
	case w.refused != nil || w.begun: // the error of an answer that could not be sent
	case status == http.StatusOK:
		w.delayed = true
	default:
		w.begun = true
		w.ResponseWriter.WriteHeader(status)
	}
}

// begin sends a delayed status.
func (w *unsentWriter) begin() {
	if w.delayed && !w.begun && w.refused == nil {
		w.begun = true
		w.ResponseWriter.WriteHeader(http.StatusOK)
	}
}

func (w *unsentWriter) Write(b []byte) (int, error) {
	if w.refused != nil {
		return 0, w.refused
	}
	if len(b) >= countedAnswer && !w.streamed {
		client, n := recordFrom(w.r.Context()).admission.Caller.ClientID, int64(len(b))
		if w.server.unsent.Reserve(client, n) {
			defer w.server.unsent.Release(client, n)
		} else if !w.begun {
			w.refused = apierror.Unavailable(errTooMuchUnsent)
			writeError(w.ResponseWriter, w.r, w.refused)
			return 0, w.refused
		}
	}
	w.begin()
	return w.ResponseWriter.Write(b)
}

// SetWriteDeadline is called for each chunk of a stream.
func (w *unsentWriter) SetWriteDeadline(deadline time.Time) error {
	w.streamed = true
	return http.NewResponseController(w.ResponseWriter).SetWriteDeadline(deadline)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *unsentWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
