package handler

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
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
		out := &stream{w: w, timeout: 50 * time.Millisecond}
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
	require.NoError(t, err)
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
	require.NoError(t, out.flush())
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
		require.NoError(t, out.flush())
		require.NoError(t, out.end(t.Context(), nil))
		if got := w.Header().Get("Content-Length"); got != length || w.Body.Len() != size {
			t.Errorf("%d bytes of %d have the length %q", w.Body.Len(), size, got)
		}
	}
}

// Large responses wait for those before them to be read, and are refused after a time. A
// client's sixteen requests leave space for those of others, however large they are.
func TestRawResponse_UnsentBytesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := New(Readers{})
		var releases []func()
		takeSixteen := func() {
			for range 16 {
				release, err := awaitUnsent(t.Context(), h.unsent, 2*maxUnsent)
				require.NoError(t, err)
				releases = append(releases, release)
			}
		}
		send := func(size int) (*httptest.ResponseRecorder, error) {
			w := httptest.NewRecorder()
			return w, rawResponse{t.Context(), make([]byte, size), h.unsent}.VisitListInterviewsResponse(w)
		}
		if w, err := send(largeResponse - 1); err != nil || w.Body.Len() != largeResponse-1 {
			t.Errorf("a small response waits: %v", err)
		}
		takeSixteen()
		if w, err := send(largeResponse); err != nil || w.Body.Len() != largeResponse {
			t.Errorf("a large response beside those of one client: %v", err)
		}
		takeSixteen()
		began := time.Now()
		w, err := send(largeResponse)
		if refused, ok := errors.AsType[*apierror.Error](err); !ok || refused.Kind != apierror.KindUnavailable || w.Body.Len() > 0 {
			t.Errorf("a large response that finds no space: %v, %d bytes", err, w.Body.Len())
		}
		check.Equal(t, time.Since(began), unsentTimeout, "it waited")
		for _, release := range releases {
			release()
		}
		if w, err := send(largeResponse); err != nil || w.Body.Len() != largeResponse {
			t.Errorf("a large response after it: %v, %d bytes", err, w.Body.Len())
		}
		if !h.unsent.TryAcquire(maxUnsent) {
			t.Error("something is still taken when everything was sent")
		}
	})
}
