package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
)

// maxLine bounds a line, and with it the memory of an import. No JSON of this
// size can become a jsonb that PostgreSQL finds too large.
const maxLine = maxValues + 64<<10

// maxValues bounds the values of a line that are longer than smallValue, with their
// numbers written without exponents. An export writes these no longer than they were
// given; what it may write longer or add (times, numbers, fields that were left out)
// is small, and 40 such values fit into the rest of a line. So import takes each
// line that an export writes.
const (
	maxValues  = 16 << 20
	smallValue = 2 << 10
)

const lineTooLong = "must not be longer than 16 MiB and 64 KiB"

// lineReader cuts an import's sources, one after the other, into lines. A line ends with
// its source.
type lineReader struct {
	ctx      context.Context
	sources  []Source
	withKeys bool
	in       io.ReadCloser
	stream   *bufio.Reader // of in, decompressed
	line     []byte
	// starts are the numbers of the lines before each source that was opened.
	starts []int64
	// lines and bytes are counted over all sources.
	lines, bytes int64
}

func newLineReader(ctx context.Context, sources []Source, withKeys bool) *lineReader {
	none := io.NopCloser(strings.NewReader(""))
	return &lineReader{ctx: ctx, sources: sources, withKeys: withKeys, in: none, stream: bufio.NewReaderSize(none, 256<<10)}
}

// next is the next line without its end, valid until the call after; io.EOF
// ends the last source. A byte order mark at the start of a source is skipped.
func (r *lineReader) next() ([]byte, error) {
	line, err := r.read()
	for len(line) == 0 && isEnd(err) {
		if err := r.open(); err != nil {
			return nil, err
		}
		line, err = r.read()
	}
	r.lines++
	at := r.locate(r.lines)
	if err != nil && !isEnd(err) {
		return nil, fmt.Errorf("reading %s: %w", at, err)
	}
	r.bytes += int64(len(line))
	line = bytes.TrimSuffix(line, []byte{'\n'})
	if len(line) > maxLine {
		return nil, &LineError{location: at, Reason: lineTooLong}
	}
	if at.Line == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line, nil
}

// isEnd reports whether a stream ended regularly: an error that only wraps io.EOF is a
// broken connection.
func isEnd(err error) bool { return err == io.EOF } //nolint:errorlint // the very value

// read reads to a line's end, or until it is too long. What was searched is not
// searched again: an import takes no longer than linear in its bytes, however they arrive.
func (r *lineReader) read() ([]byte, error) {
	r.line = r.line[:0]
	for len(r.line) <= maxLine {
		part, err := r.stream.ReadSlice('\n')
		r.line = append(r.line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.line, err
		}
	}
	return r.line, nil
}

// open opens the next source; io.EOF after the last one.
func (r *lineReader) open() error {
	_ = r.in.Close()
	if len(r.starts) == len(r.sources) {
		return io.EOF
	}
	source := r.sources[len(r.starts)]
	if source.Remote && r.withKeys {
		return fmt.Errorf("%s: keys are accepted from files and standard input only", source.Name)
	}
	r.starts = append(r.starts, r.lines)
	in, err := source.Open(r.ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", source.Name, err)
	}
	r.in = in
	plain, err := decompress(in)
	if err != nil {
		return fmt.Errorf("reading %s: %w", source.Name, err)
	}
	r.stream.Reset(plain)
	return nil
}

// locate finds where a line is that was counted over all sources; 0 is no line.
func (r *lineReader) locate(line int64) location {
	if line == 0 {
		return location{}
	}
	n := sort.Search(len(r.starts), func(i int) bool { return r.starts[i] >= line }) - 1
	at := location{Line: line - r.starts[n], isRow: r.sources[n].Remote}
	if len(r.sources) > 1 {
		at.File = r.sources[n].Name
	}
	return at
}
