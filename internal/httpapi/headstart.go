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
	late := &lateWriter{to: w, header: http.Header{}, mayLeave: func() bool {
		d := <-decided
		caller = d.admission.Caller
		return admitted(w, r, d.admission, d.err) && caller.Equal(presumed)
	}}
	defer late.decide() // next may panic
	next.ServeHTTP(late, r.WithContext(access.WithCaller(r.Context(), presumed)))
	late.decide()
	if e := exchangeFrom(r.Context()); late.state == thrownAway && e.admission.Verdict == ratelimit.Admitted {
		e.err = nil
		next.ServeHTTP(w, r.WithContext(access.WithCaller(r.Context(), caller)))
	}
}

// lateWriter keeps an answer back until it is decided whether it may leave.
type lateWriter struct {
	to     http.ResponseWriter
	header http.Header
	// mayLeave waits for the decision.
	mayLeave func() bool
	state    lateState
}

type lateState int

const (
	undecided lateState = iota
	leaving
	thrownAway
)

// decide waits for the decision. From then on headers are those of the answer.
func (l *lateWriter) decide() {
	if l.state != undecided {
		return
	}
	if l.state = thrownAway; l.mayLeave() {
		l.state = leaving
		maps.Copy(l.to.Header(), l.header)
	}
}

func (l *lateWriter) Header() http.Header {
	if l.state == leaving {
		return l.to.Header()
	}
	return l.header
}

func (l *lateWriter) WriteHeader(status int) {
	if l.decide(); l.state == leaving {
		l.to.WriteHeader(status)
	}
}

func (l *lateWriter) Write(b []byte) (int, error) {
	if l.decide(); l.state == thrownAway {
		return len(b), nil
	}
	return l.to.Write(b)
}

// thrown tells whether an answer is not to be: what is behind a head start waits
// for the decision.
func thrown(w http.ResponseWriter) bool {
	late, ok := w.(*lateWriter)
	if ok {
		late.decide()
	}
	return ok && late.state == thrownAway
}
