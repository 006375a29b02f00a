package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Source is one of an import's files, in whatever place.
type Source struct {
	// Name is what errors call it.
	Name string
	// Open is called once, when the sources before it have been read.
	Open func(context.Context) (io.ReadCloser, error)
	// Close is called when nothing more is read of any source, whether this one was
	// opened or not. May be nil.
	Close func()
	// Remote sources come from another system, which must not be able to mint keys.
	Remote bool
}

// Stream is the source that a reader holds. It is not closed.
func Stream(name string, in io.Reader) Source {
	return Source{Name: name, Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(in), nil }}
}

// files are an import's sources, read one after the other. Within the import lines
// are numbered through; errors tell the file and the line in it.
type files struct {
	ctx     context.Context
	sources []Source
	// The parser adds, the writer reads.
	mu sync.Mutex
	// before is how many lines precede each source that was opened.
	before []int64
}

// open opens the next source, io.EOF after the last one.
func (f *files) open(linesBefore int64) (io.ReadCloser, error) {
	n := len(f.before)
	if n == len(f.sources) {
		return nil, io.EOF
	}
	f.mu.Lock()
	f.before = append(f.before, linesBefore)
	f.mu.Unlock()
	in, err := f.sources[n].Open(f.ctx)
	if err != nil {
		return nil, fmt.Errorf("nothing was imported: %s: %w", f.sources[n].Name, err)
	}
	plain, err := decompress(in)
	if err != nil {
		_ = in.Close()
		return nil, fmt.Errorf("nothing was imported: reading %s: %w", f.sources[n].Name, err)
	}
	return plain, nil
}

// close ends the reading.
func (f *files) close() {
	for _, source := range f.sources {
		if source.Close != nil {
			source.Close()
		}
	}
}

// place is a line's file, empty where there is only one, and its number there.
func (f *files) place(line int64) (string, int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n := len(f.before) - 1; n >= 0; n-- {
		if before := f.before[n]; line > before && len(f.sources) > 1 {
			return f.sources[n].Name, line - before
		}
	}
	return "", line
}

// where tells a line's place in an error's text, which locate does not reach.
func (f *files) where(line int64) string {
	file, line := f.place(line)
	return inFile(file, fmt.Sprintf("line %d", line))
}

// span tells where the lines from first to last are.
func (f *files) span(first, last int64) string {
	file, from := f.place(first)
	other, to := f.place(last)
	if file != other {
		return f.where(first) + " to " + f.where(last)
	}
	return inFile(file, fmt.Sprintf("lines %d to %d", from, to))
}

// locate replaces the lines of an error, numbered through, by those of their files.
func (f *files) locate(err error) error {
	if many, ok := errors.AsType[LineErrors](err); ok {
		f.placeAll(many)
	} else if one, ok := errors.AsType[*LineError](err); ok {
		f.placeAll([]*LineError{one})
	}
	return err
}

func (f *files) placeAll(found []*LineError) {
	for _, e := range found {
		e.File, e.Line = f.place(e.Line)
	}
}

// maxWindow bounds what reading zstd needs: --long=27, the most that zstd itself
// takes without being told.
const maxWindow = 128 << 20

// decompress recognises gzip and zstd by their first bytes.
func decompress(in io.ReadCloser) (io.ReadCloser, error) {
	type decompressed struct {
		io.Reader
		io.Closer
	}
	ahead := bufio.NewReaderSize(in, 64<<10)
	magic, err := ahead.Peek(4)
	if err != nil && !isEnd(err) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		plain, err := gzip.NewReader(ahead)
		return decompressed{plain, in}, err
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		// With a concurrency of 1 there is no goroutine to end.
		plain, err := zstd.NewReader(ahead, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		return decompressed{plain, in}, err
	}
	return decompressed{ahead, in}, nil
}
