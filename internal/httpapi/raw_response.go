package httpapi

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

// rawResponse is a response whose body is already encoded. It implements the
// generated response interfaces.
type rawResponse struct {
	buffer *Buffer
	body   []byte
	// reservation must grow to the body's size before the body is sent.
	reservation *fairqueue.Reservation
}

func (a rawResponse) write(w http.ResponseWriter) error {
	defer a.buffer.Release(a.body)
	if !a.reservation.Grow(int64(len(a.body))) {
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

// VisitSearchIntelligenceResponse writes the hits of a search.
func (a rawResponse) VisitSearchIntelligenceResponse(w http.ResponseWriter) error { return a.write(w) }

// Buffer is memory that responses are encoded into, one after another.
type Buffer struct{ Bytes []byte }

// maxKept is the largest buffer that is kept for another response.
const maxKept = 1 << 20

var buffers = sync.Pool{New: func() any { return &Buffer{Bytes: make([]byte, 0, 32<<10)} }}

// NewBuffer returns an empty buffer.
func NewBuffer() *Buffer { return buffers.Get().(*Buffer) }

// Release returns the memory of a response, which may have outgrown the buffer.
func (b *Buffer) Release(grown []byte) {
	if cap(grown) > maxKept {
		return
	}
	b.Bytes = grown[:0]
	buffers.Put(b)
}
