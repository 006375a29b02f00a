package importer

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Source is one input of an import, wherever it is.
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

// Stream is a source that is read from a reader, which is not closed.
func Stream(name string, in io.Reader) Source {
	return Source{Name: name, Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(in), nil }}
}

// maxWindow bounds what reading zstd needs: --long=27, the most that zstd itself
// takes by default.
const maxWindow = 128 << 20

// decompress recognises gzip and zstd by their first bytes.
func decompress(in io.Reader) (io.Reader, error) {
	ahead := bufio.NewReaderSize(in, 64<<10)
	magic, err := ahead.Peek(4)
	if err != nil && !isEnd(err) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return gzip.NewReader(ahead)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		// With a concurrency of 1 there is no goroutine to end.
		return zstd.NewReader(ahead, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	}
	return ahead, nil
}
