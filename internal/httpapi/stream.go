package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	// streamChunk is what is gathered before it is sent: until the first one is
	// full, a failure is an answer like any other.
	streamChunk = 256 << 10
	// chunkTimeout is how long a caller may take for one chunk.
	chunkTimeout = 15 * time.Second
)

// stream sends an answer in chunks.
type stream struct {
	w       http.ResponseWriter
	timeout time.Duration // for one chunk
	buf     []byte
	started bool
	// broken is why sending failed.
	broken error
}

func newStream(w http.ResponseWriter, buf []byte) *stream {
	return &stream{w: w, timeout: chunkTimeout, buf: buf}
}

// flush sends what is gathered if it is a chunk.
func (t *stream) flush() error {
	if len(t.buf) < streamChunk {
		return nil
	}
	return t.send()
}

// send writes what is gathered, for no longer than a caller may take.
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
	_, t.broken = t.w.Write(t.buf)
	t.buf = t.buf[:0]
	return t.broken
}

// end sends the rest, or gives up for a reason: half an answer must break the
// connection, so that it can never be read as a whole one.
func (t *stream) end(ctx context.Context, reason error) error {
	if reason == nil {
		reason = t.send()
	}
	if reason == nil || !t.started {
		return reason
	}
	if t.broken != nil { // which the reader may have made something else of
		reason = t.broken
	}
	exchangeFrom(ctx).err = reason
	panic(http.ErrAbortHandler)
}
