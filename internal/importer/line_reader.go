package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line, and with it the memory of an import. No JSON of this
// size can become a jsonb that PostgreSQL finds too large.
const maxLine = 16 << 20

// lineReader cuts a stream into lines without copying them.
type lineReader struct {
	in         io.Reader
	buf        []byte
	start, end int
	lines      int64
	bytes      int64
	done       bool
}

func newLineReader(in io.Reader) *lineReader {
	return &lineReader{in: in, buf: make([]byte, 256<<10)}
}

// next is the next line without its end, valid until the call after; io.EOF
// ends the stream. A byte order mark at the very start is skipped.
func (r *lineReader) next() ([]byte, error) {
	seen := r.start
	for {
		if n := bytes.IndexByte(r.buf[seen:r.end], '\n'); n >= 0 {
			return r.take(seen+n, 1)
		}
		if r.done {
			if r.start == r.end {
				return nil, io.EOF
			}
			return r.take(r.end, 0)
		}
		if r.end-r.start > maxLine {
			return r.take(r.end, 0)
		}
		unseen := r.end - r.start
		if err := r.fill(); err != nil {
			return nil, fmt.Errorf("nothing was imported: reading line %d: %w", r.lines+1, err)
		}
		seen = r.start + unseen
	}
}

func (r *lineReader) take(end, newline int) ([]byte, error) {
	line := r.buf[r.start:end]
	r.lines++
	r.bytes += int64(end + newline - r.start)
	r.start = end + newline
	if len(line) > maxLine {
		return nil, &LineError{Line: r.lines, Reason: fmt.Sprintf("must not be longer than %d MiB", maxLine>>20)}
	}
	if r.lines == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line, nil
}

// fill reads more behind what is unread, moving or growing the buffer for it.
func (r *lineReader) fill() error {
	if r.start > 0 {
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == len(r.buf) {
		grown := make([]byte, min(2*len(r.buf), maxLine+2))
		r.end = copy(grown, r.buf[:r.end])
		r.buf = grown
	}
	for range 100 {
		n, err := r.in.Read(r.buf[r.end:])
		r.end += n
		switch {
		case errors.Is(err, io.EOF):
			r.done = true
			return nil
		case err != nil:
			return err
		case n > 0:
			return nil
		}
	}
	return io.ErrNoProgress
}
