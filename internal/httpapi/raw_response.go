package httpapi

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

// rawResponse is an answer whose body is already encoded. It implements the
// generated response interfaces.
type rawResponse struct {
	buffer *buffer
	body   []byte
	// held has grown to the body's size, or else the body is not sent.
	held *fairqueue.Reservation
}

func (a rawResponse) write(w http.ResponseWriter) error {
	defer a.buffer.release(a.body)
	if !a.held.Grow(int64(len(a.body))) {
		return apierror.Unavailable(errTooMuchUnsent)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(a.body)
	return err
}

// VisitListInterviewsResponse writes a page.
func (a rawResponse) VisitListInterviewsResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitListCampaignsResponse writes a page.
func (a rawResponse) VisitListCampaignsResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitListSynthesisResponse writes a page.
func (a rawResponse) VisitListSynthesisResponse(w http.ResponseWriter) error { return a.write(w) }

// VisitGetInterviewResponse writes one interview.
func (a rawResponse) VisitGetInterviewResponse(w http.ResponseWriter) error { return a.write(w) }

// buffer is memory that answers are encoded into, one after another.
type buffer struct{ bytes []byte }

// maxKept is the largest buffer that is kept for another answer.
const maxKept = 1 << 20

var buffers = sync.Pool{New: func() any { return &buffer{bytes: make([]byte, 0, 32<<10)} }}

func newBuffer() *buffer { return buffers.Get().(*buffer) }

// release gives back the memory of an answer, which may have outgrown the buffer.
func (b *buffer) release(grown []byte) {
	if cap(grown) > maxKept {
		return
	}
	b.bytes = grown[:0]
	buffers.Put(b)
}
