package httpapi

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// The connection of a caller that stops reading is closed, and its response never
// looks complete.
func TestStream_ClosesTheConnectionOfACallerThatStopsReading(t *testing.T) {
	t.Parallel()
	ended := make(chan any, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			caught := recover()
			ended <- caught
			panic(caught)
		}()
		out := &stream{w: &statusWriter{ResponseWriter: w}, timeout: 50 * time.Millisecond}
		for {
			out.buf = append(out.buf, bytes.Repeat([]byte("x"), streamChunk)...)
			if err := out.flush(); err != nil {
				_ = out.end(r.Context(), err)
				return
			}
		}
	}))
	defer server.Close()
	answer, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	// Nothing is read meanwhile, and the handler fills all buffers there are.
	select {
	case caught := <-ended:
		if caught != http.ErrAbortHandler { //nolint:errorlint // the very value
			t.Errorf("the handler ended with %v", caught)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the handler waits for a caller that does not read")
	}
	if _, err := io.Copy(io.Discard, answer.Body); err == nil {
		t.Error("the answer ended as if it were whole")
	}
}

// Until the first chunk is sent, a failure is answered as an error.
func TestStream_ErrorsBeforeTheFirstChunkAreResponses(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	out := newStream(w, nil)
	out.buf = append(out.buf, make([]byte, streamChunk-1)...)
	if err := out.flush(); err != nil {
		t.Fatal(err)
	}
	if err := out.end(t.Context(), io.ErrNoProgress); err != io.ErrNoProgress { //nolint:errorlint // the very value
		t.Errorf("the reason came back as %v", err)
	}
	if w.Body.Len() > 0 || len(w.Header()) > 0 {
		t.Errorf("%d bytes were sent", w.Body.Len())
	}
}

// A response that is sent at once has its length, so that its compressor is known to be done.
func TestStream_WholeAnswersHaveTheirLength(t *testing.T) {
	t.Parallel()
	for size, length := range map[int]string{7: "7", streamChunk: ""} {
		w := httptest.NewRecorder()
		out := newStream(w, make([]byte, size))
		if err := out.flush(); err != nil {
			t.Fatal(err)
		}
		if err := out.end(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if got := w.Header().Get("Content-Length"); got != length || w.Body.Len() != size {
			t.Errorf("%d bytes of %d have the length %q", w.Body.Len(), size, got)
		}
	}
}
