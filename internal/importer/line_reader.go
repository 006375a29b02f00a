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

// lineReader cuts streams, one after the other, into lines without copying them.
// No line goes on in the next stream.
type lineReader struct {
	files  *files
	in     io.ReadCloser
	stream *bufio.Scanner // of in
	buf    []byte
	// searched is how much of the stream's next line has no end.
	searched     int
	lines, bytes int64
	// first says that the stream's next line is its first.
	first bool
}

func newLineReader(f *files) *lineReader {
	return &lineReader{files: f, buf: make([]byte, 256<<10), stream: bufio.NewScanner(strings.NewReader(""))}
}

// next is the next line without its end, valid until the call after; io.EOF
// ends the last stream. A byte order mark at the start of a stream is skipped.
func (r *lineReader) next() ([]byte, error) {
	for !r.stream.Scan() && !r.tooLong() {
		if err := r.stream.Err(); err != nil {
			return nil, fmt.Errorf("nothing was imported: reading %s: %w", r.files.where(r.lines+1), err)
		}
		if err := r.open(); err != nil {
			return nil, err
		}
	}
	r.lines++
	line := r.stream.Bytes()
	if r.tooLong() || len(line) > maxLine {
		return nil, &LineError{Line: r.lines, Reason: lineTooLong}
	}
	if r.first {
		r.first = false
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line, nil
}

// tooLong says that the stream's next line has no end within the buffer.
func (r *lineReader) tooLong() bool { return errors.Is(r.stream.Err(), bufio.ErrTooLong) }

// open goes on with the next stream; io.EOF says that there is none.
func (r *lineReader) open() error {
	r.close()
	in, err := r.files.open(r.lines)
	if err != nil {
		return err
	}
	r.in, r.stream, r.searched, r.first = in, bufio.NewScanner(in), 0, true
	r.stream.Buffer(r.buf, maxLine+2) // a line that is too long, and its end
	r.stream.Split(r.split)
	return nil
}

func (r *lineReader) close() {
	if r.in != nil {
		_ = r.in.Close()
		r.in = nil
	}
}

// split finds a line's end. What was searched is not searched again: an import takes
// no longer than linear in its bytes, however they arrive.
func (r *lineReader) split(data []byte, atEnd bool) (int, []byte, error) {
	var advance int
	end := bytes.IndexByte(data[r.searched:], '\n')
	switch {
	case end >= 0:
		end += r.searched
		advance = end + 1
	case atEnd && r.stream.Err() == nil && len(data) > 0:
		end, advance = len(data), len(data)
	default:
		r.searched = len(data)
		return 0, nil, nil
	}
	r.searched = 0
	r.bytes += int64(advance)
	return advance, data[:end], nil
}
