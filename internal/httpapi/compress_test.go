package httpapi

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/fairqueue"
)

// compressions replace the compressor: they note whose pieces come, in order, and wait
// until they may go on.
type compressions struct {
	http.ResponseWriter
	client uuid.UUID
	all    *compressionOrder
}

type compressionOrder struct {
	mu    sync.Mutex
	order []uuid.UUID
	goOn  chan struct{}
}

func (c *compressions) Write(b []byte) (int, error) {
	c.all.mu.Lock()
	c.all.order = append(c.all.order, c.client)
	c.all.mu.Unlock()
	<-c.all.goOn
	return c.ResponseWriter.Write(b)
}

func (c *compressions) Close() error { return nil }

// A client's response waits for the piece that is being compressed and one more of another
// client's responses, however many these are and however large.
func TestCompression_ServesClientsInRotation(t *testing.T) {
	t.Parallel()
	const answers, pieces = 5, 4 // of the hog
	s := logTo(t, io.Discard)
	s.compressing = fairqueue.NewSlots(1, 1, 100)
	hog, modest := uuid.New(), uuid.New()
	all := &compressionOrder{goOn: make(chan struct{})}
	var running sync.WaitGroup
	answer := func(client uuid.UUID, size int) {
		handler := s.compressInSlots(func(next http.Handler) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(&compressions{w, client, all}, r) }
		}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if n, err := w.Write(make([]byte, size)); n != size || err != nil {
				t.Errorf("%d bytes were written: %v", n, err)
			}
		}))
		running.Go(func() {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
			handler.ServeHTTP(w, r.WithContext(withRecord(r.Context(), &requestRecord{clientID: client})))
			if w.Body.Len() != size {
				t.Errorf("%d bytes were sent, want %d", w.Body.Len(), size)
			}
		})
	}
	for range answers {
		answer(hog, pieces*compressedPiece)
	}
	awaitSlots(t, s.compressing, answers-1)
	answer(modest, compressedPiece)
	awaitSlots(t, s.compressing, answers)
	close(all.goOn)
	running.Wait()
	if got := slices.Index(all.order, modest); len(all.order) != answers*pieces+1 || got != 2 {
		t.Errorf("of %d pieces the modest client's was number %d, want 2", len(all.order), got)
	}
}

// compressor replaces the compressor. It keeps the last bytes until it is closed.
type compressor struct {
	http.ResponseWriter
	kept   []byte
	closed bool
}

func (c *compressor) Write(b []byte) (int, error) {
	c.kept = append(c.kept, b...)
	if len(c.kept) < compressedPiece {
		return len(b), nil
	}
	_, err := c.ResponseWriter.Write(c.kept)
	c.kept = nil
	return len(b), err
}

func (c *compressor) Close() error {
	_, err := c.ResponseWriter.Write(c.kept)
	c.kept, c.closed = nil, true
	return err
}

// sending notes whether the compressor was closed when something was sent.
type sending struct {
	http.ResponseWriter
	by   *compressor
	open bool
}

func (s *sending) Write(b []byte) (int, error) {
	s.open = s.open || !s.by.closed
	return s.ResponseWriter.Write(b)
}

// The compressor of a response that is written whole is released before anything is sent:
// a response that is not read keeps none.
func TestCompression_WholeResponsesKeepNoCompressor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		size  int
		whole bool
	}{
		"small": {minCompressed, true},
		"large": {3*compressedPiece + 1, true},
		"parts": {3*compressedPiece + 1, false},
	} {
		used := &compressor{}
		handler := logTo(t, io.Discard).compressInSlots(func(next http.Handler) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				used.ResponseWriter = w
				next.ServeHTTP(used, r)
				_ = used.Close()
			}
		}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if c.whole {
				w.Header().Set("Content-Length", strconv.Itoa(c.size))
			}
			if n, err := w.Write(make([]byte, c.size)); n != c.size || err != nil {
				t.Errorf("%s: %d bytes were written: %v", name, n, err)
			}
		}))
		answer, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
		w := &sending{ResponseWriter: answer, by: used}
		handler.ServeHTTP(w, r.WithContext(withRecord(r.Context(), &requestRecord{clientID: uuid.New()})))
		if w.open == c.whole || answer.Body.Len() != c.size {
			t.Errorf("%s: sent with an open compressor: %t, %d bytes", name, w.open, answer.Body.Len())
		}
	}
}

// A large response that is mostly ids is compressed without looking for repetitions, and any
// other with. Both are read as they were written.
func TestCompression_LooksForNoRepetitionsInIDs(t *testing.T) {
	t.Parallel()
	compress, err := newCompression()
	if err != nil {
		t.Fatal(err)
	}
	ids := strings.Repeat(`"9558064b-eee7-4bfd-af72-c4bdc08d5190",`, 4000)
	for name, c := range map[string]struct {
		text     string
		repeated bool // is found
	}{
		"ids":            {ids, false},
		"text":           {strings.Repeat("late delivery, twice - ", 8000), true},
		"half of it ids": {ids + strings.Repeat("late delivery, twice. ", 7000), true},
	} {
		handler := logTo(t, io.Discard).compressInSlots(compress, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, c.text)
		}))
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Encoding", "gzip")
		handler.ServeHTTP(w, r.WithContext(withRecord(r.Context(), &requestRecord{clientID: uuid.New()})))
		if found := w.Body.Len() < len(c.text)/10; found != c.repeated {
			t.Errorf("%s: %d bytes become %d", name, len(c.text), w.Body.Len())
		}
		text, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(text); string(got) != c.text {
			t.Errorf("%s: %d bytes are read of %d: %v", name, len(got), len(c.text), err)
		}
	}
}

func awaitSlots(t *testing.T, slots *fairqueue.Slots, waiting int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); slots.Waiting() != waiting; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d wait, want %d", slots.Waiting(), waiting)
		}
	}
}
