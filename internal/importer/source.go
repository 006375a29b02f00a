package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Source is one input of an import, wherever it is.
type Source struct {
	// Name is what errors call it.
	Name string
	// Open is called once, when the sources before it have been read.
	Open func(context.Context) (io.ReadCloser, error)
	// Remote sources come from another system, which must not be able to mint keys.
	Remote bool
}

// Stream is a source that is read from a reader, which is not closed.
func Stream(name string, in io.Reader) Source {
	return Source{Name: name, Open: func(ctx context.Context) (io.ReadCloser, error) {
		return interruptible(ctx, io.NopCloser(in)), nil
	}}
}

// Files are the sources that a pattern of file names finds, in their order, or the file that
// has the very name. Their errors do not repeat it.
func Files(pattern string) ([]Source, error) {
	names := []string{pattern}
	if _, err := os.Stat(pattern); err != nil {
		if !strings.ContainsAny(pattern, "*?[") {
			return nil, fmt.Errorf("%s: %w", pattern, WithoutPath(err))
		}
		if names, err = filepath.Glob(pattern); err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s: no file has such a name", pattern)
		}
	}
	sources := make([]Source, len(names))
	for i, name := range names {
		sources[i] = Source{Name: name, Open: func(ctx context.Context) (io.ReadCloser, error) {
			file, err := os.Open(name)
			if err != nil {
				return nil, WithoutPath(err)
			}
			return interruptible(ctx, file), nil
		}}
	}
	return sources, nil
}

// WithoutPath is the error of a file whose name is printed anyway.
func WithoutPath(err error) error {
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		return wrong.Err
	}
	return err
}

// interruptible reads on a goroutine of its own, so that a Read that never returns, of a
// terminal or a pipe, does not hold up an import whose context has ended.
func interruptible(ctx context.Context, in io.ReadCloser) io.ReadCloser {
	out, into := io.Pipe()
	stop := context.AfterFunc(ctx, func() { _ = into.CloseWithError(context.Cause(ctx)) })
	go func() {
		_, err := io.Copy(into, in)
		_ = into.CloseWithError(err) // io.EOF if there is none
		stop()
		_ = in.Close()
	}()
	return out
}

// maxWindow bounds what reading zstd needs: --long=27, the most that zstd itself
// takes by default.
const maxWindow = 128 << 20

// decompress recognises gzip and zstd by their first bytes. What pzstd writes begins with
// a skippable frame, 0x184D2A50 to 0x184D2A5F.
func decompress(in io.Reader) (io.Reader, error) {
	ahead := bufio.NewReaderSize(in, 64<<10)
	magic, err := ahead.Peek(4)
	if err != nil && !isEnd(err) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		g := &gzipReader{in: ahead, member: new(gzip.Reader)}
		return g, g.next()
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}),
		len(magic) == 4 && magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2a, 0x4d, 0x18}):
		// With a concurrency of 1 there is no goroutine to end.
		return zstd.NewReader(ahead, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	}
	return ahead, nil
}

// gzipReader reads gzip members one after the other. Zeros may follow each, as programs
// that write whole blocks leave them; gzip itself reads over them too.
type gzipReader struct {
	in     *bufio.Reader
	member *gzip.Reader
}

func (g *gzipReader) Read(p []byte) (int, error) {
	n, err := g.member.Read(p)
	if isEnd(err) {
		err = g.next()
	}
	return n, err
}

// next opens the next member; io.EOF after the last one.
func (g *gzipReader) next() error {
	for {
		ahead, err := g.in.Peek(1)
		if err != nil {
			return err
		}
		if ahead[0] != 0 {
			break
		}
		_, _ = g.in.Discard(1)
	}
	if err := g.member.Reset(g.in); err != nil {
		return err
	}
	g.member.Multistream(false)
	return nil
}
