package httpapi

import (
	"maps"
	"net/http"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// admitMeanwhile lets next read for the caller that a request is presumed to be
// from while the limiter decides. Nothing of the answer leaves before that: on a
// refusal it is thrown away, and for another caller than presumed it is made
// anew. It halves the time of a lone request, which waits for the database twice.
func (s *Server) admitMeanwhile(
	w http.ResponseWriter, r *http.Request, request ratelimit.Request, presumed access.Caller, next http.Handler,
) {
	type decision struct {
		admission ratelimit.Admission
		err       error
	}
	decided := make(chan decision, 1)
	go func() {
		admission, err := s.limiter.Admit(r.Context(), request)
		decided <- decision{admission, err}
	}()
	var caller access.Caller
	await := func() (passes bool) {
		d := <-decided
		caller = d.admission.Caller
		return admitted(w, r, d.admission, d.err)
	}
	late := &lateWriter{to: w, header: http.Header{}, await: func() bool {
		return await() && caller.Equal(presumed)
	}}
	defer func() {
		if late.state == undecided { // next panicked
			late.decide()
		}
	}()
	next.ServeHTTP(late, r.WithContext(access.WithCaller(r.Context(), presumed)))
	late.WriteHeader(http.StatusOK)
	if late.state == thrownAway && exchangeFrom(r.Context()).admission.Verdict == ratelimit.Admitted {
		next.ServeHTTP(w, r.WithContext(access.WithCaller(r.Context(), caller)))
	}
}

// lateWriter keeps an answer back until it is decided whether it may leave.
type lateWriter struct {
	to     http.ResponseWriter
	header http.Header
	await  func() bool
	state  lateState
}

type lateState int

const (
	undecided lateState = iota
	leaving
	thrownAway
)

func (l *lateWriter) decide() {
	if l.state = thrownAway; l.await() {
		l.state = leaving
	}
}

func (l *lateWriter) Header() http.Header { return l.header }

func (l *lateWriter) WriteHeader(status int) {
	if l.state != undecided {
		return
	}
	if l.decide(); l.state == leaving {
		maps.Copy(l.to.Header(), l.header)
		l.to.WriteHeader(status)
	}
}

func (l *lateWriter) Write(b []byte) (int, error) {
	l.WriteHeader(http.StatusOK)
	if l.state == thrownAway {
		return len(b), nil
	}
	return l.to.Write(b)
}
