package httpapi

import (
	"net/http"
	"strconv"
	"sync"
)

// written is an answer whose body was appended by hand. It stands behind the
// generated response interfaces.
type written struct {
	buffer *buffer
	body   []byte
}

func (a written) write(w http.ResponseWriter) error {
	defer a.buffer.release(a.body)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(a.body)
	return err
}

// VisitListInterviewsResponse writes a page.
func (a written) VisitListInterviewsResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitGetInterviewResponse writes one interview.
func (a written) VisitGetInterviewResponse(w http.ResponseWriter) error { return a.write(w) }

// buffer is memory that answers are gathered in, one after another.
type buffer struct{ bytes []byte }

// maxKept bounds the memory that idle buffers hold: a greater one is let go.
const maxKept = 1 << 20

var buffers = sync.Pool{New: func() any { return &buffer{bytes: make([]byte, 0, 32<<10)} }}

func newBuffer() *buffer { return buffers.Get().(*buffer) }

// release gives back the memory of an answer, which may have grown out of it.
func (b *buffer) release(grown []byte) {
	if cap(grown) > maxKept {
		return
	}
	b.bytes = grown[:0]
	buffers.Put(b)
}
