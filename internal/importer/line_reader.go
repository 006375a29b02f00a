package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
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

// lineReader cuts streams, one after the other, into lines. No line goes on in the next
// stream.
type lineReader struct {
	files        *files
	in           io.ReadCloser
	stream       *bufio.Reader // of in
	line         []byte
	lines, bytes int64
	// first says that the stream's next line is its first.
	first bool
}

func newLineReader(f *files) *lineReader {
	none := io.NopCloser(strings.NewReader(""))
	return &lineReader{files: f, in: none, stream: bufio.NewReaderSize(none, 256<<10)}
}

// next is the next line without its end, valid until the call after; io.EOF
// ends the last stream. A byte order mark at the start of a stream is skipped.
func (r *lineReader) next() ([]byte, error) {
	line, err := r.read()
	for len(line) == 0 && isEnd(err) {
		if err := r.open(); err != nil {
			return nil, err
		}
		line, err = r.read()
	}
	if err != nil && !isEnd(err) {
		return nil, fmt.Errorf("nothing was imported: reading %s: %w", r.files.where(r.lines+1), err)
	}
	r.lines++
	r.bytes += int64(len(line))
	line = bytes.TrimSuffix(line, []byte{'\n'})
	if len(line) > maxLine {
		return nil, &LineError{Line: r.lines, Reason: lineTooLong}
	}
	if r.first {
		r.first = false
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line, nil
}

// isEnd says that a stream ended in good order. What a source fails of may wrap io.EOF:
// a server hung up.
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

// open goes on with the next stream; io.EOF says that there is none.
func (r *lineReader) open() error {
	r.close()
	in, err := r.files.open(r.lines)
	if err != nil {
		return err
	}
	r.in, r.first = in, true
	r.stream.Reset(in)
	return nil
}

// close may be called twice.
func (r *lineReader) close() { _ = r.in.Close() }
