package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"runtime"
	"strconv"

	"github.com/google/uuid"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzhttp/writer"
	"github.com/klauspost/compress/gzhttp/writer/gzkp"
	"github.com/klauspost/compress/gzip"

	"github.com/clientintel/clientintel/internal/fairqueue"
)

// newProcessorSlots makes one slot per processor. Without it all ready responses share
// the processors, and other work waits for each of them.
func newProcessorSlots() *fairqueue.Slots {
	processors := runtime.GOMAXPROCS(0)
	return fairqueue.NewSlots(processors, processors, maxInFlight)
}

const (
	// compressedPiece is how many bytes of a response are compressed in one slot.
	compressedPiece = 64 << 10
	// minCompressed is the size from which a response is compressed.
	minCompressed = 1400
)

// compressInSlots applies a middleware that compresses responses. Large ones are
// compressed in slots of their clients.
func (s *Server) compressInSlots(compress func(http.Handler) http.HandlerFunc, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &gzipOutput{ResponseWriter: w}
		compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&compressionWriter{ResponseWriter: w, r: r, out: out, slots: s.compressing}, r)
		})).ServeHTTP(out, r)
	})
}

// compressionWriter passes a large response to the compressor piece by piece, each in a
// slot of its client. The output is sent after the slot is released, so that a caller
// that does not read occupies none.
type compressionWriter struct {
	http.ResponseWriter
	r     *http.Request
	out   *gzipOutput
	slots *fairqueue.Slots
}

func (w *compressionWriter) Write(b []byte) (int, error) {
	record := recordFrom(w.r.Context())
	compression, compresses := w.ResponseWriter.(io.Closer)
	isWhole := len(b) >= minCompressed && w.Header().Get("Content-Length") == strconv.Itoa(len(b))
	switch {
	case !compresses || record.clientID == uuid.Nil || !isWhole && len(b) < compressedPiece:
		return w.ResponseWriter.Write(b)
	case !isWhole:
		return w.writePieces(record.clientID, b)
	}
	// The compressor is released before anything is sent: it is larger than most
	// responses, and a slow caller would keep it.
	return w.out.bufferWhile(func() (int, error) {
		n, err := w.writePieces(record.clientID, b)
		return n, cmp.Or(err, compression.Close())
	})
}

func (w *compressionWriter) writePieces(client uuid.UUID, b []byte) (written int, err error) {
	if len(b) < compressedPiece {
		return w.ResponseWriter.Write(b)
	}
	w.out.mostlyIDs = isMostlyIDs(b)
	for len(b) > 0 && err == nil {
		var n int
		n, err = w.writePiece(w.r.Context(), client, b[:min(len(b), compressedPiece)])
		written, b = written+n, b[n:]
	}
	return written, err
}

func (w *compressionWriter) writePiece(ctx context.Context, client uuid.UUID, piece []byte) (int, error) {
	if err := w.slots.Acquire(ctx, client); err != nil {
		return 0, err
	}
	return w.out.bufferWhile(func() (int, error) {
		defer w.slots.Release(client)
		return w.ResponseWriter.Write(piece)
	})
}

// Unwrap lets http.ResponseController reach the connection.
func (w *compressionWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func newCompression() (func(http.Handler) http.HandlerFunc, error) {
	return gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(1),
		gzhttp.Implementation(writer.GzipWriterFactory{Levels: gzkp.Levels, New: newGzipWriter}))
}

// newGzipWriter looks for no repetitions in ids, which have none: they become as small in
// a quarter of the time.
func newGzipWriter(to io.Writer, level int) writer.GzipWriter {
	if out, ok := to.(*gzipOutput); ok && out.mostlyIDs {
		level = gzip.HuffmanOnly
	}
	return gzkp.NewWriter(to, level)
}

// isMostlyIDs reports whether at least three quarters of a text are ids, of which every
// tenth character is a hyphen.
func isMostlyIDs(text []byte) bool { return 13*bytes.Count(text, []byte("-")) > len(text) }

// gzipOutput is what the compressor writes to.
type gzipOutput struct {
	http.ResponseWriter
	buffered *Buffer // nil: nothing is buffered
	// mostlyIDs describes the response before it is compressed.
	mostlyIDs bool
}

func (w *gzipOutput) Write(b []byte) (int, error) {
	if w.buffered != nil {
		w.buffered.Bytes = append(w.buffered.Bytes, b...)
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// bufferWhile buffers what write produces and sends it afterwards. In a nested call, the
// outer call sends it.
func (w *gzipOutput) bufferWhile(write func() (int, error)) (int, error) {
	if w.buffered != nil {
		return write()
	}
	buffer := NewBuffer()
	w.buffered = buffer
	n, err := write()
	w.buffered = nil
	if len(buffer.Bytes) > 0 {
		_, sent := w.ResponseWriter.Write(buffer.Bytes)
		err = cmp.Or(err, sent)
	}
	buffer.Release(buffer.Bytes)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *gzipOutput) Unwrap() http.ResponseWriter { return w.ResponseWriter }
