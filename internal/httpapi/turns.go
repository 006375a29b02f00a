package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"sync"

	"github.com/google/uuid"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzhttp/writer"
	"github.com/klauspost/compress/gzhttp/writer/gzkp"
	"github.com/klauspost/compress/gzip"

	"github.com/clientintel/clientintel/internal/fairqueue"
)

// newTurns makes as many places as there are processors. Without them all answers that
// are ready share the processors, and whatever else the server does waits until each
// has had its time.
func newTurns() *fairqueue.Slots {
	processors := runtime.GOMAXPROCS(0)
	return fairqueue.NewSlots(processors, processors, maxInFlight)
}

// turn is a request's at work that no other goroutine has to wait for in the midst. It
// may be taken on another goroutine than the one that ends it. Nil is no turn.
type turn struct {
	of     *fairqueue.Slots
	client uuid.UUID

	mu sync.Mutex
	// held says that it is taken, over that it no longer can be.
	held, over bool
}

// take waits for the turn, unless it is held or over.
func (t *turn) take(ctx context.Context) error {
	if t == nil || t.isTaken() {
		return nil
	}
	if err := t.of.Acquire(ctx, t.client); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held = !t.over; t.over { // while it waited
		t.of.Release(t.client)
	}
	return nil
}

func (t *turn) isTaken() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held || t.over
}

// end ends the turn for good.
func (t *turn) end() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held {
		t.of.Release(t.client)
	}
	t.held, t.over = false, true
}

// Encodes tells whether large results wait for their turn at being encoded.
func (s *Server) Encodes() bool { return s.encoding.Waiting() > 0 }

const (
	// turnSize is how many bytes of an answer are compressed in one turn.
	turnSize = 64 << 10
	// minCompressed is the size from which an answer is compressed.
	minCompressed = 1400
)

// compressInTurns applies a middleware that compresses answers. Large ones are
// compressed in turns of their clients.
func (s *Server) compressInTurns(compress func(http.Handler) http.HandlerFunc, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &heldWriter{ResponseWriter: w}
		compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&turnWriter{ResponseWriter: w, r: r, out: out, turns: s.compressing}, r)
		})).ServeHTTP(out, r)
	})
}

// turnWriter passes a large answer to the compression in pieces, each in a turn of the
// client. What a piece becomes is sent after its turn: a caller that does not read
// has none.
type turnWriter struct {
	http.ResponseWriter
	r     *http.Request
	out   *heldWriter // of the compression
	turns *fairqueue.Slots
}

func (w *turnWriter) Write(b []byte) (int, error) {
	record := recordFrom(w.r.Context())
	record.encodingOfCall.end()
	compression, compresses := w.ResponseWriter.(io.Closer)
	isWhole := len(b) >= minCompressed && w.Header().Get("Content-Length") == strconv.Itoa(len(b))
	switch {
	case !compresses || record.clientID == uuid.Nil || !isWhole && len(b) < turnSize:
		return w.ResponseWriter.Write(b)
	case !isWhole:
		return w.writePieces(record.clientID, b)
	}
	// The compressor, which is larger than most answers, is given back before anything is
	// sent: a caller that does not read keeps none.
	return w.out.hold(func() (int, error) {
		n, err := w.writePieces(record.clientID, b)
		return n, cmp.Or(err, compression.Close())
	})
}

func (w *turnWriter) writePieces(client uuid.UUID, b []byte) (written int, err error) {
	if len(b) < turnSize {
		return w.ResponseWriter.Write(b)
	}
	w.out.mostlyIDs = isMostlyIDs(b)
	for len(b) > 0 && err == nil {
		var n int
		n, err = w.writePiece(w.r.Context(), client, b[:min(len(b), turnSize)])
		written, b = written+n, b[n:]
	}
	return written, err
}

func (w *turnWriter) writePiece(ctx context.Context, client uuid.UUID, piece []byte) (int, error) {
	if err := w.turns.Acquire(ctx, client); err != nil {
		return 0, err
	}
	return w.out.hold(func() (int, error) {
		defer w.turns.Release(client)
		return w.ResponseWriter.Write(piece)
	})
}

// Unwrap lets http.ResponseController reach the connection.
func (w *turnWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func newCompression() (func(http.Handler) http.HandlerFunc, error) {
	return gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(1),
		gzhttp.Implementation(writer.GzipWriterFactory{Levels: gzkp.Levels, New: newGzipWriter}))
}

// newGzipWriter looks for no repetitions in ids, which have none: they become as small in
// a quarter of the time.
func newGzipWriter(to io.Writer, level int) writer.GzipWriter {
	if out, ok := to.(*heldWriter); ok && out.mostlyIDs {
		level = gzip.HuffmanOnly
	}
	return gzkp.NewWriter(to, level)
}

// isMostlyIDs tells whether at least three quarters of a text are ids, of which every
// tenth character is a hyphen.
func isMostlyIDs(text []byte) bool { return 13*bytes.Count(text, []byte("-")) > len(text) }

// heldWriter keeps what is written while a turn lasts.
type heldWriter struct {
	http.ResponseWriter
	held *Buffer // nil: nothing is kept
	// mostlyIDs is what is known of the answer before it is compressed.
	mostlyIDs bool
}

func (w *heldWriter) Write(b []byte) (int, error) {
	if w.held != nil {
		w.held.Bytes = append(w.held.Bytes, b...)
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// hold keeps what a function writes, and sends it then. Within another hold, that one
// sends it.
func (w *heldWriter) hold(write func() (int, error)) (int, error) {
	if w.held != nil {
		return write()
	}
	held := NewBuffer()
	w.held = held
	n, err := write()
	w.held = nil
	if len(held.Bytes) > 0 {
		_, sent := w.ResponseWriter.Write(held.Bytes)
		err = cmp.Or(err, sent)
	}
	held.Release(held.Bytes)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *heldWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
