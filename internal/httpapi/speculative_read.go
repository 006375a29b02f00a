package httpapi

import (
	"maps"
	"net/http"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// readSpeculatively runs next for the cached caller while the limiter decides. Nothing of
// the response is sent before that: on a refusal it is discarded, and if the caller
// differs from the cached one, next runs again. It halves the time of a lone request,
// which waits for the database twice.
func (s *Server) readSpeculatively(
	w http.ResponseWriter, r *http.Request, pending *ratelimit.Pending, began time.Time, cached auth.Caller, next http.Handler,
) {
	var caller auth.Caller
	deferred := &deferredWriter{to: w, header: w.Header().Clone(), confirm: func() bool {
		admission, err := pending.Wait(r.Context())
		caller = admission.Caller
		recordFrom(r.Context()).admitting = span{began, pending.Decided()}
		return admitted(w, r, admission, err) && caller.Equal(cached)
	}}
	defer deferred.decide() // next may panic
	record := recordFrom(r.Context())
	operation := record.operation
	next.ServeHTTP(deferred, r.WithContext(auth.WithCaller(r.Context(), cached)))
	deferred.decide()
	if deferred.state != discarded {
		return
	}
	record.operation, record.toolStatus, record.rows, record.reading = operation, 0, 0, span{} // those of the discarded response
	if record.admission.Verdict == ratelimit.Admitted {
		record.err = nil
		next.ServeHTTP(w, r.WithContext(auth.WithCaller(r.Context(), caller)))
	}
}

// deferredWriter delays a response until it is decided whether it may be sent.
type deferredWriter struct {
	to     http.ResponseWriter
	header http.Header
	// confirm waits for the decision.
	confirm func() bool
	state   deferredState
}

type deferredState int

const (
	undecided deferredState = iota
	confirmed
	discarded
)

// decide waits for the decision. From then on Header is the response's.
func (d *deferredWriter) decide() {
	if d.state != undecided {
		return
	}
	if d.state = discarded; d.confirm() {
		d.state = confirmed
		maps.Copy(d.to.Header(), d.header)
	}
}

func (d *deferredWriter) Header() http.Header {
	if d.state == confirmed {
		return d.to.Header()
	}
	return d.header
}

func (d *deferredWriter) WriteHeader(status int) {
	if d.decide(); d.state == confirmed {
		d.to.WriteHeader(status)
	}
}

func (d *deferredWriter) Write(b []byte) (int, error) {
	if d.decide(); d.state == discarded {
		return len(b), nil
	}
	return d.to.Write(b)
}

// AwaitAdmission waits for the admission of a speculatively handled request. It returns
// the writer for the response, and false if the request was refused or belongs to another
// caller than its context has.
func AwaitAdmission(w http.ResponseWriter) (http.ResponseWriter, bool) {
	if deferred, ok := w.(*deferredWriter); ok {
		return deferred.to, !isDiscarded(w)
	}
	return w, true
}

// isDiscarded waits for the decision of a speculative read and reports whether its
// response is discarded; that of another writer never is.
func isDiscarded(w http.ResponseWriter) bool {
	deferred, ok := w.(*deferredWriter)
	if ok {
		deferred.decide()
	}
	return ok && deferred.state == discarded
}

// IsCheap reports whether an operation may run before its request is admitted:
// discarding its response costs little.
func IsCheap(operation string) bool {
	return operation == "listInterviews" || operation == "getInterview"
}
