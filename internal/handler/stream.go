package handler

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/clientintel/clientintel/internal/middleware"
)

const (
	// streamChunk is how many bytes are collected before they are sent. Until the first
	// chunk is sent, an error can still become an error response.
	streamChunk = 256 << 10
	// chunkTimeout is how long a caller may take for one chunk.
	chunkTimeout = 15 * time.Second
)

// stream sends a response in chunks, each with a write deadline.
type stream struct {
	w       http.ResponseWriter
	timeout time.Duration // for one chunk
	buf     []byte
	started bool
	// writeErr is why sending failed.
	writeErr error
}

func newStream(w http.ResponseWriter, buf []byte) *stream {
	return &stream{w: w, timeout: chunkTimeout, buf: buf}
}

// flush sends the buffer if it has reached the size of a chunk.
func (t *stream) flush() error {
	if len(t.buf) < streamChunk {
		return nil
	}
	return t.send()
}

// send writes the buffer; it fails after the timeout if the caller does not read.
func (t *stream) send() error {
	err := http.NewResponseController(t.w).SetWriteDeadline(time.Now().Add(t.timeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if !t.started {
		t.started = true
		t.w.Header().Set("Content-Type", "application/json")
		t.w.WriteHeader(http.StatusOK)
	}
	_, t.writeErr = t.w.Write(t.buf)
	t.buf = t.buf[:0]
	return t.writeErr
}

// end sends the rest, or ends the response for a reason. Once a part was sent, it closes
// the connection, so that the part cannot be read as a complete response.
func (t *stream) end(ctx context.Context, reason error) error {
	if reason == nil {
		if !t.started { // it is the whole response
			t.w.Header().Set("Content-Length", strconv.Itoa(len(t.buf)))
		}
		reason = t.send()
	}
	if reason == nil || !t.started {
		return reason
	}
	if t.writeErr != nil { // the reader may have wrapped it
		reason = t.writeErr
	}
	middleware.RecordFrom(ctx).Err = reason
	panic(http.ErrAbortHandler)
}
