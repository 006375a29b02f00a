package middleware

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"
	chi "github.com/go-chi/chi/v5/middleware"
)

// Sampled responses are copied and validated after they are sent. At most one copy exists
// at a time, until it is validated: its caller may read slowly, and validation takes seven
// times the memory of the body.
const (
	// sampleInterval is the least time between two samples.
	sampleInterval = time.Second
	// pauseFactor is the pause after a sample in multiples of the time that it
	// took: sampling costs at most a fiftieth of one core.
	pauseFactor = 49
	// maxSampled is the largest body that is copied.
	maxSampled = 2 << 20
)

type sample struct {
	input     *openapi3filter.ResponseValidationInput
	operation string
	requestID string
}

// start begins a sample if one is due.
func (v *ResponseValidator) start() bool {
	return time.Now().UnixNano() >= v.nextAt.Load() && v.active.CompareAndSwap(false, true)
}

// finish ends a sample, given how long its validation took.
func (v *ResponseValidator) finish(took time.Duration) {
	v.nextAt.Store(time.Now().Add(max(sampleInterval, pauseFactor*took)).UnixNano())
	v.active.Store(false)
}

// takeSample sends a response and copies it for validation.
func (v *ResponseValidator) takeSample(w http.ResponseWriter, r *http.Request, op *Operation, next http.Handler) {
	tee := &teeWriter{WrapResponseWriter: chi.NewWrapResponseWriter(w, r.ProtoMajor), dropped: func() { v.finish(0) }}
	defer tee.drop() // also when the handler panics
	next.ServeHTTP(tee, r)
	if tee.done {
		return
	}
	tee.done = true
	v.samples <- sample{v.input(r, op, tee.Status(), w.Header(), tee.body.Bytes()), op.ID, RecordFrom(r.Context()).RequestID}
}

func (v *ResponseValidator) validateSamples() {
	for s := range v.samples {
		started := time.Now()
		if err := v.check(context.Background(), s.input); err != nil {
			v.report(err, s.operation, s.requestID)
		}
		v.finish(time.Since(started))
	}
}

// teeWriter copies the response that it sends, up to maxSampled.
type teeWriter struct {
	chi.WrapResponseWriter
	body bytes.Buffer
	// done is set once the copy was passed to the validation or dropped.
	done    bool
	dropped func()
}

func (t *teeWriter) Write(b []byte) (int, error) {
	if t.body.Len()+len(b) > maxSampled {
		t.drop()
	}
	if !t.done {
		t.body.Write(b)
	}
	return t.WrapResponseWriter.Write(b)
}

// drop frees the copy unless it was passed to the validation.
func (t *teeWriter) drop() {
	if !t.done {
		t.done = true
		t.body = bytes.Buffer{}
		t.dropped()
	}
}
