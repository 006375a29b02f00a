package importer

import (
	"io"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Memory is bounded by batches, not by the file. Not parallel: the heap is
// everybody's.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	d := setup(t)
	// What is alive counts, not garbage that happens to lie about.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	small, large := d.peakHeap(t, "small", 5_000), d.peakHeap(t, "large", 25_000)
	t.Logf("heap in use: %d MB for 5,000 interviews, %d MB for 25,000", small>>20, large>>20)
	if small == 0 || large > small+16<<20 || large > 80<<20 {
		t.Errorf("heap in use: %d MB for 5,000 interviews, %d MB for 25,000", small>>20, large>>20)
	}
}

// peakHeap imports a file that is made as it is read, and looks at the heap now and then.
func (d *database) peakHeap(t *testing.T, slug string, interviews int) uint64 {
	t.Helper()
	var most uint64
	in, out := io.Pipe()
	go func() {
		_, err := corpus.Generate(out, corpus.Options{
			Seed:    1,
			Clients: []corpus.ClientOptions{{Slug: slug, Interviews: interviews, Campaigns: 8}},
			From:    time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
			To:      time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		})
		out.CloseWithError(err)
	}()
	runtime.GC()
	reads := 0
	watched := readerFunc(func(p []byte) (int, error) {
		if reads++; reads%10 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
		}
		return in.Read(p)
	})
	_, err := Import(t.Context(), d.conn, Options{}, Stream("the input", watched))
	require.NoError(t, err)
	return most
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
